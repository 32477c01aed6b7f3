//! The selection of runs: by click, by Ctrl+click (adds or removes one), by Shift+click (selects a
//! range), and by arrow keys.

use std::collections::HashSet;
use std::mem;
use std::path::{Path, PathBuf};

use eframe::egui::{EventFilter, Id, Key, Modifiers, Ui};

/// The selected runs.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// Files of the selected runs, in the order of selection: the first becomes run A of a
    /// comparison.
    pub(super) paths: Vec<PathBuf>,
    /// Files of selected runs that the filter hides, each with its position in the order of selection. No action changes
    /// them; they are selected again once they are listed.
    hidden: Vec<(usize, PathBuf)>,
    /// The run that was last selected or deselected without Shift. A range selected with Shift
    /// starts at this run.
    anchor: Option<PathBuf>,
}

impl Selection {
    /// Returns whether a run is selected.
    pub(super) fn contains(&self, path: &Path) -> bool {
        self.paths.iter().any(|one| one == path)
    }

    /// Returns how many selected runs the filter hides.
    pub(super) const fn hidden_count(&self) -> usize {
        self.hidden.len()
    }

    /// Selects these runs only.
    pub(super) fn set(&mut self, paths: Vec<PathBuf>) {
        self.paths = paths;
        self.hidden.clear();
    }

    /// Separates the selected runs that are listed from those that the filter hides; runs that no longer exist are no
    /// longer selected.
    pub(super) fn follow(&mut self, saved: &HashSet<&Path>, listed: &HashSet<&Path>) {
        let mut paths = mem::take(&mut self.paths);
        for (place, path) in self.hidden.drain(..) {
            paths.insert(place.min(paths.len()), path);
        }
        paths.retain(|path| saved.contains(path.as_path()));
        for (place, path) in paths.into_iter().enumerate() {
            if listed.contains(path.as_path()) {
                self.paths.push(path);
            } else {
                self.hidden.push((place, path));
            }
        }
    }

    /// Selects only this run.
    pub(super) fn select(&mut self, path: &Path) {
        self.set(vec![path.to_owned()]);
        self.anchor = Some(path.to_owned());
    }

    /// Adds a run to the selection, or removes it.
    pub(super) fn toggle(&mut self, path: &Path) {
        if self.contains(path) {
            self.paths.retain(|one| one != path);
        } else {
            self.paths.push(path.to_owned());
        }
        self.anchor = Some(path.to_owned());
    }

    /// Selects all listed runs from the anchor to the run at `path`.
    pub(super) fn extend(&mut self, listed: &[&Path], path: &Path) {
        let place = |wanted: &Path| listed.iter().position(|one| *one == wanted);
        let Some(to) = place(path) else { return };
        let from = self.anchor.as_deref().and_then(place).unwrap_or(to);
        let range = listed.get(from.min(to)..=from.max(to)).unwrap_or_default();
        let mut paths: Vec<PathBuf> = range.iter().map(|&one| one.to_owned()).collect();
        if to < from {
            paths.reverse();
        }
        self.set(paths);
    }

    /// Updates the selection for a click on a run.
    pub(super) fn click(&mut self, modifiers: Modifiers, listed: &[&Path], path: &Path) {
        if modifiers.shift {
            self.extend(listed, path);
        } else if modifiers.command {
            self.toggle(path);
        } else {
            self.select(path);
        }
    }

    /// Moves the selection by arrow keys; called while the list, whose widget has the id `list`,
    /// has the focus. Returns the position in `listed` to scroll to; `None` if no key moved the
    /// selection.
    pub(super) fn take_keys(&mut self, ui: &Ui, list: Id, listed: &[&Path]) -> Option<usize> {
        // Keeps the arrow keys from moving the focus to another widget: left and right collapse and
        // expand a quick check.
        let filter = EventFilter {
            vertical_arrows: true,
            horizontal_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(list, filter));
        let last = listed.len().checked_sub(1)?;
        let current = self.paths.last().or(self.anchor.as_ref());
        let current = current.and_then(|path| listed.iter().position(|one| one == path));
        let mut moved = None;
        for (key, to) in [
            (Key::ArrowDown, current.map_or(0, |at| at + 1)),
            (Key::ArrowUp, current.map_or(0, |at| at.saturating_sub(1))),
            (Key::Home, 0),
            (Key::End, last),
        ] {
            for modifiers in [Modifiers::SHIFT, Modifiers::NONE] {
                if ui.input_mut(|input| input.consume_key(modifiers, key)) {
                    moved = Some((to.min(last), modifiers.shift));
                }
            }
        }
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Space))
            && let Some(path) = current.and_then(|at| listed.get(at))
        {
            self.toggle(path);
        }
        let (to, is_range) = moved?;
        let path = listed.get(to)?;
        if is_range {
            self.extend(listed, path);
        } else {
            self.select(path);
        }
        Some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_selects_one_ctrl_one_more_and_shift_a_range() {
        let all: Vec<PathBuf> = ["a", "b", "c", "d"].map(PathBuf::from).to_vec();
        let listed: Vec<&Path> = all.iter().map(PathBuf::as_path).collect();
        let mut selection = Selection::default();
        let mut click = |modifiers, at: usize| {
            selection.click(modifiers, &listed, listed[at]);
            let names = selection.paths.iter().map(|path| path.display().to_string());
            names.collect::<Vec<_>>().concat()
        };
        assert_eq!(click(Modifiers::NONE, 1), "b");
        assert_eq!(click(Modifiers::COMMAND, 3), "bd");
        assert_eq!(click(Modifiers::COMMAND, 1), "d");
        assert_eq!(click(Modifiers::SHIFT, 3), "bcd", "from the one that was clicked last");
        assert_eq!(click(Modifiers::NONE, 2), "c");
        assert_eq!(click(Modifiers::SHIFT, 0), "cba", "the first stays first");
        assert_eq!(click(Modifiers::SHIFT, 3), "cd");
    }

    #[test]
    fn runs_that_the_filter_hides_are_set_apart_until_they_are_listed() {
        let saved: HashSet<&Path> = ["a", "b", "c"].map(Path::new).into();
        let listed = |names: &[&'static str]| names.iter().map(|name| Path::new(*name)).collect();
        let mut selection = Selection::default();
        selection.set(["a", "b", "gone"].map(PathBuf::from).to_vec());
        selection.follow(&saved, &listed(&["b", "c"]));
        assert_eq!((selection.paths.as_slice(), selection.hidden_count()), (&["b".into()][..], 1));
        selection.follow(&saved, &listed(&["a", "b", "c"]));
        assert_eq!(selection.paths, ["a", "b"].map(PathBuf::from), "the first one stays run A");
        assert_eq!(selection.hidden_count(), 0);
        selection.follow(&saved, &listed(&["b"]));
        selection.select(Path::new("b"));
        selection.follow(&saved, &listed(&["a", "b", "c"]));
        assert_eq!(
            selection.paths,
            [PathBuf::from("b")],
            "a click selects one run, also among hidden ones"
        );
    }
}
