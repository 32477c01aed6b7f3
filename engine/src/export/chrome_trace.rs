//! The trace of Chrome and Perfetto: every frame's work on a time line, a track a trial, and who had the
//! CPUs around late frames, a track a CPU.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::sanitize::{NAME, single_line};
use crate::format::quoted;
use crate::nanos::Nanos;
use crate::report::{Culprit, Occupancy, Occupant};
use crate::run::{Run, TrialRun};

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
    let mut cpus = CpuTracks::default();
    for (trial, track) in run.trials.iter().zip(1_u32..) {
        let label = quoted(&single_line(&trial.trial.label, NAME));
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
        cpus.write(trial, start, to)?;
        start += trial.samples.last().map_or(Nanos::ZERO, |last| last.done);
    }
    writeln!(to, "]}}")
}

/// The tracks of CPUs: when what was written on each ends.
#[derive(Default)]
struct CpuTracks {
    ends: BTreeMap<u32, Nanos>,
}

impl CpuTracks {
    /// Writes who had each CPU around the late samples of a trial that began then.
    fn write(&mut self, trial: &TrialRun, start: Nanos, to: &mut dyn Write) -> io::Result<()> {
        let (Some(occupancy), Some(above)) = (Occupancy::of(trial), trial.trial.trace_above())
        else {
            return Ok(());
        };
        for (sample, index) in trial.samples.iter().zip(0..) {
            if sample.late() <= above {
                continue;
            }
            for (cpu, lane) in occupancy.lanes(trial, index).unwrap_or_default().cpus {
                let track = cpu.saturating_add(1);
                let end = match self.ends.get(&cpu) {
                    Some(end) => *end,
                    None if self.ends.is_empty() => {
                        write!(
                            to,
                            ",\n{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"args\":{{\"name\":\"CPUs around late samples\"}}}}"
                        )?;
                        name_cpu(cpu, track, to)?
                    }
                    None => name_cpu(cpu, track, to)?,
                };
                // Two late samples may share records.
                let mut end = end;
                for (occupant, (from, until)) in lane {
                    let from = (start + from).max(end);
                    let until = start + until;
                    let Some((name, about)) = named(&occupant).filter(|_| from < until) else {
                        continue;
                    };
                    let (at, length) = (micros(from), micros(until - from));
                    let (name, about) = (quoted(&single_line(name, NAME)), quoted(&about));
                    write!(
                        to,
                        ",\n{{\"name\":{name},\"ph\":\"X\",\"ts\":{at},\"dur\":{length},\"pid\":2,\"tid\":{track},\"args\":{{\"priority\":{about}}}}}"
                    )?;
                    end = until;
                }
                self.ends.insert(cpu, end);
            }
        }
        Ok(())
    }
}

fn name_cpu(cpu: u32, track: u32, to: &mut dyn Write) -> io::Result<Nanos> {
    write!(
        to,
        ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":{track},\"args\":{{\"name\":\"CPU {cpu}\"}}}}"
    )?;
    Ok(Nanos::ZERO)
}

/// The name of who had a CPU and its priority; `None` for nobody.
fn named(occupant: &Occupant) -> Option<(&str, String)> {
    match occupant {
        Occupant::Idle | Occupant::Unknown => None,
        Occupant::Own => Some(("measuring thread", String::new())),
        Occupant::Thread(culprit) | Occupant::Interrupt(culprit) => {
            let name = culprit.as_ref().map_or("unknown", |culprit| culprit.name.as_str());
            Some((name, culprit.as_deref().map_or_else(String::new, Culprit::policy)))
        }
    }
}

/// Microseconds with all three decimals: nothing is rounded.
fn micros(nanos: Nanos) -> String {
    let (sign, nanos) = (if nanos < Nanos::ZERO { "-" } else { "" }, nanos.get().unsigned_abs());
    format!("{sign}{}.{:03}", nanos / 1_000, nanos % 1_000)
}
