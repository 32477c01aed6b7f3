//! Sizes in egui points at 100% zoom: heights, widths, gaps, and radii of the design.

/// Height of a button, a badge, an icon button.
pub const BUTTON: f32 = 28.0;
/// Height of the primary button in the top bar.
pub const PRIMARY: f32 = 32.0;
/// Width of the primary button in the top bar.
pub const PRIMARY_WIDTH: f32 = 124.0;
/// Height of the main button of an empty page.
pub const HERO: f32 = 36.0;
/// Height of fields, combos and segmented controls.
pub const FIELD: f32 = 26.0;
/// Minimum side length of a clickable widget.
pub const TARGET: f32 = 24.0;
/// Side of a check box or a radio button.
pub const CHECK_BOX: f32 = 15.0;
/// Size of a switch.
pub const SWITCH: [f32; 2] = [28.0, 16.0];

/// Size of an icon within running text, on buttons, after labels.
pub const ICON_SMALL: f32 = 13.0;
/// Size of an icon next to text.
pub const ICON: f32 = 16.0;
/// Size of the icon of a verdict strip.
pub const ICON_STRIP: f32 = 28.0;
/// Size of the icon of an empty page.
pub const ICON_EMPTY: f32 = 32.0;

/// Maximum width of a sentence on an empty page.
pub const EMPTY_TEXT: f32 = 520.0;
/// Width and height of the sketch that an empty page shows instead of a result.
pub const SKETCH: [f32; 2] = [520.0, 168.0];

/// Padding of a button, left and right.
pub const BUTTON_PADDING: f32 = 12.0;
/// Padding of a segment, left and right.
pub const SEGMENT_PADDING: f32 = 9.0;
/// Width of the bar at the left edge of a verdict strip.
pub const STRIP_BAR: f32 = 4.0;
/// Gap between an icon and its text.
pub const GAP_ICON: f32 = 6.0;
/// Gap between a label and its field.
pub const GAP_LABEL: f32 = 4.0;
/// Gap between related items.
pub const GAP_SMALL: f32 = 8.0;
/// Gap between cards.
pub const GAP_CARD: f32 = 10.0;
/// Gap between fields, and between the parts of the top bar.
pub const GAP_FIELD: f32 = 12.0;
/// Gap between groups.
pub const GAP_GROUP: f32 = 16.0;
/// Gap between sections.
pub const GAP_SECTION: f32 = 24.0;
/// Gap between the columns of the shortcut sheet, and between a sheet and the window's edges.
pub const GAP_WIDE: f32 = 32.0;

/// Padding of a page, left and right.
pub const PAGE_PADDING_X: i8 = 16;
/// Padding of a page, above and below.
pub const PAGE_PADDING_Y: i8 = 12;
/// Padding of a card.
pub const CARD_PADDING: i8 = 12;
/// Height of a plot card's header.
pub const CARD_HEADER: f32 = 36.0;
/// Corner radius of widgets.
pub const RADIUS: u8 = 4;
/// Corner radius of cards, dialogs and toasts.
pub const CARD_RADIUS: u8 = 6;
/// Width of the focus ring.
pub const FOCUS_STROKE: f32 = 2.0;
/// Distance of a focus ring from its widget.
pub const FOCUS_GAP: f32 = 1.0;
/// Opacity of disabled widgets.
pub const DISABLED_OPACITY: f32 = 0.62;
/// Duration of an animation in seconds, while no test runs.
pub const ANIMATION_SECS: f32 = 0.083;

/// Width of the navigation rail at the left edge of the window.
pub const RAIL: f32 = 200.0;
/// Width of the navigation rail in a narrow window.
pub const RAIL_NARROW: f32 = 48.0;
/// Height of an item of the rail.
pub const NAV_ITEM: f32 = 32.0;
/// Size of an icon in the rail.
pub const NAV_ICON: f32 = 18.0;
/// Height of the top bar, and of the row with the brand mark above the navigation rail's items.
pub const TOP_BAR: f32 = 56.0;
/// Height of the top bar in a narrow window.
pub const TOP_BAR_NARROW: f32 = 48.0;
/// Height of the status bar.
pub const STATUS_BAR: f32 = 26.0;
/// Width of the setup column, which has the settings of a test.
pub const SETUP: f32 = 280.0;
/// Width of the setup column in a medium window.
pub const SETUP_MEDIUM: f32 = 252.0;
/// Default width of the details column of the Runs page in a wide window.
pub const DETAILS: f32 = 336.0;
/// Minimum width of the details column of the Runs page.
pub const MIN_DETAILS: f32 = 272.0;
/// Maximum width of the details column of the Runs page.
pub const MAX_DETAILS: f32 = 420.0;
/// Minimum width of a wide window.
pub const WIDE_FROM: f32 = 1280.0;
/// Minimum width of a medium window; a window below it is narrow.
pub const MEDIUM_FROM: f32 = 960.0;

/// Height of a table row.
pub const TABLE_ROW: f32 = 26.0;
/// Height of a table's header.
pub const TABLE_HEADER: f32 = 28.0;
/// Height of a row in the list of saved runs.
pub const RUNS_ROW: f32 = 31.0;
/// Height of a row in a compact table.
pub const COMPACT_ROW: f32 = 24.0;

/// Width of the progress bar in the top bar.
pub const PROGRESS_WIDTH: f32 = 230.0;
/// Height of a progress bar.
pub const PROGRESS_BAR: f32 = 6.0;
/// Width of a toast.
pub const TOAST_WIDTH: f32 = 380.0;
/// Width of a help popover.
pub const HELP_WIDTH: f32 = 300.0;
/// Width of a confirmation dialog.
pub const DIALOG_WIDTH: f32 = 400.0;

/// Width of a line in a live plot.
pub const LINE_LIVE: f32 = 1.1;
/// Width of a line in a comparison.
pub const LINE_COMPARE: f32 = 1.8;
/// Radius of a marker whose shape has a meaning, such as the cause of a late frame.
pub const MARK: f32 = 4.2;
/// Radius of a point in a plot of many points.
pub const POINT: f32 = 1.5;
