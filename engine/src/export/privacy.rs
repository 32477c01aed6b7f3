//! Private names of the user and the machine, and how exports redact them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Headline, Options};
use crate::run::{Ending, Run, Subject, Trace, TrialRun};
use crate::sample::TraceEvent;

/// The shortest name that is looked for: a shorter one is found in any text.
const SHORTEST: usize = 2;
/// Names of accounts and machines that name nobody.
const NOBODY: [&str; 8] =
    ["root", "user", "admin", "administrator", "guest", "localhost", "normal", "idle"];
/// Parents of home folders: the name that follows is a user's.
const HOMES: [&str; 5] = ["/home/", "/Users/", "\\Users\\", "/var/home/", "/export/home/"];

/// Which names stay in what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncludedNames {
    /// None, and paths of home folders are shortened.
    #[default]
    Nothing,
    /// The host's name.
    Host,
    /// The person's name.
    User,
    /// All of them, and paths as they are.
    Everything,
}

impl IncludedNames {
    /// The note of a report; empty if nothing was excluded.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Nothing => "Host and user name excluded",
            Self::Host => "User name excluded",
            Self::User => "Host name excluded",
            Self::Everything => "",
        }
    }
}

/// The names of this machine and of who uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The host's names, with and without domain.
    pub hosts: Vec<String>,
    /// The names of the person.
    pub users: Vec<String>,
    /// The home folder.
    pub homes: Vec<String>,
}

/// Where a name of this machine was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// What it is: "host name", "user name", "home folder".
    pub what: &'static str,
    /// The name.
    pub name: String,
}

impl Identity {
    /// Of this machine and the person at it.
    pub fn here() -> Self {
        let variables = |names: &[&str]| -> Vec<String> {
            names.iter().filter_map(|name| std::env::var(name).ok()).collect()
        };
        let mut hosts = variables(&["HOSTNAME", "COMPUTERNAME", "HOST"]);
        hosts.extend(crate::machine::host_name());
        let short: Vec<String> =
            hosts.iter().filter_map(|host| Some(host.split_once('.')?.0.to_owned())).collect();
        hosts.extend(short);
        let identity = Self {
            hosts,
            users: variables(&["USER", "USERNAME", "LOGNAME", "SUDO_USER"]),
            homes: variables(&["HOME", "USERPROFILE"]),
        };
        identity.normalized()
    }

    /// Longest names first, none twice, none that would be found everywhere.
    fn normalized(mut self) -> Self {
        for names in [&mut self.hosts, &mut self.users, &mut self.homes] {
            names.retain(|name| {
                SHORTEST <= name.chars().count()
                    && !NOBODY.contains(&name.to_ascii_lowercase().as_str())
            });
            names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
            names.dedup();
        }
        self
    }

    /// The names that go where these are left in.
    #[must_use]
    pub fn without(&self, included_names: IncludedNames) -> Self {
        match included_names {
            IncludedNames::Nothing => self.clone(),
            IncludedNames::Host => Self { hosts: Vec::new(), ..self.clone() },
            IncludedNames::User => Self { users: Vec::new(), ..self.clone() },
            IncludedNames::Everything => Self::default(),
        }
    }

    /// Which of the names stand in a text, for the line under a preview.
    pub fn find(&self, text: &str) -> Vec<NameMatch> {
        let kinds =
            [("home folder", &self.homes), ("user name", &self.users), ("host name", &self.hosts)];
        let mut finds = Vec::new();
        for (what, names) in kinds {
            for name in names {
                if position(text, name, 0).is_some() {
                    finds.push(NameMatch { what, name: name.clone() });
                }
            }
        }
        finds
    }

    /// The text without the names: `~` for a home folder, `[user]` and `[host]` for the others.
    pub fn skipped(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for home in &self.homes {
            text = replaced(&text, home, "~");
        }
        text = without_homes(&text);
        for (names, by) in [(&self.users, "[user]"), (&self.hosts, "[host]")] {
            for name in names {
                text = replaced(&text, name, by);
            }
        }
        text
    }
}

