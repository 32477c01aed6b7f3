//! The global shortcut that marks a moment while another program, such as a game, has the keyboard
//! focus. It is registered only while a test runs.

use std::time::Instant;

use jitterscope_engine::platform::{
    Shortcut, ShortcutEvent, ShortcutRefusal, ShortcutStop, wait_for_shortcut,
};

use super::part::{Context, Part, Request};
use super::task::{TaskHost, Tasks};

/// The registration state of the shortcut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShortcutState {
    /// The system was asked to register the shortcut, and has not answered yet.
    Requested,
    /// The shortcut is registered with these keys.
    Registered(String),
    /// The shortcut could not be registered.
    Refused(ShortcutRefusal),
}

/// Messages of the thread that waits for the shortcut.
enum ShortcutNews {
    /// An event of the system, with its time.
    Event(ShortcutEvent, Instant),
    Refused(ShortcutRefusal),
}

/// A registration of the shortcut; dropping it unregisters the shortcut.
#[derive(Debug)]
struct ShortcutRegistration {
    shortcut: Shortcut,
    number: u32,
    stop: ShortcutStop,
}

impl Drop for ShortcutRegistration {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// The shortcut and its registration state.
#[derive(Debug)]
pub struct MarkShortcut {
    tasks: Tasks<(u32, ShortcutNews)>,
    active: Option<ShortcutRegistration>,
    count: u32,
    /// The state of the current registration, or of the last one if it was refused.
    pub state: Option<ShortcutState>,
}

impl Part for MarkShortcut {
    const NAME: &'static str = "the shortcut for marks";

    fn restart(&mut self, _: &Context) {
        *self = Self::new(&self.tasks.host);
    }
}

impl MarkShortcut {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self { tasks: Tasks::new(host), active: None, count: 0, state: None }
    }

    /// Registers the wanted shortcut, and unregisters the previous one.
    pub(super) fn follow(&mut self, wanted: Option<Shortcut>) {
        if self.active.as_ref().map(|active| active.shortcut) == wanted {
            return;
        }
        self.active = None;
        let is_refused = matches!(self.state, Some(ShortcutState::Refused(_)));
        if let Some(shortcut) = wanted {
            self.register(shortcut);
        } else if !is_refused {
            self.state = None;
        }
    }

    fn register(&mut self, shortcut: Shortcut) {
        self.count += 1;
        let (number, stop) = (self.count, ShortcutStop::default());
        let ends = stop.clone();
        self.tasks.send_from("mark-shortcut", move |send| {
            let report = |event| send((number, ShortcutNews::Event(event, Instant::now())));
            if let Err(refusal) = wait_for_shortcut(shortcut, &ends, &report) {
                send((number, ShortcutNews::Refused(refusal)));
            }
        });
        self.active = Some(ShortcutRegistration { shortcut, number, stop });
        self.state = Some(ShortcutState::Requested);
    }

    /// Handles the events since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for (number, news) in self.tasks.messages() {
            if self.active.as_ref().is_none_or(|active| active.number != number) {
                continue;
            }
            match news {
                ShortcutNews::Event(ShortcutEvent::Pressed, at) => context.push(Request::Mark(at)),
                ShortcutNews::Event(ShortcutEvent::Registered(keys), _) => {
                    self.state = Some(ShortcutState::Registered(keys));
                }
                ShortcutNews::Refused(refusal) => {
                    log::info!("the shortcut for marks is not registered: {refusal:?}");
                    self.state = Some(ShortcutState::Refused(refusal));
                }
            }
        }
    }
}
