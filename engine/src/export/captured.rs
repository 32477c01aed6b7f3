//! The values of imported captures, for file formats of values: rows of frames, bins of histograms, and which formats
//! cannot hold a capture.

use std::borrow::Cow;
use std::io::{self, Write};

use super::Format;
use super::sanitize::{NAME, cell, single_line};
use crate::format::cyclictest::{Histogram, Thread};
use crate::format::quoted;
use crate::nanos::Nanos;
use crate::report::{FrameKind, RecordingFigures, Report};
use crate::run::capture::{Distribution, FrameQuantity, Recording};
use crate::run::{Capture, Run};
use crate::sample::MISSING;
use crate::stats::stutter::PAUSE;
use crate::units::singular;

/// Returns why a file of this format would not hold the values of a run; `None` if it holds them.
pub(super) fn refusal(format: Format, run: &Run, frames: FrameKind) -> Option<&'static str> {
    let of_values = [
        Format::MangoHud,
        Format::PresentMon,
        Format::Hgrm,
        Format::Cyclictest,
        Format::ChromeTrace,
    ];
    if !of_values.contains(&format) {
        return None;
    }
    match (run.capture()?, format) {
        (Capture::Frames(_), Format::Cyclictest) => {
            Some("a histogram of latencies cannot hold frame times; use hgrm or csv-samples")
        }
        (Capture::Frames(recordings), Format::PresentMon)
            if frames == FrameKind::Displayed
                && recordings
                    .iter()
                    .any(|one| one.per_frame(FrameQuantity::DisplayedTime).is_some()) =>
        {
            Some(
                "the rows of this format are presented frames, each with its time on the display; select \
                 presented frames",
            )
        }
        (Capture::Frames(_), _) | (Capture::Ticks(_), Format::Hgrm | Format::ChromeTrace) => None,
        (Capture::Ticks(_), _) => {
            Some("ticks of a server are no frames; use hgrm, chrome-trace, or csv-samples")
        }
        (Capture::SampledLog(_), _) => Some(
            "a sampled log lacks most frames, and this format is of every frame; use csv-samples",
        ),
        (Capture::SampledTicks(_), _) => {
            Some("a sampled log lacks most ticks, and this format is of every one; use csv-samples")
        }
        (Capture::Histogram(all), Format::Hgrm | Format::Cyclictest) => {
            if all.iter().all(|one| one.bins.is_empty()) {
                return Some(
                    "this file has only min, mean, and max, and this format needs a histogram",
                );
            }
            let is_cut = format == Format::Hgrm && all.iter().any(|one| 0 < one.above_count);
            is_cut.then_some(
                "values above the histogram are not known, and percentiles need them; use csv-samples",
            )
        }
        (Capture::Histogram(_), _) => {
            Some("a histogram has no order in time, and this format is of frames; use csv-samples")
        }
    }
}

/// Returns the shown parts of the recordings of a capture.
fn recordings(report: &Report) -> impl Iterator<Item = &Recording> {
    let all = report.results::<RecordingFigures>().iter();
    all.filter_map(|one| Some(&one.scope.as_deref()?.recording))
}

/// Returns the shown part of the recording that the verdict is of; `None` for a histogram and for a run that is no capture.
pub(super) fn longest(report: &Report) -> Option<&Recording> {
    let longest = crate::report::capture::longest(report.results::<RecordingFigures>())?;
    Some(&longest.scope.as_deref()?.recording)
}

/// Returns the values of a capture with their counts, for a format with one list: of the longest recording, or of all
/// histograms together.
pub(super) fn counted(capture: &Capture, report: &Report) -> Vec<(i64, u64)> {
    let mut values: Vec<(i64, u64)> = match capture {
        Capture::Histogram(all) => all.iter().flat_map(|one| one.bins.iter()).collect(),
        _ => {
            longest(report).into_iter().flat_map(Recording::present).map(|time| (time, 1)).collect()
        }
    };
    values.sort_unstable();
    values.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        is_same
    });
    values
}

