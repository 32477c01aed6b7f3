//! Figures of a type that only one test defines, for one configuration or for the whole run.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::nanos::Nanos;
use crate::run::TrialRun;

/// The frame time at 60 FPS: the time budget of a game cycle that runs once per frame.
pub(in crate::report) const FRAME: Nanos = Nanos::new(16_666_667);

/// A value of a type that a test defines; empty if the test provides no value.
#[derive(Clone, Debug, Default)]
pub struct Figures(Option<Arc<dyn OwnFigures>>);

impl Figures {
    /// Wraps a value of a type that a test defines.
    pub(in crate::report) fn of<T: Any + fmt::Debug + PartialEq + Send + Sync>(figures: T) -> Self {
        Self(Some(Arc::new(figures)))
    }

    /// Returns the value if it has the type `T`; `None` if it has another type or is absent.
    pub fn get<T: Any>(&self) -> Option<&T> {
        let figures: &dyn Any = self.0.as_deref()?;
        figures.downcast_ref()
    }
}

impl PartialEq for Figures {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => one.is_equal(&**other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

/// Any type with `Debug` and `PartialEq`, usable as `dyn OwnFigures`: `Figures` compares values of unknown types.
trait OwnFigures: Any + fmt::Debug + Send + Sync {
    /// Returns whether `other` has the same type as `self` and is equal to it.
    fn is_equal(&self, other: &dyn Any) -> bool;
}

impl<T: Any + fmt::Debug + PartialEq + Send + Sync> OwnFigures for T {
    fn is_equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// Returns the sum of `of` over the trials that ran; `None` if one of them has no value, or no trial
/// ran.
pub(in crate::report) fn sum_by(
    trials: &[&TrialRun],
    of: impl Fn(&TrialRun) -> Option<i64>,
) -> Option<i64> {
    let mut sum = None;
    for trial in trials {
        match of(trial) {
            Some(value) => sum = Some(value.saturating_add(sum.unwrap_or(0))),
            // A stopped run also lists trials that did not start.
            None if trial.samples.is_empty() && !trial.complete => {}
            None => return None,
        }
    }
    sum
}

/// Returns the sum of the counter `name` over the trials that ran; `None` if one of them does not
/// have the counter, or no trial ran.
pub(in crate::report) fn sum_of(trials: &[&TrialRun], name: &str) -> Option<i64> {
    sum_by(trials, |trial| trial.counters.get(name).copied())
}

/// Returns the mean of values; 0 without values.
pub(in crate::report) fn mean(values: impl Iterator<Item = i64>) -> f64 {
    let (sum, count) =
        values.fold((0_i128, 0_usize), |(sum, count), value| (sum + i128::from(value), count + 1));
    #[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
    let sum = sum as f64;
    if count == 0 { 0.0 } else { sum / crate::stats::float(count) }
}
