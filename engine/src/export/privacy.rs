//! Redacts private names of the user and the machine, by the same rule in all output of this
//! program.
//!
//! Host name, user name, home folder, and network addresses are redacted everywhere. Other programs
//! are named on screen, but in files only if the verdict or its advice names them.

mod addresses;
mod programs;

use std::sync::OnceLock;

use super::{Headline, Options};
use crate::platform;
use crate::report::{RecordingResults, Report};
use crate::run::{Run, Subject};
use addresses::without_addresses;
pub(super) use programs::program;

/// Minimum number of characters of a name to redact: a shorter name occurs in any text.
const SHORTEST: usize = 2;
/// Names of accounts and machines that identify nobody.
const NOBODY: [&str; 16] = [
    "root",
    "user",
    "admin",
    "administrator",
    "guest",
    "nobody",
    "localhost",
    "normal",
    "idle",
    "linux",
    "debian",
    "ubuntu",
    "fedora",
    "arch",
    "windows",
    "system",
];
/// Parents of home folders: the next component of a path is a user name. Of two that match at the
/// same name, the longer one is first.
const HOMES: [&str; 5] = ["/var/home/", "/export/home/", "/home/", "/Users/", "\\Users\\"];

/// Which private names are not redacted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncludedNames {
    /// The host's names and network addresses.
    pub host: bool,
    /// The user's names.
    pub user: bool,
    /// Names of programs that neither the verdict nor its advice names.
    pub programs: bool,
}

impl IncludedNames {
    /// Redacts all names: the rule for files.
    pub const NOTHING: Self = Self { host: false, user: false, programs: false };
    /// Includes only other programs: the rule for the window and for tables in a terminal.
    pub const ON_SCREEN: Self = Self { programs: true, ..Self::NOTHING };
    /// Includes all names and complete paths.
    pub const EVERYTHING: Self = Self { host: true, user: true, programs: true };

    /// Returns the note of a report about redacted names; empty if nothing was redacted.
    pub fn sentence(self, hides_programs: bool) -> String {
        let names = match (self.host, self.user) {
            (false, false) => "Host and user name excluded",
            (true, false) => "User name excluded",
            (false, true) => "Host name excluded",
            (true, true) => "",
        };
        let programs = "programs that the verdict does not name are called Program A, B, \u{2026}";
        match (names, hides_programs) {
            (names, false) => names.to_owned(),
            ("", true) => format!("P{}", programs.get(1..).unwrap_or_default()),
            (names, true) => format!("{names}; {programs}"),
        }
    }

    /// Returns the note of a report about redacted names in these runs.
    pub(super) fn sentence_of_runs<'a>(self, runs: impl Iterator<Item = &'a Run>) -> String {
        let mut trials = runs.flat_map(|run| &run.trials);
        self.sentence(!self.programs && trials.any(|trial| trial.trace.is_some()))
    }

    /// Returns a text with private names and network addresses redacted.
    pub fn redacted(self, text: &str, identity: &Identity) -> String {
        let text = self.without_names(text, identity);
        if self.host { text } else { without_addresses(&text) }
    }

    /// Returns a text with private names redacted, but not network addresses: a version number may
    /// look like an address.
    fn without_names(self, text: &str, identity: &Identity) -> String {
        if self.host && self.user {
            return text.to_owned();
        }
        let mut text = text.to_owned();
        for home in &identity.homes {
            text = replaced(&text, home, "~");
        }
        text = without_homes(&text);
        for (names, is_in, by) in
            [(&identity.users, self.user, "[user]"), (&identity.hosts, self.host, "[host]")]
        {
            for name in names.iter().filter(|_| !is_in) {
                text = replaced(&text, name, by);
            }
        }
        text
    }
}

/// The names of this machine and its user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The host's names, with and without domain.
    pub hosts: Vec<String>,
    /// The names of the user.
    pub users: Vec<String>,
    /// Paths of the home folders.
    pub homes: Vec<String>,
}

/// A name of this machine or its user that occurs in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// The kind of name: "host name", "user name", "home folder".
    pub what: &'static str,
    /// The name.
    pub name: String,
}

