//! What the configuration files of MangoHud, which writes the frame times of games, say about its log.
//!
//! One file counts for a game: that of the program, else `MangoHud.conf`. Of several lines with one setting, the last counts,
//! so that lines are added at the end. A launch command that sets `MANGOHUD_CONFIG` replaces the files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::PathBuf;

use crate::platform;

/// Max number of bytes that are read of a file, and of files.
const MAX_BYTES: u64 = 256 << 10;
const MAX_FILES: usize = 20;
/// The configuration for games without a file of their own.
const MAIN: &str = "MangoHud.conf";
/// The file in which MangoHud's own choices of values are.
const PRESETS: &str = "presets.conf";
/// The file that a user sets, as a shell reads it.
const CONFIGURATION_FILE: &str = "\"$MANGOHUD_CONFIGFILE\"";
const CONFIGURATION_FILE_FOLDER: &str = "\"$(dirname \"$MANGOHUD_CONFIGFILE\")\"";
/// The line for each setting that a recording needs, as a shell reads it.
const LINES: [(&str, &str); 3] = [
    ("log_interval", "log_interval=0"),
    ("output_folder", "\"output_folder=$HOME/mangologs\""),
    ("autostart_log", "autostart_log=1"),
];

/// The settings of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogConfiguration {
    /// The file as a shell reads it: `~/.config/MangoHud/MangoHud.conf`.
    pub file: String,
    settings: BTreeMap<String, String>,
}

impl LogConfiguration {
    /// Parses the text of a file.
    pub fn parse(file: &str, text: &str) -> Self {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let settings = lines.filter_map(|line| {
            let (name, value) = line.split_once('=').unwrap_or((line, "1"));
            let name = name.trim();
            (!name.is_empty()).then(|| (name.to_owned(), value.trim().to_owned()))
        });
        Self { file: file.to_owned(), settings: settings.collect() }
    }

    /// Returns the file for all games as one that does not exist: without settings.
    pub(super) fn absent() -> Self {
        let file = if configuration_file().is_some() {
            CONFIGURATION_FILE.to_owned()
        } else {
            let shown = configuration_folder().map_or("~/.config", |(_, shown)| shown);
            format!("{shown}/MangoHud/{MAIN}")
        };
        Self { file, settings: BTreeMap::new() }
    }

    /// Returns the interval between two rows in milliseconds, if it is no row per frame; `None` where the file does not
    /// state it, or states 0.
    pub fn sampled_interval(&self) -> Option<&str> {
        self.settings.get("log_interval").map(String::as_str).filter(|value| *value != "0")
    }

    /// Returns the settings that are not as a recording needs them.
    pub fn unsuitable(&self) -> impl Iterator<Item = &'static str> + '_ {
        LINES.into_iter().map(|(name, _)| name).filter(|name| {
            let value = self.settings.get(*name).map(String::as_str);
            match *name {
                "log_interval" => value != Some("0"),
                "output_folder" => value.is_none_or(str::is_empty),
                _ => !value.is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|it| 0 < it)),
            }
        })
    }

    /// Returns the command that adds the settings which a recording needs.
    pub fn command(&self) -> String {
        let names: Vec<&str> = self.unsuitable().collect();
        let mut folders = Vec::new();
        folders.extend(names.contains(&"output_folder").then_some("~/mangologs"));
        let folder = match self.file.rsplit_once('/') {
            Some((folder, _)) => Some(folder),
            None => (self.file == CONFIGURATION_FILE).then_some(CONFIGURATION_FILE_FOLDER),
        };
        folders.extend(folder.filter(|_| self.settings.is_empty()));
        let create = if folders.is_empty() {
            String::new()
        } else {
            format!("mkdir -p {} && ", folders.join(" "))
        };
        let lines = LINES.into_iter().filter(|(name, _)| names.contains(name));
        let lines: Vec<&str> = lines.map(|(_, line)| line).collect();
        // The empty line ends a last line without an end.
        format!("{create}printf '%s\\n' '' {} >> {}", lines.join(" "), self.file)
    }
}

