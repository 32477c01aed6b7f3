//! Holds back what follows a Tab that was pressed in the same frame as text.
//!
//! egui moves the focus at the beginning of a pass, before any field reads its text. A frame of a PC that stutters takes a
//! tenth of a second, in which people type a number, Tab, and the next number: without this, the first number is lost, and
//! the second one lands wherever the focus is by then. So a pass ends before such a Tab, and the one with the Tab ends
//! before the next key.
//!
//! ```text
//! events of a frame   1 4 4 Tab 6 0 Return
//! pass                1 4 4 | Tab | 6 0 Return
//! ```

use eframe::egui::{Event, Key};

/// The events of later passes.
#[derive(Debug, Default)]
pub(super) struct HeldEvents {
    held: Vec<Event>,
    /// How many passes were complete when events were last given, and how many were given.
    given: (u64, usize),
}

impl HeldEvents {
    /// Leaves in `events` what the next pass may read, beginning with what earlier frames held back; `pass_count` is the number
    /// of complete passes. Returns whether a further pass is to be requested for events that are held back.
    pub(super) fn take(&mut self, pass_count: u64, events: &mut Vec<Event>) -> bool {
        // A hidden window runs no pass, and events that were given come again, before new ones.
        let again = if self.given.0 == pass_count { self.given.1.min(events.len()) } else { 0 };
        let new = events.split_off(again);
        let mut all = std::mem::take(events);
        all.append(&mut self.held);
        all.extend(new);
        drop_repeated(&mut all);
        let first = all.iter().position(is_typed).unwrap_or(all.len());
        let is_end = |(at, event): (usize, &Event)| {
            first < at && is_typed(event) && (is_tab(event) || all.get(first).is_some_and(is_tab))
        };
        let end = all.iter().enumerate().position(is_end).unwrap_or(all.len());
        self.held = all.split_off(end);
        self.given = (pass_count, all.len());
        *events = all;
        again == 0 && !self.held.is_empty()
    }
}

/// Drops each Tab that is pressed while it is down: a Tab that is held down moves the focus once per frame, and no further
/// once it is released.
fn drop_repeated(events: &mut Vec<Event>) {
    let mut is_down = false;
    events.retain(|event| {
        let Event::Key { key: Key::Tab, pressed, .. } = event else { return true };
        !(std::mem::replace(&mut is_down, *pressed) && *pressed)
    });
}

fn is_tab(event: &Event) -> bool {
    matches!(event, Event::Key { key: Key::Tab, pressed: true, .. })
}

fn is_typed(event: &Event) -> bool {
    matches!(
        event,
        Event::Text(_) | Event::Paste(_) | Event::Ime(_) | Event::Key { pressed: true, .. }
    )
}

#[cfg(test)]
mod tests {
    use eframe::egui::Modifiers;

    use super::*;

    fn key(key: Key, pressed: bool) -> Event {
        let modifiers = Modifiers::NONE;
        Event::Key { key, physical_key: None, pressed, repeat: false, modifiers }
    }

    fn typed(text: &str) -> impl Iterator<Item = Event> {
        text.chars().flat_map(|letter| match letter {
            '\t' => vec![key(Key::Tab, true), key(Key::Tab, false)],
            letter => {
                vec![key(Key::A, true), Event::Text(letter.to_string()), key(Key::A, false)]
            }
        })
    }

    /// Returns the typed letters of each pass.
    fn passes(text: &str) -> Vec<String> {
        let (mut held, mut events) = (HeldEvents::default(), typed(text).collect::<Vec<_>>());
        let all = events.clone();
        let (mut passes, mut read) = (Vec::new(), Vec::new());
        for pass in 1.. {
            let is_more = held.take(pass, &mut events);
            let letters = events.iter().filter_map(|event| match event {
                Event::Text(text) => Some(text.as_str()),
                event => is_tab(event).then_some("\t"),
            });
            passes.push(letters.collect());
            read.append(&mut events);
            if !is_more {
                assert_eq!(read, all, "every event is read once, in order");
                break;
            }
        }
        passes
    }

    #[test]
    fn a_pass_has_letters_or_one_tab() {
        assert_eq!(passes("144\t60\t\tx"), ["144", "\t", "60", "\t", "\t", "x"]);
        assert_eq!(passes("\t"), ["\t"]);
        assert_eq!(passes("144"), ["144"]);
        assert_eq!(passes(""), [""]);
    }

    #[test]
    fn later_events_follow_those_that_are_held_back() {
        let mut held = HeldEvents::default();
        let mut events: Vec<Event> = typed("1\t").collect();
        assert!(held.take(1, &mut events));
        events = typed("2").collect();
        assert!(held.take(2, &mut events));
        assert!(events.iter().any(is_tab));
        events = Vec::new();
        assert!(!held.take(3, &mut events));
        assert!(events.contains(&Event::Text("2".to_owned())));
    }

    #[test]
    fn events_of_a_frame_that_was_not_drawn_stay_in_order() {
        let mut held = HeldEvents::default();
        let mut events: Vec<Event> = typed("1\t2").collect();
        assert!(held.take(1, &mut events));
        // No pass read them: they come again, with newer ones.
        for letter in ["3", "4"] {
            events.extend(typed(letter));
            assert!(!held.take(1, &mut events), "a hidden window is not drawn again and again");
        }
        let mut read = events;
        for pass in 2..4 {
            let mut events = Vec::new();
            held.take(pass, &mut events);
            read.append(&mut events);
        }
        assert_eq!(read, typed("1\t234").collect::<Vec<_>>());
    }

    #[test]
    fn a_tab_that_is_held_down_moves_the_focus_once_per_frame() {
        let tabs = |count| vec![key(Key::Tab, true); count];
        let mut held = HeldEvents::default();
        let mut events = tabs(3);
        assert!(!held.take(1, &mut events));
        assert_eq!(events, tabs(1));
        events = tabs(1);
        assert!(!held.take(2, &mut events));
        assert_eq!(events, tabs(1), "the next frame moves it again");
    }
}
