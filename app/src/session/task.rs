//! What takes a while, on threads of its own: reading the machine, loading, saving, asking for a file.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jitterscope_engine::measure;
use jitterscope_engine::platform::{self, Power};
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::runner::{FinishedRun, SavedRun};
use jitterscope_engine::store::{self, Recovery, Store};

use super::comparing::{self, Compared};
use super::kept::Writer;
use super::noise::{self, Noise};
use super::{export, glance, import};
use crate::facts::{Facts, read_facts};
use crate::run_list::LibraryItem;

/// How often power and other load are read while nothing is measured.
const IDLE_WATCH: Duration = Duration::from_secs(2);
/// Outcomes that may lie unread.
const CAPACITY: usize = 64;

/// A run with what it means, on screen.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The facts.
    pub run: Arc<Run>,
    /// The conclusions.
    pub report: Report,
    /// Where it is saved; `None` where it is not.
    pub path: Option<PathBuf>,
    /// Why it could not be saved.
    pub save_error: Option<String>,
}

/// How a task ended.
#[derive(Debug)]
pub enum Outcome {
    /// The machine was read.
    Facts(Box<(Facts, Power)>),
    /// Power and other load were read again.
    Idle {
        /// Power source and plan.
        power: Power,
        /// CPU time of other programs as a share of one core.
        other_load: Option<f64>,
    },
    /// The journals of ended processes were turned into runs.
    Recovered(Result<Vec<Recovery>, String>),
    /// The folder of runs was read.
    Listed {
        /// Which reading this is: they may end in another order than they began.
        turn: u64,
        /// The runs.
        result: Result<Vec<LibraryItem>, String>,
    },
    /// Saved runs were changed.
    Changed(Result<(), String>),
    /// Saved runs were taken away.
    SetAside {
        /// Where they lie now.
        aside: Vec<PathBuf>,
        /// Why not all were.
        error: Option<String>,
    },
    /// Runs were opened and compared.
    Compared {
        /// Which.
        paths: Vec<PathBuf>,
        /// What came of it.
        result: Result<Box<Compared>, String>,
    },
    /// A share of a frame, in percent, has stood in the settings for a moment.
    LateSettled(u32),
    /// A result was counted by another share of a frame; `None` where it was already.
    CountedLate(Option<Box<Shown>>),
    /// A run was judged and, where that worked, saved.
    Saved(Box<Shown>),
    /// A file was opened.
    Opened(Result<Box<Shown>, String>),
    /// The runs of a quick check were opened.
    QuickOpened(Result<Vec<Shown>, String>),
    /// Files were asked for; none where the person thought better of it.
    Chosen(Vec<PathBuf>),
    /// Files were opened, or not.
    OpenedFiles(Vec<import::Opened>),
    /// An export went on.
    Export(export::Told),
    /// Saved runs or dragged files were looked at.
    Glanced(glance::Told),
    /// Something was opened outside the app, or not.
    OpenedOutside(Result<(), String>),
    /// The noise floor was read; `None` where it was not measured.
    Noise(Option<Noise>),
    /// A folder for runs was asked for.
    ChosenFolder(Option<PathBuf>),
    /// The settings were written, or not.
    SettingsWritten(Result<(), String>),
}

/// Starts tasks and gathers their outcomes.
pub(super) struct Tasks {
    sender: SyncSender<Outcome>,
    receiver: Receiver<Outcome>,
    wake: Arc<dyn Fn() + Send + Sync>,
    /// How often the folder of runs was read.
    lists: u64,
    /// Answers to the next questions for files, in the person's stead.
    prepared: VecDeque<Vec<PathBuf>>,
    /// What is to become of saved runs.
    changes: Changes,
    /// Whether work is to stand behind a test.
    is_behind: bool,
}

/// One change, to be done.
type Change = Box<dyn FnOnce() -> Outcome + Send>;

/// What is to become of saved runs, in the order it was asked for: one change after another, so that none
/// undoes another of the same run or comes after the run was taken away.
#[derive(Clone, Default)]
struct Changes {
    waiting: Arc<Mutex<VecDeque<Change>>>,
    turn: Arc<Mutex<()>>,
}

impl Changes {
    fn add(&self, work: impl FnOnce() -> Outcome + Send + 'static) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(Box::new(work));
    }

    /// Does the change that waits longest, once nobody is at another; `None` where none waits.
    fn next(&self) -> Option<Outcome> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let work = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        work.map(|work| work())
    }
}

