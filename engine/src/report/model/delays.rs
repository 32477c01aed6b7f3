//! What delayed the late samples of a run: a ranking of the sources of delay, and sentences about the main source.

use super::cause::Cause;
use super::disturbance::Disturbance;
use super::grading::Standing;
use super::kernel_thread::kernel_thread;
use super::known_program::known_program;
use super::verdict::Verdict;
use crate::nanos::Nanos;
use crate::units::{format_count, format_others, format_share, format_time};

/// The name of all load threads of a test together: delays count them as one source.
pub(in crate::report) const OWN_LOAD: &str = "Background load of this test";

/// Returns the program of a thread: `chrome` for the name `chrome (Compositor)`.
pub(crate) fn program_of(thread: &str) -> &str {
    thread.split(" (").next().unwrap_or(thread)
}

/// Returns whether a name replaces the unknown name of a thread: "thread 4711", "unknown thread".
pub(in crate::report) fn is_placeholder(name: &str) -> bool {
    let id = name.strip_prefix("thread ");
    name == "unknown thread" || id.is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether `own`, the name of a thread of Jitterscope, is that of a load thread.
pub(in crate::report) fn is_load_thread(own: &str) -> bool {
    own.contains("(load-")
}

/// With fewer late samples, no main source of delay is named.
pub(in crate::report) const MIN_LATE: u64 = 5;
/// The maximum number of busy programs that a verdict names.
const MAX_BUSY: usize = 3;

/// A program that used CPU time during a test and may have delayed samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// The name of the program as the system reports it, or `OWN_LOAD`.
    pub name: String,
    /// The CPU time of the program as a share of one CPU; 2.0 is two full CPUs.
    pub share: f64,
}

impl Suspect {
    /// Returns programs with their shares: "chrome 62.0% of one CPU, cargo 31.0%"; empty without programs.
    pub fn list(programs: &[Self]) -> String {
        let share = |one: &Self| format!("{} {}", one.name, format_share(one.share));
        let Some((first, rest)) = programs.split_first() else { return String::new() };
        let first = format!("{} of one CPU", share(first));
        std::iter::once(first).chain(rest.iter().map(share)).collect::<Vec<_>>().join(", ")
    }

    /// Returns a sentence that names the program that was the busiest while samples were late.
    pub fn suspicion(name: &str) -> String {
        if name == OWN_LOAD {
            "The background load of this test used CPUs at that time.".to_owned()
        } else {
            format!("{name} was busy at that time and may be the cause.")
        }
    }
}

/// The sources of delay of all late samples, and the programs that were busy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delays {
    /// The number of late samples.
    pub late_count: u64,
    /// The number of late samples of which the sources were counted: all, or those around which records of the
    /// kernel were saved, if any were.
    pub recorded_count: u64,
    /// The sources of delay, in descending order of lateness; those that belong to this program come last.
    pub ranked: Vec<Delay>,
    /// The program that was the busiest during at least half of the late samples of a trial. It is shown as a
    /// hint if the system does not permit the names of the delaying threads to be recorded.
    pub suspect: Option<String>,
    /// The sources that the verdict blames, if it is about a run that named programs disturbed.
    pub blamed: Vec<String>,
    /// Other programs, the busiest first. Empty unless the verdict is that other programs disturbed the run.
    pub busy: Vec<Suspect>,
}

/// One source of delay: a thread, an interrupt, or a cause without a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delay {
    /// The name of the thread or interrupt, or the label of the cause if no name is known.
    pub name: String,
    /// The type of the source in one or two words, such as `thread` or `Page fault`.
    pub kind: &'static str,
    /// The program that you can close to end the delay; absent unless the source is a thread of another program.
    pub program: Option<String>,
    /// Whether the source is a thread of this program, such as its background load.
    pub is_own: bool,
    /// The cause of the delay.
    pub cause: Cause,
    /// The number of late samples of which this source caused the largest part of the lateness.
    pub sample_count: u64,
    /// The lateness that this source caused in all late samples together.
    pub total: Nanos,
    /// The longest time by which this source delayed one late sample.
    pub worst: Nanos,
    /// The share of the lateness of all late samples that this source caused, 0 to 1.
    pub share: f64,
    /// The time from one delay by this source to the next, if it keeps time.
    pub period: Option<Nanos>,
}

impl Delays {
    /// Returns the main source of delay: the first observable one, or one that belongs to this program, if it caused half
    /// of all lateness or more, or the largest part of it in half of the late samples or more. `None` if there is no
    /// such source, or if fewer than five samples were late.
    pub fn main(&self) -> Option<&Delay> {
        if self.recorded_count < MIN_LATE {
            return None;
        }
        let mut observed = self.ranked.iter().filter(|delay| delay.cause != Cause::NotObservable);
        // A later source has many short delays at most: the headline and the first row of the list name the same one.
        let first = observed.next();
        let own = observed.filter(|delay| delay.is_own);
        first.into_iter().chain(own).find(|delay| self.is_in_most(delay) || 0.5 <= delay.share)
    }