/// Returns the only file that MangoHud reads, if the user set one.
fn configuration_file() -> Option<PathBuf> {
    std::env::var_os("MANGOHUD_CONFIGFILE").map(PathBuf::from)
}

/// Returns the folder of this user's configurations, and the same as a shell reads it.
fn configuration_folder() -> Option<(PathBuf, &'static str)> {
    match (std::env::var_os("XDG_CONFIG_HOME"), std::env::home_dir()) {
        (Some(folder), _) if !folder.is_empty() => {
            Some((PathBuf::from(folder), "\"$XDG_CONFIG_HOME\""))
        }
        (_, Some(home)) => Some((home.join(".config"), "~/.config")),
        _ => None,
    }
}

/// Reads the configuration files of this user: the one for all games first.
pub(super) fn read_log_configurations() -> Vec<LogConfiguration> {
    let read = |file: &str, path: PathBuf| {
        let mut text = String::new();
        let opened = platform::open_regular(&path).ok()?;
        opened.take(MAX_BYTES).read_to_string(&mut text).ok()?;
        Some(LogConfiguration::parse(file, &text))
    };
    if let Some(path) = configuration_file() {
        return read(CONFIGURATION_FILE, path).into_iter().collect();
    }
    let Some((folder, shown)) = configuration_folder() else { return Vec::new() };
    let folder = folder.join("MangoHud");
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    // Other names would have to be quoted for a shell.
    let is_plain = |name: &String| {
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
    };
    let is_own =
        |name: &String| name.strip_suffix(".conf").is_some() && name != PRESETS && is_plain(name);
    let mut names: Vec<String> = names.filter(is_own).collect();
    names.sort_by_key(|name| (name != MAIN, name.clone()));
    names.truncate(MAX_FILES);
    let read = |name: &String| read(&format!("{shown}/MangoHud/{name}"), folder.join(name));
    names.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, unsuitable: &[&str], interval: Option<&str>) {
        let configuration = LogConfiguration::parse("~/a.conf", text);
        assert_eq!(configuration.unsuitable().collect::<Vec<_>>(), unsuitable);
        assert_eq!(configuration.sampled_interval(), interval);
    }

    #[test]
    fn settings_that_a_recording_needs_are_found_wherever_they_stand() {
        check("", &["log_interval", "output_folder", "autostart_log"], None);
        let all =
            "fps\nlog_interval = 0 # each frame\noutput_folder=/home/a/logs\nautostart_log=5\n";
        check(all, &[], None);
        check(&format!("{all}log_interval=100\n"), &["log_interval"], Some("100"));
        check(&format!("log_interval=100\n{all}"), &[], None);
        check(&all.replace("autostart_log=5", "autostart_log=0"), &["autostart_log"], None);
        check(&all.replace("output_folder", "# output_folder"), &["output_folder"], None);
    }

    #[test]
    fn a_command_adds_only_what_is_missing() {
        let file = LogConfiguration::parse("~/a.conf", "log_interval=100\nautostart_log\n");
        let command = "mkdir -p ~/mangologs && printf '%s\\n' '' log_interval=0 \"output_folder=$HOME/mangologs\" >> ~/a.conf";
        assert_eq!(file.command(), command);
        let file = LogConfiguration::parse("~/a.conf", "output_folder=/logs\nautostart_log\n");
        assert_eq!(file.command(), "printf '%s\\n' '' log_interval=0 >> ~/a.conf");
        let command = LogConfiguration::parse(CONFIGURATION_FILE, "").command();
        assert!(command.contains(" \"$(dirname \"$MANGOHUD_CONFIGFILE\")\" && "), "{command}");
        let command = LogConfiguration::parse("~/.config/MangoHud/MangoHud.conf", "").command();
        assert!(command.starts_with("mkdir -p ~/mangologs ~/.config/MangoHud && "), "{command}");
        assert!(
            command.ends_with(" autostart_log=1 >> ~/.config/MangoHud/MangoHud.conf"),
            "{command}"
        );
    }
}
