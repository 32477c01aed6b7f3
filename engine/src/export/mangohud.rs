//! The log format of MangoHud: frame times for viewers of such logs. GPU and driver of a run of this
//! program are `none`, since nothing is rendered; a capture has what its file states.

use std::io::{self, Write};

use super::sanitize::unquoted;
use crate::nanos::Nanos;
use crate::run::Run;
use crate::run::capture::Recording;

/// The first line, which viewers compare exactly.
const SYSTEM: &str = "os,cpu,gpu,ram,kernel,driver,cpuscheduler";
/// The column names. Columns without values are written as 0.
const COLUMNS: &str = "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,swap_used,process_rss,cpu_mhz,elapsed";

/// Each column that a capture may have: the label of its series, and the position of the column after `frametime`.
const SERIES: [(&str, usize); 11] = [
    ("CPU load", 0),
    ("CPU power", 1),
    ("GPU load", 2),
    ("CPU temperature", 3),
    ("GPU temperature", 4),
    ("GPU clock", 5),
    ("GPU memory clock", 6),
    ("GPU memory used", 7),
    ("GPU power", 8),
    ("RAM used", 9),
    ("CPU clock", 12),
];
/// The number of columns between `frametime` and `elapsed`.
const OTHERS: usize = 13;

/// Writes frame times in milliseconds with six decimals, and the time since the start in nanoseconds.
pub fn write(
    run: &Run,
    frame_times: impl Iterator<Item = i64>,
    to: &mut dyn Write,
) -> io::Result<()> {
    write_system(run, to)?;
    let mut elapsed = Nanos::ZERO;
    for time in frame_times {
        elapsed += Nanos::new(time);
        write_row(time, elapsed, &["0"; OTHERS].join(","), to)?;
    }
    Ok(())
}

/// Writes the frames of a capture with the sensors that it has. A value that was not recorded at a frame is the last one
/// before it.
pub fn write_recording(run: &Run, recording: &Recording, to: &mut dyn Write) -> io::Result<()> {
    write_system(run, to)?;
    let mut columns: Vec<_> = SERIES
        .iter()
        .filter_map(|(label, place)| {
            // MangoHud has memory in GB; other programs have it in other units.
            let is_unit =
                |unit: &str| !label.ends_with(" used") || matches!(unit, "" | "GB" | "GiB");
            let mut all = recording.series.iter().filter(|series| series.label == *label);
            let series = all.find(|series| is_unit(&series.unit))?;
            Some((*place, recording.points_of(series).peekable()))
        })
        .collect();
    let mut values = [0.0; OTHERS];
    for (at, time) in recording.frame_times_over_time() {
        for (place, points) in &mut columns {
            while let Some((_, value)) = points.next_if(|(when, _)| *when <= at) {
                if let Some(own) = values.get_mut(*place) {
                    *own = value;
                }
            }
        }
        write_row(time.get(), at, &values.map(|value| value.to_string()).join(","), to)?;
    }
    Ok(())
}

fn write_system(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    let machine = &run.machine;
    // A run of this program renders nothing; a capture may not state its GPU.
    let is_capture = run.capture().is_some();
    let other = if is_capture { "unknown" } else { "none" };
    writeln!(to, "{SYSTEM}")?;
    writeln!(
        to,
        "{},{},{},{},{},{},{}",
        reported(machine.os.as_deref(), "unknown"),
        reported(machine.cpu_model.as_deref(), "unknown"),
        reported(machine.gpu.as_deref().filter(|_| is_capture), other),
        machine.memory_bytes.unwrap_or(0) / 1_024,
        reported(machine.kernel.as_deref(), "unknown"),
        reported(machine.gpu_driver.as_deref().filter(|_| is_capture), other),
        reported(machine.power.governor_or_plan.as_deref(), "unknown"),
    )?;
    writeln!(to, "{COLUMNS}")
}

fn reported(value: Option<&str>, other: &str) -> String {
    let own = value.map(unquoted).filter(|value| !value.is_empty());
    own.unwrap_or_else(|| other.to_owned())
}

fn write_row(time: i64, elapsed: Nanos, others: &str, to: &mut dyn Write) -> io::Result<()> {
    let fps = if 0 < time { 1.0 / Nanos::new(time).as_secs() } else { 0.0 };
    writeln!(to, "{fps:.3},{},{others},{}", millis(time), elapsed.get())
}

/// Formats a time in nanoseconds as milliseconds with six decimals, without rounding.
pub(super) fn millis(nanos: i64) -> String {
    let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    format!("{sign}{}.{:06}", nanos / 1_000_000, nanos % 1_000_000)
}
