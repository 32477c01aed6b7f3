//! The causes of the late cycles and overruns of a followed thread.
//!
//! A cycle takes from when it was due until the thread slept again, so that both a wake-up that came late and work that took
//! longer make it longer. Its path is compared with those of cycles on time, as that of a frame is with ordinary frames.
//! Example: cycles take 0.4 ms. One is due at 40.0 ms, the thread is woken at 40.0 and has no CPU until 43.0, while `make`
//! has it, and sleeps at 43.4 ms: it took 3.0 ms longer, which `make` explains.

use super::cause::{
    Analysis, CauseTotals, EventPath, FoundCause, Unexplained, added, causes, ends, explained,
    median, totals,
};
use super::marks::marks;
use super::path::Paths;
use super::presenter::Presenter;
use super::timeline::Timeline;
use crate::nanos::Nanos;
use crate::run::Series;
use crate::run::recording::{EventKind, RecordedEvent, Recording, name};

impl Recording {
    /// Returns the late cycles and overruns of the followed thread.
    pub(super) fn bad_cycles(&self) -> impl Iterator<Item = &RecordedEvent> {
        let is_cycle = |kind| matches!(kind, EventKind::LateCycle | EventKind::Overrun);
        self.events.iter().filter(move |event| is_cycle(event.kind))
    }

    /// Returns when each cycle was due and when its work was done, in order of time.
    fn cycles(&self) -> impl Iterator<Item = (Nanos, Nanos)> + '_ {
        let lengths = self.series.get(name::CYCLE_LENGTH).into_iter().flat_map(Series::iter);
        lengths.map(|(due, length)| (due, due + Nanos::new(length)))
    }
}

impl Analysis {
    /// Follows the paths of the late cycles and overruns of a thread.
    pub(super) fn of_cycles(recording: &Recording, timelines: &[Timeline], thread: u32) -> Self {
        let process = recording.process.as_ref().map(|process| process.process);
        let paths: Vec<Paths<'_>> =
            timelines.iter().map(|timeline| Paths::new(recording, timeline, process)).collect();
        let path_of = |span: (Nanos, Nanos)| {
            let at = timelines.iter().position(|timeline| timeline.covers(span))?;
            let (timeline, paths) = (timelines.get(at)?, paths.get(at)?);
            let lives = timeline.lives.iter().enumerate();
            let own = lives.filter(|(_, life)| life.thread == thread);
            let (life, _) = own.max_by_key(|(_, life)| life.ran(span))?;
            Some(paths.path_of_cycle(life, span))
        };
        let bad: Vec<(Nanos, Nanos)> =
            recording.bad_cycles().map(|event| (event.at - event.length, event.at)).collect();
        let is_on_time = |span: &(Nanos, Nanos)| bad.binary_search(span).is_err();
        let on_time: Vec<(Nanos, Nanos)> = recording.cycles().filter(is_on_time).collect();
        let median = median(on_time.iter().map(|(due, end)| *end - *due));
        // Only those with detail have a path.
        let in_detail = timelines.iter().flat_map(|timeline| {
            let first = on_time.partition_point(|(due, _)| *due < timeline.begin);
            let own = on_time.get(first..).unwrap_or_default().iter();
            own.take_while(|(_, end)| *end <= timeline.end)
        });
        let ordinary: Vec<(Nanos, CauseTotals)> =
            in_detail.filter_map(|span| Some((span.1, totals(&path_of(*span)?)))).collect();
        let events = bad.into_iter().map(|span| {
            let path = path_of(span);
            let refused = path.is_none().then_some(Unexplained::NoDetail);
            let found = FoundCause { span, median };
            explained(recording, &found, path.unwrap_or_default(), &ordinary, refused)
        });
        let events: Vec<EventPath> = events.collect();
        let controls: Vec<&CauseTotals> = ordinary.iter().map(|(_, totals)| totals).collect();
        let mut analysis = Self {
            is_of_stalls: false,
            is_of_cycles: true,
            with_stall_count: 0,
            causes: causes(&events, &controls),
            marks: marks(recording, &ends(&events)),
            events,
            presenters: vec![Presenter {
                thread,
                name: recording.label.clone(),
                process,
                excess: 1.0,
                early: Nanos::ZERO,
            }],
            added_switch_count: added(timelines),
            ordinary_count: ordinary.len(),
        };
        analysis.count_stalls(recording);
        analysis
    }
}
