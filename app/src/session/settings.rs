//! What a person set once and for all: look, numbers, folders, questions. Kept as one JSON file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jitterscope_engine::export::LeftIn;
use jitterscope_engine::plan::USUAL_LATE_PERCENT;
use jitterscope_engine::stats::LowDefinition;
use jitterscope_engine::store;
use serde::{Deserialize, Serialize};

use crate::text::Unit;

/// The name of the file.
const FILE: &str = "settings.json";
/// The name a damaged file is moved to.
const DAMAGED: &str = "settings.damaged.json";
/// The smallest and the largest size of the window's contents, in percent.
pub const SCALE_PERCENT: std::ops::RangeInclusive<u16> = 80..=200;
/// The smallest and the largest share of a frame, in percent, above which it can be counted as late.
pub const LATE_PERCENT: std::ops::RangeInclusive<u32> = 1..=50;

/// Dark or light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Look {
    /// As the desktop has it.
    #[default]
    System,
    /// Always dark.
    Dark,
    /// Always light.
    Light,
}

/// The colours of series, and how far borders stand out.
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
    Usual,
    /// Thirty times a second.
    Often,
}

impl PlotRate {
    /// The least time between two pictures.
    pub const fn interval(self) -> Duration {
        match self {
            Self::Seldom => Duration::from_millis(500),
            Self::Usual => Duration::from_millis(100),
            Self::Often => Duration::from_millis(33),
        }
    }
}

/// What a person set once and for all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "a person's switches")]
pub struct Settings {
    /// Dark or light.
    pub look: Look,
    /// Size of the window's contents, 80 to 200 percent.
    pub scale_percent: u16,
    /// The colours of series.
    #[serde(deserialize_with = "lenient::series_colors")]
    pub series_colors: SeriesColors,
    /// Whether nothing is to move by itself.
    pub less_motion: bool,
    /// The unit in which tables begin.
    #[serde(with = "unit")]
    pub units: Unit,
    /// What is meant by the 1 % low where the window shows it.
    #[serde(with = "low")]
    pub low: LowDefinition,
    /// The share of a frame in percent, 1 to 50, above which the window counts it as late.
    #[serde(deserialize_with = "lenient::percent")]
    pub late_percent: u32,
    /// How often plots are drawn while a test runs.
    pub plot_rate: PlotRate,
    /// Where runs are saved, instead of the platform's own folder.
    pub data_folder: Option<PathBuf>,
    /// Whether a test older than a minute is stopped only after asking.
    pub asks_before_stop: bool,
    /// Whether the window is closed only after asking while a test runs.
    pub asks_before_close: bool,
    /// Whether the end of a test of some length is heard.
    #[serde(deserialize_with = "lenient::switch")]
    pub plays_sound: bool,
    /// Whether an export begins with the host's name left in.
    #[serde(deserialize_with = "lenient::switch")]
    pub exports_host: bool,
    /// Whether an export begins with the person's name left in.
    #[serde(deserialize_with = "lenient::switch")]
    pub exports_user: bool,
    /// The page that was in view last, by its key.
    pub page: String,
    /// Whether the first page was seen.
    pub is_welcomed: bool,
    /// As what a run was exported last, by its key.
    pub last_export: String,
}

/// The share of a frame above which it counts as late where nobody asks otherwise.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few whole percent")]
const fn usual_late_percent() -> u32 {
    USUAL_LATE_PERCENT as u32
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            look: Look::System,
            scale_percent: 100,
            series_colors: SeriesColors::Standard,
            less_motion: false,
            units: Unit::Auto,
            low: LowDefinition::default(),
            late_percent: usual_late_percent(),
            plot_rate: PlotRate::Usual,
            data_folder: None,
            asks_before_stop: true,
            asks_before_close: true,
            plays_sound: false,
            exports_host: false,
            exports_user: false,
            page: String::new(),
            is_welcomed: false,
            last_export: String::new(),
        }
    }
}

impl Settings {
    /// The settings with every number within its range.
    fn within_range(mut self) -> Self {
        self.scale_percent = self.scale_percent.clamp(*SCALE_PERCENT.start(), *SCALE_PERCENT.end());
        self.late_percent = self.late_percent.clamp(*LATE_PERCENT.start(), *LATE_PERCENT.end());
        self
    }

    /// The names an export begins with.
    pub const fn left_in(&self) -> LeftIn {
        match (self.exports_host, self.exports_user) {
            (false, false) => LeftIn::Nothing,
            (true, false) => LeftIn::Host,
            (false, true) => LeftIn::User,
            (true, true) => LeftIn::Everything,
        }
    }

