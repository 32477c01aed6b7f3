//! The user's settings: appearance, numbers, folders, confirmations. Saved as one JSON file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jitterscope_engine::export::IncludedNames;
use jitterscope_engine::plan::DEFAULT_LATE_PERCENT;
use jitterscope_engine::plan::form::Parameter;
use jitterscope_engine::platform::Shortcut;
use jitterscope_engine::runner::Agent;
use jitterscope_engine::stats::LowDefinition;
use jitterscope_engine::store;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::saved_host::SavedHost;
use crate::run_list::SavedFilter;
use crate::text::Unit;

/// The name of the file.
const FILE: &str = "settings.json";
/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 20;
/// The smallest and the largest size of the window's contents, in percent.
pub const SCALE_PERCENT: std::ops::RangeInclusive<u16> = 80..=200;
/// The smallest and the largest share of a frame, in percent, above which it can be counted as late.
pub const LATE_PERCENT: Parameter = Parameter::count(1, 50, "%");

/// Dark or light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeChoice {
    /// As the desktop has it.
    #[default]
    System,
    /// Always dark.
    Dark,
    /// Always light.
    Light,
}

/// The colors of series, and how far borders stand out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesColors {
    /// As the design has them.
    #[default]
    Standard,
    /// Further from what is behind them, with thicker lines.
    HighContrast,
}

/// How often plots are drawn at most while a test runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlotRate {
    /// Twice a second.
    Seldom,
    /// Ten times a second.
    #[default]
    #[serde(alias = "usual")]
    Normal,
    /// Thirty times a second.
    Often,
}

impl PlotRate {
    /// Minimum time between two frames.
    pub const fn interval(self) -> Duration {
        match self {
            Self::Seldom => Duration::from_millis(500),
            Self::Normal => Duration::from_millis(100),
            Self::Often => Duration::from_millis(33),
        }
    }
}

/// The user's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "the user's switches")]
pub struct Settings {
    /// Dark or light.
    pub look: ThemeChoice,
    /// Size of the window's contents, 80 to 200 percent.
    pub scale_percent: u16,
    /// The colors of series.
    pub series_colors: SeriesColors,
    /// Whether animations are disabled.
    pub less_motion: bool,
    /// The unit in which tables begin.
    pub units: Unit,
    /// The definition of the 1% low in the window.
    #[serde(with = "LowDefinitionKey")]
    pub low: LowDefinition,
    /// The share of a frame in percent, 1 to 50, above which the window counts it as late.
    pub late_percent: u32,
    /// How often plots are drawn while a test runs.
    pub plot_rate: PlotRate,
    /// Folder of runs, if not the platform's default.
    pub data_folder: Option<PathBuf>,
    /// Whether a test older than a minute is stopped only after asking.
    pub asks_before_stop: bool,
    /// Whether the window is closed only after asking while a test runs.
    pub asks_before_close: bool,
    /// Whether a sound plays at the end of a longer test.
    pub plays_sound: bool,
    /// The keys that mark a moment while another program has the keyboard.
    pub mark_shortcut: Shortcut,
    /// Whether they do.
    pub marks_in_games: bool,
    /// Whether exports include the host name by default.
    pub exports_host: bool,
    /// Whether exports include the user name by default.
    pub exports_user: bool,
    /// Whether an export begins with the names of other programs left in.
    pub exports_programs: bool,
    /// The page that was in view last, by its key.
    pub page: String,
    /// Whether the first page was seen.
    pub is_welcomed: bool,
    /// The format of the last export, by its key.
    pub last_export: String,
    /// What each test was set to last, as run files write it.
    pub tests: Vec<Value>,
    /// The file of the run that was on the page of each test last, by the key of the test.
    pub results: BTreeMap<String, PathBuf>,
    /// Filters of the list of runs.
    pub filters: Vec<SavedFilter>,
    /// Presets of tests.
    pub presets: Vec<OwnPreset>,
    /// Other PCs on which tests can run.
    pub hosts: Vec<SavedHost>,
    /// The command that asks for the password of an administrator; empty for the default one.
    pub administrator_command: String,
    /// The size of all saved runs, in megabytes, above which the window asks what to delete; 0 is no limit.
    pub size_limit: u32,
    /// The age of runs in days above which the window offers to delete them; 0 is no limit.
    pub max_age_days: u32,
}

/// Settings of a test that the user named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnPreset {
    /// Its name.
    pub name: String,
    /// The settings, as run files write them.
    pub plan: Value,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            look: ThemeChoice::System,
            scale_percent: 100,
            series_colors: SeriesColors::Standard,
            less_motion: false,
            units: Unit::Auto,
            low: LowDefinition::default(),
            late_percent: DEFAULT_LATE_PERCENT,
            plot_rate: PlotRate::Normal,
            data_folder: None,
            asks_before_stop: true,
            asks_before_close: true,
            plays_sound: false,
            mark_shortcut: Shortcut::default(),
            marks_in_games: true,
            exports_host: false,
            exports_user: false,
            exports_programs: false,
            page: String::new(),
            is_welcomed: false,
            last_export: String::new(),
            tests: Vec::new(),
            results: BTreeMap::new(),
            filters: Vec::new(),
            presets: Vec::new(),
            hosts: Vec::new(),
            administrator_command: String::new(),
            size_limit: 0,
            max_age_days: 0,
        }
    }
}

