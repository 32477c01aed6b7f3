//! The cause of each stutter: what grew most on its path, compared with ordinary frames.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::class::Class;
use super::life::State;
use super::marks::{Marked, marks};
use super::path::{Paths, Segment};
use super::presenter::{Games, Presenter};
use super::timeline::Timeline;
use crate::nanos::Nanos;
use crate::run::recording::{Canary, EventLimits, Follow, NoteKind, Recording};
use crate::stats::effect::holm_levels;
use crate::stats::{fisher, stutter};

/// Number of ordinary frames before a stutter with which it is compared.
const ORDINARY_BEFORE: usize = 90;
/// Below this number of ordinary frames before it, frames after a stutter are used as well.
const MIN_ORDINARY: usize = 10;
/// Max number of ordinary frames in which a culprit of a stutter is looked for.
const MAX_CONTROL: usize = 400;
/// The cause must have grown by this share of what the frame took longer.
const MIN_SHARE: f64 = 0.5;
/// The kernel lets a thread with a split lock sleep for 10 ms.
const SPLIT_LOCK_SLEEP: Nanos = Nanos::from_millis(8);

/// What a path is blamed on: a class, and the name of the program, thread, or device where one is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blamed {
    /// The class.
    pub class: Class,
    /// The name; `None` if none is known, or if several names share the time.
    pub name: Option<Arc<str>>,
}

/// How much longer a path passed through something than ordinary paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// What the path passed through.
    pub blamed: Blamed,
    /// For how long.
    pub time: Nanos,
    /// For how long ordinary paths did: the median.
    pub ordinary: Nanos,
}

impl Growth {
    /// Returns the difference from ordinary paths.
    pub fn growth(&self) -> Nanos {
        self.time - self.ordinary
    }
}

/// Why an event has no cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unexplained {
    /// No detail of this time is saved, or it is not loaded.
    NoDetail,
    /// The clocks of log and records may differ by more than half a frame.
    Clocks,
    /// No thread presents the frames often enough to know it.
    NoPresenter,
    /// Nothing on the path grew by at least half of the excess.
    NothingGrew,
}

impl Unexplained {
    const KEYS: [(Self, &'static str); 4] = [
        (Self::NoDetail, "no-detail"),
        (Self::Clocks, "clocks"),
        (Self::NoPresenter, "no-presenter"),
        (Self::NothingGrew, "nothing-grew"),
    ];

    /// Returns the key in files.
    pub(super) fn key(self) -> &'static str {
        Self::KEYS.iter().find(|(reason, _)| *reason == self).map_or("", |(_, key)| key)
    }

    /// Returns the reason with a key; one of a later version means that nothing is known.
    pub(super) fn from_key(key: &str) -> Self {
        let found = Self::KEYS.iter().find(|(_, known)| *known == key);
        found.map_or(Self::NoDetail, |(reason, _)| *reason)
    }
}

/// The cause of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// What grew most.
    Cause(Blamed),
    /// No cause is stated.
    Unexplained(Unexplained),
}

/// A stutter with its path; without a game, a stall of a canary.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPath {
    /// When the frame was presented; when the canary woke.
    pub at: Nanos,
    /// The frame time; the lateness.
    pub length: Nanos,
    /// The moving median of the frame times; 0 for a stall.
    pub median: Nanos,
    /// The path, in order of time; empty without detail. Its segments sum to the length.
    pub path: Vec<Segment>,
    /// What the path passed through, the largest growth first.
    pub growths: Vec<Growth>,
    /// The cause.
    pub outcome: Outcome,
}

impl EventPath {
    /// Returns what the event took longer than the frames around it.
    pub fn excess(&self) -> Nanos {
        self.length - self.median
    }

    /// Returns what grew most after the cause; `None` if nothing else grew.
    pub fn runner_up(&self) -> Option<&Growth> {
        let cause = match &self.outcome {
            Outcome::Cause(blamed) => Some(blamed),
            Outcome::Unexplained(_) => None,
        };
        let is_other = |growth: &&Growth| {
            let is_cause = cause.is_some_and(|cause| {
                cause.class == growth.blamed.class
                    && (cause.name.is_none() || cause.name == growth.blamed.name)
            });
            !is_cause && growth.blamed.class != Class::NotExplained
        };
        self.growths.iter().find(is_other).filter(|growth| Nanos::ZERO < growth.growth())
    }

