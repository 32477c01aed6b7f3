//! Finds the thread that presents the frames of each game.

use std::collections::BTreeMap;

use super::life::State;
use super::timeline::Timeline;
use crate::nanos::Nanos;
use crate::run::recording::{Follow, Recording};
use crate::sample::ThreadOwner;
use crate::stats::float;

/// A thread presents the frames only if it ran at this share more of the rows than of all times.
const MIN_EXCESS: f64 = 0.2;
/// Rows are moved earlier only if the thread that presents then ran at this share more of them.
const MIN_GAIN: f64 = 0.02;

/// The thread that presents the frames, which is known by number and name, because a detail knows no others.
#[derive(Clone, Debug, PartialEq)]
pub struct Presenter {
    /// The number of the thread.
    pub thread: u32,
    /// The name of the thread.
    pub name: String,
    /// The process of the thread, if it is known.
    pub process: Option<u32>,
    /// Share of the rows at which the thread ran, less its share of all times; 1 if the thread was requested.
    pub excess: f64,
    /// How long before the times of the log the thread wrote its rows.
    pub early: Nanos,
}

/// A game whose frames were followed. Started again, it is another one: its threads have other numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct FollowedGame {
    /// From when on the frames are its own.
    begin: Nanos,
    /// Its process; `None` if it is not known.
    pub process: Option<u32>,
    /// The thread that presents its frames.
    pub presenter: Option<Presenter>,
}

/// The games of a recording in order of time, of which there is one or more.
pub(super) struct Games {
    pub all: Vec<FollowedGame>,
    none: FollowedGame,
}

impl Games {
    /// Finds the threads that present the frames of each game.
    pub(super) fn of(recording: &Recording, timelines: &[Timeline]) -> Self {
        let all = recording.games().map(|(begin, process)| {
            let process = process.map(|process| process.process);
            FollowedGame { begin, process, presenter: None }
        });
        let mut games = Self { all: all.collect(), none: FollowedGame::default() };
        let of_timelines: Vec<Option<usize>> =
            timelines.iter().map(|timeline| games.position(timeline)).collect();
        for (game, position) in games.all.iter_mut().zip(0..) {
            let own = timelines.iter().zip(&of_timelines);
            let own: Vec<&Timeline> = own
                .filter(|(_, of)| **of == Some(position))
                .map(|(timeline, _)| timeline)
                .collect();
            game.presenter = match recording.follow {
                Follow::Thread { thread, .. } => followed(recording, thread),
                Follow::Log | Follow::ThisPc => presenter(recording, &own, game.process),
            };
            game.process = game.process.or_else(|| game.presenter.as_ref()?.process);
        }
        games
    }

    /// Returns the game whose frames are in a detail. That of a stutter while a game starts begins before the game.
    pub(super) fn at(&self, timeline: &Timeline) -> &FollowedGame {
        self.position(timeline).and_then(|at| self.all.get(at)).unwrap_or(&self.none)
    }

    fn position(&self, timeline: &Timeline) -> Option<usize> {
        self.all.iter().rposition(|game| game.begin <= timeline.end)
    }
}

fn followed(recording: &Recording, thread: u32) -> Option<Presenter> {
    let row = recording.threads.iter().rfind(|row| row.thread == thread)?;
    Some(Presenter {
        thread,
        name: row.name.clone(),
        process: row.process,
        excess: 1.0,
        early: Nanos::ZERO,
    })
}

#[derive(Default)]
struct PresenterCandidate {
    name: String,
    process: Option<u32>,
    row_count: usize,
    ran: Nanos,
}

/// In how many steps rows are moved earlier, up to twice the uncertainty of the log's clock.
const SHIFT_COUNT: i64 = 16;
/// Rows are moved by at most this much: another thread may run at any other time of a frame.
const MAX_SHIFT: Nanos = Nanos::from_millis(1);
/// Max number of rows from which a shift is found.
const MAX_SHIFT_ROWS: usize = 400;

