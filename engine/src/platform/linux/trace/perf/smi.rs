//! Counts how often the firmware stopped a CPU (system management interrupts), with the processor's
//! counter `msr/smi/`.

use std::fmt;
use std::fs;
use std::path::Path;

use perf_event_open::config::{Cpu, Opts, Proc};
use perf_event_open::count::Counter;
use perf_event_open::event::dp::DynamicPmu;

/// Where the kernel describes the counters of machine-specific registers.
const FOLDER: &str = "/sys/bus/event_source/devices/msr";

/// Counts system management interrupts of a CPU until it is dropped.
pub struct SmiCounter(Counter);

impl SmiCounter {
    /// Opens the counter of a CPU; `None` where the kernel has none or denies it.
    pub fn open(cpu: u32) -> Option<Self> {
        Self::open_event(FOLDER.as_ref(), "smi", cpu)
    }

    fn open_event(folder: &Path, name: &str, cpu: u32) -> Option<Self> {
        let text = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let config = config(&text(&format!("events/{name}"))?)?;
        let ty = text("type")?.trim().parse().ok()?;
        let event = DynamicPmu { ty, config, config1: 0, config2: 0, config3: 0 };
        let options = Opts { enable: true, ..Opts::default() };
        Counter::new(event, (Proc::ALL, Cpu(cpu)), &options).ok().map(Self)
    }

    /// Returns the number of interrupts since `open`.
    pub fn count(&self) -> Option<u64> {
        self.0.stat().ok().map(|stat| stat.count)
    }
}

impl fmt::Debug for SmiCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SmiCounter").field(&self.count()).finish()
    }
}

/// Parses the number of an event from a text such as `event=0x04`.
fn config(text: &str) -> Option<u64> {
    let number = text.trim().strip_prefix("event=")?;
    match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_found_by_the_files_that_describe_it() {
        assert_eq!(
            (config("event=0x04\n"), config("event=7"), config("umask=1")),
            (Some(4), Some(7), None)
        );
        let folder = tempfile::tempdir().unwrap();
        assert!(SmiCounter::open_event(folder.path(), "smi", 0).is_none());
        // Files like those of a kernel with the counter, but with the number (0) of the clock register, which
        // every processor has.
        let Ok(ty) = fs::read_to_string(Path::new(FOLDER).join("type")) else {
            println!("skipped: this kernel does not count registers");
            return;
        };
        fs::create_dir(folder.path().join("events")).unwrap();
        fs::write(folder.path().join("type"), ty).unwrap();
        fs::write(folder.path().join("events/smi"), "event=0x00\n").unwrap();
        let Some(counter) = SmiCounter::open_event(folder.path(), "smi", 0) else {
            println!("skipped: counting a whole CPU is not permitted here");
            return;
        };
        let before = counter.count().unwrap();
        assert!(before < counter.count().unwrap());
    }
}
