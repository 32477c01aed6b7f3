//! Measures runs in a terminal: shows progress, stops on Ctrl+C, saves each run, and prints its
//! outcome.

use std::io::{IsTerminal as _, Read, Write as _};
use std::process::ChildStdin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches};
use indicatif::{ProgressBar, ProgressStyle};
use jitterscope_engine::measure::{self, Event, Request, Stopper, mark_own_run};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::platform;
use jitterscope_engine::report::quick::joined;
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::runner::{Host, Runner, SavedRun, Sink, StartError};
use jitterscope_engine::store::Store;

use super::print::print_message;
use super::print::reference::LiveOutput;
use super::{Status, failed, flag, host};
use crate::text;

/// Redraw interval of the progress bar.
const REDRAW_INTERVAL: Duration = Duration::from_millis(250);

/// What interrupts a command that `--hosts` started, on its input.
const INTERRUPT: &[u8] = b"\n";

/// Why a measurement produced no run.
#[derive(Debug, thiserror::Error)]
pub(super) enum MeasureError {
    /// The run did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The measuring threads ended without a result.
    #[error("the test ended without a result")]
    NoResult,
    /// The run could not be continued; the first run is saved and counts.
    #[error("the test could not be continued: {0}")]
    NotContinued(String),
}

impl MeasureError {
    /// Prints why there is no run, with one line per invalid option; returns the exit status.
    pub(super) fn report(&self) -> Status {
        if let Self::Start(StartError::Measure(measure::StartError::Settings { problems })) = self {
            for problem in problems {
                print_message(&format!("error: --{}: {}", problem.key, problem.message));
            }
            return Status::WrongUse;
        }
        failed(self)
    }
}

/// The terminal in which a command measures one or more runs.
pub(super) struct Terminal<'a> {
    /// Where runs are saved; `None` if they are not saved.
    pub(super) store: Option<&'a Store>,
    /// Whether progress output is hidden.
    pub(super) is_quiet: bool,
    interrupt: Interrupt,
    /// The host on which runs are measured.
    pub(super) host: Host,
}

/// Returns the options that every command with several runs has.
pub(super) fn run_args() -> [Arg; 2] {
    [flag("no-save", "Do not save the runs"), flag("quiet", "Hide progress").short('q')]
}

impl<'a> Terminal<'a> {
    /// Checks the folder for runs (unless runs are not saved), connects to the host on which these
    /// plans will run, and starts listening for Ctrl+C. If one of these steps fails, prints the
    /// reason.
    pub(super) fn open(
        store: Option<&'a Store>,
        matches: &ArgMatches,
        plans: &[Plan],
    ) -> Result<Self, Status> {
        let is_saving = !matches.get_flag("no-save");
        if is_saving && store.is_none() {
            print_message(
                "no default data folder on this system, so nothing is saved; set one with \
                 --data-dir",
            );
        }
        let store = store.filter(|_| is_saving);
        if let Some(Err(error)) = store.map(Store::check) {
            return Err(failed(format!("{error} (use --no-save to measure without saving)")));
        }
        let is_quiet = matches.get_flag("quiet");
        let interrupt = Interrupt::install();
        let host = interrupt.while_connecting(|| host::connect(matches, plans))?;
        Ok(Self { store, is_quiet, interrupt, host })
    }

    /// Whether Ctrl+C was pressed.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_stopped()
    }

    /// Measures a run and saves it; `live` prints lines during the run.
    pub(super) fn measure(
        &self,
        request: Request,
        live: Option<&mut LiveOutput>,
    ) -> Result<SavedRun, MeasureError> {
        self.measure_after(request, live, None, joined)
    }

    /// Measures a run and saves it, joined with the `first` run if there is one. A run that did not
    /// finish is not joined: the `first` run counts.
    pub(super) fn measure_after(
        &self,
        request: Request,
        live: Option<&mut LiveOutput>,
        first: Option<&Run>,
        join: fn(&Run, Run) -> Run,
    ) -> Result<SavedRun, MeasureError> {
        let planned = request.plan.duration(&request.cpus);
        let sink = self.store.map_or(Sink::Discard, |store| Sink::Store(store.clone()));
        let runner = self.host.start(request, sink, || {})?;
        self.interrupt.follow(runner.stopper());
        let is_quiet = self.is_quiet || !std::io::stderr().is_terminal();
        let run = watch(&runner, planned, is_quiet, live).ok_or(MeasureError::NoResult)?;
        let mut finished = runner.finish(run);
        let mut failure = None;
        if let Some(first) = first {
            if let Ending::Failed(reason) = &finished.run.ending {
                failure = Some(reason.clone());
            }
            finished.run = join(first, finished.run.clone());
        }
        let saved = finished.save();
        failure.map_or(Ok(saved), |reason| Err(MeasureError::NotContinued(reason)))
    }
}