    /// As at the first start, but for what the app itself remembers.
    #[must_use]
    pub fn reset(&self) -> Self {
        let (page, last_export) = (self.page.clone(), self.last_export.clone());
        Self { page, last_export, is_welcomed: self.is_welcomed, ..Self::default() }
    }
}

/// A unit by its symbol in plain letters.
mod unit {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::text::Unit;

    const WORDS: [(Unit, &str); 4] =
        [(Unit::Auto, "auto"), (Unit::Nanos, "ns"), (Unit::Micros, "us"), (Unit::Millis, "ms")];

    pub(super) fn serialize<S: Serializer>(unit: &Unit, to: S) -> Result<S::Ok, S::Error> {
        let word = WORDS.iter().find(|(one, _)| one == unit).map_or("auto", |(_, word)| word);
        to.serialize_str(word)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Unit, D::Error> {
        let word = String::deserialize(from)?;
        Ok(WORDS.iter().find(|(_, one)| *one == word).map_or(Unit::Auto, |(unit, _)| *unit))
    }
}

/// A definition of the 1 % low by a word.
mod low {
    use jitterscope_engine::stats::LowDefinition;
    use serde::{Deserialize as _, Deserializer, Serializer};

    const WORDS: [(LowDefinition, &str); LowDefinition::ALL.len()] = [
        (LowDefinition::MeanOfSlowest, "mean-of-slowest"),
        (LowDefinition::CapFrameXPercentile, "capframex-percentile"),
        (LowDefinition::CapFrameXAverage, "capframex-average"),
        (LowDefinition::TimeIntegral, "time-integral"),
        (LowDefinition::MangoHud, "mangohud"),
        (LowDefinition::PresentMon, "presentmon"),
        (LowDefinition::InverseOfPercentile, "inverse-of-percentile"),
    ];

    pub(super) fn serialize<S: Serializer>(low: &LowDefinition, to: S) -> Result<S::Ok, S::Error> {
        let word = WORDS.iter().find(|(one, _)| one == low).map_or("", |(_, word)| word);
        to.serialize_str(word)
    }

    pub(super) fn deserialize<'de, D>(from: D) -> Result<LowDefinition, D::Error>
    where
        D: Deserializer<'de>,
    {
        let value = serde_json::Value::deserialize(from)?;
        let found = WORDS.iter().find(|(_, word)| value.as_str() == Some(word));
        Ok(found.map(|(low, _)| *low).unwrap_or_default())
    }
}

/// What cannot be read is the usual, and spoils nothing else.
mod lenient {
    use serde::de::DeserializeOwned;
    use serde::{Deserialize as _, Deserializer};
    use serde_json::Value;

    use super::SeriesColors;

    fn or<'de, T, D>(from: D, usual: T) -> Result<T, D::Error>
    where
        T: DeserializeOwned,
        D: Deserializer<'de>,
    {
        let value = Value::deserialize(from)?;
        Ok(serde_json::from_value(value).unwrap_or(usual))
    }

    pub(super) fn switch<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        or(from, false)
    }

    pub(super) fn percent<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        or(from, super::usual_late_percent())
    }

    pub(super) fn series_colors<'de, D>(from: D) -> Result<SeriesColors, D::Error>
    where
        D: Deserializer<'de>,
    {
        or(from, SeriesColors::Standard)
    }
}

/// Where settings are kept.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    path: Option<PathBuf>,
}

impl SettingsFile {
    /// The file of this person on this machine.
    pub fn usual() -> Self {
        Self { path: store::settings_folder().map(|folder| folder.join(FILE)) }
    }

    /// A file in a folder of one's own.
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

    /// Reads the settings. A damaged file is moved aside, and a sentence says so.
    pub fn load(&self) -> (Settings, Option<String>) {
        let usual = |word: Option<String>| (Settings::default(), word);
        let Some(path) = &self.path else { return usual(None) };
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return usual(None),
            Err(error) => {
                return usual(Some(format!(
                    "The settings cannot be read ({error}); the usual ones are in use: {}",
                    path.display()
                )));
            }
        };
        match serde_json::from_slice::<Settings>(&text) {
            Ok(settings) => (settings.within_range(), None),
            Err(error) => {
                let aside = path.with_file_name(DAMAGED);
                let kept = match std::fs::rename(path, &aside) {
                    Ok(()) => format!(" The damaged file is kept as {}.", aside.display()),
                    Err(_) => String::new(),
                };
                usual(Some(format!(
                    "The settings were damaged ({error}); the usual ones are in use.{kept}"
                )))
            }
        }
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
