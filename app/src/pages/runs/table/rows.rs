//! The rows of the list of runs: days, runs, and the parts of quick checks.

use std::collections::HashSet;
use std::path::PathBuf;

use super::{Column, Sort};
use crate::session::LibraryItem;
use crate::text;
use crate::theme::size;

/// Height of the row of a day, and of the row of a part of a quick check, in points.
const DAY_ROW: f32 = 24.0;
const PART_ROW: f32 = 27.0;

/// A row of the list; the numbers are positions in the slice of all saved runs.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::pages::runs) enum Row {
    /// A day, above its runs.
    Day(String),
    /// A run, or a quick check.
    Run(usize),
    /// A part of a quick check: the position of the check, and the position of the part in the
    /// check.
    Part(usize, usize),
}

impl Row {
    /// Returns the rows for the items at `places`: grouped by day if sorted by start time, with the
    /// parts of expanded quick checks.
    pub(in crate::pages::runs) fn all(
        items: &[LibraryItem],
        places: &[usize],
        sort: Sort,
        expanded: &HashSet<PathBuf>,
    ) -> Vec<Self> {
        let now = text::local(text::now());
        let mut rows = Vec::with_capacity(places.len());
        let mut day = None;
        for &place in places {
            let Some(item) = items.get(place) else { continue };
            let is_by_day = sort.by.is_none_or(|(column, _)| column == Column::When);
            if let (true, Ok(run)) = (is_by_day, &item.run) {
                let own = text::date::day(&text::local(run.started_at), &now);
                if day.as_ref() != Some(&own) {
                    rows.push(Self::Day(own.clone()));
                    day = Some(own);
                }
            }
            rows.push(Self::Run(place));
            if expanded.contains(&item.path) {
                rows.extend((0..item.parts.len()).map(|part| Self::Part(place, part)));
            }
        }
        rows
    }

    pub(super) const fn height(&self) -> f32 {
        match self {
            Self::Day(_) => DAY_ROW,
            Self::Run(_) => size::RUNS_ROW,
            Self::Part(..) => PART_ROW,
        }
    }

    /// Returns the library item of a row, and whether the row shows the item itself instead of a
    /// part of it; `None` for the row of a day.
    pub(super) fn item<'a>(&self, items: &'a [LibraryItem]) -> Option<(&'a LibraryItem, bool)> {
        match *self {
            Self::Day(_) => None,
            Self::Run(place) => Some((items.get(place)?, true)),
            Self::Part(place, _) => Some((items.get(place)?, false)),
        }
    }
}
