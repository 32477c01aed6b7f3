//! Who delayed late samples, in sentences.

use super::{Delay, Delays};
use crate::report::account::OWN_LOAD;
use crate::report::{Cause, Standing, Verdict};
use crate::units::{format_count, format_time};

impl Delays {
    /// What delayed most late samples, in a sentence; `None` where nothing did.
    pub fn sentence(&self, samples_name: &str) -> Option<String> {
        let delay = self.main()?;
        // A gap is late by its nature.
        let late = if samples_name == "gaps" { "" } else { "late " };
        let (of, all) = (format_count(delay.sample_count), format_count(self.late_count));
        let what = match delay.cause {
            // The only source that is named by words and not by a thread or an interrupt.
            Cause::Thread | Cause::Interrupt if delay.name == OWN_LOAD => {
                "were delayed by the background load of this test".to_owned()
            }
            Cause::Thread | Cause::Interrupt => format!("were delayed by {}", delay.name),
            Cause::PreviousFrame => "started late because the previous frame overran".to_owned(),
            Cause::WaitedForCpu => "waited for a CPU".to_owned(),
            Cause::PageFault => "were delayed by page faults".to_owned(),
            Cause::Blocked => "were blocked, stopped, or throttled".to_owned(),
            Cause::Hypervisor => "were delayed by the hypervisor".to_owned(),
            Cause::NoEvent => {
                "have no cause in this system: a hypervisor or firmware used the CPU".to_owned()
            }
            Cause::TimerLate => "were woken late by the OS timer".to_owned(),
            Cause::NotObservable => return None,
        };
        Some(format!("{of} of {all} {late}{samples_name} {what}."))
    }

    /// Who is suspected where names are not permitted; empty without a hint.
    fn suspicion(&self) -> String {
        let is_unnamed = self
            .ranked
            .first()
            .is_some_and(|first| matches!(first.cause, Cause::WaitedForCpu | Cause::NotObservable));
        let suspect = self.suspect.as_ref().filter(|_| is_unnamed);
        suspect.map_or_else(String::new, |name| format!("Likely suspect: {name} (hint)."))
    }

    /// Adds who delayed most late samples to the numbers of a verdict whose sentence does not have it.
    pub(in crate::report) fn add_to(&self, verdict: &mut Verdict, samples_name: &str) {
        let evidence = std::mem::take(&mut verdict.finding.evidence);
        let is_disturbed = matches!(verdict.standing, Standing::Inconclusive { .. });
        let line = match self.sentence(samples_name) {
            // What was found is not shown then.
            Some(who) if who == verdict.finding.sentence && is_disturbed => {
                format!("{who} {evidence}")
            }
            Some(who) if who != verdict.finding.sentence => format!("{evidence} {who}"),
            _ => evidence,
        };
        format!("{line} {}", self.suspicion()).trim().clone_into(&mut verdict.finding.evidence);
    }
}

impl Delay {
    /// What may help against it; empty where nothing is known to.
    pub(in crate::report) fn advice(&self) -> String {
        match &self.program {
            Some(program) => format!("Close {program} or raise the priority."),
            None if self.cause == Cause::Thread => {
                "A higher priority is likely to help.".to_owned()
            }
            None => self.cause.advice().to_owned(),
        }
    }

    /// A recommendation against what delayed most of `late_count` late frames: a title and a text.
    pub fn recommendation(&self, late_count: u64) -> (String, String) {
        let (of, all) = (format_count(self.sample_count), format_count(late_count));
        let worst = format_time(self.worst);
        match &self.program {
            Some(program) => (
                format!("Close {program}"),
                format!(
                    "It delayed {of} of {all} late frames by up to {worst}. Run the check again \
                     without it."
                ),
            ),
            None => (
                format!("{} delayed {of} of {all} late frames", self.name),
                format!("By up to {worst}. {}", self.cause.advice()),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;
    use crate::report::verdict::Finding;
    use crate::units::NARROW_SPACE;

    fn delays(cause: Cause, name: &str, program: Option<&str>) -> Delays {
        let delay = Delay {
            name: name.to_owned(),
            kind: "thread",
            program: program.map(str::to_owned),
            cause,
            sample_count: 41,
            total: Nanos::from_millis(78),
            worst: Nanos::from_micros(4_120),
            share: 0.7,
        };
        Delays { late_count: 60, ranked: vec![delay], suspect: Some("cargo".to_owned()) }
    }

    #[test]
    fn who_delayed_a_run_is_said_with_what_may_help() {
        let chrome = delays(Cause::Thread, "chrome (Compositor)", Some("chrome"));
        assert_eq!(
            chrome.sentence("frames").unwrap(),
            "41 of 60 late frames were delayed by chrome (Compositor)."
        );
        let delay = &chrome.ranked[0];
        assert_eq!(delay.advice(), "Close chrome or raise the priority.");
        let (title, text) = delay.recommendation(60);
        assert_eq!(title, "Close chrome");
        assert_eq!(
            text.replace(NARROW_SPACE, " "),
            "It delayed 41 of 60 late frames by up to 4.120 ms. Run the check again without it."
        );
        let network = delays(Cause::Interrupt, "NET_RX", None);
        assert_eq!(network.sentence("gaps").unwrap(), "41 of 60 gaps were delayed by NET_RX.");
        assert_eq!(network.ranked[0].recommendation(60).0, "NET_RX delayed 41 of 60 late frames");
        assert_eq!(delays(Cause::NotObservable, "", None).sentence("frames"), None);
    }

    #[test]
    fn a_verdict_names_who_delayed_it_once() {
        let evidence = |delays: &Delays, sentence: &str| {
            let mut verdict = Verdict::without_grade(Finding::new(sentence, "p99 is 2 ms."));
            delays.add_to(&mut verdict, "frames");
            verdict.finding.evidence
        };
        let chrome = delays(Cause::Thread, "chrome", Some("chrome"));
        let who = "41 of 60 late frames were delayed by chrome.";
        assert_eq!(evidence(&chrome, who), "p99 is 2 ms.");
        assert_eq!(evidence(&chrome, "Use Highest priority."), format!("p99 is 2 ms. {who}"));
        let waited = delays(Cause::WaitedForCpu, "Waited for a CPU", None);
        let who = "41 of 60 late frames waited for a CPU.";
        assert_eq!(evidence(&waited, who), "p99 is 2 ms. Likely suspect: cargo (hint).");
        assert_eq!(evidence(&Delays::default(), "Fine."), "p99 is 2 ms.");
    }
}
