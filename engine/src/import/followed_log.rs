//! Follows the log of a game: a file, the newest file of a folder, or standard input.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use crate::measure::start_thread;
use crate::nanos::Nanos;
use crate::platform::{file_number, open_regular, raw_clock_nanos};

use super::{LogReader, LogRow, Options};

/// The interval of reads while rows arrive.
const FLOWING: Duration = Duration::from_millis(3);
/// The interval of reads while no rows arrive.
const IDLE: Duration = Duration::from_millis(20);
/// After this long without rows, reads are at the interval [`IDLE`].
const UNTIL_IDLE: Duration = Duration::from_secs(1);
/// Another log in the folder is followed only if that of the game had no rows for this long: a launcher may write one, too.
const UNTIL_OTHER: Duration = Duration::from_secs(2);
/// The interval at which a newer log, or a change of the file, is looked for.
const LOOK: Duration = Duration::from_millis(500);
/// A file that was not changed for this long before the recording is not its log.
const MAX_AGE: Duration = Duration::from_secs(5);
/// Number of rows of the file with which the delay from writing to reading is measured, and the pause between them.
const OWN_ROWS: u32 = 40;
const OWN_PAUSE: Duration = Duration::from_micros(7_300);
/// End of the names of files that are no log of frames, without the extension.
const SUMMARY: &str = "_summary";
/// Maximum number of rows that wait for the recorder: those of two minutes at 500 FPS.
const MAX_WAITING: usize = 1 << 16;

/// Where a log comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogSource {
    /// A file, or a folder whose newest CSV is the log.
    Path(PathBuf),
    /// Standard input.
    Input,
}

/// What the followed log has that is new.
#[derive(Debug)]
pub enum LogNews {
    /// A log begins; the text is the name of its file without ending, or empty.
    Begun(String),
    /// A row, with the time on the raw clock at which it arrived.
    Row(LogRow, Nanos),
    /// The log was truncated, replaced, or removed, or cannot be read.
    Note(String),
    /// The number of lines since the last one of these that cannot be read.
    BadRows(u64),
    /// The shortest delay from writing to reading a row of a file of this program.
    OwnDelay(Nanos),
}

/// A thread that follows a log. Dropping this ends it.
#[derive(Debug)]
pub struct FollowedLog {
    /// What the log has that is new.
    pub news: Receiver<LogNews>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FollowedLog {
    /// Starts following a log.
    ///
    /// # Errors
    ///
    /// The system could not start a thread.
    pub fn start(source: LogSource, options: Options) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, news) = sync_channel(MAX_WAITING);
        let is_input = source == LogSource::Input;
        let thread = start_thread("log", {
            let stop = Arc::clone(&stop);
            move || match source {
                LogSource::Input => follow_input(options, &stop, &sender),
                LogSource::Path(path) => {
                    if let Some(delay) = measure_delay(&stop) {
                        sender.send(LogNews::OwnDelay(delay)).ok();
                    }
                    Follower::new(path, options, sender).follow(&stop);
                }
            }
        })?;
        // A thread that waits for standard input cannot be ended.
        Ok(Self { news, stop, thread: Some(thread).filter(|_| !is_input) })
    }
}

impl Drop for FollowedLog {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // A thread that waits for room among the news goes on when nobody reads them.
        self.news = sync_channel(0).1;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("the thread that follows the log panicked");
        }
    }
}

/// Reads standard input until it ends.
fn follow_input(options: Options, stop: &AtomicBool, news: &SyncSender<LogNews>) {
    let mut reader = LogReader::new(options);
    let mut bytes = vec![0; 1 << 16];
    news.send(LogNews::Begun(String::new())).ok();
    while !stop.load(Ordering::Relaxed) {
        let length = match io::stdin().lock().read(&mut bytes) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                news.send(LogNews::Note(format!("standard input cannot be read: {error}"))).ok();
                return;
            }
        };
        if !pass(&mut reader, bytes.get(..length).unwrap_or_default(), news) {
            return;
        }
    }
    news.send(LogNews::Note("standard input ended".to_owned())).ok();
}

