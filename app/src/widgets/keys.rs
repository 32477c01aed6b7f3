//! Keyboard shortcuts: a single list that the window, its buttons, and the shortcut sheet (the
//! dialog that lists all shortcuts) share.

use eframe::egui::{Context, Id, Key, KeyboardShortcut, ModifierNames, Modifiers};

/// The action of a shortcut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Starts the test of the page.
    Run,
    /// Stops the running test, after confirmation if it has run for long.
    Stop,
    /// Stops the running test without confirmation.
    StopAtOnce,
    /// Shows the quick check page.
    Quick,
    /// Shows the What helps page.
    WhatHelps,
    /// Shows the page of the test whose shortcut has this digit; `None` for a test without a
    /// shortcut.
    Test(Option<u8>),
    /// Shows the Record page.
    Record,
    /// Shows the Runs page.
    Runs,
    /// Shows the Compare page.
    Compare,
    /// Focuses the search field of the Runs page.
    FindRun,
    /// Compares the selected runs.
    CompareRuns,
    /// Renames the selected run.
    Rename,
    /// Deletes the selected runs.
    Delete,
    /// Restores the last deleted runs.
    Undo,
    /// Shows the Machine page.
    Machine,
    /// Opens the host chooser, in which the user selects the PC that runs tests.
    Hosts,
    /// Shows the Settings page.
    Settings,
    /// Asks for a file and opens it.
    OpenFile,
    /// Exports the result.
    Export,
    /// Copies the result as text for a ticket.
    Ticket,
    /// Shows the list of shortcuts.
    Keys,
    /// Switches between dark and light theme.
    Theme,
    /// Moves the focus to the next region of the window.
    NextRegion,
    /// Moves the focus to the previous region of the window.
    PreviousRegion,
    /// Zooms in on the whole window.
    Larger,
    /// Zooms out of the whole window.
    Smaller,
    /// Resets the zoom of the window to 100%.
    DefaultSize,
    /// Moves to the next late or stuttering frame in a timeline.
    NextLate,
    /// Moves to the previous late or stuttering frame in a timeline.
    PreviousLate,
    /// Clears the selection of a frame in a timeline.
    LetGo,
    /// Resets the zoom of a plot, so that it shows all data.
    ResetZoom,
    /// Zooms in on a plot.
    ZoomIn,
    /// Zooms out of a plot.
    ZoomOut,
    /// Pans a plot to the left.
    PanLeft,
    /// Pans a plot to the right.
    PanRight,
    /// Makes a live plot follow the newest samples.
    FollowLive,
    /// Switches a plot between linear and logarithmic scale.
    Scale,
    /// Selects a range of a timeline or a histogram by dragging with Shift.
    SelectRange,
    /// Marks the frames that a bar of a histogram or a point of a distribution counts, in the
    /// timeline.
    ShowFrames,
    /// Adds a note to the selected time or range of a timeline.
    Annotate,
    /// Marks the current time in the running test.
    Mark,
    /// Maximizes a plot.
    Enlarge,
    /// Opens the menu of a plot.
    PlotMenu,
    /// Shows help for the focused widget.
    Help,
}

/// A shortcut, its action, and its group in the shortcut sheet.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// The action of the shortcut.
    pub command: Command,
    /// The heading under which the shortcut is listed.
    pub group: &'static str,
    /// Name of the action.
    pub words: &'static str,
    /// The key combinations; each of them triggers the action.
    pub shortcuts: &'static [KeyboardShortcut],
}

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::SHIFT, key)
}

const fn command_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

const fn keys(
    command: Command,
    group: &'static str,
    words: &'static str,
    shortcuts: &'static [KeyboardShortcut],
) -> Keys {
    Keys { command, group, words, shortcuts }
}

const TEST: &str = "Test";
const PAGES: &str = "Pages";
const RUNS: &str = "Runs";
const WINDOW: &str = "Window";
const PLOTS: &str = "Late frames and plots";

/// The shortcuts that show the pages of the tests: the command key with the digits 2 to 7.
const TESTS: [KeyboardShortcut; 6] = [
    command(Key::Num2),
    command(Key::Num3),
    command(Key::Num4),
    command(Key::Num5),
    command(Key::Num6),
    command(Key::Num7),
];