impl Tasks {
    pub(super) fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (sender, receiver) = sync_channel(CAPACITY);
        let prepared = VecDeque::new();
        Self {
            sender,
            receiver,
            wake,
            lists: 0,
            prepared,
            changes: Changes::default(),
            is_behind: false,
        }
    }

    /// What ended since the last call.
    pub(super) fn outcomes(&self) -> Vec<Outcome> {
        self.receiver.try_iter().collect()
    }

    /// Answers the next question for files in the person's stead.
    pub(super) fn prepare(&mut self, paths: Vec<PathBuf>) {
        self.prepared.push_back(paths);
    }

    /// Lets the work that begins from now on stand behind a test, or not.
    pub(super) const fn stand_behind(&mut self, is_behind: bool) {
        self.is_behind = is_behind;
    }

    /// Does some work on a thread of its own, behind what is being measured.
    pub(super) fn spawn(&self, name: &str, work: impl FnOnce() -> Outcome + Send + 'static) {
        let is_behind = self.is_behind;
        self.spawn_abreast(name, move || {
            if is_behind {
                platform::lower_own_priority();
            }
            work()
        });
    }

    /// Does some work that measures something itself.
    fn spawn_abreast(&self, name: &str, work: impl FnOnce() -> Outcome + Send + 'static) {
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        let spawned = measure::start_thread(name, move || {
            if sender.send(work()).is_ok() {
                wake();
            }
        });
        if let Err(error) = spawned {
            log::error!("could not start a thread for '{name}': {error}");
        }
    }

    /// Reads the machine, its clock and what is granted here.
    pub(super) fn read_facts(&self) {
        self.spawn_abreast("facts", || Outcome::Facts(Box::new((read_facts(), platform::power()))));
    }

    /// Reads power and other load every two seconds for as long as the app lives.
    pub(super) fn watch_idle(&self) {
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        let spawned = measure::start_thread("idle-watch", move || {
            platform::lower_own_priority();
            let mut before = busy_and_ours();
            loop {
                std::thread::sleep(IDLE_WATCH);
                let now = busy_and_ours();
                let other_load = before.zip(now).and_then(|(before, now)| other_share(before, now));
                before = now;
                let idle = Outcome::Idle { power: platform::power(), other_load };
                // A full channel only means that the window is asleep; the next reading will do.
                match sender.try_send(idle) {
                    Ok(()) | Err(std::sync::mpsc::TrySendError::Full(_)) => {}
                    Err(std::sync::mpsc::TrySendError::Disconnected(_)) => break,
                }
            }
            drop(wake);
        });
        if let Err(error) = spawned {
            log::error!("could not start a thread for 'idle-watch': {error}");
        }
    }

    /// Turns what killed programs left behind into runs.
    pub(super) fn recover(&self, store: Store) {
        self.spawn("recover", move || {
            Outcome::Recovered(store.recover().map_err(|error| error.to_string()))
        });
    }

    /// Reads the folder of runs.
    pub(super) fn list(&mut self, store: Store) {
        self.lists += 1;
        let turn = self.lists;
        self.spawn("list", move || {
            let listed = store.lines().map_err(|error| error.to_string());
            let result = listed.map(|lines| lines.into_iter().map(LibraryItem::of).collect());
            Outcome::Listed { turn, result }
        });
    }

    /// Whether no reading of the folder began after this one.
    pub(super) fn is_newest(&self, turn: u64) -> bool {
        self.lists == turn
    }

    /// Changes saved runs.
    pub(super) fn change(&self, work: impl FnOnce() -> Result<(), String> + Send + 'static) {
        self.change_to("change", move || Outcome::Changed(work()));
    }

    fn change_to(&self, name: &str, work: impl FnOnce() -> Outcome + Send + 'static) {
        self.changes.add(work);
        let changes = self.changes.clone();
        self.spawn(name, move || changes.next().unwrap_or(Outcome::Changed(Ok(()))));
    }

    /// Waits until saved runs are as they were asked to be; what became of it is told to nobody.
    pub(super) fn finish_changes(&self) {
        while self.changes.next().is_some() {}
    }

    /// Takes saved runs away, and forgets those that were taken away long ago.
    pub(super) fn set_aside(&self, store: Store, paths: Vec<PathBuf>) {
        self.change_to("set-aside", move || {
            let (mut aside, mut error) = (Vec::new(), None);
            for path in &paths {
                match store.set_aside(path) {
                    Ok(path) => aside.push(path),
                    Err(why) => error = Some(why.to_string()),
                }
            }
            store.forget_old();
            Outcome::SetAside { aside, error }
        });
    }

    /// Opens and compares runs.
    pub(super) fn compare(
        &self,
        store: Option<Store>,
        paths: Vec<PathBuf>,
        loaded: Vec<Arc<Shown>>,
        late_percent: f64,
    ) {
        self.spawn("compare", move || {
            let compared = comparing::compare(store.as_ref(), &paths, &loaded, late_percent);
            let result = compared.map(Box::new);
            Outcome::Compared { paths, result }
        });
    }

    /// Saves a run and computes its report.
    pub(super) fn save(&self, finished: FinishedRun) {
        self.spawn("save", move || {
            let SavedRun { run, path, failure } = finished.save();
            let report = Report::of(&run, &Options::default());
            let save_error = failure.map(|failure| failure.error.to_string());
            Outcome::Saved(Box::new(Shown { run: Arc::new(run), report, path, save_error }))
        });
    }

    /// Opens and judges a saved run.
    pub(super) fn open(&self, path: PathBuf) {
        self.spawn("open", move || {
            Outcome::Opened(store::load(&path).map_err(|error| error.to_string()).map(|run| {
                let report = Report::of(&run, &Options::default());
                Box::new(Shown { run: Arc::new(run), report, path: Some(path), save_error: None })
            }))
        });
    }

    /// Opens and judges the runs of a quick check.
    pub(super) fn open_quick(&self, paths: Vec<PathBuf>) {
        self.spawn("open-quick", move || {
            let open = |path: PathBuf| {
                let run = store::load(&path).map_err(|error| error.to_string())?;
                let report = Report::of(&run, &Options::default());
                Ok(Shown { run: Arc::new(run), report, path: Some(path), save_error: None })
            };
            Outcome::QuickOpened(paths.into_iter().map(open).collect())
        });
    }

    /// Reads the noise floor of a machine from the saved runs.
    pub(super) fn read_noise(&self, store: Store, machine: String) {
        self.spawn("noise", move || Outcome::Noise(noise::read(&store, &machine)));
    }

    /// Writes the settings.
    pub(super) fn write_settings(&self, writer: Writer) {
        self.spawn("settings", move || Outcome::SettingsWritten(writer.write()));
    }

    /// Asks for the folder of runs.
    pub(super) fn ask_for_folder(&mut self) {
        self.ask_which_folder("Where runs are saved", None, Outcome::ChosenFolder);
    }

    /// Asks for a folder, and goes on with it on a thread of its own; `None` is "cancel".
    pub(super) fn ask_which_folder(
        &mut self,
        title: &str,
        from: Option<PathBuf>,
        then: impl FnOnce(Option<PathBuf>) -> Outcome + Send + 'static,
    ) {
        if let Some(answer) = self.prepared.pop_front() {
            return self.spawn("ask-for-folder", move || then(answer.into_iter().next()));
        }
        let dialog = dialog(title, from).pick_folder();
        self.spawn("ask-for-folder", move || {
            then(pollster::block_on(dialog).map(|folder| folder.path().to_owned()))
        });
    }

    /// Asks where to write a file that would be called so, and goes on with the answer.
    pub(super) fn ask_where(
        &mut self,
        name: &str,
        from: Option<PathBuf>,
        then: impl FnOnce(Option<PathBuf>) -> Outcome + Send + 'static,
    ) {
        if let Some(answer) = self.prepared.pop_front() {
            return self.spawn("ask-where", move || then(answer.into_iter().next()));
        }
        let ending = name.rsplit('.').next().unwrap_or_default();
        let filters = [ending];
        let dialog = dialog("Export", from).set_file_name(name).add_filter(ending, &filters);
        let dialog = dialog.save_file();
        self.spawn("ask-where", move || {
            then(pollster::block_on(dialog).map(|file| file.path().to_owned()))
        });
    }

    /// Asks for files to open.
    pub(super) fn ask_for_file(&mut self) {
        if let Some(answer) = self.prepared.pop_front() {
            return self.spawn("ask-for-file", move || Outcome::Chosen(answer));
        }
        let dialog = dialog("Open runs and captures", None)
            .add_filter("Runs and captures", &["json", "html", "htm", "csv"])
            .add_filter("All files", &["*"])
            .pick_files();
        self.spawn("ask-for-file", move || {
            let files = pollster::block_on(dialog).unwrap_or_default();
            Outcome::Chosen(files.iter().map(|file| file.path().to_owned()).collect())
        });
    }
}

/// A question of the system's own. It is made on the window's thread, as macOS wants it, and awaited
/// elsewhere, so that the window goes on.
fn dialog(title: &str, from: Option<PathBuf>) -> rfd::AsyncFileDialog {
    let dialog = rfd::AsyncFileDialog::new().set_title(title);
    match from {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    }
}

/// Says why there is no window, in a dialog of the system's own, and waits until it is read.
pub fn say_at_last(sentence: &str) {
    rfd::MessageDialog::new()
        .set_level(rfd::MessageLevel::Error)
        .set_title("Jitterscope")
        .set_description(sentence)
        .show();
}

fn busy_and_ours() -> Option<(i64, i64, i64)> {
    Some((
        platform::machine_cpu_time()?.programs(),
        platform::process_cpu_nanos()?,
        platform::clock_nanos(),
    ))
}

#[expect(clippy::cast_precision_loss, reason = "a share of some seconds")]
fn other_share(before: (i64, i64, i64), now: (i64, i64, i64)) -> Option<f64> {
    let other = ((now.0 - before.0) - (now.1 - before.1)).max(0);
    let wall = now.2 - before.2;
    (0 < wall).then(|| other as f64 / wall as f64)
}
