//! Texts about a test in progress.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{Load, LoadCount};
use jitterscope_engine::report::{Disturbance, Suspect};
use jitterscope_engine::runner::OtherPrograms;

use super::{capitalized, format_long_time, format_share};

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

/// Returns which other programs a measurement waits for, and until when: below their limit, or after this time.
pub fn waiting_for(found: &OtherPrograms, limit: Nanos) -> String {
    let now = busy_now(found);
    format!(
        "{}. Starts below {}, or after {}.",
        capitalized(now.as_deref().unwrap_or("the load of other programs is being measured")),
        format_share(Disturbance::LIMIT),
        format_long_time(limit),
    )
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
