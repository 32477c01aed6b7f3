//! The user's settings: appearance, numbers, folders, confirmations. Saved as one JSON file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jitterscope_engine::export::IncludedNames;
use jitterscope_engine::plan::form::Parameter;
use jitterscope_engine::plan::{DEFAULT_LATE_PERCENT, Plan};
use jitterscope_engine::platform::Shortcut;
use jitterscope_engine::runner::Agent;
use jitterscope_engine::stats::LowDefinition;
use jitterscope_engine::store;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::host_action::SavedHost;
use crate::run_list::SavedFilter;
use crate::text::Unit;

/// The file name of the settings.
const FILE: &str = "settings.json";
/// Maximum size of the file in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The range of the zoom of the window's contents, in percent.
pub const SCALE_PERCENT: std::ops::RangeInclusive<u16> = 80..=200;
/// The range of the late threshold, the lateness above which a frame counts as late, in percent of
/// the target frame time.
pub const LATE_PERCENT: Parameter = Parameter::count(1, 50, "%");

/// The theme of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeChoice {
    /// The theme of the desktop.
    #[default]
    System,
    /// Always dark.
    Dark,
    /// Always light.
    Light,
}

/// The colors of series, and the contrast of borders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesColors {
    /// The standard colors of the design.
    #[default]
    Standard,
    /// Colors with more contrast to the background, and thicker lines.
    HighContrast,
}

/// Maximum rate at which plots are drawn while a test runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlotRate {
    /// Twice per second.
    Seldom,
    /// Ten times per second.
    #[default]
    #[serde(alias = "usual")]
    Normal,
    /// Thirty times per second.
    Often,
}

impl PlotRate {
    /// Returns the minimum time between two redraws of the window during a test.
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
    /// The theme.
    pub look: ThemeChoice,
    /// The zoom of the window's contents, 80 to 200 percent.
    pub scale_percent: u16,
    /// The colors of series.
    pub series_colors: SeriesColors,
    /// Whether animations are disabled.
    pub less_motion: bool,
    /// The unit in which tables show times until the user selects another one.
    pub units: Unit,
    /// The definition of the 1% low that the window uses.
    #[serde(with = "LowDefinitionKey")]
    pub low: LowDefinition,
    /// The late threshold as a percentage of a frame, 1 to 50.
    pub late_percent: u32,
    /// Maximum rate at which plots are drawn while a test runs.
    pub plot_rate: PlotRate,
    /// The folder of runs; `None` for the platform's default.
    pub data_folder: Option<PathBuf>,
    /// Whether stopping a test that has measured for more than 10 s needs confirmation.
    pub asks_before_stop: bool,
    /// Whether closing the window while a test runs needs confirmation.
    pub asks_before_close: bool,
    /// Whether a sound plays at the end of a test that took more than 10 s.
    pub plays_sound: bool,
    /// The keys that mark a moment while another program has the keyboard focus.
    pub mark_shortcut: Shortcut,
    /// Whether `mark_shortcut` is enabled.
    pub marks_in_games: bool,
    /// Whether exports include the host name by default.
    pub exports_host: bool,
    /// Whether exports include the user name by default.
    pub exports_user: bool,
    /// Whether exports include the names of other programs by default.
    pub exports_programs: bool,
    /// The key of the page that was shown last.
    pub page: String,
    /// Whether the welcome page was shown.
    pub is_welcomed: bool,
    /// The key of the format of the last export.
    pub last_export: String,
    /// The last settings of each test, in the format of run files.
    pub tests: Vec<Value>,
    /// The file of the result last shown for each test, by the key of the test.
    pub results: BTreeMap<String, PathBuf>,
    /// Saved filters of the list of runs.
    pub filters: Vec<SavedFilter>,
    /// Presets that the user saved.
    pub presets: Vec<OwnPreset>,
    /// Other PCs on which tests can run.
    pub hosts: Vec<SavedHost>,
    /// The command that asks for the administrator password; empty for the default one.
    pub administrator_command: String,
    /// The total size of saved runs in megabytes above which the window suggests what to delete; 0
    /// means no limit.
    pub size_limit: u32,
    /// The age of runs in days above which the window offers to delete them; 0 means no limit.
    pub max_age_days: u32,
}

