//! Jitterscope: the window and the command line, based on the engine.
//!
//! Without the feature `window`, there is only the command line.
//!
//! Items that are not exported here are private to this crate, so that the compiler reports unused
//! ones.
#![allow(unreachable_pub, reason = "modules are private, and this list is all that is public")]
#![cfg_attr(
    not(feature = "window"),
    allow(
        dead_code,
        unused_imports,
        reason = "the window uses it; the build with it finds the rest"
    )
)]

#[cfg(feature = "window")]
mod app;
mod cli;
mod facts;
#[cfg(feature = "window")]
mod instance;
mod joined_log;
mod log_file;
#[cfg(feature = "window")]
mod pages;
#[cfg(feature = "window")]
mod plots;
mod run_list;
#[cfg(feature = "window")]
mod session;
mod text;
#[cfg(feature = "window")]
mod theme;
#[cfg(feature = "window")]
mod widgets;
#[cfg(feature = "window")]
mod window_state;

pub use cli::{
    Status, commands, print_message, quick_check, run as run_command_line, window_files,
};
pub use text::{date::day, format_bytes, local, now};

#[cfg(feature = "window")]
pub use app::{App, note_start};
#[cfg(feature = "window")]
pub use instance::{Instance, Start, handed_over, reason_of};
#[cfg(feature = "window")]
pub use log_file::start as start_log;
#[cfg(feature = "window")]
pub use pages::frame_png;
#[cfg(feature = "window")]
pub use plots::{LiveWindow, Scale, Timeline, TimelineData};
#[cfg(feature = "window")]
pub use session::{
    CheckedHost, ExportKind, ExportRequest, HostState, LibraryItem, PageId, Place, PlotRate,
    Progress, SavedHost, SeriesColors, Settings, SettingsFile, ThemeChoice, show_fatal_error,
};
#[cfg(feature = "window")]
pub use theme::tokens::{Dash, Mark};
#[cfg(feature = "window")]
pub use theme::{Contrast, Tokens, Type, icons, install as install_theme, size};
#[cfg(feature = "window")]
pub use widgets::card::plain_card;
#[cfg(feature = "window")]
pub use widgets::{
    Answer, Button, Card, Dialog, EmptyState, Help, Hidden, LegendEntry, LegendSwatch, NavEnd,
    NavItem, Severity, Spans, Tile, Toast, Toasts, VerdictStrip, badge, brand, checkbox, combo,
    field_block, icon_button, legend_row, line_sample, nav_caption, progress, radio,
    requested_and_applied, right_aligned, segmented, series_mark, tile_row, toggle, value_field,
};
#[cfg(feature = "window")]
pub use window_state::check_window_state;
