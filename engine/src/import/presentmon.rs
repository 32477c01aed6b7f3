//! The CSV of PresentMon, of any of its generations: columns are found by name, processes told apart.

use std::collections::BTreeMap;

use super::csv::{Header, cells};
use super::text::{frame_time_cell, name};
use super::{BadLines, Content, FrameTimes, ImportError, Imported, Options, Process, Source};

/// Processes and places they draw in that are told apart.
const MOST_PROCESSES: usize = 1_000;

/// Reads the lines after the header.
pub(super) fn read<'a>(
    header: &Header,
    rows: impl Iterator<Item = (u64, Option<&'a [u8]>)>,
    options: &Options,
) -> Result<Imported, ImportError> {
    let columns =
        ["application", "processid", "swapchainaddress"].map(|name| header.position(name));
    let mut bad_lines = BadLines::default();
    let mut found: Vec<(Process, FrameTimes)> = Vec::new();
    let mut known: BTreeMap<[String; 3], usize> = BTreeMap::new();
    for (number, line) in rows {
        let Some(line) = line else {
            bad_lines.add(number, "a line that is too long");
            continue;
        };
        let mut key = [const { String::new() }; 3];
        let mut time = None;
        for (cell, at) in cells(line).zip(0_usize..) {
            if at == header.frame_time {
                time = Some(frame_time_cell(&cell));
            }
            for (column, key) in columns.iter().zip(&mut key) {
                if *column == Some(at) {
                    *key = name(&cell);
                }
            }
        }
        let time = match time {
            Some(Ok(time)) => time,
            Some(Err(reason)) => {
                bad_lines.add(number, reason);
                continue;
            }
            None => {
                bad_lines.add(number, "a line without a frame time");
                continue;
            }
        };
        let position = match known.get(&key) {
            Some(&position) => position,
            None if MOST_PROCESSES <= found.len() => {
                bad_lines.add(number, "one process too many");
                continue;
            }
            None => {
                let [name, id, swap_chain] = key.clone();
                found.push((
                    Process { name, id, swap_chain, frame_count: 0 },
                    FrameTimes::default(),
                ));
                known.insert(key, found.len() - 1);
                found.len() - 1
            }
        };
        if let Some((process, times)) = found.get_mut(position) {
            process.frame_count += 1;
            times.push(time);
        }
    }
    choose(found, bad_lines, options)
}

/// Takes the process that was asked for, or else the busiest.
fn choose(
    mut found: Vec<(Process, FrameTimes)>,
    bad_lines: BadLines,
    options: &Options,
) -> Result<Imported, ImportError> {
    let bad_count = bad_lines.count;
    found.retain(|(_, times)| times.present().next().is_some());
    if found.is_empty() {
        return Err(ImportError::NoFrames { bad_count });
    }
    // Of those equally busy, the first in the file.
    found.sort_by_key(|(process, _)| std::cmp::Reverse(process.frame_count));
    let chosen = match &options.process {
        None => 0,
        Some(wanted) => found
            .iter()
            .position(|(process, _)| {
                process.name.eq_ignore_ascii_case(wanted) || process.id == *wanted
            })
            .ok_or_else(|| ImportError::NoProcess {
                wanted: wanted.clone(),
                there: found.iter().map(|(process, _)| process.words()).collect(),
            })?,
    };
    let (mut processes, mut times) = (Vec::new(), FrameTimes::default());
    for ((process, of_process), position) in found.into_iter().zip(0..) {
        if position == chosen {
            times = of_process;
        }
        processes.push(process);
    }
    let mut notes = Vec::new();
    if 1 < processes.len()
        && let Some(process) = processes.get(chosen)
    {
        notes.push(format!(
            "{} of {} series in the file was taken: {}.",
            chosen + 1,
            processes.len(),
            process.words()
        ));
    }
    Ok(Imported {
        name: processes.get(chosen).map(|process| process.name.clone()).unwrap_or_default(),
        processes,
        chosen: Some(chosen),
        bad_lines,
        notes,
        ..Imported::new(Source::PresentMon, Content::Frames(vec![times]))
    })
}

impl Process {
    /// In a few words: "game.exe (1564), 1800 frames".
    pub fn words(&self) -> String {
        format!("{} ({}), {} frames", self.name, self.id, self.frame_count)
    }
}
