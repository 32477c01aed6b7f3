//! The log of MangoHud: frame times for viewers that read it. Its columns mark a synthetic loop.

use std::io::{self, Write};

use super::sanitize::unquoted;
use crate::nanos::Nanos;
use crate::run::Run;

/// The first line; viewers compare it letter by letter.
const SYSTEM: &str = "os,cpu,gpu,ram,kernel,driver,cpuscheduler";
/// The columns; what a loop without a graphics card has none of is 0.
const COLUMNS: &str = "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,swap_used,process_rss,cpu_mhz,elapsed";

/// Writes frame times in milliseconds to the nanosecond, and the nanoseconds since the start.
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

/// Milliseconds with all six decimals: nothing is rounded.
pub(super) fn millis(nanos: i64) -> String {
    let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    format!("{sign}{}.{:06}", nanos / 1_000_000, nanos % 1_000_000)
}
