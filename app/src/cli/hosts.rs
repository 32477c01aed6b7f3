//! Runs the same command on several hosts at once. Each host has its own process, which saves the
//! runs of the host on this PC.

mod batch;
mod result;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::ArgMatches;
use jitterscope_engine::platform::separate;

use super::host::BATCH;
use super::names::Place;
use super::output::{print_with_hosts, read_text};
use super::print::print_message;
use super::terminal::{HostInputs, Interrupt};
use super::{Status, failed};
use batch::Batch;
pub(super) use result::HostResult;

/// Number of hosts that are measured concurrently.
const AT_ONCE: usize = 8;
/// Maximum number of hosts in a file.
const MAX_HOSTS: usize = 1_000;

/// How the command ended on one host.
#[derive(Clone, Debug)]
struct BatchOutcome {
    is_measured: bool,
    /// The result of the measurement, or the reason why it failed.
    sentence: String,
    /// What was measured; `None` if the host failed.
    result: Option<HostResult>,
}

/// Runs the command on each host of a file; `None` if the arguments contain no `--hosts` option.
pub(super) fn run(matches: &ArgMatches, args: &[OsString]) -> Option<Status> {
    let file = matches.try_get_one::<std::path::PathBuf>("hosts").ok().flatten()?;
    let batch = match Batch::of(matches) {
        Ok(batch) => batch,
        Err(error) => {
            failed(error);
            return Some(Status::WrongUse);
        }
    };
    Some(hosts_of(file).map_or_else(failed, |hosts| run_all(&hosts, args, &batch)))
}