/// Whether a name appears in a text as a whole word, ignoring case.
fn position(text: &str, name: &str, from: usize) -> Option<usize> {
    // Lower case of ASCII preserves every position.
    let (lower, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    let mut from = from;
    while let Some(at) = lower.get(from..)?.find(&name).map(|at| from + at) {
        let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let before = lower.get(..at).and_then(|before| before.chars().next_back());
        let after = lower.get(at + name.len()..).and_then(|after| after.chars().next());
        // A long name is found anywhere.
        if 6 <= name.chars().count() || !(is_letter(before) || is_letter(after)) {
            return Some(at);
        }
        from = at + name.len();
    }
    None
}

fn replaced(text: &str, name: &str, by: &str) -> String {
    let mut rest = 0;
    let mut result = String::new();
    while let Some(at) = position(text, name, rest) {
        result.push_str(text.get(rest..at).unwrap_or_default());
        result.push_str(by);
        rest = at + name.len();
    }
    result.push_str(text.get(rest..).unwrap_or_default());
    result
}

/// Shortens the paths of anybody's home folder to `~`.
fn without_homes(text: &str) -> String {
    let mut result = text.to_owned();
    for home in HOMES {
        let mut rest = 0;
        while let Some(at) = result.get(rest..).and_then(|tail| tail.find(home)).map(|at| rest + at)
        {
            let name_at = at + home.len();
            let name = result.get(name_at..).unwrap_or_default();
            let length = name
                .find(|letter: char| "/\\:;,'\"<>|".contains(letter) || letter.is_whitespace())
                .unwrap_or(name.len());
            // The drive before a Windows path goes, too.
            let drive =
                home.starts_with('\\') && result.get(..at).is_some_and(|b| b.ends_with(':'));
            let start = if drive { at.saturating_sub(2) } else { at };
            let start = if result.is_char_boundary(start) { start } else { at };
            result.replace_range(start..name_at + length, "~");
            rest = start + 1;
        }
    }
    result
}

/// The run without what is to be excluded; `None` if nothing was redacted.
pub fn cleaned(run: &Run, options: &Options) -> Option<Run> {
    let bare = without_samples(run);
    let mut clean = bare.clone();
    if !options.parts.notes {
        clean.note.clear();
        clean.tags.clear();
        clean.annotations.clear();
    }
    if options.included_names != IncludedNames::Everything {
        let leave_out = options.leave_out.without(options.included_names);
        for_each_text(&mut clean, &mut |text| *text = leave_out.skipped(text));
        hide_programs(&mut clean);
    }
    if clean == bare {
        return None;
    }
    for (clean, full) in clean.trials.iter_mut().zip(&run.trials) {
        clean.samples = full.samples.clone();
        clean.evidence.clone_from(&full.evidence);
        clean.series.clone_from(&full.series);
    }
    Some(clean)
}

pub(super) fn clean_headline(headline: Headline, options: &Options) -> Headline {
    if options.included_names == IncludedNames::Everything {
        return headline;
    }
    let leave_out = options.leave_out.without(options.included_names);
    let clean = |text: String| leave_out.skipped(&text);
    Headline {
        title: clean(headline.title),
        sentence: clean(headline.sentence),
        evidence: clean(headline.evidence),
        ..headline
    }
}

/// The facts and texts of a run, which are few, without its samples, which are many.
pub(super) fn without_samples(run: &Run) -> Run {
    let Run { id, app_version, started_at, ending, name, note, tags, annotations, group, .. } = run;
    let trials = run.trials.iter().map(|trial| TrialRun {
        applied: trial.applied.clone(),
        lost_count: trial.lost_count,
        complete: trial.complete,
        skipped: trial.skipped.clone(),
        counters: trial.counters.clone(),
        trace: trial.trace.clone(),
        tail_curve: trial.tail_curve.clone(),
        ..TrialRun::new(trial.stage, trial.trial.clone(), trial.load)
    });
    Run {
        id: id.clone(),
        app_version: app_version.clone(),
        method_version: run.method_version,
        started_at: *started_at,
        ending: ending.clone(),
        name: name.clone(),
        note: note.clone(),
        tags: tags.clone(),
        annotations: annotations.clone(),
        group: group.clone(),
        subject: run.subject.clone(),
        machine: run.machine.clone(),
        clock: run.clock.clone(),
        health: run.health.clone(),
        trials: trials.collect(),
    }
}

/// Replaces names of other programs by letters, the same throughout a run. Threads of the kernel,
/// interrupts, and this program keep their names.
fn hide_programs(run: &mut Run) {
    let mut letters: BTreeMap<String, String> = BTreeMap::new();
    for trace in run.trials.iter_mut().filter_map(|trial| trial.trace.as_mut()) {
        let threads: BTreeSet<u32> = trace
            .records()
            .iter()
            .filter(|record| matches!(record.event, TraceEvent::SwitchIn | TraceEvent::Busy))
            .filter_map(|record| record.name)
            .collect();
        for (name, at) in trace.names_mut().iter_mut().zip(0..) {
            if threads.contains(&at) && !name.starts_with('[') && !name.starts_with("jitterscope") {
                let next = letters.len();
                let letter = letters.entry(name.clone()).or_insert_with(|| program(next));
                name.clone_from(letter);
            }
        }
    }
}

/// The name of another program by its number: "Program A", "Program B", "Program AA".
fn program(number: usize) -> String {
    let mut letters = String::new();
    let mut rest = number + 1;
    while 0 < rest {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or(0);
        letters.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    format!("Program {letters}")
}

/// Every text of a run that somebody or something outside this program wrote.
fn for_each_text(run: &mut Run, change: &mut dyn FnMut(&mut String)) {
    for text in [&mut run.name, &mut run.note, &mut run.clock.name] {
        change(text);
    }
    run.tags.iter_mut().for_each(&mut *change);
    run.annotations.iter_mut().for_each(|one| change(&mut one.text));
    if let Ending::Failed(reason) = &mut run.ending {
        change(reason);
    }
    let machine = &mut run.machine;
    let facts = [
        &mut machine.cpu_model,
        &mut machine.os,
        &mut machine.kernel,
        &mut machine.virtualization,
        &mut machine.power.governor_or_plan,
        &mut run.health.journal_error,
    ];
    facts.into_iter().flatten().for_each(&mut *change);
    for (_, value) in &mut machine.scheduler {
        change(value);
    }
    if let Subject::Imported(capture) = &mut run.subject {
        capture.labels_mut().into_iter().for_each(&mut *change);
    }
    for trial in &mut run.trials {
        change(&mut trial.trial.label);
        trial.skipped.iter_mut().for_each(&mut *change);
        let traced = trial.trace.iter_mut().flat_map(Trace::names_mut);
        traced.for_each(&mut *change);
        for refusal in trial.applied.iter_mut().flat_map(|applied| &mut applied.refusals) {
            change(&mut refusal.requested);
            change(&mut refusal.reason);
            change(&mut refusal.remedy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_lettered_in_order() {
        let names = [0, 1, 25, 26, 27, 701, 702].map(program);
        let letters = names.map(|name| name.replace("Program ", ""));
        assert_eq!(letters, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }

    #[test]
    fn names_go_and_words_that_hold_them_stay() {
        let identity = Identity {
            hosts: vec!["annas-laptop".to_owned(), "box".to_owned()],
            users: vec!["anna".to_owned(), "root".to_owned()],
            homes: vec!["/home/anna".to_owned()],
        }
        .normalized();
        for (text, left) in [
            ("no space: /home/anna/runs/x", "no space: ~/runs/x"),
            ("Anna's run on ANNAS-LAPTOP", "[user]'s run on [host]"),
            ("an annals inbox", "an annals inbox"),
            ("box.", "[host]."),
            ("needs root", "needs root"),
            ("/home/bob/x and /Users/carl y", "~/x and ~ y"),
            ("C:\\Users\\Dora\\file", "~\\file"),
        ] {
            assert_eq!(identity.skipped(text), left);
        }
        for (included_names, left) in [
            (IncludedNames::Nothing, "[user] on [host] in ~"),
            (IncludedNames::Host, "[user] on box in ~"),
            (IncludedNames::User, "anna on [host] in ~"),
        ] {
            let leave_out = identity.without(included_names);
            assert_eq!(leave_out.skipped("anna on box in /home/anna"), left, "{included_names:?}");
        }
        assert_eq!(identity.find("by anna").len(), 1);
        assert!(identity.find(&identity.skipped("anna annas-laptop /home/anna")).is_empty());
    }
}
