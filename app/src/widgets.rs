//! The widgets that pages are built of: one file each, following the design, each with a name for
//! screen readers.

pub mod badge;
pub mod button;
pub mod card;
pub mod check;
pub mod chip;
pub mod choice_row;
pub mod dialog;
pub mod empty;
pub mod field;
pub mod help;
pub mod key_cap;
pub mod keys;
pub mod legend;
pub mod mark;
pub mod nav;
pub(crate) mod paint;
pub mod progress;
pub mod region;
pub mod result_table;
pub mod right;
pub mod segmented;
pub mod setting_form;
pub mod severity;
pub mod sketch;
pub mod spans;
pub mod table_parts;
#[cfg(test)]
mod tests;
pub mod tile;
pub mod toast;
pub mod toggle;
pub mod verdict_strip;

pub use self::badge::badge;
pub use self::button::{Button, icon_button, link, quiet_icon_button, word_button};
pub use self::card::Card;
pub use self::check::{checkbox, radio, series_checkbox};
pub use self::chip::{removable_chip, series_chip, tag_chip};
pub use self::choice_row::choice_row;
pub use self::dialog::{Answer, Dialog};
pub use self::empty::EmptyState;
pub use self::field::{
    FieldUnit, combo, count_field, duration_field, field_block, group_caption, text_field,
};
pub use self::help::Help;
pub use self::key_cap::key_cap;
pub use self::keys::{Command, key_text};
pub use self::legend::{Hidden, LegendEntry, LegendSwatch, legend_row};
pub use self::mark::{line_sample, series_mark};
pub use self::nav::{NavEnd, NavItem, brand, nav_caption};
pub use self::progress::progress;
pub use self::region::{Region, region};
pub use self::result_table::{ResultTable, TableLayout};
pub use self::right::{right_aligned, right_width};
pub use self::segmented::{segmented, segmented_wide};
pub use self::setting_form::{FormContext, SettingForm};
pub use self::severity::Severity;
pub use self::sketch::Sketch;
pub use self::spans::Spans;
pub use self::table_parts::{header_button, link_in_table, row_line};
pub use self::tile::{Tile, tile_row};
pub use self::toast::{Toast, Toasts};
pub use self::toggle::toggle;
pub use self::verdict_strip::{VerdictStrip, requested_and_applied};
