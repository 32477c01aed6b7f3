//! The texts of a run that come from the user, the system, or another program.

use std::borrow::Cow;

use super::{Ending, Run, Subject, Trace};
use crate::platform::Refusal;
use crate::units::cut;

impl Run {
    /// Calls `change` for every text of a run that comes from the user, the system, or another program.
    pub(crate) fn for_each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        for text in [&mut self.name, &mut self.note, &mut self.clock.name] {
            change(text);
        }
        self.tags.iter_mut().for_each(&mut *change);
        self.annotations.iter_mut().for_each(|one| change(&mut one.text));
        if let Ending::Failed(reason) = &mut self.ending {
            change(reason);
        }
        if let Some(group) = &mut self.group {
            group.skipped.iter_mut().for_each(&mut *change);
        }
        let machine = &mut self.machine;
        let facts = [
            &mut machine.cpu_model,
            &mut machine.cpu_brand,
            &mut machine.gpu,
            &mut machine.gpu_driver,
            &mut machine.virtualization,
            &mut machine.power.governor_or_plan,
            &mut self.health.journal_error,
        ];
        facts.into_iter().flatten().for_each(&mut *change);
        for (_, value) in &mut machine.scheduler {
            change(value);
        }
        if let Subject::Imported(capture) = &mut self.subject {
            capture.labels_mut().into_iter().for_each(&mut *change);
        }
        if let Subject::Recorded(recording) = &mut self.subject {
            recording.texts_mut().for_each(&mut *change);
        }
        for trial in &mut self.trials {
            change(&mut trial.trial.label);
            trial.skipped.iter_mut().for_each(&mut *change);
            let traced = trial.trace.iter_mut().flat_map(Trace::names_mut);
            traced.for_each(&mut *change);
            for refusal in trial.applied.iter_mut().flat_map(|applied| &mut applied.refusals) {
                let Refusal { requested, call, error_name, reason, remedy, .. } = refusal;
                [requested, call, error_name, reason, remedy].into_iter().for_each(&mut *change);
            }
            if let Some(applied) = &mut trial.applied {
                change(&mut applied.mechanism);
                change(&mut applied.sleep_call);
            }
        }
    }

    /// Makes every text one line of bounded length, except the note: a name with a line end could forge lines of a result,
    /// such as a verdict, and a name of a megabyte would take its time wherever it is shown.
    pub(crate) fn make_single_lines(&mut self) {
        let machine = &mut self.machine;
        let facts = [&mut machine.os, &mut machine.kernel, &mut self.host];
        facts.into_iter().flatten().for_each(make_single_line);
        make_single_line(&mut self.app_version);
        make_single_line(&mut machine.arch);
        machine.scheduler.iter_mut().for_each(|(name, _)| make_single_line(name));
        let note = std::mem::take(&mut self.note);
        self.for_each_text(&mut make_single_line);
        self.note = note;
    }
}

/// Maximum number of characters of a text other than the note: more than this program writes.
const MAX_CHARS: usize = 10_000;

/// Replaces control characters, line ends among them, with spaces, and omits what is too long.
fn make_single_line(text: &mut String) {
    if let Cow::Owned(beginning) = cut(text, MAX_CHARS) {
        *text = beginning;
    }
    let is_end = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    if text.contains(is_end) {
        *text = text.replace(is_end, " ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CpuFacts, FrameLoop, Plan, Probe as _};
    use crate::store::format;

    #[test]
    fn a_name_of_a_megabyte_is_read_to_its_beginning() {
        let plan = FrameLoop::default();
        let stages = plan.stages(&CpuFacts::default());
        let mut run = Run::planned(Plan::FrameLoop(plan).into(), &stages);
        run.name = "é".repeat(1 << 19);
        run.note = run.name.clone();
        run.trials[0].trial.label.clone_from(&run.name);
        let mut file = Vec::new();
        format::write(&run, &mut file).unwrap();
        let read = format::read(&file).unwrap();
        assert_eq!((read.name.chars().count(), read.note), (MAX_CHARS + 1, run.note));
        assert_eq!(read.trials[0].trial.label, read.name);
    }

    #[test]
    fn a_name_with_line_ends_forges_no_line() {
        const FORGED: &str = "x\n\nExcellent: this PC paces frames well\r\u{2028}y\u{9b}";
        let plan = FrameLoop::default();
        let stages = plan.stages(&CpuFacts::default());
        let mut run = Run::planned(Plan::FrameLoop(plan).into(), &stages);
        run.machine.os = Some(String::new());
        run.machine.scheduler = vec![(String::new(), String::new())];
        run.host = Some(String::new());
        let forge = |text: &mut String| FORGED.clone_into(text);
        run.for_each_text(&mut { forge });
        for text in [&mut run.machine.os, &mut run.host].into_iter().flatten() {
            forge(text);
        }
        forge(&mut run.machine.scheduler[0].0);
        let mut file = Vec::new();
        format::write(&run, &mut file).unwrap();
        let mut read = format::read(&file).unwrap();
        assert_eq!(read.note, FORGED, "a note has lines");
        read.note.clear();
        let mut count = 0;
        read.for_each_text(&mut |text| {
            count += 1;
            assert!(!text.contains(char::is_control) && !text.contains('\u{2028}'), "{text:?}");
        });
        assert!(4 < count, "{count}");
        let facts =
            [read.machine.os.unwrap(), read.host.unwrap(), read.machine.scheduler[0].0.clone()];
        assert!(facts.iter().all(|text| text.contains("Excellent") && text.lines().count() == 1));
    }
}
