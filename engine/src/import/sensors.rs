//! Columns of a log other than frame times: load, temperatures, clocks, power, and memory.

use super::text::{is_missing, name};
use crate::run::capture::CaptureSeries;
use crate::sample::MISSING;

/// Maximum number of sensor columns that are read from a log.
pub(super) const MAX_SENSORS: usize = 24;
/// Known quantities. Each has parts of column names in lower case, and the label and the default
/// unit of columns whose name contains such a part.
const QUANTITIES: [(&[&str], &str, &str); 8] = [
    (&["mem_clock", "memory clock", "memclk", "memoryfrequency"], "memory clock", "MHz"),
    (&["vram", "memory used", "memused", "ram_used"], "memory used", "GB"),
    (&["util", "load", "usage"], "load", "%"),
    (&["temp"], "temperature", "\u{b0}C"),
    (&["power", "pwr"], "power", "W"),
    (&["clock", "clk", "mhz", "frequency"], "clock", "MHz"),
    (&["fan"], "fan", ""),
    (&["voltage"], "voltage", "V"),
];

/// The sensor columns of a log, and the values of the current row.
#[derive(Clone, Debug, Default)]
pub(super) struct Sensors {
    /// The position of each column in a line.
    places: Vec<usize>,
    named: Vec<(String, String)>,
    /// The values of the current row.
    row: Vec<i64>,
}

impl Sensors {
    /// Returns the columns whose names contain a known quantity of the CPU or the GPU, as far as `has_values` finds
    /// values at their place.
    pub(super) fn of_names<'a>(
        columns: impl Iterator<Item = &'a str>,
        has_values: impl Fn(usize) -> bool,
    ) -> Self {
        Self::of(columns.enumerate().filter(|(place, _)| has_values(*place)).filter_map(
            |(place, column)| {
                let (label, unit) = quantity_of(column)?;
                Some((place, label, unit))
            },
        ))
    }

    /// Stores the values of the current row; `number` returns the number at a place.
    pub(super) fn read_row(&mut self, number: impl Fn(usize) -> Option<f64>) {
        for (place, stored) in self.places.iter().zip(&mut self.row) {
            *stored = number(*place).and_then(CaptureSeries::thousandths).unwrap_or(MISSING);
        }
    }

    /// Returns sensors for columns with position, label, and unit. If several columns have the same
    /// label, a number is appended to the label of each after the first.
    pub(super) fn of(columns: impl Iterator<Item = (usize, String, String)>) -> Self {
        let mut sensors = Self::default();
        for (place, label, unit) in columns.take(MAX_SENSORS) {
            let is_used = |label: &str| sensors.named.iter().any(|(other, _)| other == label);
            let numbered = || (2_usize..).map(|number| format!("{label} {number}"));
            let label = if is_used(&label) {
                numbered().find(|label| !is_used(label)).unwrap_or_default()
            } else {
                label
            };
            sensors.places.push(place);
            sensors.named.push((label, unit));
        }
        sensors.row = vec![MISSING; sensors.places.len()];
        sensors
    }

    /// Returns label and unit of each column.
    pub(super) fn named(&self) -> Vec<(String, String)> {
        self.named.clone()
    }

    /// Begins a row: marks all values as missing until `read` sets them.
    pub(super) fn begin(&mut self) {
        self.row.fill(MISSING);
    }

    /// Stores the value of a cell of the current row, if a sensor column is at the position `place`.
    pub(super) fn read(&mut self, place: usize, cell: &str) {
        let Ok(at) = self.places.binary_search(&place) else { return };
        if let (Some(stored), Some(value)) = (self.row.get_mut(at), thousandths(cell)) {
            *stored = value;
        }
    }

    /// Returns the values of the current row in thousandths of their units, or [`MISSING`].
    pub(super) fn row(&self) -> &[i64] {
        &self.row
    }
}

fn thousandths(cell: &str) -> Option<i64> {
    let value = if is_missing(cell) { None } else { cell.trim().parse::<f64>().ok() };
    value.and_then(CaptureSeries::thousandths)
}