    /// Whether wakers on the way to what is blamed were inferred, not recorded.
    pub fn is_inferred(&self, blamed: &Blamed) -> bool {
        let mut segments = self.path.iter().filter(|segment| segment.class == blamed.class);
        segments.any(|segment| segment.is_inferred)
    }

    /// Returns for how long the path passed through what is blamed.
    pub fn time_of(&self, blamed: &Blamed) -> Nanos {
        time_of(self.growths.iter().map(|growth| (&growth.blamed, growth.time)), blamed)
    }
}

/// A cause with its events.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseOfEvents {
    /// What is blamed.
    pub blamed: Blamed,
    /// Positions of the events in the list of events.
    pub events: Vec<usize>,
    /// In how many ordinary frames the same culprit held the path for as long as in the shortest of the events, and of
    /// how many ordinary frames.
    pub ordinary: (usize, usize),
    /// Whether that is so rare that the cause is certain enough to be stated without "maybe".
    pub is_sure: bool,
    /// The longest of the events.
    pub longest: Nanos,
    /// Sum of the excess of the events.
    pub lost: Nanos,
}

/// The causes of the stutters of a recording; without a game, of the stalls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Whether the events are stalls of a canary instead of stutters.
    pub is_of_stalls: bool,
    /// Whether the events are late cycles and overruns of a followed thread.
    pub is_of_cycles: bool,
    /// The events, in order of time.
    pub events: Vec<EventPath>,
    /// The causes, the one with the most events first.
    pub causes: Vec<CauseOfEvents>,
    /// The thread that presents the frames of each game, in order of time; none where it is not known.
    pub presenters: Vec<Presenter>,
    /// The marks of the user, in order of time.
    pub marks: Vec<Marked>,
    /// Number of switches from idle that the kernel did not record; each thread is taken to run from its wake-up on.
    pub added_switch_count: usize,
    /// Number of ordinary frames with a path.
    pub ordinary_count: usize,
    /// Number of stutters during which a canary stalled as well.
    pub with_stall_count: usize,
}

pub(super) type CauseTotals = BTreeMap<Blamed, Nanos>;

/// Returns for how long a path passed through each thing.
pub(super) fn totals(path: &[Segment]) -> CauseTotals {
    let mut totals = CauseTotals::new();
    for segment in path {
        let blamed = Blamed { class: segment.class, name: segment.name.clone() };
        *totals.entry(blamed).or_default() += segment.length();
    }
    totals
}

/// Returns the time of what is blamed: of all names of a class, if the name is not known.
fn time_of<'a>(times: impl Iterator<Item = (&'a Blamed, Nanos)>, blamed: &Blamed) -> Nanos {
    let own = times.filter(|(other, _)| {
        let is_split_lock = blamed.class == Class::SplitLock && other.class == Class::Timer;
        (other.class == blamed.class || is_split_lock)
            && (blamed.name.is_none() || other.name == blamed.name)
    });
    own.fold(Nanos::ZERO, |sum, (_, time)| sum + time)
}

/// An event whose path is not known yet.
pub(super) struct FoundCause {
    pub(super) span: (Nanos, Nanos),
    pub(super) median: Nanos,
}

