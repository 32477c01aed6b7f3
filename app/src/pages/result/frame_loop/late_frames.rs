//! The frames of a trial above a late threshold, indexed for fast redraws.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::table::Cell;
use jitterscope_engine::report::{
    Cause, Delay, Delays, LateSample, Suspect, Suspects, Table, late_samples,
};
use jitterscope_engine::run::TrialRun;

/// Identifies a cause of delay: its kind, and the name of the thread or interrupt.
pub(super) type DelayKey = (Cause, String);

/// Maximum number of listed late frames.
const MAX_LISTED: usize = 200;

/// The frames of a trial whose lateness is above a threshold.
#[derive(Debug)]
pub(super) struct LateFrames {
    /// The late threshold.
    pub(super) threshold: Nanos,
    /// The late frames, in descending order of lateness.
    frames: Vec<LateSample>,
    /// The causes of the late frames with their counts, in the order of `Cause::ALL`.
    pub(super) causes: Vec<(Cause, u64)>,
    /// The threads, interrupts, and other causes of the delays, ranked by time lost.
    pub(super) delays: Delays,
    /// These as a table.
    pub(super) ranking: Table,
    /// The shown frames as a table, at most `MAX_LISTED`.
    pub(super) list: Table,
    /// The cause by which frames are filtered; `None` shows all frames.
    pub(super) culprit: Option<DelayKey>,
    /// The shown frames as positions in `frames`, in descending order of lateness.
    shown: Vec<usize>,
    /// The positions of the shown frames in the trial, in order of time.
    shown_by_index: Vec<usize>,
    /// The programs that were busy while frames were late; used if the names of threads are not
    /// available.
    suspects: Suspects,
    /// The programs that were busy on average over all late frames, the busiest first.
    pub(super) busiest: Vec<Suspect>,
    /// For each late frame, in order of time: its position in the trial, and its position in
    /// `frames`.
    by_index: Vec<(usize, usize)>,
}

impl Default for LateFrames {
    fn default() -> Self {
        Self::new(Vec::new(), Nanos::ZERO, Nanos::ZERO)
    }
}

impl LateFrames {
    /// Finds the late frames. Time: O(n + k log k) for k late frames of n.
    pub(super) fn of(trial: &TrialRun, threshold: Nanos) -> Self {
        let period = trial.trial.pace.period();
        let mut late = Self::new(late_samples(trial, threshold), threshold, period);
        late.suspects = Suspects::of(trial);
        late.busiest = late.suspects.of_samples(late.frames.iter().map(|frame| &frame.sample));
        late
    }

    /// Returns the programs that were busy when a frame was late. A busy program is a possible
    /// cause, not a proven one.
    pub(super) fn busy_at(&self, frame: &LateSample) -> &[Suspect] {
        self.suspects.at(&frame.sample)
    }

    fn new(frames: Vec<LateSample>, threshold: Nanos, period: Nanos) -> Self {
        let mut counts = Cause::ALL.map(|cause| (cause, 0));
        for frame in &frames {
            if let Some((_, count)) = counts.iter_mut().find(|(cause, _)| *cause == frame.cause) {
                *count += 1;
            }
        }
        let mut by_index: Vec<(usize, usize)> =
            frames.iter().enumerate().map(|(at, frame)| (frame.index, at)).collect();
        by_index.sort_unstable();
        let causes = counts.into_iter().filter(|(_, count)| 0 < *count).collect();
        let delays = Delays::of(&frames, period);
        let (shown, shown_by_index) = (Vec::new(), Vec::new());
        let mut ranking = Delay::table(&delays.ranked);
        for (row, delay) in ranking.rows.iter_mut().zip(&delays.ranked) {
            if let Some(name) = row.cells.first_mut() {
                *name = Cell::Text(delay.title());
            }
        }
        let mut late = Self {
            threshold,
            frames,
            causes,
            delays,
            ranking,
            list: LateSample::table(&[]),
            culprit: None,
            shown,
            shown_by_index,
            suspects: Suspects::default(),
            busiest: Vec::new(),
            by_index,
        };
        late.show_only(None);
        late
    }

