//! What only one test finds: in figures of a configuration, or in results of the whole run.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::nanos::Nanos;
use crate::run::TrialRun;

/// A frame at 60 FPS: the budget of a cycle that runs in every frame.
pub(in crate::report) const FRAME: Nanos = Nanos::new(16_666_667);

/// A value of a type that a test defines; empty where the test found nothing.
#[derive(Clone, Debug, Default)]
pub struct Figures(Option<Arc<dyn OwnFigures>>);

impl Figures {
    /// Takes in a test's own figures.
    pub(in crate::report) fn of<T: Any + fmt::Debug + PartialEq + Send + Sync>(figures: T) -> Self {
        Self(Some(Arc::new(figures)))
    }

    /// The figures; `None` where there are none, or of another type.
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

/// A type of figures: whatever can be shown and compared.
trait OwnFigures: Any + fmt::Debug + Send + Sync {
    /// Whether two values are of one type and equal.
    fn is_equal(&self, other: &dyn Any) -> bool;
}

impl<T: Any + fmt::Debug + PartialEq + Send + Sync> OwnFigures for T {
    fn is_equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// The sum of a counter; `None` where a trial does not have it.
pub(in crate::report) fn sum_of(trials: &[&TrialRun], name: &str) -> Option<i64> {
    let mut sum = 0_i64;
    for trial in trials {
        sum = sum.saturating_add(*trial.counters.get(name)?);
    }
    Some(sum)
}

/// The mean; 0 of no values.
pub(in crate::report) fn mean(values: impl Iterator<Item = i64>) -> f64 {
    let (sum, count) =
        values.fold((0_i128, 0_usize), |(sum, count), value| (sum + i128::from(value), count + 1));
    #[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
    let sum = sum as f64;
    if count == 0 { 0.0 } else { sum / crate::stats::float(count) }
}