impl Settings {
    /// The command that asks for the password of an administrator.
    pub fn administrator_command(&self) -> &str {
        let command = self.administrator_command.trim();
        if command.is_empty() { Agent::ADMINISTRATOR_COMMAND.unwrap_or_default() } else { command }
    }

    /// The settings with every number within its range.
    fn within_range(mut self) -> Self {
        self.scale_percent = self.scale_percent.clamp(*SCALE_PERCENT.start(), *SCALE_PERCENT.end());
        self.late_percent = LATE_PERCENT.nearest(self.late_percent);
        self
    }

    /// The keys that mark a moment in other programs, if any are to.
    pub(super) fn wanted_mark_shortcut(&self) -> Option<Shortcut> {
        self.marks_in_games.then_some(self.mark_shortcut)
    }

    /// The names an export begins with.
    pub const fn included_names(&self) -> IncludedNames {
        IncludedNames {
            host: self.exports_host,
            user: self.exports_user,
            programs: self.exports_programs,
        }
    }

    /// The settings of the first start; what the app itself remembers stays.
    #[must_use]
    pub fn reset(&self) -> Self {
        let before = self.clone();
        Self {
            page: before.page,
            is_welcomed: before.is_welcomed,
            last_export: before.last_export,
            tests: before.tests,
            results: before.results,
            filters: before.filters,
            presets: before.presets,
            hosts: before.hosts,
            ..Self::default()
        }
    }
}

/// The definitions of the 1 % low by the words they have in the file.
#[derive(Serialize, Deserialize)]
#[serde(remote = "LowDefinition", rename_all = "kebab-case")]
enum LowDefinitionKey {
    MeanOfSlowest,
    #[serde(rename = "capframex-percentile")]
    CapFrameXPercentile,
    #[serde(rename = "capframex-average")]
    CapFrameXAverage,
    TimeIntegral,
    #[serde(rename = "mangohud")]
    MangoHud,
    #[serde(rename = "presentmon")]
    PresentMon,
    InverseOfPercentile,
}

/// Reads each valid setting, uses the default for an invalid one, and ignores unknown ones. Returns
/// the names of the invalid ones.
fn read_each(written: Map<String, Value>) -> (Settings, Vec<String>) {
    let mut settings = Settings::default();
    let mut unread = Vec::new();
    for (name, value) in written {
        // `Settings` fills in what is missing, and from there it is this one setting that differs.
        let Ok(Value::Object(mut all)) = serde_json::to_value(&settings) else { continue };
        if all.insert(name.clone(), value).is_none() {
            continue;
        }
        match serde_json::from_value(Value::Object(all)) {
            Ok(read) => settings = read,
            Err(_) => unread.push(name),
        }
    }
    (settings.within_range(), unread)
}

/// Location of the settings.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    path: Option<PathBuf>,
}

impl SettingsFile {
    /// The settings file of this user.
    pub fn default_location() -> Self {
        Self { path: store::settings_folder().map(|folder| folder.join(FILE)) }
    }

    /// A file in this folder.
    pub fn at(folder: &Path) -> Self {
        Self { path: Some(folder.join(FILE)) }
    }

    /// No file: settings are forgotten when the app ends.
    pub const fn none() -> Self {
        Self { path: None }
    }

    /// Where it is.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Reads the settings. A file that cannot be read is renamed, and a sentence reports it.
    pub fn load(&self) -> (Settings, Option<String>) {
        let default = |word: Option<String>| (Settings::default(), word);
        let Some(path) = &self.path else { return default(None) };
        let damaged = |why: String| (Settings::default(), format!("({why}); defaults are"));
        let (settings, why) = match store::read_bounded(path, MAX_BYTES) {
            Ok(text) => match serde_json::from_slice(&text) {
                Ok(written) => match read_each(written) {
                    (settings, unread) if unread.is_empty() => return (settings, None),
                    (settings, unread) => {
                        let names = unread.join(", ");
                        (settings, format!("({names} cannot be read); the default is"))
                    }
                },
                Err(error) => damaged(error.to_string()),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return default(None),
            Err(error) => damaged(error.to_string()),
        };
        // Renamed and written again, so that it is reported once and nothing is lost.
        let retained = match store::set_damaged(path) {
            Ok(aside) if self.save(&settings).is_ok() => {
                format!(" The damaged file was renamed {}.", aside.display())
            }
            _ => String::new(),
        };
        (settings, Some(format!("The settings were damaged {why} in use.{retained}")))
    }

    /// Writes the settings, whole or not at all: a temporary name, synced, renamed.
    pub fn save(&self, settings: &Settings) -> Result<(), String> {
        let Some(path) = &self.path else { return Ok(()) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("{error}: {}", folder.display()))?;
        }
        let text = serde_json::to_vec_pretty(settings).map_err(|error| error.to_string())?;
        store::write_whole(path, &text).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests;
