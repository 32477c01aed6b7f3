//! Writes a run in the JSON format of cyclictest, a Linux latency test. Each configuration is
//! written as a thread with a histogram of its lateness in nanoseconds.

use std::io::{self, Write};

use super::{captured, series};
use crate::format::cyclictest::{self as file, Cyclictest, Histogram, SysInfo, Thread};
use crate::report::{Configuration, Report};
use crate::run::{Capture, Run};

/// Writes every measured configuration as a thread. Instead of the host name, the file contains
/// "redacted". The bins of the histograms are 1 ns wide and cover every value.
pub fn write(run: &Run, report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let machine = &run.machine;
    let thread: std::collections::BTreeMap<String, Thread> = report
        .rows
        .iter()
        .filter(|row| row.summary.is_some())
        .zip(0_u32..)
        .map(|(row, number)| (number.to_string(), thread(run, row)))
        .collect();
    let thread = match run.capture() {
        Some(Capture::Histogram(all)) => {
            let threads = captured::threads(all).zip(0_u32..);
            threads.map(|(thread, number)| (number.to_string(), thread)).collect()
        }
        _ => thread,
    };
    let kernel = machine.kernel.clone().unwrap_or_default();
    let period = report.rows.first().map_or(0, |row| row.period.get() / 1_000);
    let mail = |at: jiff::Timestamp| at.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string();
    let length = jiff::SignedDuration::from_nanos(run.measured().get());
    let result = Cyclictest {
        file_version: 1,
        cmdline: format!("jitterscope {} --interval={period} --nsecs", run.subject.key()),
        version: run.app_version.clone(),
        start_time: mail(run.started_at),
        end_time: mail(run.started_at.saturating_add(length).unwrap_or(run.started_at)),
        return_code: 0,
        sysinfo: SysInfo {
            sysname: machine.system().split(' ').next().unwrap_or_default().to_owned(),
            nodename: "redacted".to_owned(),
            release: kernel,
            version: machine.os.clone().unwrap_or_default(),
            machine: machine.arch.clone(),
            realtime: 0,
        },
        num_threads: u64::try_from(thread.len()).unwrap_or(u64::MAX),
        resolution_in_ns: 1,
        thread,
    };
    file::write(&result, to)
}

fn thread(run: &Run, row: &Configuration) -> Thread {
    let mut values = series::lateness(run, Some(row));
    values.sort_unstable();
    let bins = values
        .chunk_by(|a, b| a == b)
        .filter_map(|same| Some((*same.first()?, u64::try_from(same.len()).unwrap_or(u64::MAX))));
    let late = row.summary.as_ref().map(|summary| &summary.lateness);
    let cpu = row.granted.as_ref().and_then(|granted| match granted.effective.cpus.as_slice() {
        [cpu] => Some(i64::from(*cpu)),
        _ => None,
    });
    Thread {
        histogram: Histogram(bins.collect()),
        cycles: u64::try_from(values.len()).unwrap_or(u64::MAX),
        min: late.map_or(0, |late| late.min.get()),
        max: late.map_or(0, |late| late.max.get()),
        avg: late.map_or(0.0, |late| late.mean_nanos),
        cpu,
        node: Some(0),
        ..Thread::default()
    }
}