impl Identity {
    /// Returns the names of this machine and its user, from the system and the environment. The
    /// names are determined at the first call only.
    pub fn here() -> &'static Self {
        static HERE: OnceLock<Identity> = OnceLock::new();
        HERE.get_or_init(|| {
            let variables = |names: &[&str]| -> Vec<String> {
                names.iter().filter_map(|name| std::env::var(name).ok()).collect()
            };
            let mut hosts = variables(&["HOSTNAME", "COMPUTERNAME", "HOST"]);
            hosts.extend(crate::machine::host_name());
            let short: Vec<String> =
                hosts.iter().filter_map(|host| Some(host.split_once('.')?.0.to_owned())).collect();
            hosts.extend(short);
            let mut users = variables(&["USER", "USERNAME", "LOGNAME", "SUDO_USER"]);
            let mut homes = variables(&["HOME", "USERPROFILE"]);
            for account in platform::accounts() {
                // Service accounts have system folders as their home folder: do not redact such
                // folders.
                let is_own = account.names.iter().any(|name| account.home.contains(name.as_str()));
                homes.extend(Some(account.home).filter(|_| is_own));
                users.extend(account.names);
            }
            Self { hosts, users, homes }.normalized()
        })
    }

    /// Returns these names, and the names in the address of another PC, `user@host`.
    fn with_host(&self, address: Option<&str>) -> Self {
        let mut all = self.clone();
        let Some(address) = address else { return all };
        let (user, host) = match address.rsplit_once('@') {
            Some((user, host)) => (Some(user.to_owned()), host),
            None => (None, address),
        };
        all.users.extend(user);
        all.hosts.push(host.to_owned());
        all.hosts.extend(host.split_once('.').map(|(short, _)| short.to_owned()));
        all.normalized()
    }

    /// Sorts the names by length, longest first, so that a long name is redacted before a part of
    /// it. Removes duplicates, short names, and the names in [`NOBODY`].
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

    /// Returns the names of `self` that occur in a text. The preview of an export lists them.
    pub fn find(&self, text: &str) -> Vec<NameMatch> {
        let kinds =
            [("home folder", &self.homes), ("user name", &self.users), ("host name", &self.hosts)];
        let mut finds = Vec::new();
        for (what, names) in kinds {
            for name in names {
                if !positions(text, name).is_empty() {
                    finds.push(NameMatch { what, name: name.clone() });
                }
            }
        }
        finds
    }
}

