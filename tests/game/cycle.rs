//! A periodic thread, with cycles that are late or overrun for known reasons.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;
use std::time::Duration;

use super::inject::{Injector, Kind, pin};
use super::linux::{compute, now, sleep_until};

/// The period of the thread.
const PERIOD: i64 = 10_000_000;

/// Runs the thread `made-cycle` on CPU 0, and delays it now and then.
pub(super) fn run(kinds: &[Kind], every: f64, injector: &mut Injector, truth: &mut File) {
    let [is_done, is_long] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let (ends, overruns) = (Arc::clone(&is_done), Arc::clone(&is_long));
    let thread = Builder::new().name("made-cycle".to_owned()).spawn(move || {
        pin(0, Some(0));
        let mut due = now();
        while !ends.load(Ordering::Relaxed) {
            compute(Duration::from_micros(300));
            if overruns.swap(false, Ordering::Relaxed) {
                compute(Duration::from_millis(30));
            }
            due += PERIOD;
            sleep_until(due);
        }
    });
    std::thread::sleep(Duration::from_secs(4));
    for kind in kinds {
        let began = now();
        match kind {
            Kind::Long => is_long.store(true, Ordering::Relaxed),
            kind => injector.begin(*kind),
        }
        std::thread::sleep(Duration::from_millis((every * 1e3) as u64));
        writeln!(truth, "{},{began},{}", kind.name(), now()).unwrap();
    }
    std::thread::sleep(Duration::from_secs(1));
    is_done.store(true, Ordering::Relaxed);
    thread.unwrap().join().unwrap();
}
