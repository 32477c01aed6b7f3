//! Replaces names of other programs in traces by letters.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::Delays;
use crate::run::{Run, Trace, TrialRun, counter};
use crate::sample::TraceEvent;

/// Replaces names of other programs by letters, consistently within a run. Some names are not
/// replaced: of programs that the verdict or its advice names, of interrupts, and of threads of the
/// kernel and of this program, which their IDs identify. `full` is the original run.
pub(super) fn hide(run: &mut Run, full: &Run, delays: &Delays) {
    let mut letters: BTreeMap<String, String> = BTreeMap::new();
    for (trial, full) in run.trials.iter_mut().zip(&full.trials) {
        let known = full.trace.as_ref().map(|trace| known_names(trace, full)).unwrap_or_default();
        let names = full.trace.as_ref().map_or(&[][..], Trace::names);
        let shown = trial.trace.as_mut().map_or(&mut [][..], Trace::names_mut);
        for ((shown, name), at) in shown.iter_mut().zip(names).zip(0..) {
            if !known.contains(&at) && !delays.names(name) {
                let next = letters.len();
                shown.clone_from(letters.entry(name.clone()).or_insert_with(|| program(next)));
            }
        }
    }
}

/// Returns the positions of names in the trace that only interrupts, kernel threads, and threads of
/// this program have: these names need not be hidden.
fn known_names(trace: &Trace, trial: &TrialRun) -> BTreeSet<u32> {
    let own = trial.counters.get(counter::TRACE_THREAD).and_then(|own| u32::try_from(*own).ok());
    let owners = trace.owners();
    let mut known: BTreeMap<u32, bool> = BTreeMap::new();
    for record in trace.records() {
        let Some(name) = record.name else { continue };
        let is_known = match record.event {
            TraceEvent::InterruptBegin
            | TraceEvent::SoftirqBegin
            | TraceEvent::Interrupted
            | TraceEvent::NotRecorded
            | TraceEvent::Counted
            | TraceEvent::Received
            | TraceEvent::ReportedLost => record.thread.is_none(),
            TraceEvent::SwitchIn => record
                .thread
                .is_some_and(|thread| Some(thread) == own || owners.contains_key(&thread)),
            _ => false,
        };
        *known.entry(name).or_insert(true) &= is_known;
    }
    known.into_iter().filter_map(|(name, is_known)| is_known.then_some(name)).collect()
}

/// Returns the replacement for the name of a program by its number: "Program A", "Program B",
/// "Program AA".
pub(in crate::export) fn program(number: usize) -> String {
    let mut letters = String::new();
    let mut rest = number + 1;
    while 0 < rest {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or(0);
        letters.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    format!("Program {letters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_lettered_in_order() {
        let names = [0, 1, 25, 26, 27, 701, 702].map(program);
        let letters = names.map(|name| name.replace("Program ", ""));
        assert_eq!(letters, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
