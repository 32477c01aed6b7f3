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
pub(super) struct HeldEvents(Vec<Event>);

impl HeldEvents {
    /// Leaves in `events` what the next pass may read, beginning with what earlier frames held back. Returns whether events
    /// are held back for a further pass.
    pub(super) fn take(&mut self, events: &mut Vec<Event>) -> bool {
        let mut all = std::mem::take(&mut self.0);
        all.append(events);
        let first = all.iter().position(is_typed).unwrap_or(all.len());
        let is_end = |(at, event): (usize, &Event)| {
            first < at && is_typed(event) && (is_tab(event) || all.get(first).is_some_and(is_tab))
        };
        let end = all.iter().enumerate().position(is_end).unwrap_or(all.len());
        self.0 = all.split_off(end);
        *events = all;
        !self.0.is_empty()
    }
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
        loop {
            let is_more = held.take(&mut events);
            let letters = events.iter().filter_map(|event| match event {
                Event::Text(text) => Some(text.as_str()),
                event => is_tab(event).then_some("\t"),
            });
            passes.push(letters.collect());
            read.append(&mut events);
            if !is_more {
                assert_eq!(read, all, "every event is read once, in order");
                return passes;
            }
        }
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
        assert!(held.take(&mut events));
        events = typed("2").collect();
        assert!(held.take(&mut events));
        assert!(events.iter().any(is_tab));
        events = Vec::new();
        assert!(!held.take(&mut events));
        assert!(events.contains(&Event::Text("2".to_owned())));
    }
}