fn run_all(hosts: &[String], args: &[OsString], batch: &Batch) -> Status {
    let interrupt = Interrupt::install();
    let inputs = interrupt.follow_hosts();
    let is_quiet = args.iter().any(|arg| arg == "--quiet" || arg == "-q");
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(vec![None; hosts.len()]);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(hosts.len()) {
            scope.spawn(|| {
                while !interrupt.is_stopped() {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(host) = hosts.get(at) else { return };
                    let outcome = measure(host, args, (at, &inputs), batch.place());
                    if !is_quiet {
                        print_with_hosts(&format!("{host}: {}", outcome.sentence));
                    }
                    let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(place) = outcomes.get_mut(at) {
                        *place = Some(outcome);
                    }
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_printed = batch.write(hosts, &outcomes);
    if let Err(error) = &is_printed {
        print_message(&format!("error: {error}"));
    }
    let is_whole = outcomes.iter().flatten().filter(|outcome| outcome.is_measured).count();
    match (interrupt.is_stopped(), is_whole == hosts.len() && is_printed.is_ok()) {
        (true, _) => Status::Stopped,
        (false, true) => Status::Done,
        (false, false) => Status::Failed,
    }
}

/// Runs this program for one host; returns the result or the error that the program prints.
fn measure(
    host: &str,
    args: &[OsString],
    (number, inputs): (usize, &HostInputs),
    place: Place,
) -> BatchOutcome {
    let failed = |sentence: String| BatchOutcome { is_measured: false, sentence, result: None };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed(format!("cannot find this program: {error}")),
    };
    let mut command = Command::new(program);
    command.args(args_for(host, args)).env(BATCH, "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Interrupts arrive through the input alone: a signal of the terminal as well would be the second one.
    separate(&mut command);
    let output = command.spawn().and_then(|mut child| {
        child.stdin.take().into_iter().for_each(|input| inputs.add(number, input));
        let output = child.wait_with_output();
        inputs.remove(number);
        output
    });
    let output = match output {
        Ok(output) => output,
        Err(error) => return failed(format!("cannot start this program: {error}")),
    };
    if output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        let result = HostResult::read(&text, place);
        let own = result.as_ref().map(|result| result.sentence.clone());
        let sentence = own.unwrap_or_else(|| answer(&text).to_owned());
        return BatchOutcome { is_measured: true, sentence, result };
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    failed(reason(&messages).to_owned())
}

/// Returns the result from the output of a command: the first line of its last paragraph.
fn answer(text: &str) -> &str {
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.lines().next().unwrap_or_default()
}

/// Returns the first error among the messages of a command, or the last message if there is no
/// error.
fn reason(messages: &str) -> &str {
    let error = messages.lines().find_map(|line| line.strip_prefix("error: "));
    error.or_else(|| messages.lines().last()).unwrap_or("no result")
}

/// Returns the command-line arguments for one host, with `--host` in place of `--hosts`, and with
/// `--quiet`.
fn args_for(host: &str, args: &[OsString]) -> Vec<OsString> {
    let mut result = Vec::new();
    let mut given = args.iter().skip(1);
    while let Some(arg) = given.next() {
        let text = arg.to_string_lossy();
        // What the process of this host writes is read by this process.
        let is_of_batch = |name: &str| text == name || text.starts_with(&format!("{name}="));
        if let Some(name) = ["--hosts", "--format", "--out"].into_iter().find(|it| is_of_batch(it))
        {
            if text == name {
                given.next();
            }
        } else if text != "--quiet" && text != "-q" {
            result.push(arg.clone());
        }
    }
    result.extend([format!("--host={host}").into(), "--quiet".into()]);
    result
}

/// Returns the distinct hosts of a file: one per line, without blank lines and comments that begin
/// with `#`.
fn hosts_of(file: &Path) -> io::Result<Vec<String>> {
    let shown = file.display();
    let wrong = |what: String| io::Error::other(format!("{what}: {shown}"));
    let text = read_text(file).map_err(|error| wrong(format!("cannot read the hosts: {error}")))?;
    let mut known = BTreeSet::new();
    let hosts: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#') && known.insert(*line))
        .map(str::to_owned)
        .collect();
    match hosts.len() {
        0 => Err(wrong("no hosts in this file; write one per line".to_owned())),
        1..=MAX_HOSTS => Ok(hosts),
        count => Err(wrong(format!("{count} hosts; expected at most {MAX_HOSTS}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_host_gets_the_arguments_without_the_file() {
        let given = [
            "x",
            "quick",
            "--hosts",
            "f",
            "--trace",
            "off",
            "-q",
            "--hosts=g",
            "--format=csv",
            "--out",
            "o",
        ];
        let args = args_for("ann@b", &given.map(OsString::from));
        assert_eq!(args, ["quick", "--trace", "off", "--host=ann@b", "--quiet"]);
    }

    #[test]
    fn the_answer_is_printed_last_and_the_first_error_is_the_reason() {
        assert_eq!(answer("Quick check\n\ntable\n\nGood: it is.\n95% CI\n"), "Good: it is.");
        assert_eq!(reason("note\nerror: no key\nerror: more\n"), "no key");
        assert_eq!((reason("died\n"), reason("")), ("died", "no result"));
    }

    #[test]
    fn a_file_names_each_host_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hosts");
        fs::write(&file, "# lab\n a \n\nann@b\na\n").unwrap();
        assert_eq!(hosts_of(&file).unwrap(), ["a", "ann@b"]);
        fs::write(&file, "# none\n").unwrap();
        assert!(hosts_of(&file).unwrap_err().to_string().starts_with("no hosts in this file"));
        fs::write(&file, (0..2_000).map(|at| format!("h{at}")).collect::<Vec<_>>().join("\n"))
            .unwrap();
        assert!(hosts_of(&file).unwrap_err().to_string().starts_with("2000 hosts"));
    }

    #[test]
    fn changed_files_of_hosts_are_read_or_refused() {
        const PIECES: [&str; 11] = [
            "\n",
            "\r",
            "#",
            " ",
            "\0",
            "\u{feff}",
            "é\u{202e}",
            "\n-oProxyCommand=x\n",
            "@",
            ":",
            "host",
        ];
        let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
        let count = number("JITTERSCOPE_MUTATED_FILES").unwrap_or(300);
        let seed = number("JITTERSCOPE_MUTATED_SEED").unwrap_or(55).max(1);
        let mut state = seed;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 33).unwrap() % limit
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hosts");
        let given = ["x", "quick", "--hosts", "f"].map(OsString::from);
        let (mut accepted, mut slowest) = (0, std::time::Duration::ZERO);
        for _ in 0..count {
            let mut bytes = b"# lab\nann@pc-1\n  pc-2 \n\n10.0.0.7\n[fe80::1]\npc-2\n".to_vec();
            for _ in 0..=below(4) {
                let from = below(bytes.len());
                let to = (from + below(20)).min(bytes.len());
                let piece = PIECES[below(PIECES.len())].repeat(1 + below(3) * below(400));
                match below(3) {
                    0 => drop(bytes.splice(from..to, piece.bytes())),
                    1 => drop(bytes.splice(from..from, bytes[from..to].to_vec())),
                    _ => bytes[from] ^= 1 << below(8),
                }
            }
            fs::write(&file, &bytes).unwrap();
            let began = std::time::Instant::now();
            match hosts_of(&file) {
                Ok(hosts) => {
                    accepted += 1;
                    let names: BTreeSet<&str> = hosts.iter().map(|host| host.trim()).collect();
                    assert!(names.len() == hosts.len() && hosts.len() <= MAX_HOSTS, "{hosts:?}");
                    for host in &hosts {
                        // Whatever it begins with, a line is the value of one option.
                        let args = args_for(host, &given);
                        let option = format!("--host={host}");
                        assert_eq!(args, ["quick", option.as_str(), "--quiet"]);
                        assert!(!host.is_empty() && !host.starts_with('#'), "{hosts:?}");
                    }
                }
                Err(error) => assert!(error.to_string().contains("hosts"), "{error}"),
            }
            slowest = began.elapsed().max(slowest);
        }
        println!(
            "hosts: {accepted} of {count} accepted, from seed {seed}, the slowest {slowest:?}"
        );
        assert!(0 < accepted && accepted < count);
    }
}