/// Reads bytes that arrived now; returns whether the log can be read on.
fn pass(reader: &mut LogReader, bytes: &[u8], news: &SyncSender<LogNews>) -> bool {
    let now = Nanos::new(raw_clock_nanos());
    let before = reader.bad_count();
    let read = reader.push(bytes, now, |row, arrived| {
        news.send(LogNews::Row(row, arrived)).ok();
    });
    let bad_count = reader.bad_count() - before;
    if 0 < bad_count {
        news.send(LogNews::BadRows(bad_count)).ok();
    }
    if let Err(error) = &read {
        news.send(LogNews::Note(format!("the log cannot be read: {error}"))).ok();
    }
    read.is_ok()
}

/// Follows a file, or the newest file of a folder.
struct Follower {
    path: PathBuf,
    options: Options,
    news: SyncSender<LogNews>,
    began: SystemTime,
    log: Option<OpenLog>,
    /// Logs in the same folder that others followed, each at the position up to which it was read.
    resting: Vec<OpenLog>,
    /// A log that cannot be read, and is not opened again.
    unreadable: Option<PathBuf>,
}

struct OpenLog {
    path: PathBuf,
    file: File,
    read_bytes: u64,
    reader: LogReader,
    newest_row: Instant,
}

impl Follower {
    fn new(path: PathBuf, options: Options, news: SyncSender<LogNews>) -> Self {
        let began = SystemTime::now();
        Self { path, options, news, began, log: None, resting: Vec::new(), unreadable: None }
    }

    fn follow(mut self, stop: &AtomicBool) {
        let mut looked: Option<Instant> = None;
        while !stop.load(Ordering::Relaxed) {
            if looked.is_none_or(|looked| LOOK <= looked.elapsed()) {
                self.look();
                looked = Some(Instant::now());
            }
            let is_flowing = self.read();
            std::thread::sleep(if is_flowing { FLOWING } else { IDLE });
        }
    }

    /// Looks for the log, a newer one, and changes that reading does not show.
    fn look(&mut self) {
        if let Some(log) = &self.log {
            // A longer file may be another one: the open one is only known by its number.
            let own = log.file.metadata().ok().map(|own| file_number(&own));
            let what = match fs::metadata(&log.path) {
                Ok(found) if found.len() < log.read_bytes => {
                    Some("the log was truncated or replaced")
                }
                Ok(found) if own.is_some_and(|own| own != file_number(&found)) => {
                    Some("the log was replaced")
                }
                Ok(_) => None,
                Err(_) => Some("the log was removed"),
            };
            if let Some(what) = what {
                self.news.send(LogNews::Note(what.to_owned())).ok();
                self.log = None;
            }
        }
        let Some(newest) = self.newest() else { return };
        let is_open = self.log.as_ref().is_some_and(|log| log.path == newest);
        let is_flowing =
            self.log.as_ref().is_some_and(|log| log.newest_row.elapsed() < UNTIL_OTHER);
        if is_open || is_flowing || self.unreadable.as_ref() == Some(&newest) {
            return;
        }
        let stem = newest.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let begun = LogNews::Begun(stem.unwrap_or_default());
        self.resting.extend(self.log.take());
        if let Some(place) = self.resting.iter().position(|log| log.path == newest) {
            self.news.send(begun).ok();
            self.log = Some(self.resting.swap_remove(place));
            return;
        }
        match open_regular(&newest) {
            Ok(file) => {
                self.news.send(begun).ok();
                let reader = LogReader::new(self.options.clone());
                let newest_row = Instant::now();
                self.log = Some(OpenLog { path: newest, file, read_bytes: 0, reader, newest_row });
            }
            Err(error) => log::info!("the log cannot be opened: {error}"),
        }
    }

