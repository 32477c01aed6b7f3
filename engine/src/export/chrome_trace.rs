//! Writes a run in the trace format of Chrome and Perfetto. One track per trial shows the work of
//! every frame, or the gaps of a CPU; one track per CPU shows the threads that ran around late frames.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::sanitize::{NAME, single_line};
use crate::format::quoted;
use crate::nanos::Nanos;
use crate::plan::Pace;
use crate::report::{Culprit, Occupancy, Occupant};
use crate::run::{Run, TrialRun};

/// Writes a run. Each sample becomes a slice (a bar in the viewer) as long as its work, or as the
/// gap that it is, with its lateness. Trials that ran at the same time have the same start; the
/// stages of a run follow each other directly.
pub fn write(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    write!(to, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    write!(
        to,
        "{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{{\"name\":\"Jitterscope \
         {}\"}}}}",
        run.subject.key()
    )?;
    let (mut start, mut end, mut stage) = (Nanos::ZERO, Nanos::ZERO, None);
    let mut cpus = CpuTracks::default();
    for (trial, track) in run.trials.iter().zip(1_u32..) {
        if stage.replace(trial.stage) != Some(trial.stage) {
            start = end;
        }
        let is_gaps = matches!(trial.trial.pace, Pace::Gaps { .. });
        let noun = if is_gaps { "gap" } else { "frame" };
        let label = quoted(&single_line(&trial.trial.label, NAME));
        write!(
            to,
            ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{track},\"args\":{{\"name\":{label}}}}}"
        )?;
        for ((sample, began), index) in
            trial.samples.iter().zip(trial.work_started_nanos()).zip(0_u64..)
        {
            let began = if is_gaps { sample.due } else { Nanos::new(began) };
            let (at, length) = (micros(start + began), micros(sample.done - began));
            let late = micros(sample.late());
            write!(
                to,
                ",\n{{\"name\":\"{noun} \
                 {index}\",\"ph\":\"X\",\"ts\":{at},\"dur\":{length},\"pid\":1,\"tid\":{track},\"args\":{{\"late_us\":{late}}}}}"
            )?;
            write!(
                to,
                ",\n{{\"name\":\"lateness \
                 {track}\",\"ph\":\"C\",\"ts\":{at},\"pid\":1,\"args\":{{\"us\":{late}}}}}"
            )?;
        }
        cpus.write(trial, start, to)?;
        end = end.max(start + trial.samples.last().map_or(Nanos::ZERO, |last| last.done));
    }
    writeln!(to, "]}}")
}

/// The tracks of the CPUs that were written so far. `ends` is the end of the last slice of each
/// CPU, on the time axis of the file.
#[derive(Default)]
struct CpuTracks {
    ends: BTreeMap<u32, Nanos>,
}

impl CpuTracks {
    /// Writes the threads and interrupts that ran on each CPU around the late samples of a trial.
    /// `start` is the start of the trial on the time axis of the file.
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
                // The records of two late samples may overlap. Start each interval at the end of
                // the last slice, so that no time is written twice.
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

/// Returns the name and the priority of the thread or interrupt that ran on a CPU; `None` if the
/// CPU was idle or its occupant is unknown.
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

/// Formats a time in microseconds with three decimals, which makes it exact to the nanosecond.
fn micros(nanos: Nanos) -> String {
    let (sign, nanos) = (if nanos < Nanos::ZERO { "-" } else { "" }, nanos.get().unsigned_abs());
    format!("{sign}{}.{:03}", nanos / 1_000, nanos % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CpuFacts, Plan, SchedulingGaps};
    use crate::run::Subject;
    use crate::sample::Sample;

    #[test]
    fn gaps_are_slices_and_trials_of_a_stage_share_its_start() {
        let plan = Plan::SchedulingGaps(SchedulingGaps::default());
        let stages = plan.stages(&CpuFacts { usable: vec![0, 1], ..CpuFacts::default() });
        let mut run = Run::planned(Subject::Measured(plan), &stages);
        let mut later = run.trials[0].clone();
        later.stage = 1;
        run.trials.push(later);
        for (trial, from) in run.trials.iter_mut().zip([1, 2, 3].map(Nanos::from_millis)) {
            let to = from + Nanos::from_micros(500);
            trial.samples.push(&Sample {
                began: from,
                due: from,
                woke: to,
                done: to,
                ..Sample::default()
            });
        }
        let mut text = Vec::new();
        write(&run, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for (track, at) in [(1, "1000.000"), (2, "2000.000"), (3, "5500.000")] {
            let slice = format!(
                "\"gap 0\",\"ph\":\"X\",\"ts\":{at},\"dur\":500.000,\"pid\":1,\"tid\":{track},"
            );
            assert!(text.contains(&slice), "{text}");
        }
    }
}
