//! The trace of Chrome and Perfetto: every frame's work on a time line, a track a trial.

use std::io::{self, Write};

use crate::format::quoted;
use crate::nanos::Nanos;
use crate::run::Run;

/// Writes every sample as a slice of its work, with its lateness. Trials follow each other, as they
/// ran.
pub fn write(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    write!(to, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    write!(
        to,
        "{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{{\"name\":\"Jitterscope \
         {}\"}}}}",
        run.subject.key()
    )?;
    let mut start = Nanos::ZERO;
    for (trial, track) in run.trials.iter().zip(1_u32..) {
        let label =
            quoted(&super::sanitize::single_line(&trial.trial.label, super::sanitize::NAME));
        write!(
            to,
            ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{track},\"args\":{{\"name\":{label}}}}}"
        )?;
        for ((sample, began), index) in
            trial.samples.iter().zip(trial.work_started_nanos()).zip(0_u64..)
        {
            let began = Nanos::new(began);
            let (at, length) = (micros(start + began), micros(sample.done - began));
            let late = micros(sample.late());
            write!(
                to,
                ",\n{{\"name\":\"frame \
                 {index}\",\"ph\":\"X\",\"ts\":{at},\"dur\":{length},\"pid\":1,\"tid\":{track},\"args\":{{\"late_us\":{late}}}}}"
            )?;
            write!(
                to,
                ",\n{{\"name\":\"lateness \
                 {track}\",\"ph\":\"C\",\"ts\":{at},\"pid\":1,\"args\":{{\"us\":{late}}}}}"
            )?;
        }
        start += trial.samples.last().map_or(Nanos::ZERO, |last| last.done);
    }
    writeln!(to, "]}}")
}

/// Microseconds with all three decimals: nothing is rounded.
fn micros(nanos: Nanos) -> String {
    let (sign, nanos) = (if nanos < Nanos::ZERO { "-" } else { "" }, nanos.get().unsigned_abs());
    format!("{sign}{}.{:03}", nanos / 1_000, nanos % 1_000)
}