/// Every shortcut except those that show the pages of the tests: the engine names the tests.
pub const KEYS: [Keys; 43] = [
    keys(Command::Run, TEST, "Run the test", &[plain(Key::F5), command(Key::R)]),
    keys(Command::Stop, TEST, "Stop the test", &[plain(Key::Escape)]),
    keys(Command::StopAtOnce, TEST, "Stop the test without confirmation", &[shift(Key::F5)]),
    keys(Command::Mark, TEST, "Mark this moment", &[plain(Key::M)]),
    keys(Command::Quick, PAGES, "Quick check", &[command(Key::Num1)]),
    keys(Command::Record, PAGES, "Record", &[command_shift(Key::M)]),
    keys(Command::WhatHelps, PAGES, "What helps", &[command_shift(Key::H)]),
    keys(Command::Export, TEST, "Export the result", &[command(Key::E)]),
    keys(Command::Ticket, TEST, "Copy the report", &[command_shift(Key::C)]),
    keys(Command::Runs, PAGES, "Runs", &[command(Key::Num8)]),
    keys(Command::Compare, PAGES, "Compare", &[command(Key::Num9)]),
    keys(Command::FindRun, RUNS, "Search runs", &[command(Key::F)]),
    keys(Command::CompareRuns, RUNS, "Compare selected runs", &[command(Key::D)]),
    keys(Command::Rename, RUNS, "Rename a run", &[plain(Key::F2)]),
    keys(Command::Delete, RUNS, "Delete selected runs", &[plain(Key::Delete)]),
    keys(Command::Undo, RUNS, "Undo a change or delete", &[command(Key::Z)]),
    keys(Command::Machine, PAGES, "Machine", &[command(Key::I)]),
    keys(Command::Settings, PAGES, "Settings", &[command(Key::Comma)]),
    keys(Command::OpenFile, PAGES, "Open files", &[command(Key::O)]),
    keys(Command::Hosts, PAGES, "Choose the PC for tests", &[command(Key::L)]),
    keys(Command::Keys, WINDOW, "All shortcuts", &[plain(Key::F1)]),
    keys(Command::Help, WINDOW, "Help for the focused item", &[plain(Key::F1)]),
    keys(Command::Theme, WINDOW, "Switch between dark and light", &[command_shift(Key::T)]),
    keys(Command::NextRegion, WINDOW, "Next region", &[plain(Key::F6)]),
    keys(Command::PreviousRegion, WINDOW, "Previous region", &[shift(Key::F6)]),
    keys(Command::Larger, WINDOW, "Zoom in", &[command(Key::Plus)]),
    keys(Command::Smaller, WINDOW, "Zoom out", &[command(Key::Minus)]),
    keys(Command::DefaultSize, WINDOW, "Default size", &[command(Key::Num0)]),
    keys(Command::NextLate, PLOTS, "Next late or stuttering frame", &[plain(Key::N)]),
    keys(Command::PreviousLate, PLOTS, "Previous late or stuttering frame", &[plain(Key::P)]),
    keys(Command::LetGo, PLOTS, "Clear frame selection", &[plain(Key::Escape)]),
    keys(Command::FollowLive, PLOTS, "Follow a live plot", &[plain(Key::Space)]),
    keys(Command::ResetZoom, PLOTS, "Show the whole plot", &[plain(Key::Num0)]),
    keys(Command::ZoomIn, PLOTS, "Zoom in on a plot", &[plain(Key::Plus)]),
    keys(Command::ZoomOut, PLOTS, "Zoom out of a plot", &[plain(Key::Minus)]),
    keys(Command::PanLeft, PLOTS, "Pan a plot left", &[plain(Key::ArrowLeft)]),
    keys(Command::PanRight, PLOTS, "Pan a plot right", &[plain(Key::ArrowRight)]),
    keys(Command::Scale, PLOTS, "Linear or logarithmic scale", &[plain(Key::L)]),
    keys(
        Command::SelectRange,
        PLOTS,
        "Select a range, or read bars and points",
        &[shift(Key::ArrowRight), shift(Key::ArrowLeft)],
    ),
    keys(Command::ShowFrames, PLOTS, "Show the frames of a bar or point", &[plain(Key::Enter)]),
    keys(Command::Annotate, PLOTS, "Annotate the selection", &[plain(Key::A)]),
    keys(Command::Enlarge, PLOTS, "Maximize a plot", &[plain(Key::E)]),
    keys(Command::PlotMenu, PLOTS, "Plot menu: data as a table", &[shift(Key::F10)]),
];

/// Returns the shortcuts of a command; empty if the command has none.
pub fn shortcuts(command: Command) -> &'static [KeyboardShortcut] {
    if let Command::Test(digit) = command {
        let place = digit.and_then(|digit| usize::from(digit).checked_sub(2));
        let key = place.and_then(|place| TESTS.get(place));
        return key.map(std::slice::from_ref).unwrap_or_default();
    }
    KEYS.iter().find(|keys| keys.command == command).map_or(&[], |keys| keys.shortcuts)
}