/// Returns the rows of a CSV file with one row per frame or reading, or with one row per bin of a histogram.
pub(super) fn rows<'a>(
    capture: &'a Capture,
    report: &'a Report,
) -> (Vec<Cow<'static, str>>, Box<dyn Iterator<Item = Vec<String>> + 'a>) {
    if let Capture::Histogram(all) = capture {
        let of_one = |one: &'a Distribution| {
            let label = cell(&one.label);
            let bins = one.bins.iter();
            bins.map(move |(value, count)| {
                vec![label.clone(), value.to_string(), count.to_string()]
            })
        };
        let header = ["label", "value_nanos", "count"].map(Cow::Borrowed);
        return (header.into(), Box::new(all.iter().flat_map(of_one)));
    }
    let quantities: Vec<FrameQuantity> = FrameQuantity::ALL
        .into_iter()
        .filter(|quantity| recordings(report).any(|one| one.per_frame(*quantity).is_some()))
        .collect();
    let mut header =
        ["label", "index", "end_nanos", "frame_time_nanos"].map(Cow::Borrowed).to_vec();
    header.extend(quantities.iter().map(|quantity| {
        let unit = if quantity.is_time() { "_nanos" } else { "" };
        Cow::Owned(format!("{}{unit}", quantity.key().replace('-', "_")))
    }));
    let text = |value: i64| if value == MISSING { String::new() } else { value.to_string() };
    let of_one = move |one: &'a Recording| {
        let label = cell(&one.label);
        let mut columns: Vec<_> = quantities
            .iter()
            .map(|quantity| one.per_frame(*quantity).map(|column| column.values()))
            .collect();
        let rows = one.times().zip(one.frame_times.values()).zip(0_u64..);
        rows.map(move |((at, time), index)| {
            let mut row = vec![label.clone(), index.to_string(), at.get().to_string(), text(time)];
            row.extend(columns.iter_mut().map(|column| {
                let value = column.as_mut().and_then(Iterator::next);
                text(value.unwrap_or(MISSING))
            }));
            row
        })
    };
    (header, Box::new(recordings(report).flat_map(of_one)))
}

/// Returns each histogram as a thread of cyclictest.
pub(super) fn threads(all: &[Distribution]) -> impl Iterator<Item = Thread> + '_ {
    all.iter().filter(|one| !one.bins.is_empty()).map(|one| {
        let (sum, counted) = one.bins.iter().fold((0.0, 0.0), |(sum, counted), (value, count)| {
            let count = Nanos::new(i64::try_from(count).unwrap_or(i64::MAX)).as_f64();
            (sum + Nanos::new(value).as_f64() * count, counted + count)
        });
        let own = |at: Option<(i64, u64)>| at.map(|(value, _)| value);
        Thread {
            histogram: Histogram(one.bins.clone()),
            cycles: one.count(),
            min: one.stated_min.map(Nanos::get).or(own(one.bins.first())).unwrap_or(0),
            max: one.max.map(Nanos::get).or(own(one.bins.last())).unwrap_or(0),
            avg: one.stated_mean.map_or(sum / counted, Nanos::as_f64),
            ..Thread::default()
        }
    })
}

/// Writes the frames of each recording as slices of a track.
pub(super) fn write_trace(run: &Run, report: &Report, to: &mut dyn Write) -> io::Result<()> {
    write!(to, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let name = quoted(&single_line(&run.name, NAME));
    write!(
        to,
        "{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{{\"name\":{name}}}}}"
    )?;
    let noun = singular(run.subject.samples_name());
    let micros = |nanos: Nanos| format!("{:.3}", nanos.as_micros());
    let scopes = report.results::<RecordingFigures>().iter().filter_map(|one| one.scope.as_deref());
    for (scope, track) in scopes.zip(1_u32..) {
        let recording = &scope.recording;
        let label = quoted(&single_line(&recording.label, NAME));
        write!(
            to,
            ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{track},\"args\":{{\"name\":{label}}}}}"
        )?;
        // The time of a row is that at which its frame was presented. Displayed frames follow each other, except around
        // pauses that are omitted.
        let mut shown_until = None;
        for ((end, time), index) in recording.frame_times_over_time().zip(0_u64..) {
            let own = end - time;
            let begin = match (scope.frames, shown_until) {
                (FrameKind::Displayed, Some(until))
                    if !scope.view.omits_pauses || own < until + PAUSE =>
                {
                    until
                }
                _ => own,
            };
            shown_until = Some(begin + time);
            let (at, length) = (micros(begin), micros(time));
            write!(
                to,
                ",\n{{\"name\":\"{noun} {index}\",\"ph\":\"X\",\"ts\":{at},\"dur\":{length},\"pid\":1,\"tid\":{track}}}"
            )?;
        }
    }
    writeln!(to, "]}}")
}