    /// Returns whether a source caused the largest part of the lateness in at least half of the late samples.
    const fn is_in_most(&self, delay: &Delay) -> bool {
        self.recorded_count <= delay.sample_count.saturating_mul(2)
    }

    /// Returns words for sources that share a row: their number, and the one with the longest delay.
    pub fn describe_others<'a>(
        others: impl IntoIterator<Item = &'a Delay, IntoIter: ExactSizeIterator>,
    ) -> String {
        let others = others.into_iter();
        let count = format_others(others.len());
        match others.max_by_key(|delay| delay.worst) {
            Some(worst) => format!("{count}, up to {} ({})", format_time(worst.worst), worst.name),
            None => count,
        }
    }

    /// Returns a sentence about the main source of delay; `None` if there is no main source.
    pub fn sentence(&self, samples_name: &str) -> Option<String> {
        let delay = self.main()?;
        // A gap is itself a delay, so the sentence does not call it late.
        let is_gap = samples_name == "gaps";
        let late = if is_gap { "" } else { "late " };
        let (of, all) = (format_count(delay.sample_count), format_count(self.recorded_count));
        let with_records = if self.recorded_count < self.late_count { " with records" } else { "" };
        let what = match (delay.cause, delay.cause.row().predicate) {
            // The name of the background load is a phrase, which needs an article and lower case.
            (Cause::Thread | Cause::Interrupt, predicate) if delay.name == OWN_LOAD => {
                format!("{predicate} the background load of this test")
            }
            (Cause::Thread | Cause::Interrupt, predicate) => format!("{predicate} {}", delay.name),
            (_, predicate) => predicate.to_owned(),
        };
        let every = delay.rhythm();
        let counted = format!("{of} of {all} {late}{samples_name}{with_records} {what}{every}");
        Some(if self.is_in_most(delay) {
            format!("{counted}.")
        } else {
            let (share, lost) =
                (format_share(delay.share), if is_gap { "lost time" } else { "lateness" });
            format!("{share} of the {lost}: {counted}, up to {}.", format_time(delay.worst))
        })
    }

    /// Returns a sentence about the suspected program; empty if there is no suspect to show.
    fn suspicion(&self) -> String {
        self.shown_suspect().map_or_else(String::new, Suspect::suspicion)
    }

    /// Returns the suspected program, if the first source of delay leaves open which program used the CPU.
    fn shown_suspect(&self) -> Option<&str> {
        let is_unnamed = self
            .ranked
            .first()
            .is_some_and(|first| matches!(first.cause, Cause::WaitedForCpu | Cause::NotObservable));
        self.suspect.as_deref().filter(|_| is_unnamed)
    }

    /// Returns whether the verdict or its advice names this thread or its program, or the thread has no name of a program.
    /// All threads of a program are named, or none: otherwise it would be several sources of delay in an export, and the
    /// verdict there another one.
    pub fn names(&self, thread: &str) -> bool {
        let is_it = |name: &str| name == thread || program_of(name) == program_of(thread);
        let is_main = self.main().is_some_and(|main| {
            let is_load = main.name == OWN_LOAD && is_load_thread(thread);
            is_it(&main.name) || is_load
        });
        let mut stated = self.blamed.iter().map(String::as_str);
        let mut busy = self.busy.iter().map(|one| one.name.as_str());
        is_main
            || is_placeholder(thread)
            || stated.any(is_it)
            || busy.any(is_it)
            || self.shown_suspect().is_some_and(is_it)
    }

    /// Adds the busiest programs to the evidence of a verdict, if other programs disturbed the measurement.
    pub(in crate::report) fn add_busy(
        &mut self,
        programs: impl FnOnce() -> Vec<Suspect>,
        verdict: &mut Verdict,
    ) {
        if !matches!(verdict.standing.disturbance(), Some(Disturbance::OtherPrograms(_))) {
            return;
        }
        self.busy = programs();
        self.busy.truncate(MAX_BUSY);
        if !self.busy.is_empty() {
            let evidence = &verdict.finding.evidence;
            let line = format!("{evidence} Busiest programs: {}.", Suspect::list(&self.busy));
            line.trim().clone_into(&mut verdict.finding.evidence);
        }
    }

    /// Adds the main source of delay and the suspect to the evidence of a verdict. A source that the verdict
    /// already shows in its sentence is not repeated.
    pub(in crate::report) fn add_to(&self, verdict: &mut Verdict, samples_name: &str) {
        let evidence = std::mem::take(&mut verdict.finding.evidence);
        let is_disturbed = matches!(verdict.standing, Standing::Inconclusive { .. });
        let line = match self.sentence(samples_name) {
            // An inconclusive verdict hides its finding's sentence, so the evidence has to name the source.
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
    /// Returns the name of the source with its period, such as "updater, every 2.00 s".
    pub fn title(&self) -> String {
        format!("{}{}", self.name, self.rhythm())
    }

    /// Returns words that follow the name of a source that keeps time: ", every 2.00 s"; otherwise nothing.
    fn rhythm(&self) -> String {
        self.period.map_or_else(String::new, |period| format!(", every {}", format_time(period)))
    }

    /// Returns whether the source can be blamed by name: another program, a thread of the kernel, an interrupt, or a CPU
    /// quota.
    pub(in crate::report) fn is_named(&self) -> bool {
        let is_kernel = self.cause == Cause::Thread && self.name.starts_with('[');
        !self.is_own
            && (self.program.is_some()
                || is_kernel
                || matches!(self.cause, Cause::Interrupt | Cause::Quota))
    }

    /// Returns advice against this source of delay; empty if no remedy is known.
    pub(in crate::report) fn advice(&self) -> String {
        match &self.program {
            Some(program) => known_program(program)
                .unwrap_or_else(|| format!("Close {program} or raise the priority.")),
            None => advice_against(self.cause, &self.name),
        }
    }
}

/// Returns advice against a source of delay that is not a program to close; empty if no remedy is known. `name` is
/// the name of its thread or interrupt, or the label of the cause.
pub fn advice_against(cause: Cause, name: &str) -> String {
    let priority = "A higher priority is likely to help.";
    match kernel_thread(name) {
        _ if cause != Cause::Thread => cause.row().advice.to_owned(),
        Some(what) => format!("{what} {priority}"),
        None => priority.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;
    use crate::report::model::verdict::Finding;

    fn delays(cause: Cause, name: &str, program: Option<&str>) -> Delays {
        let delay = Delay {
            name: name.to_owned(),
            kind: "thread",
            program: program.map(str::to_owned),
            is_own: false,
            cause,
            sample_count: 41,
            total: Nanos::from_millis(78),
            worst: Nanos::from_micros(4_120),
            share: 0.7,
            period: None,
        };
        let suspect = Some("cargo".to_owned());
        Delays {
            late_count: 60,
            recorded_count: 60,
            ranked: vec![delay],
            suspect,
            blamed: Vec::new(),
            busy: Vec::new(),
        }
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
        let kernel = delays(Cause::Thread, "[kdamond.0]", None);
        assert_eq!(
            kernel.ranked[0].advice(),
            "It is part of the kernel (monitoring of memory use, DAMON) and cannot be closed. A higher priority is \
             likely to help."
        );
        let load = delays(Cause::Thread, OWN_LOAD, None);
        assert_eq!(load.ranked[0].advice(), "A higher priority is likely to help.");
        let network = delays(Cause::Interrupt, "NET_RX", None);
        assert_eq!(network.sentence("gaps").unwrap(), "41 of 60 gaps were delayed by NET_RX.");
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
        assert_eq!(
            evidence(&waited, who),
            "p99 is 2 ms. cargo was busy at that time and may be the cause."
        );
        assert_eq!(evidence(&Delays::default(), "Fine."), "p99 is 2 ms.");
        let loaded = Delays { suspect: Some(OWN_LOAD.to_owned()), ..waited };
        assert_eq!(
            evidence(&loaded, who),
            "p99 is 2 ms. The background load of this test used CPUs at that time."
        );
    }

    #[test]
    fn a_disturbed_verdict_names_the_busiest_programs_and_no_other_does() {
        let program = |name: &str, share: f64| Suspect { name: name.to_owned(), share };
        let busy = || {
            vec![
                program("chrome", 0.62),
                program("cargo", 0.31),
                program("a", 0.2),
                program("b", 0.1),
            ]
        };
        let named = |standing| {
            let mut delays = Delays::default();
            let finding = Finding::new("", "p99 is 2 ms.");
            let mut verdict = Verdict { standing, ..Verdict::without_grade(finding) };
            delays.add_busy(busy, &mut verdict);
            (verdict.finding.evidence, delays)
        };
        let (evidence, delays) = named(Standing::Noted(Disturbance::OtherPrograms(1.1)));
        assert_eq!(
            evidence,
            "p99 is 2 ms. Busiest programs: chrome 62.0% of one CPU, cargo 31.0%, a 20.0%."
        );
        assert!(delays.names("cargo") && !delays.names("b"), "only what is named is exported");
        for standing in [Standing::Clear, Standing::Noted(Disturbance::Slept(Nanos::from_secs(1)))]
        {
            let (evidence, delays) = named(standing);
            assert_eq!((evidence.as_str(), delays.busy.len()), ("p99 is 2 ms.", 0));
        }
    }
}
