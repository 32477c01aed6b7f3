//! Measures from the command line: fills the settings in, shows progress, keeps the run, prints it.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressStyle};
use jitterscope_engine::measure::{self, Event, Journal, Request, Running, Stopper};
use jitterscope_engine::plan::{CpuFacts, Plan};
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::store::Store;
use jitterscope_engine::store::repeats::repeat_tag;

use super::form::Fill;
use super::print::{self, say};
use super::repeats;
use super::{Status, text};
use crate::facts::read_facts;
use crate::text as words;

/// Measures as the options say, as often as they say.
pub(super) fn run(store: Option<&Store>, mut plan: Plan, matches: &ArgMatches) -> Status {
    if let Some(key) = text(matches, "preset")
        && let Some(preset) = plan.presets().into_iter().find(|preset| preset.key == key)
    {
        plan = preset.plan;
    }
    let mut fill = Fill::new(matches);
    plan.probe_mut().settings(&mut fill);
    for note in &fill.notes {
        say(note);
    }
    let times = matches.get_one::<u32>("repeat").copied().unwrap_or(1);
    if 1 < times && matches.contains_id("out") {
        fill.errors.push("--out names one file: leave it out, or --repeat".to_owned());
    }
    if !fill.errors.is_empty() {
        for error in &fill.errors {
            say(&format!("error: {error}"));
        }
        return Status::WrongUse;
    }
    let kept = store.filter(|_| !matches.get_flag("no-save"));
    if store.is_none() && !matches.get_flag("no-save") {
        say("this system names no folder for runs; the run is not kept (--data-dir names one)");
    }
    let mut runs = Vec::new();
    let count = usize::try_from(times).unwrap_or(1);
    for number in 1..=count {
        let tags = if 1 < count { vec![repeat_tag(number, count)] } else { Vec::new() };
        if 1 < count {
            say(&format!("run {number} of {count}"));
        }
        let asked =
            Asked { name: text(matches, "name"), tags, is_quiet: matches.get_flag("quiet") };
        let (run, status) = match measure(kept, &plan, asked) {
            Ok(measured) => measured,
            Err(status) => return status,
        };
        let printed = print::result(&run, matches);
        if let Err(error) = &printed {
            say(&format!("error: {error}"));
        }
        if status != Status::Done {
            return status;
        }
        if printed.is_err() {
            return Status::Failed;
        }
        runs.push(run);
    }
    if 1 < runs.len() {
        repeats::tell(&runs);
    }
    Status::Done
}

/// What is asked of a run beside its settings.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) name: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) is_quiet: bool,
}

/// Measures once and keeps the run; where nothing was measured, why was said.
pub(super) fn measure(
    kept: Option<&Store>,
    plan: &Plan,
    asked: Asked,
) -> Result<(Run, Status), Status> {
    let facts = read_facts();
    let problems = plan.probe().problems(&facts.cpus);
    if !problems.is_empty() {
        for problem in problems {
            say(&format!("error: --{}: {}", problem.key, problem.message));
        }
        return Err(Status::WrongUse);
    }
    let journal = kept.map(Store::journal).transpose().map_err(|error| {
        say(&format!("error: {error} (--no-save measures without keeping the run)"));
        Status::Failed
    })?;
    let journal_path = journal.as_ref().map(|journal| journal.path().to_owned());
    let cpus = facts.cpus.clone();
    let request = Request {
        plan: plan.clone(),
        machine: facts.machine,
        clock: facts.clock,
        cpus: facts.cpus,
        journal: journal.map(|journal| -> Box<dyn Journal> { Box::new(journal) }),
        ring_capacity: Request::RING_CAPACITY,
    };
    let running = measure::start(request, || {}).map_err(|error| {
        say(&format!("error: {error}"));
        remove(journal_path.as_deref());
        Status::Failed
    })?;
    stop_on_signal(running.stopper());
    let is_quiet = asked.is_quiet || !std::io::stderr().is_terminal();
    let (run, failure) = watch(&running, plan, &cpus, is_quiet);
    drop(running);
    let Some(run) = run else {
        say("error: the test ended without a result");
        return Err(Status::Failed);
    };
    let mut run = Arc::unwrap_or_clone(run);
    run.name = asked.name.unwrap_or_default();
    run.tags = asked.tags;
    let status = keep(kept, &run, failure, journal_path.as_deref());
    Ok((run, status))
}