/// Returns the positions of a name in a text, as a whole word and ignoring case.
fn positions(text: &str, name: &str) -> Vec<usize> {
    // Converting ASCII to lower case does not change positions.
    let (lower, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    // A long name also matches within a word.
    let is_long = 6 <= name.chars().count();
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let is_word = |at: usize| {
        let before = lower.get(..at).and_then(|before| before.chars().next_back());
        let after = lower.get(at + name.len()..).and_then(|after| after.chars().next());
        !(is_letter(before) || is_letter(after))
    };
    let found = lower.match_indices(&name).map(|(at, _)| at);
    found.filter(|&at| is_long || is_word(at)).collect()
}

fn replaced(text: &str, name: &str, by: &str) -> String {
    let mut rest = 0;
    let mut result = String::new();
    for at in positions(text, name) {
        result.push_str(text.get(rest..at).unwrap_or_default());
        result.push_str(by);
        rest = at + name.len();
    }
    result.push_str(text.get(rest..).unwrap_or_default());
    result
}

/// Shortens the path of any user's home folder to `~`.
fn without_homes(text: &str) -> String {
    let is_end = |letter: char| "/\\:;,'\"<>|".contains(letter) || letter.is_whitespace();
    let mut result = text.to_owned();
    for home in HOMES {
        let (mut shortened, mut rest) = (String::new(), result.as_str());
        while let Some((before, after)) = rest.split_once(home) {
            // The drive letter of a Windows path is removed, too.
            let drive = before.strip_suffix(':').filter(|_| home.starts_with('\\'));
            let drive = drive.and_then(|before| before.get(..before.len().checked_sub(1)?));
            shortened.push_str(drive.unwrap_or(before));
            shortened.push('~');
            rest = after.find(is_end).and_then(|end| after.get(end..)).unwrap_or_default();
        }
        shortened.push_str(rest);
        result = shortened;
    }
    result
}

/// Returns the run with private names redacted, and without note and tags if the options omit them;
/// `None` if nothing had to be changed. `report` must be of the same run: programs that the verdict
/// or advice names are not redacted.
pub fn cleaned(run: &Run, report: &Report, options: &Options) -> Option<Run> {
    let mut clean = run.clone();
    if !options.parts.notes {
        clean.note.clear();
        clean.tags.clear();
        clean.annotations.clear();
    }
    let included = options.included_names;
    let leave_out = options.leave_out.with_host(run.host.as_deref());
    for text in versions(&mut clean) {
        *text = included.without_names(text, &leave_out);
    }
    clean.for_each_text(&mut |text| *text = included.redacted(text, &leave_out));
    if !included.host {
        clean.host = None;
    } else if let Some(host) = &mut clean.host {
        *host = included.redacted(host, &leave_out);
    }
    if !included.programs {
        programs::hide(&mut clean, run, &report.delays);
        if let Subject::Recorded(recording) = &mut clean.subject
            && let Some(results) = report.results.get::<RecordingResults>()
        {
            programs::hide_recorded(recording, &results.analysis);
        }
    }
    (clean != *run).then_some(clean)
}

pub(super) fn clean_headline(headline: Headline, options: &Options) -> Headline {
    let clean = |text: String| options.included_names.redacted(&text, &options.leave_out);
    Headline {
        title: clean(headline.title),
        sentence: clean(headline.sentence),
        evidence: clean(headline.evidence),
        advice: clean(headline.advice),
        ..headline
    }
}

/// Returns the names of operating system and kernel with their versions. Four numbers between dots
/// in these texts are a version, not a network address.
fn versions(run: &mut Run) -> impl Iterator<Item = &mut String> {
    [&mut run.machine.os, &mut run.machine.kernel].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_pc_is_excluded_with_its_names() {
        let identity = Identity::default().with_host(Some("dora@build-07.lab"));
        let text = "run of dora on build-07, build-07.lab";
        let clean = IncludedNames::NOTHING.redacted(text, &identity);
        assert_eq!(clean, "run of [user] on [host], [host]");
        assert_eq!(Identity::default().with_host(None), Identity::default());
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
            ("/var/home/bob/x;/export/home/carl", "~/x;~"),
        ] {
            assert_eq!(IncludedNames::NOTHING.redacted(text, &identity), left);
        }
        let nothing = IncludedNames::NOTHING;
        for (included, left) in [
            (nothing, "[user] on [host] at [address] in ~"),
            (IncludedNames { host: true, ..nothing }, "[user] on box at 10.0.0.7 in ~"),
            (IncludedNames { user: true, ..nothing }, "anna on [host] at [address] in ~"),
            (IncludedNames::EVERYTHING, "anna on box at 10.0.0.7 in /home/anna"),
        ] {
            let text = "anna on box at 10.0.0.7 in /home/anna";
            assert_eq!(included.redacted(text, &identity), left, "{included:?}");
        }
        assert_eq!(identity.find("by anna").len(), 1);
        let clean = nothing.redacted("anna annas-laptop /home/anna", &identity);
        assert!(identity.find(&clean).is_empty());
    }

    #[test]
    fn every_name_in_a_long_text_goes() {
        let identity = Identity { users: vec!["anna".to_owned()], ..Identity::default() };
        for (part, left) in [
            ("anna ", "[user] "),
            ("/home/bob ", "~ "),
            ("C:\\Users\\Dora;", "~;"),
            ("10.0.0.5-", "[address]-"),
            ("a:1-", "a:1-"),
        ] {
            let count = 1_000_000 / part.len();
            let clean = IncludedNames::NOTHING.redacted(&part.repeat(count), &identity);
            assert!(clean == left.repeat(count), "{part}");
        }
    }
}
