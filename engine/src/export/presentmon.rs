//! The CSV format of PresentMon 1: frame times for CapFrameX and for scripts. The columns about
//! presentation are 0 or `Other`, since no frame is presented.

use std::io::{self, Write};

use super::mangohud::millis;
use crate::nanos::Nanos;
use crate::run::Run;

/// The column names of PresentMon 1.
const COLUMNS: &str = "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange";

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
