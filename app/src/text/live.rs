//! Texts about a test in progress.

use jitterscope_engine::plan::{Load, LoadCount};

/// Returns the number of load threads in words: "4 load threads".
pub fn load_threads(load: &Load) -> String {
    match load.count {
        LoadCount::Threads(0) => "no background load".to_owned(),
        LoadCount::Threads(1) => "1 load thread".to_owned(),
        LoadCount::Threads(count) => format!("{count} load threads"),
        LoadCount::PerLogicalCpu => "one load thread per logical CPU".to_owned(),
        LoadCount::PerPhysicalCore => "one load thread per physical core".to_owned(),
        LoadCount::HalfOfCpus => "one load thread per two CPUs".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_singular_and_none_is_no_load() {
        let words = |count| load_threads(&Load { count, ..Load::NONE });
        assert_eq!(words(LoadCount::Threads(0)), "no background load");
        assert_eq!(words(LoadCount::Threads(1)), "1 load thread");
        assert_eq!(words(LoadCount::Threads(4)), "4 load threads");
        assert_eq!(words(LoadCount::PerLogicalCpu), "one load thread per logical CPU");
    }
}