impl Analysis {
    /// Follows the paths of all stutters, or of all stalls of a recording without frames. Time: O(n log n) in the number
    /// of records, and O(m) per frame with detail for m segments of its path.
    pub fn of(recording: &Recording) -> Self {
        if let Some(saved) = &recording.answers {
            return Self::from_saved(recording, saved);
        }
        let timelines = Timeline::of_details(recording);
        if let Follow::Thread { thread, .. } = recording.follow {
            return Self::of_cycles(recording, &timelines, thread);
        }
        if recording.frames.is_empty() {
            return Self::of_stalls(recording, &timelines);
        }
        let (stutters, ordinary) = frames(recording);
        let games = Games::of(recording, &timelines);
        let paths: Vec<Paths<'_>> = timelines
            .iter()
            .map(|timeline| Paths::new(recording, timeline, games.at(timeline).process))
            .collect();
        let is_uncertain = |span: (Nanos, Nanos), frame_time: Nanos| {
            let off = recording.frame_uncertainty_in(span);
            off.is_some_and(|off| frame_time.as_f64() / 2.0 < off.as_f64())
        };
        let path_of = |(from, to): (Nanos, Nanos)| {
            let at = timelines.iter().position(|timeline| timeline.covers((from, to)))?;
            let (timeline, paths) = (timelines.get(at)?, paths.get(at)?);
            let presenter = games.at(timeline).presenter.as_ref()?;
            let span = (from - presenter.early, to - presenter.early);
            timeline.covers(span).then_some(())?;
            // A number that another thread had before belongs to the one that ran at the end of the frame.
            let lives = timeline.lives.iter().enumerate();
            let own = lives.filter(|(_, life)| life.thread == presenter.thread);
            let (life, _) = own.max_by_key(|(_, life)| life.ran(span))?;
            Some(paths.path(life, span))
        };
        let ordinary: Vec<(Nanos, CauseTotals)> = ordinary
            .into_iter()
            .filter(|span| recording.before_join.is_none() || !is_uncertain(*span, span.1 - span.0))
            .filter_map(|span| Some((span.1, totals(&path_of(span)?))))
            .collect();
        let events = stutters.into_iter().map(|found| {
            let refused = match timelines.iter().find(|timeline| timeline.covers(found.span)) {
                None => Some(Unexplained::NoDetail),
                Some(_) if is_uncertain(found.span, found.median) => Some(Unexplained::Clocks),
                Some(timeline) if games.at(timeline).presenter.is_none() => {
                    Some(Unexplained::NoPresenter)
                }
                Some(_) => None,
            };
            let path = path_of(found.span).filter(|_| refused.is_none()).unwrap_or_default();
            explained(recording, &found, path, &ordinary, refused)
        });
        let events: Vec<EventPath> = events.collect();
        let controls: Vec<&CauseTotals> = ordinary.iter().map(|(_, totals)| totals).collect();
        let mut analysis = Self {
            is_of_stalls: false,
            is_of_cycles: false,
            with_stall_count: 0,
            causes: causes(&events, &controls),
            marks: marks(recording, &ends(&events)),
            events,
            presenters: games.all.into_iter().filter_map(|game| game.presenter).collect(),
            added_switch_count: added(&timelines),
            ordinary_count: ordinary.len(),
        };
        analysis.count_stalls(recording);
        analysis
    }

    /// Counts the stutters during which a canary stalled as well.
    pub(super) fn count_stalls(&mut self, recording: &Recording) {
        if self.is_of_stalls {
            return;
        }
        let stalled = Stalled::of(recording);
        let stalls = |event: &&EventPath| stalled.during((event.at - event.length, event.at));
        self.with_stall_count = self.events.iter().filter(stalls).count();
    }

    fn of_stalls(recording: &Recording, timelines: &[Timeline]) -> Self {
        let mut events = Vec::new();
        let mut ordinary: Vec<CauseTotals> = Vec::new();
        for stall in &recording.stalls {
            let span = (stall.due, stall.due + stall.late);
            let found = FoundCause { span, median: Nanos::ZERO };
            let canary =
                usize::try_from(stall.canary).ok().and_then(|at| recording.canaries.get(at));
            let timeline = timelines.iter().find(|timeline| timeline.covers(span));
            let path = timeline.zip(canary).and_then(|(timeline, canary)| {
                let paths = Paths::new(recording, timeline, None);
                let life = timeline.lives.iter().position(|life| life.thread == canary.thread)?;
                Some(paths.path_of_canary(life, span))
            });
            let refused = path.is_none().then_some(Unexplained::NoDetail);
            events.push(explained(recording, &found, path.unwrap_or_default(), &[], refused));
        }
        let stalled = Stalled::of(recording);
        for timeline in timelines {
            let paths = Paths::new(recording, timeline, None);
            for canary in &recording.canaries {
                ordinary.extend(waits(timeline, &paths, canary, &stalled));
            }
        }
        let controls: Vec<&CauseTotals> = ordinary.iter().collect();
        Self {
            is_of_stalls: true,
            is_of_cycles: false,
            causes: causes(&events, &controls),
            marks: marks(recording, &ends(&events)),
            events,
            presenters: Vec::new(),
            added_switch_count: added(timelines),
            ordinary_count: ordinary.len(),
            with_stall_count: 0,
        }
    }

    /// Returns the number of events without a cause.
    pub fn unexplained_count(&self) -> usize {
        let is_unexplained = |event: &&EventPath| matches!(event.outcome, Outcome::Unexplained(_));
        self.events.iter().filter(is_unexplained).count()
    }
}

/// The times of all stalls, of which there can be very many.
struct Stalled {
    /// When each stall was due and when it ended, in order of the first.
    spans: Vec<(Nanos, Nanos)>,
    longest: Nanos,
}

