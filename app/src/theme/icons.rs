//! The icons by name: characters of the font `JitterscopeIcons.ttf`. Written by `assets/fonts/make.py`.

/// The arrow-counter-clockwise icon.
pub const ARROW_COUNTER_CLOCKWISE: &str = "\u{e038}";
/// The arrow-left icon.
pub const ARROW_LEFT: &str = "\u{e058}";
/// The arrow-right icon.
pub const ARROW_RIGHT: &str = "\u{e06c}";
/// The arrow-square-out icon.
pub const ARROW_SQUARE_OUT: &str = "\u{e5de}";
/// The arrows-clockwise icon.
pub const ARROWS_CLOCKWISE: &str = "\u{e094}";
/// The arrows-in-simple icon.
pub const ARROWS_IN_SIMPLE: &str = "\u{e09e}";
/// The arrows-left-right icon.
pub const ARROWS_LEFT_RIGHT: &str = "\u{e0a0}";
/// The arrows-out-simple icon.
pub const ARROWS_OUT_SIMPLE: &str = "\u{e0a6}";
/// The battery-medium icon.
pub const BATTERY_MEDIUM: &str = "\u{e0c6}";
/// The brackets-curly icon.
pub const BRACKETS_CURLY: &str = "\u{e860}";
/// The caret-down icon.
pub const CARET_DOWN: &str = "\u{e136}";
/// The filled caret-down icon.
pub const CARET_DOWN_FILL: &str = "\u{f136}";
/// The caret-left icon.
pub const CARET_LEFT: &str = "\u{e138}";
/// The caret-right icon.
pub const CARET_RIGHT: &str = "\u{e13a}";
/// The caret-up icon.
pub const CARET_UP: &str = "\u{e13c}";
/// The filled caret-up icon.
pub const CARET_UP_FILL: &str = "\u{f13c}";
/// The chart-bar icon.
pub const CHART_BAR: &str = "\u{e150}";
/// The chart-line icon.
pub const CHART_LINE: &str = "\u{e154}";
/// The check icon.
pub const CHECK: &str = "\u{e182}";
/// The check-circle icon.
pub const CHECK_CIRCLE: &str = "\u{e184}";
/// The filled check-circle icon.
pub const CHECK_CIRCLE_FILL: &str = "\u{f184}";
/// The clock icon.
pub const CLOCK: &str = "\u{e19a}";
/// The cloud icon.
pub const CLOUD: &str = "\u{e1aa}";
/// The columns icon.
pub const COLUMNS: &str = "\u{e546}";
/// The copy icon.
pub const COPY: &str = "\u{e1ca}";
/// The cpu icon.
pub const CPU: &str = "\u{e610}";
/// The crosshair icon.
pub const CROSSHAIR: &str = "\u{e1d6}";
/// The desktop icon.
pub const DESKTOP: &str = "\u{e560}";
/// The dots-six-vertical icon.
pub const DOTS_SIX_VERTICAL: &str = "\u{eae2}";
/// The dots-three icon.
pub const DOTS_THREE: &str = "\u{e1fe}";
/// The download-simple icon.
pub const DOWNLOAD_SIMPLE: &str = "\u{e20c}";
/// The drop-half icon.
pub const DROP_HALF: &str = "\u{e566}";
/// The equals icon.
pub const EQUALS: &str = "\u{e21c}";
/// The export icon.
pub const EXPORT: &str = "\u{eaf0}";
/// The eye icon.
pub const EYE: &str = "\u{e220}";
/// The eye-slash icon.
pub const EYE_SLASH: &str = "\u{e224}";
/// The fast-forward icon.
pub const FAST_FORWARD: &str = "\u{e6a6}";
/// The file icon.
pub const FILE: &str = "\u{e230}";
/// The file-csv icon.
pub const FILE_CSV: &str = "\u{eb1c}";
/// The file-html icon.
pub const FILE_HTML: &str = "\u{eb38}";
/// The file-text icon.
pub const FILE_TEXT: &str = "\u{e23a}";
/// The film-strip icon.
pub const FILM_STRIP: &str = "\u{e792}";
/// The flag icon.
pub const FLAG: &str = "\u{e244}";
/// The filled flag icon.
pub const FLAG_FILL: &str = "\u{f244}";
/// The floppy-disk icon.
pub const FLOPPY_DISK: &str = "\u{e248}";
/// The folder icon.
pub const FOLDER: &str = "\u{e24a}";
/// The folder-open icon.
pub const FOLDER_OPEN: &str = "\u{e256}";
/// The funnel icon.
pub const FUNNEL: &str = "\u{e266}";
/// The gauge icon.
pub const GAUGE: &str = "\u{e628}";
/// The gear-six icon.
pub const GEAR_SIX: &str = "\u{e272}";
/// The hourglass-medium icon.
pub const HOURGLASS_MEDIUM: &str = "\u{e2b8}";
/// The image icon.
pub const IMAGE: &str = "\u{e2ca}";
/// The info icon.
pub const INFO: &str = "\u{e2ce}";
/// The filled info icon.
pub const INFO_FILL: &str = "\u{f2ce}";
/// The keyboard icon.
pub const KEYBOARD: &str = "\u{e2d8}";
/// The lightning icon.
pub const LIGHTNING: &str = "\u{e2de}";
/// The list icon.
pub const LIST: &str = "\u{e2f0}";
/// The list-checks icon.
pub const LIST_CHECKS: &str = "\u{eadc}";
/// The lock-simple icon.
pub const LOCK_SIMPLE: &str = "\u{e308}";
/// The magnifying-glass icon.
pub const MAGNIFYING_GLASS: &str = "\u{e30c}";
/// The markdown-logo icon.
pub const MARKDOWN_LOGO: &str = "\u{e508}";
/// The minus icon.
pub const MINUS: &str = "\u{e32a}";
/// The minus-circle icon.
pub const MINUS_CIRCLE: &str = "\u{e32c}";
/// The filled minus-circle icon.
pub const MINUS_CIRCLE_FILL: &str = "\u{f32c}";
/// The moon icon.
pub const MOON: &str = "\u{e330}";
/// The note-pencil icon.
pub const NOTE_PENCIL: &str = "\u{e34c}";
/// The pause icon.
pub const PAUSE: &str = "\u{e39e}";
/// The filled pause icon.
pub const PAUSE_FILL: &str = "\u{f39e}";
/// The filled play icon.
pub const PLAY_FILL: &str = "\u{f3d0}";
/// The plug icon.
pub const PLUG: &str = "\u{e946}";
/// The plus icon.
pub const PLUS: &str = "\u{e3d4}";
/// The prohibit icon.
pub const PROHIBIT: &str = "\u{e3de}";
/// The pulse icon.
pub const PULSE: &str = "\u{e000}";
/// The push-pin icon.
pub const PUSH_PIN: &str = "\u{e3e2}";
/// The question icon.
pub const QUESTION: &str = "\u{e3e8}";
/// The filled question icon.
pub const QUESTION_FILL: &str = "\u{f3e8}";
/// The rows icon.
pub const ROWS: &str = "\u{e5a2}";
/// The shield-check icon.
pub const SHIELD_CHECK: &str = "\u{e40c}";
/// The filled shield-check icon.
pub const SHIELD_CHECK_FILL: &str = "\u{f40c}";
/// The shield-warning icon.
pub const SHIELD_WARNING: &str = "\u{e412}";
/// The filled shield-warning icon.
pub const SHIELD_WARNING_FILL: &str = "\u{f412}";
/// The sidebar-simple icon.
pub const SIDEBAR_SIMPLE: &str = "\u{ec24}";
/// The sliders-horizontal icon.
pub const SLIDERS_HORIZONTAL: &str = "\u{e434}";
/// The stack icon.
pub const STACK: &str = "\u{e466}";
/// The star icon.
pub const STAR: &str = "\u{e46a}";
/// The filled star icon.
pub const STAR_FILL: &str = "\u{f46a}";
/// The steps icon.
pub const STEPS: &str = "\u{ecbe}";
/// The filled stop icon.
pub const STOP_FILL: &str = "\u{f46c}";
/// The sun icon.
pub const SUN: &str = "\u{e472}";
/// The table icon.
pub const TABLE: &str = "\u{e476}";
/// The tag icon.
pub const TAG: &str = "\u{e478}";
/// The target icon.
pub const TARGET: &str = "\u{e47c}";
/// The terminal-window icon.
pub const TERMINAL_WINDOW: &str = "\u{eae8}";
/// The thermometer icon.
pub const THERMOMETER: &str = "\u{e5c6}";
/// The trash icon.
pub const TRASH: &str = "\u{e4a6}";
/// The upload-simple icon.
pub const UPLOAD_SIMPLE: &str = "\u{e4c0}";
/// The users-three icon.
pub const USERS_THREE: &str = "\u{e68e}";
/// The warning icon.
pub const WARNING: &str = "\u{e4e0}";
/// The filled warning icon.
pub const WARNING_FILL: &str = "\u{f4e0}";
/// The warning-octagon icon.
pub const WARNING_OCTAGON: &str = "\u{e4e4}";
/// The filled warning-octagon icon.
pub const WARNING_OCTAGON_FILL: &str = "\u{f4e4}";
/// The wrench icon.
pub const WRENCH: &str = "\u{e5d4}";
/// The x icon.
pub const X: &str = "\u{e4f6}";
/// The filled x-circle icon.
pub const X_CIRCLE_FILL: &str = "\u{f4f8}";

/// The icon that a test names by its key; a gauge for a key without one.
pub fn of_key(key: &str) -> &'static str {
    let known = [
        ("film-strip", FILM_STRIP),
        ("moon", MOON),
        ("arrows-clockwise", ARROWS_CLOCKWISE),
        ("rows", ROWS),
        ("lightning", LIGHTNING),
        ("users-three", USERS_THREE),
        ("list-checks", LIST_CHECKS),
    ];
    known.into_iter().find(|(name, _)| *name == key).map_or(GAUGE, |(_, icon)| icon)
}
