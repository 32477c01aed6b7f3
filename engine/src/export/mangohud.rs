//! The log format of MangoHud: frame times for viewers of such logs. GPU and driver are `none`, since nothing is
//! rendered.

use std::io::{self, Write};

use super::sanitize::unquoted;
use crate::nanos::Nanos;
use crate::run::Run;

/// The first line, which viewers compare exactly.
const SYSTEM: &str = "os,cpu,gpu,ram,kernel,driver,cpuscheduler";
/// The column names. All columns except `fps`, `frametime`, and `elapsed` are written as 0.
const COLUMNS: &str = "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,swap_used,process_rss,cpu_mhz,elapsed";

/// Writes frame times in milliseconds with six decimals, and the time since the start in nanoseconds.
pub fn write(
    run: &Run,
    frame_times: impl Iterator<Item = i64>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let machine = &run.machine;
    let reported = |value: &Option<String>| {
        value.as_deref().map(unquoted).filter(|value| !value.is_empty()).unwrap_or("unknown".into())
    };
    writeln!(to, "{SYSTEM}")?;
    writeln!(
        to,
        "{},{},none,{},{},none,{}",
        reported(&machine.os),
        reported(&machine.cpu_model),
        machine.memory_bytes.unwrap_or(0) / 1_024,
        reported(&machine.kernel),
        reported(&machine.power.governor_or_plan),
    )?;
    writeln!(to, "{COLUMNS}")?;
    let mut elapsed = Nanos::ZERO;
    for time in frame_times {
        elapsed += Nanos::new(time);
        let fps = if 0 < time { 1.0 / Nanos::new(time).as_secs() } else { 0.0 };
        let millis = millis(time);
        writeln!(to, "{fps:.3},{millis},0,0,0,0,0,0,0,0,0,0,0,0,0,{}", elapsed.get())?;
    }
    Ok(())
}

/// Formats a time in nanoseconds as milliseconds with six decimals, without rounding.
pub(super) fn millis(nanos: i64) -> String {
    let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    format!("{sign}{}.{:06}", nanos / 1_000_000, nanos % 1_000_000)
}