/// Ctrl+C stops the run that goes on; asked a second time, it ends the program.
fn stop_on_signal(stopper: Stopper) {
    /// The run that goes on: there is one handler for all runs of the program.
    static CURRENT: Mutex<Option<Stopper>> = Mutex::new(None);
    static HANDLER: Once = Once::new();
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopper);
    HANDLER.call_once(|| {
        let handled = ctrlc::set_handler(|| {
            if let Some(stopper) = &*CURRENT.lock().unwrap_or_else(PoisonError::into_inner) {
                if stopper.is_stopped() {
                    // The journal keeps what was measured.
                    std::process::abort();
                }
                stopper.stop();
            }
        });
        if let Err(error) = handled {
            log::info!("no signal handler: {error}");
        }
    });
}

/// Keeps the run, and says how it ended.
fn keep(
    store: Option<&Store>,
    run: &Run,
    failure: Option<String>,
    journal: Option<&Path>,
) -> Status {
    let mut status = match run.ending {
        Ending::Finished => Status::Done,
        Ending::Stopped => Status::Stopped,
        Ending::Failed(_) | Ending::Recovered => Status::Failed,
    };
    let saved = match store.filter(|_| 0 < run.sample_count()) {
        None => None,
        Some(store) => match store.save(run) {
            Ok(path) => {
                remove(journal);
                Some(path)
            }
            Err(error) => {
                say(&format!("error: {error}"));
                if let Some(journal) = journal {
                    say(&format!("what was measured is kept in {}", journal.display()));
                }
                status = Status::Failed;
                None
            }
        },
    };
    if run.sample_count() == 0 {
        remove(journal);
    }
    if let Some(failure) = failure {
        say(&format!("error: the test could not finish: {failure}"));
    }
    if let Some(path) = saved {
        say(&format!("saved as run {}: {}", run.id, path.display()));
    }
    if status == Status::Stopped {
        say("stopped early; what was measured is kept, and no verdict is given");
    }
    status
}

/// Removes the journal of a run that is kept, or of which there is nothing to keep.
pub(super) fn remove(journal: Option<&Path>) {
    if let Some(path) = journal
        && let Err(error) = std::fs::remove_file(path)
    {
        log::warn!("{error}: {}", PathBuf::from(path).display());
    }
}

/// Waits for the end of the run and shows how it goes on.
pub(super) fn watch(
    running: &Running,
    plan: &Plan,
    cpus: &CpuFacts,
    is_quiet: bool,
) -> (Option<Arc<Run>>, Option<String>) {
    let planned = plan.duration(cpus);
    let bar = if is_quiet {
        ProgressBar::hidden()
    } else {
        ProgressBar::new(u64::try_from(planned.get() / 1_000_000).unwrap_or(0))
    };
    if let Ok(style) = ProgressStyle::with_template("{msg:40!} {bar:30} {percent:>3}%  {prefix}") {
        bar.set_style(style);
    }
    let began = Instant::now();
    let mut labels: Vec<String> = Vec::new();
    let mut last_shown = None;
    while let Some(event) = running.next_event() {
        match event {
            Event::Planned(run) => {
                labels = run.trials.iter().map(|trial| trial.trial.label.clone()).collect();
            }
            Event::Preparing { trial, step } => {
                bar.set_message(format!("{}: {step}", numbered(&labels, trial)));
            }
            Event::Began { trial, .. } => bar.set_message(numbered(&labels, trial)),
            Event::Skipped { trial, reason } => {
                bar.suspend(|| say(&format!("{} is left out: {reason}", numbered(&labels, trial))));
            }
            Event::Demoted => bar.suspend(|| {
                say("a watchdog took real-time priority away: a thread held its CPU too long");
            }),
            Event::NotKept(reason) => bar.suspend(|| {
                say(&format!("samples cannot be kept while the test runs: {reason}"));
            }),
            Event::Samples { .. } | Event::Ended { .. } => {}
            Event::Finished(run) => {
                bar.finish_and_clear();
                return (Some(run), None);
            }
            Event::Failed { reason, run } => {
                bar.finish_and_clear();
                return (Some(run), Some(reason));
            }
        }
        if last_shown.is_none_or(|shown: Instant| Duration::from_millis(250) <= shown.elapsed()) {
            let elapsed = began.elapsed();
            bar.set_position(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
            let left = planned - elapsed.into();
            bar.set_prefix(words::eta(left.max(jitterscope_engine::nanos::Nanos::ZERO)));
            last_shown = Some(Instant::now());
        }
    }
    bar.finish_and_clear();
    std::io::stderr().flush().ok();
    (None, None)
}

fn numbered(labels: &[String], trial: usize) -> String {
    let label = labels.get(trial).map_or("", String::as_str);
    format!("{} of {}: {label}", trial + 1, labels.len())
}