    /// Shows only the frames that `culprit` delayed most; `None` shows all frames. Time: O(k log
    /// k).
    pub(super) fn show_only(&mut self, culprit: Option<DelayKey>) {
        self.culprit = culprit;
        let shown = self.all().enumerate().filter(|(_, (_, is_shown))| *is_shown);
        let (places, mut indices): (Vec<usize>, Vec<usize>) =
            shown.map(|(at, (frame, _))| (at, frame.index)).unzip();
        indices.sort_unstable();
        (self.shown, self.shown_by_index) = (places, indices);
        let listed: Vec<&LateSample> = self.all_shown().take(MAX_LISTED).collect();
        self.list = LateSample::table(&listed);
    }

    /// Returns whether the names of threads or interrupts are known.
    pub(super) fn has_names(&self) -> bool {
        self.delays.ranked.iter().any(|one| matches!(one.cause, Cause::Thread | Cause::Interrupt))
    }

    /// Returns the number of shown frames.
    pub(super) const fn shown_count(&self) -> usize {
        self.shown.len()
    }

    /// Returns a shown frame by its rank; 0 has the highest lateness.
    pub(super) fn shown(&self, rank: usize) -> Option<&LateSample> {
        self.frames.get(*self.shown.get(rank)?)
    }

    /// Returns the shown frames in descending order of lateness.
    pub(super) fn all_shown(&self) -> impl Iterator<Item = &LateSample> {
        self.shown.iter().filter_map(|at| self.frames.get(*at))
    }

    /// Returns every late frame, and whether it is shown.
    pub(super) fn all(&self) -> impl Iterator<Item = (&LateSample, bool)> {
        let is_shown = |frame: &LateSample| {
            self.culprit.as_ref().is_none_or(|culprit| frame.main_delay() == *culprit)
        };
        self.frames.iter().map(move |frame| (frame, is_shown(frame)))
    }

    /// Returns whether there are no late frames.
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Returns the late frame at position `index` of the trial; `None` if that frame is not late.
    /// Time: O(log k) for k late frames.
    pub(super) fn get(&self, index: usize) -> Option<&LateSample> {
        let found = self.by_index.binary_search_by_key(&index, |&(index, _)| index).ok()?;
        let &(_, at) = self.by_index.get(found)?;
        self.frames.get(at)
    }

    /// Returns the number of shown frames up to and including a position of the trial. Time: O(log
    /// k).
    pub(super) fn count_up_to(&self, index: usize) -> usize {
        self.shown_by_index.partition_point(|frame| *frame <= index)
    }