/// Returns label and unit of a column by its name: "gpu_core_clock" is "GPU clock" in MHz. `None`
/// if the name contains no known quantity.
pub(super) fn quantity_of(column: &str) -> Option<(String, String)> {
    let column = name(column).to_lowercase();
    // "GPUOnlyPwr(W) (API)", "GPU Temperature [°C]": the first words in brackets are the unit.
    let (own, unit) = match column.split_once(['(', '[']) {
        Some((own, rest)) => (own, rest.split([')', ']']).next().map(str::trim)),
        None => (column.as_str(), None),
    };
    // "GPUPower0Limited" is a yes or no.
    if own.ends_with("limited") {
        return None;
    }
    let words = QUANTITIES.iter().find(|(parts, ..)| parts.iter().any(|part| own.contains(part)));
    let (_, words, default_unit) = words?;
    let of = [("gpu", "GPU"), ("cpu", "CPU"), ("ram", "RAM"), ("swap", "Swap")];
    let (_, of) = of.into_iter().find(|(part, _)| own.contains(part))?;
    let label = match (of, *words) {
        ("RAM", "memory used") => "RAM used".to_owned(),
        (of, words) => format!("{of} {words}"),
    };
    let unit = match unit {
        Some("c") => "\u{b0}C".to_owned(),
        Some("mhz") => "MHz".to_owned(),
        Some("") | None => (*default_unit).to_owned(),
        Some(unit) => unit.to_uppercase(),
    };
    Some((label, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_known_programs_have_a_label_and_a_unit() {
        let found = |column| quantity_of(column).map(|(label, unit)| format!("{label}, {unit}"));
        for (column, expected) in [
            ("cpu_load", "CPU load, %"),
            ("gpu_temp", "GPU temperature, \u{b0}C"),
            ("gpu_core_clock", "GPU clock, MHz"),
            ("gpu_mem_clock", "GPU memory clock, MHz"),
            ("gpu_vram_used", "GPU memory used, GB"),
            ("ram_used", "RAM used, GB"),
            ("cpu_mhz", "CPU clock, MHz"),
            ("GPU0Clk(MHz)", "GPU clock, MHz"),
            ("GPU0Temp(C)", "GPU temperature, \u{b0}C"),
            ("CPUUtil(%)", "CPU load, %"),
            ("GPUPower", "GPU power, W"),
            ("GPUUtilization", "GPU load, %"),
            ("GPUOnlyPwr(W) (API)", "GPU power, W"),
            ("GPU Temperature [\u{b0}C]", "GPU temperature, \u{b0}C"),
        ] {
            assert_eq!(found(column).as_deref(), Some(expected), "{column}");
        }
        for column in [
            "GPUPower0Limited",
            "msGPUActive",
            "GPUBusy",
            "CPUStartTime",
            "frametime",
            "Application",
        ] {
            assert_eq!(found(column), None, "{column}");
        }
    }

    #[test]
    fn a_row_has_what_its_cells_hold_and_nothing_of_the_row_before() {
        let mut sensors =
            Sensors::of_names(["fps", "gpu_load", "cpu_temp", "gpu1_load"].into_iter(), |_| true);
        let labels: Vec<String> = sensors.named().into_iter().map(|one| one.0).collect();
        assert_eq!(labels, ["GPU load", "CPU temperature", "GPU load 2"]);
        let columns = ["GPU usage", "GPU", "GPU", "GPU 2"].map(str::to_owned).into_iter();
        let named = Sensors::of((0..).zip(columns).map(|(at, label)| (at, label, String::new())));
        let labels: Vec<String> = named.named().into_iter().map(|one| one.0).collect();
        assert_eq!(labels, ["GPU usage", "GPU", "GPU 2", "GPU 2 2"]);
        sensors.begin();
        for (place, cell) in ["60", "97.5", "N/A", "x"].into_iter().enumerate() {
            sensors.read(place, cell);
        }
        assert_eq!(sensors.row(), [97_500, MISSING, MISSING]);
        sensors.begin();
        assert_eq!(sensors.row(), [MISSING; 3]);
    }
}