impl Stalled {
    fn of(recording: &Recording) -> Self {
        let stalls = recording.stalls.iter();
        let mut spans: Vec<_> = stalls.map(|stall| (stall.due, stall.due + stall.late)).collect();
        spans.sort_unstable();
        let longest = recording.stalls.iter().map(|stall| stall.late).max().unwrap_or_default();
        Self { spans, longest }
    }

    /// Whether a canary stalled in this time. Only stalls that were due up to the longest one before it can reach it.
    fn during(&self, (from, to): (Nanos, Nanos)) -> bool {
        let first = self.spans.partition_point(|(due, _)| *due < from - self.longest);
        let near = self.spans.iter().skip(first).take_while(|(due, _)| *due < to);
        near.into_iter().any(|(_, end)| from < *end)
    }
}

/// Returns what a wake-up of a canary passed through, for each wake-up that was no stall.
fn waits(
    timeline: &Timeline,
    paths: &Paths<'_>,
    canary: &Canary,
    stalled: &Stalled,
) -> Vec<CauseTotals> {
    let lives = timeline.lives.iter().enumerate();
    let lives = lives.filter(|(_, life)| life.thread == canary.thread);
    let mut waits = Vec::new();
    for (position, life) in lives {
        for piece in &life.pieces {
            let span = (piece.from, piece.to);
            if piece.state == State::Ready && timeline.covers(span) && !stalled.during(span) {
                waits.push(totals(&paths.path(position, span)));
            }
        }
    }
    waits
}

pub(super) fn added(timelines: &[Timeline]) -> usize {
    timelines.iter().map(|timeline| timeline.added_count).sum()
}

pub(super) fn ends(events: &[EventPath]) -> Vec<(Nanos, Nanos)> {
    events.iter().map(|event| (event.at, event.length)).collect()
}

/// Returns the stutters, and the times of all other frames except pauses.
fn frames(recording: &Recording) -> (Vec<FoundCause>, Vec<(Nanos, Nanos)>) {
    let EventLimits { stutter_permille, .. } = recording.limits;
    let factor = f64::from(stutter_permille) / 1e3;
    let times = recording.frames.frame_times();
    let (mut stutters, mut ordinary) = (Vec::new(), Vec::new());
    let medians = stutter::moving_median(times.values());
    for ((at, length), median) in recording.frames.iter().zip(medians) {
        let span = (at - length, at);
        if stutter::PAUSE < length || length <= Nanos::ZERO {
            continue;
        }
        if factor * median < length.as_f64() {
            stutters.push(FoundCause { span, median: Nanos::from_nanos_f64(median) });
        } else {
            ordinary.push(span);
        }
    }
    (stutters, ordinary)
}

/// Compares the path of an event with ordinary paths, and states its cause.
pub(super) fn explained(
    recording: &Recording,
    found: &FoundCause,
    path: Vec<Segment>,
    ordinary: &[(Nanos, CauseTotals)],
    refused: Option<Unexplained>,
) -> EventPath {
    let (begin, at) = found.span;
    let before = ordinary.partition_point(|(end, _)| *end <= begin);
    let first = before.saturating_sub(ORDINARY_BEFORE);
    let last = if before - first < MIN_ORDINARY {
        (first + ORDINARY_BEFORE).min(ordinary.len())
    } else {
        before
    };
    let compared = ordinary.get(first..last).unwrap_or_default();
    let growths = totals(&path).into_iter().map(|(blamed, time)| {
        let ordinary = median(
            compared.iter().map(|(_, totals)| totals.get(&blamed).copied().unwrap_or_default()),
        );
        Growth { blamed, time, ordinary }
    });
    let mut growths: Vec<Growth> = growths.collect();
    growths.sort_by(|a, b| b.growth().cmp(&a.growth()).then_with(|| a.blamed.cmp(&b.blamed)));
    let length = at - begin;
    let needed = (length - found.median).as_f64() * MIN_SHARE;
    let outcome = match (refused, cause(recording, &growths, needed)) {
        (Some(reason), _) => Outcome::Unexplained(reason),
        (None, Some(blamed)) => Outcome::Cause(blamed),
        (None, None) => Outcome::Unexplained(Unexplained::NothingGrew),
    };
    EventPath { at, length, median: found.median, path, growths, outcome }
}