    /// Returns the log to read: the file, or of a folder the CSV that was written last.
    fn newest(&self) -> Option<PathBuf> {
        let is_new = |changed: SystemTime| {
            self.began.checked_sub(MAX_AGE).is_none_or(|oldest| oldest <= changed)
        };
        if !self.path.is_dir() {
            let changed = fs::metadata(&self.path).ok()?.modified().ok()?;
            return is_new(changed).then(|| self.path.clone());
        }
        let is_csv = |path: &Path| {
            let is_table =
                path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
            is_table && stem.is_some_and(|stem| !stem.ends_with(SUMMARY))
        };
        let entries = fs::read_dir(&self.path).ok()?.flatten();
        let logs = entries.filter_map(|entry| {
            let path = entry.path();
            let changed = entry.metadata().ok()?.modified().ok()?;
            (is_new(changed) && is_csv(&path)).then_some((changed, path))
        });
        logs.max().map(|(_, path)| path)
    }

    /// Reads what was written to the log. Returns whether rows arrive.
    fn read(&mut self) -> bool {
        let Some(log) = &mut self.log else { return false };
        let mut bytes = [0; 1 << 14];
        loop {
            match log.file.read(&mut bytes) {
                Ok(0) => return log.newest_row.elapsed() < UNTIL_IDLE,
                Ok(length) => {
                    log.read_bytes += u64::try_from(length).unwrap_or_default();
                    log.newest_row = Instant::now();
                    let read = bytes.get(..length).unwrap_or_default();
                    if !pass(&mut log.reader, read, &self.news) {
                        self.unreadable = self.log.take().map(|log| log.path);
                        return false;
                    }
                }
                Err(error) => {
                    self.news.send(LogNews::Note(format!("the log cannot be read: {error}"))).ok();
                    self.unreadable = self.log.take().map(|log| log.path);
                    return false;
                }
            }
        }
    }
}

/// Measures how long it takes from writing a row to reading it, as a log is read: the shortest delay of some rows.
fn measure_delay(stop: &AtomicBool) -> Option<Nanos> {
    let path = std::env::temp_dir().join(format!(".jitterscope-{:016x}", fastrand::u64(..)));
    let mut options = File::options();
    let mut writer = options.create_new(true).append(true).open(&path).ok()?;
    let reader = File::open(&path);
    if let Err(error) = fs::remove_file(&path) {
        log::debug!("{error}: {}", path.display());
    }
    let mut reader = reader.ok()?;
    let thread = start_thread("log-delay", move || {
        for _ in 0..OWN_ROWS {
            std::thread::sleep(OWN_PAUSE);
            let row = format!("{}\n", raw_clock_nanos());
            if writer.write_all(row.as_bytes()).is_err() {
                return;
            }
        }
    });
    let thread = thread.ok()?;
    let mut shortest: Option<Nanos> = None;
    let mut bytes = [0; 256];
    while !thread.is_finished() && !stop.load(Ordering::Relaxed) {
        if let Ok(length @ 1..) = reader.read(&mut bytes) {
            let now = raw_clock_nanos();
            let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default());
            let newest = text.lines().filter_map(|line| line.parse::<i64>().ok()).max();
            let delay = newest.map(|written| Nanos::new(now - written));
            shortest = shortest.into_iter().chain(delay).min();
        }
        std::thread::sleep(FLOWING);
    }
    thread.join().ok();
    shortest
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_replaced_by_a_longer_one_begins_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.csv");
        fs::write(&path, "frametime\n16.6\n16.7\n16.8\n").unwrap();
        let (sender, news) = sync_channel(100);
        let mut follower = Follower::new(path.clone(), Options::default(), sender);
        follower.look();
        follower.read();
        follower.look();
        let new = folder.path().join("new");
        fs::write(&new, "frametime\n17.1\n17.2\n17.3\n17.4\n17.5\n").unwrap();
        fs::rename(&new, &path).unwrap();
        follower.look();
        follower.read();
        let news: Vec<String> = news
            .try_iter()
            .map(|news| match news {
                LogNews::Row(row, _) => row.frame_time.unwrap().as_millis().to_string(),
                LogNews::Begun(stem) => stem,
                LogNews::Note(text) => text,
                other => panic!("{other:?}"),
            })
            .collect();
        let first = ["game", "16.6", "16.7", "16.8", "the log was replaced"];
        let second = ["game", "17.1", "17.2", "17.3", "17.4", "17.5"];
        assert_eq!(news, [&first[..], &second[..]].concat());
    }
}