/// Prints where a run was saved, and its outcome; returns the exit status.
pub(super) fn report(saved: &SavedRun) -> Status {
    let SavedRun { run, path, failure } = saved;
    if let Some(failure) = failure {
        failed(failure);
    }
    if let Ending::Failed(reason) = &run.ending {
        print_message(&format!("error: the test could not finish: {reason}"));
    }
    if let Some(path) = path {
        print_message(&format!("saved as run {}: {}", run.id, path.display()));
    }
    match run.ending {
        _ if failure.is_some() => Status::Failed,
        Ending::Finished => Status::Done,
        Ending::Failed(_) | Ending::Recovered => Status::Failed,
        Ending::Stopped => {
            print_stopped(path.is_some());
            Status::Stopped
        }
    }
}

/// Prints that a measurement was stopped, and whether its data is saved.
pub(super) fn print_stopped(is_saved: bool) {
    let saved = if is_saved { ": measured data is saved, without a verdict" } else { "" };
    print_message(&format!("stopped early{saved}"));
}

/// Shows the progress of a run until it ends; `None` if it ended without a result.
fn watch(
    runner: &Runner,
    planned: Nanos,
    is_quiet: bool,
    mut live: Option<&mut LiveOutput>,
) -> Option<Arc<Run>> {
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
    let mut drawn_at: Option<Instant> = None;
    while let Some(event) = runner.next_event() {
        let _run = mark_own_run();
        match event {
            Event::Planned(run) => {
                labels = run.trials.iter().map(|trial| trial.trial.label.clone()).collect();
            }
            Event::Preparing { trial, step } => {
                bar.set_message(format!("{}: {step}", numbered(&labels, trial)));
            }
            Event::Began { trial, .. } => bar.set_message(numbered(&labels, trial)),
            Event::Skipped { trial, reason } => {
                bar.suspend(|| {
                    print_message(&format!("{} was skipped: {reason}", numbered(&labels, trial)));
                });
            }
            Event::Demoted { trial } => bar.suspend(|| {
                let label = numbered(&labels, trial);
                print_message(&format!(
                    "{label}: the watchdog revoked real-time priority from a thread that did not \
                     sleep"
                ));
            }),
            Event::NotSaved { reason } => bar.suspend(|| {
                print_message(&format!("samples cannot be saved during the test: {reason}"));
            }),
            Event::Counted { trial, counters } => {
                if let Some(live) = live.as_deref_mut() {
                    bar.suspend(|| live.take(trial, &counters));
                }
            }
            Event::Samples { .. }
            | Event::Value { .. }
            | Event::Traced { .. }
            | Event::Recorded { .. }
            | Event::Ended { .. } => {}
            Event::Finished(run) => {
                bar.finish_and_clear();
                return Some(run);
            }
        }
        if drawn_at.is_none_or(|drawn| REDRAW_INTERVAL <= drawn.elapsed()) {
            let elapsed = began.elapsed();
            bar.set_position(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
            let left = planned - elapsed.into();
            bar.set_prefix(text::eta(left.max(Nanos::ZERO)));
            drawn_at = Some(Instant::now());
        }
    }
    bar.finish_and_clear();
    None
}

fn numbered(labels: &[String], trial: usize) -> String {
    let label = labels.get(trial).map_or("", String::as_str);
    format!("{} of {}: {label}", trial + 1, labels.len())
}

/// How long the handling of an interrupt may take on a busy PC.
const INTERRUPT_DELAY: Duration = Duration::from_millis(200);

/// The handler of Ctrl+C and of the other signals that end a program. The first one stops the current run. A second one,
/// or one during a sign-in, ends the program; a run can then be recovered from its journal file.
#[derive(Clone, Default)]
pub(super) struct Interrupt {
    is_stopped: Arc<AtomicBool>,
    current: Arc<Mutex<CurrentTrial>>,
}

/// What an interrupt ends.
#[derive(Default)]
enum CurrentTrial {
    /// What the command does next.
    #[default]
    Next,
    /// The connection to a host.
    Connection,
    /// A run.
    Run(Stopper),
    /// This command on several hosts.
    Hosts(HostInputs),
}

impl Interrupt {
    pub(super) fn install() -> Self {
        let interrupt = Self::default();
        let on_signal = interrupt.clone();
        let handled =
            platform::keep_ignored_signals(|| ctrlc::set_handler(move || on_signal.interrupt()));
        if let Err(error) = handled {
            log::info!("no signal handler: {error}");
        }
        if std::env::var_os(host::BATCH).is_some() {
            let on_input = interrupt.clone();
            let follow = move || on_input.follow_input(std::io::stdin());
            if let Err(error) = measure::start_thread("input", follow) {
                log::warn!("{error}");
            }
        }
        interrupt
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Calls `connect`, during which an interrupt ends this program and the program that connects.
    pub(super) fn while_connecting<T, E>(
        &self,
        connect: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        *self.lock() = CurrentTrial::Connection;
        let connected = connect();
        // An interrupt at a prompt also ends the program that connects, perhaps before it is handled here.
        if connected.is_err() {
            std::thread::sleep(INTERRUPT_DELAY);
        }
        *self.lock() = CurrentTrial::Next;
        connected
    }

    /// Makes interrupts reach the commands on several hosts from now on.
    pub(super) fn follow_hosts(&self) -> HostInputs {
        let is_stopped = Arc::clone(&self.is_stopped);
        let inputs = HostInputs { is_stopped, inputs: Arc::default() };
        *self.lock() = CurrentTrial::Hosts(inputs.clone());
        inputs
    }

    /// Makes an interrupt stop this run from now on.
    fn follow(&self, stopper: Stopper) {
        let mut current = self.lock();
        if self.is_stopped() {
            stopper.stop();
        }
        *current = CurrentTrial::Run(stopper);
    }

    fn interrupt(&self) {
        let is_second = self.is_stopped.swap(true, Ordering::Relaxed);
        let is_ending = match &*self.lock() {
            CurrentTrial::Connection => true,
            CurrentTrial::Next => is_second,
            CurrentTrial::Run(stopper) => {
                stopper.stop();
                is_second
            }
            CurrentTrial::Hosts(inputs) => {
                inputs.interrupt();
                is_second
            }
        };
        if is_ending {
            platform::end_programs();
            platform::exit_at_once(130);
        }
    }

    /// Takes interrupts from the input of a command that `--hosts` started: each byte is one, and so is the end, unless
    /// there was one before.
    fn follow_input(&self, mut input: impl Read) {
        let mut byte = [0];
        loop {
            match input.read(&mut byte) {
                Ok(1..) => self.interrupt(),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
            }
        }
        if !self.is_stopped() {
            self.interrupt();
        }
    }

    fn lock(&self) -> MutexGuard<'_, CurrentTrial> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The inputs of the commands that run on several hosts, through which they are interrupted: their own group of
/// processes gets no signal of the terminal, and the end of this program ends their input on every system.
#[derive(Clone)]
pub(super) struct HostInputs {
    is_stopped: Arc<AtomicBool>,
    inputs: Arc<Mutex<Vec<(usize, ChildStdin)>>>,
}

impl HostInputs {
    /// Adds the input of the command with this number.
    pub(super) fn add(&self, number: usize, mut input: ChildStdin) {
        let mut inputs = self.lock();
        if self.is_stopped.load(Ordering::Relaxed) {
            input.write_all(INTERRUPT).ok();
        }
        inputs.push((number, input));
    }

    /// Removes the input of the command that ended.
    pub(super) fn remove(&self, number: usize) {
        self.lock().retain(|(one, _)| *one != number);
    }

    fn interrupt(&self) {
        for (_, input) in self.lock().iter_mut() {
            // A command that ended does not read it.
            input.write_all(INTERRUPT).ok();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(usize, ChildStdin)>> {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