/// Returns what grew by at least `needed` nanoseconds: the one with a name that grew most, or else the class whose names
/// together grew most.
fn cause(recording: &Recording, growths: &[Growth], needed: f64) -> Option<Blamed> {
    let known = || growths.iter().filter(|growth| growth.blamed.class != Class::NotExplained);
    if let Some(first) = known().next().filter(|first| needed <= first.growth().as_f64()) {
        return Some(if is_split_lock(recording, first) {
            Blamed { class: Class::SplitLock, name: None }
        } else {
            first.blamed.clone()
        });
    }
    let mut by_class: BTreeMap<Class, Nanos> = BTreeMap::new();
    for growth in known().filter(|growth| Nanos::ZERO < growth.growth()) {
        *by_class.entry(growth.blamed.class).or_default() += growth.growth();
    }
    let (class, growth) = by_class.into_iter().max_by_key(|(_, growth)| *growth)?;
    (needed <= growth.as_f64()).then_some(Blamed { class, name: None })
}

/// Whether a sleep until a set time is one by which the kernel slows down a program with split locks.
fn is_split_lock(recording: &Recording, growth: &Growth) -> bool {
    let is_new = growth.ordinary == Nanos::ZERO && SPLIT_LOCK_SLEEP <= growth.time;
    let thread = growth.blamed.name.as_deref().unwrap_or_default();
    let is_game = |text: &str| {
        recording.games().any(|(_, game)| game.is_some_and(|process| process.name == text))
    };
    let names_it = |text: &str| !text.is_empty() && (text == thread || is_game(text));
    let mut notes = recording.notes.iter();
    growth.blamed.class == Class::Timer
        && is_new
        && notes.any(|note| note.kind == NoteKind::SplitLock && names_it(&note.text))
}

/// Returns the lower median; 0 without values.
pub(super) fn median(values: impl Iterator<Item = Nanos>) -> Nanos {
    let mut values: Vec<Nanos> = values.collect();
    let middle = values.len().saturating_sub(1) / 2;
    if values.is_empty() {
        return Nanos::ZERO;
    }
    *values.select_nth_unstable(middle).1
}

/// Groups events by cause, and compares each cause with ordinary frames.
pub(super) fn causes(events: &[EventPath], ordinary: &[&CauseTotals]) -> Vec<CauseOfEvents> {
    let mut by_cause: BTreeMap<&Blamed, Vec<usize>> = BTreeMap::new();
    for (event, position) in events.iter().zip(0..) {
        if let Outcome::Cause(blamed) = &event.outcome {
            by_cause.entry(blamed).or_default().push(position);
        }
    }
    let controls = drawn(ordinary);
    let event = |position: &usize| events.get(*position);
    let mut chances = Vec::new();
    let mut causes: Vec<CauseOfEvents> = Vec::new();
    for (blamed, positions) in by_cause {
        let own = || positions.iter().filter_map(event);
        let shortest = own().map(|event| event.time_of(blamed)).min().unwrap_or_default();
        let holds = |time: Nanos| shortest <= time;
        let among = controls.iter().filter(|totals| {
            holds(time_of(totals.iter().map(|(blamed, time)| (blamed, *time)), blamed))
        });
        let ordinary = (among.count(), controls.len());
        let with_path = events.iter().filter(|event| !event.path.is_empty());
        let stutters = with_path.clone().filter(|event| holds(event.time_of(blamed))).count();
        chances.push(fisher::more_often((stutters, with_path.count()), ordinary));
        causes.push(CauseOfEvents {
            blamed: blamed.clone(),
            ordinary,
            is_sure: false,
            longest: own().map(|event| event.length).max().unwrap_or_default(),
            lost: own().fold(Nanos::ZERO, |sum, event| sum + event.excess()),
            events: positions,
        });
    }
    for ((cause, level), chance) in causes.iter_mut().zip(holm_levels(&chances)).zip(chances) {
        let mut own = cause.events.iter().filter_map(event);
        // A waker that is inferred is probable, and so is what it was blamed for.
        let is_recorded = own.all(|event| !event.is_inferred(&cause.blamed));
        cause.is_sure = chance < level && is_recorded;
    }
    causes.sort_by(|a, b| {
        let by_count = b.events.len().cmp(&a.events.len());
        by_count.then(b.lost.cmp(&a.lost)).then_with(|| a.blamed.cmp(&b.blamed))
    });
    causes
}

/// Draws ordinary frames at random, always the same of one recording; all, if there are few.
fn drawn<'a>(ordinary: &[&'a CauseTotals]) -> Vec<&'a CauseTotals> {
    let mut all = ordinary.to_vec();
    fastrand::Rng::with_seed(53).shuffle(&mut all);
    all.truncate(MAX_CONTROL);
    all
}
