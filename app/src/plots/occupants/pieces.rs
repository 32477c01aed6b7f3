//! The segments of lanes: their time ranges, styles, and names.

use eframe::egui::Color32;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Cause, Culprit, Lanes, Occupant, ThreadState};

use super::super::cause_style;
use super::{Across, FrameLanes};
use crate::text;
use crate::theme::Tokens;

/// Maximum number of CPUs for which lanes are drawn.
const MAX_CPUS: usize = 3;

/// How a segment is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Filled,
    Hatched,
    Outlined,
    /// A dotted line: the CPU or the thread was idle, or its state is not known.
    Open,
}

/// A segment of a lane: a time range in which a CPU or the thread had one state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) row: u32,
    pub(super) lane: String,
    pub(super) from: Nanos,
    pub(super) to: Nanos,
    pub(super) style: Style,
    /// The cause that determines the color; `None` for a neutral color.
    cause: Option<Cause>,
    pub(super) name: String,
    /// Thread id, policy, and priority, as far as recorded.
    pub(super) about: String,
}

impl Piece {
    pub(super) fn color(&self, tokens: &Tokens) -> Color32 {
        match (self.cause, self.style) {
            (Some(cause), _) => cause_style(tokens, cause).0,
            (None, Style::Hatched) => tokens.t3,
            (None, _) => tokens.t1,
        }
    }
}

/// Returns the CPUs of these frames in ascending order, up to `MAX_CPUS`.
pub(super) fn cpus(frames: &[FrameLanes]) -> Vec<u32> {
    let all = frames.iter().flat_map(|(_, lanes)| lanes.cpus.iter().map(|(cpu, _)| *cpu));
    let mut cpus: Vec<u32> = all.collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus.truncate(MAX_CPUS);
    cpus
}

/// Returns the segments of a frame's lanes: one row per CPU, and the last row for the measuring
/// thread.
pub(super) fn of(lanes: &Lanes, cpus: &[u32]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (cpu, row) in cpus.iter().zip(0..) {
        let lane = format!("CPU {cpu}");
        let own = lanes.cpus.iter().filter(|(one, _)| one == cpu).flat_map(|(_, lane)| lane);
        let mut end = None;
        for (occupant, (from, to)) in own {
            // A gap between two segments means that the system did not report what ran there.
            if let Some(end) = end.filter(|end| *end < *from) {
                pieces.push(open(row, &lane, (end, *from), "not observable here"));
            }
            end = Some(*to);
            pieces.push(occupied(row, &lane, occupant, (*from, *to)));
        }
    }
    let row = u32::try_from(cpus.len()).unwrap_or(u32::MAX);
    let of_thread = lanes.own.iter().map(|(state, stretch)| thread(row, *state, *stretch));
    pieces.extend(of_thread);
    pieces
}

fn open(row: u32, lane: &str, (from, to): (Nanos, Nanos), name: &str) -> Piece {
    let (lane, name, about) = (lane.to_owned(), name.to_owned(), String::new());
    Piece { row, lane, from, to, style: Style::Open, cause: None, name, about }
}

fn occupied(row: u32, lane: &str, occupant: &Occupant, (from, to): (Nanos, Nanos)) -> Piece {
    let (style, cause, culprit, plain) = match occupant {
        Occupant::Idle => (Style::Open, None, None, "idle"),
        Occupant::Own => (Style::Outlined, None, None, "Frame loop"),
        Occupant::Thread(None) => (Style::Hatched, None, None, "name not permitted"),
        Occupant::Unknown => (Style::Hatched, None, None, "not recorded"),
        Occupant::Thread(Some(culprit)) => {
            (Style::Filled, Some(Cause::Thread), Some(culprit), culprit.name.as_str())
        }
        Occupant::Interrupt(culprit) => {
            let name = culprit.as_ref().map_or("interrupt", |culprit| culprit.name.as_str());
            (Style::Filled, Some(Cause::Interrupt), culprit.as_ref(), name)
        }
    };
    let about = culprit.map_or_else(String::new, |culprit| about(culprit));
    let (lane, name) = (lane.to_owned(), plain.to_owned());
    Piece { row, lane, from, to, style, cause, name, about }
}