/// Returns the thread that presents the frames of a game in its details: the one that runs most often when a row is written, compared with
/// random instants. `None` if no thread runs then much more often.
///
/// The rows of a log are placed by the one that arrived fastest, so all of them may be late by the same time: up to the
/// shortest delay from writing to reading. Example: a thread presents for 60 µs per frame, and the rows are 100 µs late;
/// at the times of the rows, it has left its CPU in each frame. So the rows are moved earlier in steps, and the position
/// at which some thread runs most often is theirs.
fn presenter(
    recording: &Recording,
    timelines: &[&Timeline],
    game: Option<u32>,
) -> Option<Presenter> {
    let uncertainty_of = |timeline: &Timeline| {
        recording.frame_uncertainty_in((timeline.begin, timeline.end)).unwrap_or_default()
    };
    let least = timelines.iter().map(|timeline| uncertainty_of(timeline)).min()?;
    // Where the place of a joined log is less certain than elsewhere, its rows may be those of any other time.
    let certain = timelines.iter().filter(|it| uncertainty_of(it) <= least.max(MAX_SHIFT));
    let all: Vec<(&Timeline, Vec<Nanos>)> =
        certain.map(|timeline| (*timeline, rows(recording, timeline).collect())).collect();
    let row_count: usize = all.iter().map(|(_, rows)| rows.len()).sum();
    let stride = (row_count / MAX_SHIFT_ROWS).max(1);
    let some: Vec<(&Timeline, Vec<Nanos>)> = all
        .iter()
        .map(|(timeline, rows)| (*timeline, rows.iter().copied().step_by(stride).collect()))
        .collect();
    let most = (least * 2).min(MAX_SHIFT);
    let shifts = (0..=SHIFT_COUNT).map(|step| Nanos::new(most.get() / SHIFT_COUNT * step));
    let found = shifts.filter_map(|early| best(game, &some, early));
    let of_game = |found: &Presenter| is_of_game(game, found.process);
    // The first of equally good ones is the latest: the rows are not moved without need.
    let early = found.reduce(|kept, next| {
        let is_better = of_game(&kept)
            .cmp(&of_game(&next))
            .then(kept.excess.total_cmp(&(next.excess - MIN_GAIN)))
            .is_lt();
        if is_better { next } else { kept }
    })?;
    best(game, &all, early.early)
}

fn is_of_game(game: Option<u32>, process: Option<u32>) -> bool {
    game.is_some() && process == game
}

/// Returns the thread that runs most often when a row is written, if each row was written `early` before its time.
fn best(game: Option<u32>, rows: &[(&Timeline, Vec<Nanos>)], early: Nanos) -> Option<Presenter> {
    let mut candidates: BTreeMap<u32, PresenterCandidate> = BTreeMap::new();
    let (mut row_count, mut length) = (0, Nanos::ZERO);
    for (timeline, rows) in rows {
        row_count += rows.len();
        length += timeline.end - timeline.begin;
        for life in &timeline.lives {
            if life.owner == Some(ThreadOwner::Own) || life.owner == Some(ThreadOwner::Kernel) {
                continue;
            }
            let candidate = candidates.entry(life.thread).or_default();
            candidate.name = life.name.to_string();
            candidate.process = life.process;
            candidate.ran += life.ran((timeline.begin, timeline.end));
            candidate.row_count +=
                rows.iter().filter(|at| life.state_at(**at - early) == State::Running).count();
        }
    }
    if row_count == 0 || length <= Nanos::ZERO {
        return None;
    }
    let ranked = candidates.into_iter().map(|(thread, candidate)| {
        let at_rows = float(candidate.row_count) / float(row_count);
        let excess = at_rows - candidate.ran.as_f64() / length.as_f64();
        (is_of_game(game, candidate.process), excess, thread, candidate)
    });
    let ranked = ranked.filter(|(_, excess, _, _)| MIN_EXCESS <= *excess);
    // A log of another program, such as gamescope's, is written by a thread outside of the game.
    let best = ranked.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    best.map(|(_, excess, thread, PresenterCandidate { name, process, .. })| Presenter {
        thread,
        name,
        process,
        excess,
        early,
    })
}

/// Returns when the rows within a detail were written.
fn rows<'a>(recording: &'a Recording, timeline: &'a Timeline) -> impl Iterator<Item = Nanos> + 'a {
    let rows = recording.frames.iter().map(|(at, _)| at);
    rows.filter(|at| timeline.covers((*at, *at)))
}
