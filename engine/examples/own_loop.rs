//! Evaluates a loop that this file runs itself, with the clock, the sleep, and the statistics of the engine.
//!
//! A test of the engine is not added from outside: `Plan` lists all of them. `.github/CONTRIBUTING.md` has the steps.
//!
//! `cargo run --release -p jitterscope-engine --example own_loop`

use std::error::Error;
use std::io::{self, Write as _};

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{Conditions, Priority};
use jitterscope_engine::platform::{self, Sleeper};
use jitterscope_engine::sample::{Sample, Samples};
use jitterscope_engine::stats::Summary;
use jitterscope_engine::units::format_time;

const PERIOD: Nanos = Nanos::from_millis(4);
const LATE_THRESHOLD: Nanos = Nanos::from_micros(200);
const COUNT: i64 = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout();
    let conditions = Conditions { priority: Priority::AboveNormal, ..Conditions::NORMAL };
    // The conditions are in force until `_held` is dropped.
    let (applied, _held) = platform::apply(&conditions);
    for refusal in &applied.refusals {
        writeln!(out, "not applied: {refusal}")?;
    }

    let sleeper = Sleeper::new();
    let start = platform::clock_nanos();
    let now = || Nanos::new(platform::clock_nanos() - start);
    let frame = |number: i64| {
        let (began, due) = (now(), PERIOD * number);
        sleeper.sleep_until(start + due.get());
        // Here is the place for the work of a frame, between `woke` and `done`.
        Sample { began, due, woke: now(), done: now(), ..Sample::default() }
    };
    let samples: Samples = (1..=COUNT).map(frame).collect();

    let summary = Summary::of(&samples, PERIOD, LATE_THRESHOLD, None).ok_or("no samples")?;
    let lateness = summary.lateness;
    writeln!(
        out,
        "median lateness {}, max {}",
        format_time(lateness.p50),
        format_time(lateness.max)
    )?;
    writeln!(out, "{} of {} frames were late", summary.late_count, lateness.count)?;
    Ok(())
}
