//! The CSV format of PresentMon 1: frame times for CapFrameX and for scripts. The columns about
//! presentation are 0 or `Other`, since no frame is presented.

use std::io::{self, Write};

use super::mangohud::millis;
use super::sanitize::unquoted;
use crate::nanos::Nanos;
use crate::run::Run;
use crate::run::capture::{FrameQuantity, Recording};
use crate::sample::{Column, MISSING};

/// The column names of PresentMon 1.
const COLUMNS: &str = "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange";

/// Writes the frames of a capture, and which of them were displayed when, as far as the capture has it.
pub fn write_recording(recording: &Recording, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "{COLUMNS}")?;
    let application = match unquoted(&recording.label) {
        name if name.is_empty() => "unknown".to_owned(),
        name => name,
    };
    let column = |quantity| {
        let values = recording.per_frame(quantity).into_iter().flat_map(Column::values);
        values.chain(std::iter::repeat(MISSING))
    };
    let displayed = column(FrameQuantity::DisplayedTime);
    let rows = recording.times().zip(recording.frame_times.values());
    for (((at, time), dropped), displayed) in
        rows.zip(column(FrameQuantity::Dropped)).zip(displayed)
    {
        if time == MISSING {
            continue;
        }
        let secs = at.get().unsigned_abs();
        let (secs, rest) = (secs / 1_000_000_000, secs % 1_000_000_000);
        let dropped = i32::from(dropped == 1);
        let displayed = millis(if displayed == MISSING { 0 } else { displayed });
        writeln!(
            to,
            "{application},0,0x0,Other,0,0,{dropped},{secs}.{rest:09},0,{},0,Other,0,0,{displayed}",
            millis(time)
        )?;
    }
    Ok(())
}

/// Writes frame times in milliseconds with six decimals, without rounding.
pub fn write(
    run: &Run,
    frame_times: impl Iterator<Item = i64>,
    to: &mut dyn Write,
) -> io::Result<()> {
    writeln!(to, "{COLUMNS}")?;
    let application = format!("Jitterscope {}", run.subject.key());
    let mut time = Nanos::ZERO;
    for frame_time in frame_times {
        time += Nanos::new(frame_time);
        let nanos = time.get().unsigned_abs();
        let (secs, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        writeln!(
            to,
            "{application},0,0x0,Other,0,0,0,{secs}.{rest:09},0,{},0,Other,0,0,0",
            millis(frame_time)
        )?;
    }
    Ok(())
}