/// Settings of a test that the user saved under a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnPreset {
    /// The name of the preset.
    pub name: String,
    /// The settings, in the format of run files.
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
    /// Returns the command that asks for the administrator password.
    pub fn administrator_command(&self) -> &str {
        let command = self.administrator_command.trim();
        if command.is_empty() { Agent::ADMINISTRATOR_COMMAND.unwrap_or_default() } else { command }
    }

    /// Returns the settings with every number clamped to its range.
    fn within_range(mut self) -> Self {
        self.scale_percent = self.scale_percent.clamp(*SCALE_PERCENT.start(), *SCALE_PERCENT.end());
        self.late_percent = LATE_PERCENT.nearest(self.late_percent);
        self
    }

    /// Returns the keys that mark a moment in other programs, if enabled.
    pub(super) fn wanted_mark_shortcut(&self) -> Option<Shortcut> {
        self.marks_in_games.then_some(self.mark_shortcut)
    }

    /// Returns the names that exports include by default.
    pub const fn included_names(&self) -> IncludedNames {
        IncludedNames {
            host: self.exports_host,
            user: self.exports_user,
            programs: self.exports_programs,
        }
    }

    /// Returns the default settings, but with the current state of the app, such as the last page,
    /// saved filters, presets, and hosts.
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

/// The names of the 1% low definitions in the settings file.
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

/// Reads each valid setting, uses the default for an invalid one, and ignores unknown names.
/// Returns the settings, and the names of invalid ones.
fn read_each(written: Map<String, Value>) -> (Settings, Vec<String>) {
    let mut settings = Settings::default();
    let mut unread = Vec::new();
    for (name, value) in written {
        // Replace a single setting and parse all settings again: if parsing fails, the replaced
        // setting is invalid.
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

/// The location of the settings file.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    /// The path of the file; `None` if settings are not saved.
    pub path: Option<PathBuf>,
}

impl SettingsFile {
    /// Returns the settings file of this user.
    pub fn default_location() -> Self {
        Self { path: store::settings_folder().map(|folder| folder.join(FILE)) }
    }

    /// Returns the settings file in this folder.
    pub fn at(folder: &Path) -> Self {
        Self { path: Some(folder.join(FILE)) }
    }

    /// Returns a location without a file: settings are lost when the app ends.
    pub const fn none() -> Self {
        Self { path: None }
    }

    /// Reads the settings. If the file or a setting is damaged, renames the file and returns a
    /// sentence for the user.
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
        // Rename the damaged file and write a new one, so that the damage is reported only once and
        // no data is lost.
        let retained = match store::set_damaged(path) {
            Ok(aside) if self.save(&settings).is_ok() => {
                format!(" The damaged file was renamed {}.", aside.display())
            }
            _ => String::new(),
        };
        (settings, Some(format!("The settings were damaged {why} in use.{retained}")))
    }

    /// Writes the settings atomically: to a temporary file, which is synced and renamed.
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

impl Settings {
    /// Returns the presets of a test that the user saved.
    pub fn own_presets(&self, test: &str) -> impl Iterator<Item = (&str, Plan)> {
        self.presets.iter().filter_map(move |preset| {
            let plan: Plan = serde_json::from_value(preset.plan.clone()).ok()?;
            (plan.key() == test).then_some((preset.name.as_str(), plan))
        })
    }

    /// Returns the settings of a preset that the user saved.
    pub(super) fn own_preset(&self, test: &str, name: &str) -> Option<Plan> {
        self.own_presets(test).find(|(of, _)| *of == name).map(|(_, plan)| plan)
    }

    /// Adds a preset, and returns its name; appends a number if a preset with other settings has
    /// the name.
    pub(super) fn add_preset(&mut self, name: &str, plan: &Plan) -> Option<String> {
        let test = plan.key();
        let is_taken = |name: &str| self.own_preset(test, name).is_some_and(|own| own != *plan);
        let name = free_name(name, is_taken);
        let preset = OwnPreset { name: name.clone(), plan: serde_json::to_value(plan).ok()? };
        self.set_preset(test, &name, Some(preset));
        Some(name)
    }

    /// Replaces the preset of a test that has this name by `with`; `None` deletes the preset.
    pub(super) fn set_preset(&mut self, test: &str, name: &str, with: Option<OwnPreset>) {
        self.presets.retain(|preset| {
            preset.name != name || preset.plan.get("test").is_none_or(|of| of != test)
        });
        self.presets.extend(with);
    }

    /// Renames a preset of a test; appends a number to the new name if another preset has that
    /// name.
    pub(super) fn rename_preset(&mut self, test: &str, name: &str, to: &str) {
        let plan = self.own_preset(test, name).and_then(|plan| serde_json::to_value(plan).ok());
        if let Some(plan) = plan {
            let to = free_name(to, |to| to != name && self.own_preset(test, to).is_some());
            self.set_preset(test, name, None);
            self.set_preset(test, &to.clone(), Some(OwnPreset { name: to, plan }));
        }
    }
}

/// Returns the name, with a number if it is taken: "Arena", "Arena 2".
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