/// Whether a shortcut of the command was pressed in this frame. Consumes the key press, so that it
/// has no further effect.
pub fn pressed(ctx: &Context, command: Command) -> bool {
    shortcuts(command)
        .iter()
        .any(|shortcut| ctx.input_mut(|input| input.consume_shortcut(shortcut)))
}

/// Whether a text field has the focus or a dialog is open. In both cases, keys without a modifier
/// are not shortcuts.
pub fn is_typing(ctx: &Context) -> bool {
    ctx.text_edit_focused() || ctx.memory(|memory| memory.top_modal_layer().is_some())
}

/// Reserves Esc for closing something in the page, such as a maximized plot or a selected frame:
/// Esc does not stop the test. Call this function in every frame while the plot or frame is open.
pub fn hold_escape(ctx: &Context) {
    let now = ctx.cumulative_pass_nr();
    ctx.data_mut(|data| data.insert_temp(Id::unique("escape-held"), now));
}

/// Returns whether a menu or dialog is open over the page.
pub fn is_covered(ctx: &Context) -> bool {
    ctx.any_popup_open() || ctx.memory(|memory| memory.top_modal_layer().is_some())
}

/// Reserves Esc for closing something in the page, and returns whether Esc was pressed to close it.
/// While a menu or dialog is open, returns `false`: Esc closes the menu or dialog first.
pub fn take_escape(ctx: &Context) -> bool {
    hold_escape(ctx);
    !is_covered(ctx) && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape))
}

/// Whether Esc is reserved for closing something in the page, such as a maximized plot.
pub fn is_escape_held(ctx: &Context) -> bool {
    let held = ctx.data(|data| data.get_temp::<u64>(Id::unique("escape-held")));
    held.is_some_and(|pass| ctx.cumulative_pass_nr() <= pass + 3)
}

/// Returns the first shortcut of a command as text in the notation of this system: `Ctrl+8` or
/// `⌘8`. The text is empty if the command has no shortcut.
pub fn key_text(ctx: &Context, command: Command) -> String {
    shortcuts(command).first().map_or(String::new(), |shortcut| text_of(ctx, shortcut))
}

/// Returns a shortcut as text in the notation of this system: `Ctrl+8` or `⌘8`.
pub fn text_of(ctx: &Context, shortcut: &KeyboardShortcut) -> String {
    let is_mac = ctx.os().is_mac();
    let names = if is_mac { ModifierNames::SYMBOLS } else { ModifierNames::NAMES };
    let key = match shortcut.logical_key {
        Key::Escape => "Esc",
        Key::Comma => ",",
        Key::Delete => "Del",
        Key::Plus => "Plus",
        Key::Minus => "Minus",
        Key::ArrowLeft => "←",
        Key::ArrowRight => "→",
        key => key.name(),
    };
    let modifiers = names.format(&shortcut.modifiers, is_mac);
    match (modifiers.is_empty(), is_mac) {
        (true, _) => key.to_owned(),
        (false, true) => format!("{modifiers}{key}"),
        (false, false) => format!("{modifiers}+{key}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_listed_once_and_no_two_in_a_group_share_a_key() {
        for (at, one) in KEYS.iter().enumerate() {
            assert!(!one.shortcuts.is_empty(), "{}", one.words);
            for other in KEYS.iter().skip(at + 1) {
                assert_ne!(one.command, other.command);
                let shared = one.shortcuts.iter().any(|key| other.shortcuts.contains(key));
                // Two pairs share a key. F1 shows help if a widget has the focus, otherwise the
                // sheet; Esc clears the selected frame if there is one, otherwise stops the test.
                let is_meant = matches!(
                    (one.command, other.command),
                    (Command::Keys, Command::Help) | (Command::Stop, Command::LetGo)
                );
                assert_eq!(shared, is_meant, "{} and {}", one.words, other.words);
            }
            assert!(!one.shortcuts.iter().any(|key| TESTS.contains(key)), "{}", one.words);
        }
    }

    #[test]
    fn keys_are_written_as_people_read_them() {
        let ctx = Context::default();
        ctx.set_os(eframe::egui::os::OperatingSystem::Nix);
        assert_eq!(key_text(&ctx, Command::Runs), "Ctrl+8");
        assert_eq!(key_text(&ctx, Command::Settings), "Ctrl+,");
        assert_eq!(key_text(&ctx, Command::Stop), "Esc");
        assert_eq!(key_text(&ctx, Command::Theme), "Ctrl+Shift+T");
        assert_eq!(key_text(&ctx, Command::Quick), "Ctrl+1");
        assert_eq!(key_text(&ctx, Command::Test(Some(2))), "Ctrl+2");
        assert_eq!(key_text(&ctx, Command::Test(Some(8))), "");
    }
}
