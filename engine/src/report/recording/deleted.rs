//! Deletes the detail of a recording, and saves its answers.

use std::sync::Arc;

use super::cause::{Analysis, Blamed, CauseOfEvents, EventPath, Growth, Outcome, Unexplained};
use super::class::Class;
use super::marks::marks;
use super::presenter::Presenter;
use crate::nanos::Nanos;
use crate::run::Recording;
use crate::run::recording::{
    SavedAnswers, SavedBlame, SavedCause, SavedEvent, SavedGrowth, SavedPresenter,
};

/// Number of growths that are saved of an event.
const MAX_GROWTHS: usize = 5;

fn saved_count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn count(saved: u64) -> usize {
    usize::try_from(saved).unwrap_or(usize::MAX)
}

impl Blamed {
    pub(super) fn save(&self) -> SavedBlame {
        let name = self.name.as_deref().map(str::to_owned);
        SavedBlame { class: self.class.row().key.to_owned(), name }
    }

    /// Reads what was blamed. A class of a later version is not known here.
    pub(super) fn from_saved(saved: &SavedBlame) -> Self {
        let class = Class::all().find(|class| class.row().key == saved.class);
        let name = saved.name.as_deref().map(Arc::from);
        Self { class: class.unwrap_or(Class::NotExplained), name }
    }
}

impl Recording {
    /// Deletes the detail, and saves the events with their causes as it shows them. Returns whether there was any.
    pub fn delete_detail(&mut self) -> bool {
        if self.details.is_empty() {
            return false;
        }
        let answers = Analysis::of(self).save();
        let is_in_detail =
            |at: Nanos| self.details.iter().any(|detail| detail.begin <= at && at <= detail.end);
        let deleted = self.events.iter().filter(|event| is_in_detail(event.at)).count();
        self.unsaved.deleted_count += saved_count(deleted);
        self.answers = Some(answers);
        self.details.clear();
        self.threads.clear();
        true
    }
}

impl Analysis {
    fn save(&self) -> SavedAnswers {
        let event = |event: &EventPath| {
            let (cause, unexplained) = match &event.outcome {
                Outcome::Cause(blamed) => (Some(blamed.save()), String::new()),
                Outcome::Unexplained(reason) => (None, reason.key().to_owned()),
            };
            let growth = |growth: &Growth| SavedGrowth {
                blamed: growth.blamed.save(),
                time: growth.time,
                ordinary: growth.ordinary,
            };
            SavedEvent {
                at: event.at,
                length: event.length,
                median: event.median,
                cause,
                unexplained,
                growths: event.growths.iter().take(MAX_GROWTHS).map(growth).collect(),
            }
        };
        let cause = |cause: &CauseOfEvents| SavedCause {
            blamed: cause.blamed.save(),
            events: cause.events.iter().copied().map(saved_count).collect(),
            ordinary_count: saved_count(cause.ordinary.0),
            control_count: saved_count(cause.ordinary.1),
            is_sure: cause.is_sure,
        };
        let presenter = |presenter: &Presenter| SavedPresenter {
            thread: presenter.thread,
            name: presenter.name.clone(),
            process: presenter.process,
        };
        SavedAnswers {
            events: self.events.iter().map(event).collect(),
            causes: self.causes.iter().map(cause).collect(),
            presenters: self.presenters.iter().map(presenter).collect(),
            ordinary_count: saved_count(self.ordinary_count),
            added_switch_count: saved_count(self.added_switch_count),
        }
    }

    /// Reads the answers of a recording whose detail was deleted.
    pub(super) fn from_saved(recording: &Recording, saved: &SavedAnswers) -> Self {
        let event = |event: &SavedEvent| {
            let growth = |growth: &SavedGrowth| Growth {
                blamed: Blamed::from_saved(&growth.blamed),
                time: growth.time,
                ordinary: growth.ordinary,
            };
            let outcome = match &event.cause {
                Some(blamed) => Outcome::Cause(Blamed::from_saved(blamed)),
                None => Outcome::Unexplained(Unexplained::from_key(&event.unexplained)),
            };
            EventPath {
                at: event.at,
                length: event.length,
                median: event.median,
                path: Vec::new(),
                growths: event.growths.iter().map(growth).collect(),
                outcome,
            }
        };
        let events: Vec<EventPath> = saved.events.iter().map(event).collect();
        let causes = saved.causes.iter().map(|cause| {
            let positions = cause.events.iter().copied().map(count);
            let positions: Vec<usize> = positions.filter(|at| *at < events.len()).collect();
            let own = || positions.iter().filter_map(|at| events.get(*at));
            CauseOfEvents {
                blamed: Blamed::from_saved(&cause.blamed),
                ordinary: (count(cause.ordinary_count), count(cause.control_count)),
                is_sure: cause.is_sure,
                longest: own().map(|event| event.length).max().unwrap_or_default(),
                lost: own().fold(Nanos::ZERO, |sum, event| sum + event.excess()),
                events: positions,
            }
        });
        let causes = causes.collect();
        let presenters = saved.presenters.iter().map(|presenter| Presenter {
            thread: presenter.thread,
            name: presenter.name.clone(),
            process: presenter.process,
            excess: 1.0,
            early: Nanos::ZERO,
        });
        let ends: Vec<(Nanos, Nanos)> =
            events.iter().map(|event| (event.at, event.length)).collect();
        let mut analysis = Self {
            is_of_stalls: recording.frames.is_empty() && !recording.is_of_thread(),
            is_of_cycles: recording.is_of_thread(),
            causes,
            presenters: presenters.collect(),
            marks: marks(recording, &ends),
            events,
            added_switch_count: count(saved.added_switch_count),
            ordinary_count: count(saved.ordinary_count),
            with_stall_count: 0,
        };
        analysis.count_stalls(recording);
        analysis
    }
}
