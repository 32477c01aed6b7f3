//! The JSON format of CapFrameX: one or more recordings of one game.

use std::io::{Read, Seek};

use super::decode::check_rows;
use super::imported::{BadLines, Content, ImportError, Imported, Source};
use super::sensors::{MAX_SENSORS, quantity_of};
use super::text::{instant, some_name};
use crate::format::capframex::{self, Columns, Sensor, Sensors};
use crate::format::millis::EachNanos;
use crate::machine::Machine;
use crate::nanos::Nanos;
use crate::run::Capture;
use crate::run::capture::{CaptureSeries, FrameColumn, FrameQuantity, Recording};
use crate::sample::{Column, MISSING};

/// Imports the frame times of every recording in a capture. Reads it piece by piece: only the values are in memory.
pub(super) fn read(from: &mut (impl Read + Seek)) -> Result<Imported, ImportError> {
    let capture =
        capframex::read(from).map_err(|error| ImportError::damaged(Source::CapFrameX, error))?;
    let (mut bad_lines, mut recordings, mut frames) = (BadLines::default(), Vec::new(), 0_u64);
    for recording in capture.runs {
        let (times, span, per_frame) = recording
            .data
            .map(|mut data| {
                let per_frame = per_frame(&mut data);
                (data.ms_between_presents, data.time_in_seconds, per_frame)
            })
            .unwrap_or_default();
        let listed_count = u64::try_from(times.bad.len()).unwrap_or(u64::MAX);
        for (number, reason) in times.bad {
            bad_lines.add(number, reason);
        }
        bad_lines.count += times.bad_count.saturating_sub(listed_count);
        frames = frames.saturating_add(u64::try_from(times.nanos.len()).unwrap_or(u64::MAX));
        check_rows(frames)?;
        if times.nanos.values().any(|time| time != MISSING) {
            let first = times.nanos.values().find(|time| *time != MISSING).map(Nanos::new);
            // The first time is at the end of the first frame.
            let elapsed = span.0.map(|(from, to)| Nanos::from_nanos_f64((to - from) * 1e9));
            let elapsed = elapsed.filter(|elapsed| Nanos::ZERO < *elapsed);
            recordings.push(Recording {
                frame_times: times.nanos,
                elapsed: elapsed.zip(first).map(|(elapsed, first)| elapsed + first),
                series: series_of(&recording.sensors.unwrap_or_default()),
                per_frame,
                ..Recording::default()
            });
        }
    }
    if recordings.is_empty() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    let count = recordings.len();
    for (recording, number) in recordings.iter_mut().zip(1..).filter(|_| 1 < count) {
        recording.label = format!("Recording {number}");
    }
    let info = capture.info;
    let some = |text: &Option<String>| text.as_deref().and_then(some_name);
    let (started_at, wall_clock) = info.creation_date.as_deref().map_or((None, None), instant);
    let notes = some(&info.comment).map(|comment| format!("Comment: {comment}"));
    Ok(Imported {
        name: some(&info.game_name).or_else(|| some(&info.process_name)).unwrap_or_default(),
        started_at,
        wall_clock,
        machine: Machine {
            cpu_model: some(&info.processor),
            os: some(&info.os),
            gpu: some(&info.gpu),
            gpu_driver: some(&info.gpu_driver_version),
            ..Machine::default()
        },
        bad_lines,
        notes: notes.into_iter().collect(),
        ..Imported::new(Source::CapFrameX, Content::Capture(Capture::Frames(recordings)))
    })
}

/// Returns what the file has of each frame besides its frame time. A list of another length than that of the frame
/// times belongs to other frames.
fn per_frame(data: &mut Columns) -> Vec<FrameColumn> {
    let count = data.ms_between_presents.nanos.len();
    let take = |quantity, lists: &mut [&mut EachNanos]| {
        let mut lists = lists.iter_mut().map(|list| std::mem::take(&mut list.0));
        let own = lists.find(|list| {
            list.len() == count && list.values().any(|value| value != 0 && value != MISSING)
        })?;
        let time = |value: i64| match value {
            MISSING => MISSING,
            value => super::per_frame::time(quantity, Nanos::new(value).as_millis()),
        };
        // Most columns have no value that means something else: encoding one again takes as long as reading it.
        let is_changed = own.values().any(|value| time(value) != value);
        let values = if is_changed { own.values().map(time).collect() } else { own };
        Some(FrameColumn { quantity, values })
    };
    let found = [
        take(FrameQuantity::DisplayedTime, &mut [&mut data.ms_between_display_change]),
        take(FrameQuantity::CpuBusy, &mut [&mut data.cpu_active, &mut data.cpu_busy]),
        take(FrameQuantity::CpuWait, &mut [&mut data.cpu_wait]),
        take(FrameQuantity::GpuBusy, &mut [&mut data.gpu_active]),
        take(FrameQuantity::GpuWait, &mut [&mut data.gpu_wait]),
        take(FrameQuantity::PcLatency, &mut [&mut data.pc_latency]),
        take(FrameQuantity::AnimationError, &mut [&mut data.animation_error]),
    ];
    let mut found: Vec<FrameColumn> = found.into_iter().flatten().collect();
    let dropped = std::mem::take(&mut data.dropped.0);
    // Where all are dropped, the display was not recorded.
    if dropped.len() == count && dropped.values().any(|value| value == 0) {
        for column in &mut found {
            if column.quantity == FrameQuantity::DisplayedTime {
                let rows = column.values.values().zip(dropped.values());
                column.values =
                    rows.map(|(time, dropped)| if dropped == 1 { MISSING } else { time }).collect();
            }
        }
        found.push(FrameColumn { quantity: FrameQuantity::Dropped, values: dropped });
    }
    found
}

/// Returns the sensors of known quantities, with the times of their values.
fn series_of(sensors: &Sensors) -> Vec<CaptureSeries> {
    let is_time = |sensor: &Sensor| sensor.quantity.as_deref() == Some("Time");
    let time = sensors.0.iter().find(|sensor| is_time(sensor));
    let to_nanos =
        |seconds: i64| if seconds == MISSING { 0 } else { seconds.saturating_mul(1_000_000) };
    let at: Column = time.iter().flat_map(|time| time.values.0.values().map(to_nanos)).collect();
    let known =
        sensors.0.iter().filter(|sensor| sensor.values.0.len() == at.len() && !at.is_empty());
    let known = known.filter_map(|sensor| {
        let words = [sensor.name.as_deref(), sensor.quantity.as_deref()];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        let (label, unit) = quantity_of(&words.join(" "))?;
        Some((label, unit, &sensor.values.0))
    });
    let mut series: Vec<CaptureSeries> = Vec::new();
    for (label, unit, values) in known {
        // The first of several sensors of a quantity is the total.
        if series.len() < MAX_SENSORS && series.iter().all(|other| other.label != label) {
            series.push(CaptureSeries { label, unit, at: at.clone(), values: values.clone() });
        }
    }
    series
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn every_bad_value_is_counted_also_one_whose_reason_is_not_listed() {
        let values = format!("{}16.7, 16.6", "-1.0, ".repeat(25));
        let run = format!("{{\"CaptureData\": {{\"MsBetweenPresents\": [{values}]}}}}");
        let text = format!("{{\"Info\": {{}}, \"Runs\": [{run}, {run}]}}");
        let imported = read(&mut Cursor::new(text)).unwrap();
        assert_eq!(imported.bad_lines.count, 50);
        assert_eq!(imported.bad_lines.first.len(), 10);
    }
}