fn about(culprit: &Culprit) -> String {
    let thread = culprit.thread.map(|thread| format!("thread {thread}"));
    let parts = [thread.unwrap_or_default(), culprit.policy()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

fn thread(row: u32, state: ThreadState, (from, to): (Nanos, Nanos)) -> Piece {
    let (style, cause, name) = match state {
        ThreadState::Running => (Style::Outlined, None, "running"),
        ThreadState::Ready => (Style::Hatched, Some(Cause::WaitedForCpu), "runnable"),
        ThreadState::Asleep => (Style::Open, None, "asleep"),
        ThreadState::AsleepOrReady => (Style::Open, None, "asleep or runnable"),
        ThreadState::Blocked => (Style::Filled, Some(Cause::Blocked), "blocked"),
    };
    let (lane, name) = ("Frame loop".to_owned(), name.to_owned());
    Piece { row, lane, from, to, style, cause, name, about: String::new() }
}

/// Returns the tooltip of the segment at a position in the plot; `None` if there is no segment.
pub(super) fn at(
    pieces: &[Piece],
    across: Across,
    due: Nanos,
    (x, row): (f64, f64),
) -> Option<String> {
    let is_there = |piece: &&Piece| {
        let stretch = across.place(piece.from)..=across.place(piece.to);
        stretch.contains(&x) && (0.0..1.0).contains(&(row - f64::from(piece.row)))
    };
    let piece = pieces.iter().find(is_there)?;
    let length = text::format_time(piece.to - piece.from);
    let about = if piece.about.is_empty() {
        piece.lane.clone()
    } else {
        format!("{} · {}", piece.about, piece.lane)
    };
    let place = match across {
        Across::Around(_) => {
            let signed = |at: Nanos| text::format_signed_time(at - due);
            format!("{} to {}", signed(piece.from), signed(piece.to))
        }
        Across::Shared => format!("at {:.4} s", piece.from.as_secs()),
    };
    Some(format!("{}, {length}\n{about}\n{place}", piece.name))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jitterscope_engine::report::CulpritKind;

    use super::*;

    fn lanes() -> Lanes {
        let at = Nanos::from_micros;
        let chrome = Culprit {
            owner: None,
            name: "chrome".to_owned(),
            kind: CulpritKind::Thread,
            thread: Some(2_114),
            priority: Some(120),
        };
        Lanes {
            due: at(100),
            woke: at(300),
            done: at(400),
            cpus: vec![(
                1,
                vec![
                    (Occupant::Own, (at(0), at(50))),
                    (Occupant::Thread(Some(Arc::new(chrome))), (at(90), at(250))),
                    (Occupant::Thread(None), (at(250), at(300))),
                ],
            )],
            own: vec![
                (ThreadState::Asleep, (at(50), at(110))),
                (ThreadState::Ready, (at(110), at(300))),
            ],
        }
    }

    #[test]
    fn what_is_between_known_stretches_is_left_open() {
        let frames = [(7, lanes())];
        assert_eq!(cpus(&frames), [1]);
        let pieces = of(&frames[0].1, &cpus(&frames));
        let found: Vec<_> =
            pieces.iter().map(|one| (one.row, one.name.as_str(), one.style)).collect();
        let expected = [
            (0, "Frame loop", Style::Outlined),
            (0, "not observable here", Style::Open),
            (0, "chrome", Style::Filled),
            (0, "name not permitted", Style::Hatched),
            (1, "asleep", Style::Open),
            (1, "runnable", Style::Hatched),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_piece_is_read_out_with_its_thread_and_priority() {
        let lanes = lanes();
        let pieces = of(&lanes, &[1]);
        let across = Across::Around(lanes.due);
        let words = at(&pieces, across, lanes.due, (0.0, 0.5)).unwrap();
        let words = words.replace(text::NARROW_SPACE, " ");
        let mut lines = words.lines();
        assert_eq!(lines.next(), Some("chrome, 160 µs"));
        assert_eq!(lines.next(), Some("thread 2114 · normal, nice 0 · CPU 1"));
        assert!(lines.next().unwrap().starts_with("\u{2212}10"), "{words}");
        assert_eq!(at(&pieces, across, lanes.due, (900_000.0, 0.5)), None);
        assert_eq!(at(&pieces, across, lanes.due, (0.0, 2.5)), None);
    }
}
