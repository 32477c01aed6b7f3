//! The live plot of a check: every sample of a part, trial after trial on one time axis.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Pace;
use jitterscope_engine::run::Run;
use jitterscope_engine::sample::Sample;

use crate::plots::TimelineData;

/// The samples that the running part has recorded so far.
#[derive(Debug)]
pub(super) struct LivePlots {
    of: String,
    pub(super) data: TimelineData,
    /// For each trial, the number of its samples in the plot, and the start of the trial on the
    /// time axis.
    taken: Vec<(usize, Option<Nanos>)>,
}

impl LivePlots {
    /// Creates the plot of a run, without samples.
    fn new(run: &Run, late_percent: f64) -> Self {
        let schedule = run.plan().and_then(|plan| plan.probe().schedule());
        let frame = schedule.map_or(Nanos::ZERO, |(period, _)| period);
        let late = run.subject.late_limit(late_percent).unwrap_or(Nanos::MAX);
        let mut data = TimelineData::new(frame, late);
        data.value_name = run.subject.value_name();
        Self { of: run.id.to_string(), data, taken: vec![(0, None); run.trials.len()] }
    }

    /// Adds the new samples of a run; restarts the plot for another run. `late_percent` is the late
    /// threshold as a percentage of a frame. Returns whether the plot was restarted.
    pub(super) fn follow(image: &mut Option<Self>, run: &Run, late_percent: f64) -> bool {
        let is_new = image.as_ref().is_none_or(|image| image.of != run.id.as_str());
        let image = match image {
            Some(image) if !is_new => image,
            slot => slot.insert(Self::new(run, late_percent)),
        };
        image.extend(run);
        is_new
    }

    /// Returns the start of a trial on the time axis; for a trial without samples, the end of the
    /// axis.
    pub(super) fn begin_of(&self, trial: usize) -> Nanos {
        let begins = self.taken.get(trial).and_then(|taken| taken.1);
        begins.unwrap_or_else(|| Nanos::from_secs_f64(self.data.end_secs()))
    }

    fn extend(&mut self, run: &Run) {
        let end = Nanos::from_secs_f64(self.data.end_secs());
        let mut new = Vec::new();
        for (trial, (taken, begins)) in run.trials.iter().zip(&mut self.taken) {
            for index in *taken..trial.samples.len() {
                let Some(mut sample) = trial.samples.get(index) else { break };
                // Gap probes run at the same time, all other trials one after the other.
                let begins = *begins.get_or_insert_with(|| match trial.trial.pace {
                    Pace::Gaps { .. } => Nanos::ZERO,
                    _ => new.last().map_or(end, |last: &Sample| last.woke),
                });
                sample.due += begins;
                sample.woke += begins;
                sample.done += begins;
                new.push(sample);
                *taken = index + 1;
            }
        }
        // Merges the samples of several probes in order of time.
        new.sort_by_key(|sample| sample.woke);
        self.data.set_lost(run.lost_count());
        for sample in &new {
            self.data.push(sample);
        }
    }
}
