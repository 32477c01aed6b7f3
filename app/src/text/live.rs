//! Texts about a test in progress.

use jitterscope_engine::plan::{Load, LoadCount};
use jitterscope_engine::report::Suspect;
use jitterscope_engine::runner::OtherPrograms;

use super::format_share;

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

/// Returns the current load of other programs: "other programs use 93.0% of one CPU (chrome 62.0%,
/// cargo 31.0%)"; `None` if the system does not report it.
pub fn busy_now(found: &OtherPrograms) -> Option<String> {
    let share = format_share(found.share?);
    let name = |one: &Suspect| format!("{} {}", one.name, format_share(one.share));
    let names: Vec<String> = found.busiest.iter().map(name).collect();
    let named = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    Some(format!("other programs use {share} of one CPU{named}"))
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