    /// Returns the position in the trial of the next or previous shown frame, or `selected` if
    /// there is none. Time: O(log k).
    pub(super) fn step(&self, selected: Option<usize>, is_forwards: bool) -> Option<usize> {
        let next = match (selected, is_forwards) {
            (None, true) => self.shown_by_index.first(),
            (None, false) => self.shown_by_index.last(),
            (Some(at), true) => {
                self.shown_by_index.get(self.shown_by_index.partition_point(|frame| *frame <= at))
            }
            (Some(at), false) => {
                let after = self.shown_by_index.partition_point(|frame| *frame < at);
                after.checked_sub(1).and_then(|before| self.shown_by_index.get(before))
            }
        };
        next.copied().or(selected)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use jitterscope_engine::report::{Account, Culprit, CulpritKind, Segment};
    use jitterscope_engine::sample::{Sample, ThreadOwner};

    use super::*;

    /// Returns frames at these positions with these causes, each 1 ms late, for a threshold of 200
    /// µs.
    pub(in super::super) fn late(frames: &[(usize, Cause)]) -> LateFrames {
        let frame = |&(index, cause): &(usize, Cause)| LateSample {
            index,
            sample: Sample {
                began: Nanos::ZERO,
                due: Nanos::ZERO,
                slept: None,
                woke: Nanos::from_millis(1),
                done: Nanos::from_millis(2),
                spins: 0,
                cpu: None,
            },
            evidence: None,
            cause,
            account: Account::whole(cause, Nanos::from_millis(1)),
        };
        let frames = frames.iter().map(frame).collect();
        LateFrames::new(frames, Nanos::from_micros(200), Nanos::from_millis(16))
    }

    #[test]
    fn steps_go_by_time_and_end_at_the_last_one() {
        let late =
            late(&[(70, Cause::TimerLate), (10, Cause::WaitedForCpu), (40, Cause::TimerLate)]);
        let steps = |selected| (late.step(selected, false), late.step(selected, true));
        assert_eq!(steps(None), (Some(70), Some(10)));
        assert_eq!(steps(Some(10)), (Some(10), Some(40)));
        assert_eq!(steps(Some(50)), (Some(40), Some(70)), "from a frame that is not late");
        assert_eq!(steps(Some(70)), (Some(40), Some(70)));
        assert_eq!(LateFrames::default().step(None, true), None);
    }

    #[test]
    fn each_frame_is_found_and_each_cause_counted() {
        let late =
            late(&[(70, Cause::TimerLate), (10, Cause::WaitedForCpu), (40, Cause::TimerLate)]);
        assert_eq!(late.causes, [(Cause::WaitedForCpu, 1), (Cause::TimerLate, 2)]);
        assert_eq!(late.get(10).map(|frame| frame.cause), Some(Cause::WaitedForCpu));
        assert_eq!(late.get(70).map(|frame| frame.index), Some(70));
        assert!(late.get(11).is_none());
        assert_eq!([9, 10, 40, 99].map(|index| late.count_up_to(index)), [0, 1, 2, 3]);
        assert_eq!(late.shown_count(), 3);
    }

    #[test]
    fn counts_of_the_ranking_are_those_of_its_filter() {
        let culprit = |name: &str, owner| Culprit {
            name: name.to_owned(),
            kind: CulpritKind::Thread,
            thread: Some(9),
            priority: None,
            owner,
        };
        let segment = |micros: i64, culprit| Segment {
            start: None,
            length: Nanos::from_micros(micros),
            cause: Cause::Thread,
            culprit: Some(Arc::new(culprit)),
            cpu: None,
            origin: None,
        };
        let own = Some(ThreadOwner::Own);
        let segments = vec![
            segment(40, culprit("jitterscope (load-1)", own)),
            segment(50, culprit("chrome", None)),
            segment(30, culprit("jitterscope (load-2)", own)),
        ];
        let mut frame = late(&[(7, Cause::Thread)]).frames.remove(0);
        frame.account = Account { segments, ..frame.account };
        let mut late = LateFrames::new(vec![frame], Nanos::from_micros(50), Nanos::from_millis(16));
        let [chrome, load] = [&late.delays.ranked[0], &late.delays.ranked[1]];
        assert_eq!((chrome.name.as_str(), chrome.sample_count), ("chrome", 0));
        assert_eq!((load.name.as_str(), load.sample_count), ("Background load of this test", 1));
        late.show_only(Some((load.cause, load.name.clone())));
        assert_eq!(late.shown_count(), 1, "two load threads delayed it more than chrome");
        late.show_only(Some((Cause::Thread, "chrome".to_owned())));
        assert_eq!(late.shown_count(), 0);
    }

    #[test]
    fn a_culprit_filters_list_and_steps_and_nothing_else() {
        let mut late =
            late(&[(70, Cause::TimerLate), (10, Cause::WaitedForCpu), (40, Cause::TimerLate)]);
        let timer = (Cause::TimerLate, Cause::TimerLate.label().to_owned());
        assert_eq!((late.delays.ranked[0].cause, late.delays.ranked[0].sample_count), (timer.0, 2));
        late.show_only(Some(timer.clone()));
        assert_eq!(late.culprit.as_ref(), Some(&timer));
        let shown: Vec<usize> = late.all_shown().map(|frame| frame.index).collect();
        assert_eq!(shown, [70, 40]);
        let marked: Vec<(usize, bool)> =
            late.all().map(|(frame, is_shown)| (frame.index, is_shown)).collect();
        assert_eq!(marked, [(70, true), (10, false), (40, true)], "the others stay, faint");
        assert_eq!((late.step(None, true), late.count_up_to(70)), (Some(40), 2));
        assert!(late.get(10).is_some(), "a marker that is clicked is still found");
        late.show_only(None);
        assert_eq!(late.shown_count(), 3);
    }
}
