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
use crate::units::singular;

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
    let noun = singular(run.subject.samples_name());
    for (trial, track) in run.trials.iter().zip(1_u32..) {
        if stage.replace(trial.stage) != Some(trial.stage) {
            cpus.write(to)?;
            start = end;
        }
        let is_gaps = matches!(trial.trial.pace, Pace::Gaps { .. });
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
        cpus.add(trial, start);
        end = end.max(start + trial.samples.last().map_or(Nanos::ZERO, |last| last.done));
    }
    cpus.write(to)?;
    writeln!(to, "]}}")
}

/// The time in which a thread or interrupt ran on a CPU: begin and end on the time axis of the file,
/// name, and priority.
type CpuSlice = (Nanos, Nanos, String, String);

/// The tracks of the CPUs.
#[derive(Default)]
struct CpuTracks {
    /// The end of the last slice that was written for each CPU, on the time axis of the file.
    ends: BTreeMap<u32, Nanos>,
    /// The slices of the trials of one stage, which ran at the same time, by CPU.
    waiting: BTreeMap<u32, Vec<CpuSlice>>,
}

impl CpuTracks {
    /// Adds the threads and interrupts that ran on each CPU around the late samples of a trial.
    /// `start` is the start of the trial on the time axis of the file.
    fn add(&mut self, trial: &TrialRun, start: Nanos) {
        let (Some(occupancy), Some(above)) = (Occupancy::of(trial), trial.trial.trace_above())
        else {
            return;
        };
        for (sample, index) in trial.samples.iter().zip(0..) {
            if sample.late() <= above {
                continue;
            }
            for (cpu, lane) in occupancy.lanes(trial, index).unwrap_or_default().cpus {
                let slices = self.waiting.entry(cpu).or_default();
                for (occupant, (from, until)) in lane {
                    if let Some((name, about)) = named(&occupant) {
                        slices.push((start + from, start + until, name.to_owned(), about));
                    }
                }
            }
        }
    }

    /// Writes the slices that were added since the last call.
    fn write(&mut self, to: &mut dyn Write) -> io::Result<()> {
        for (cpu, mut slices) in std::mem::take(&mut self.waiting) {
            let track = cpu.saturating_add(1);
            let mut end = match self.ends.get(&cpu) {
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
            slices.sort_by_key(|slice| slice.0);
            for (from, until, name, about) in slices {
                // The records of two late samples may overlap. Start each interval at the end of
                // the last slice, so that no time is written twice.
                let from = from.max(end);
                if until <= from {
                    continue;
                }
                let (at, length) = (micros(from), micros(until - from));
                let (name, about) = (quoted(&single_line(&name, NAME)), quoted(&about));
                write!(
                    to,
                    ",\n{{\"name\":{name},\"ph\":\"X\",\"ts\":{at},\"dur\":{length},\"pid\":2,\"tid\":{track},\"args\":{{\"priority\":{about}}}}}"
                )?;
                end = until;
            }
            self.ends.insert(cpu, end);
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

    #[test]
    fn slices_of_a_cpu_are_written_whatever_the_order_of_the_trials_that_ran_at_the_same_time() {
        let example = "../assets/examples/frame-loop-fifo.jitterscope.json";
        let mut run = crate::store::load(std::path::Path::new(example)).unwrap();
        let mut whole = run.trials.remove(0);
        whole.evidence.clear();
        let half = whole.samples.len() / 2;
        let [mut early, mut late] = [whole.clone(), whole.clone()];
        early.samples = whole.samples.iter().take(half).collect();
        late.samples = whole.samples.iter().skip(half).collect();
        let mut count = |trials: &[&TrialRun]| {
            run.trials = trials.iter().map(|&trial| trial.clone()).collect();
            let mut text = Vec::new();
            write(&run, &mut text).unwrap();
            String::from_utf8(text).unwrap().matches("\"pid\":2,\"tid\"").count()
        };
        let (of_early, of_late) = (count(&[&early]), count(&[&late]));
        let both = count(&[&early, &late]);
        assert!(of_early < both && of_late < both, "{of_early}, {of_late}, {both}");
        assert_eq!(count(&[&late, &early]), both);
    }
}
