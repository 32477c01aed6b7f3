//! The threads, interrupts, and other causes that delayed frames, ranked. A click on one of them
//! filters the list of late frames; a click on a title ranks by that column.

use eframe::egui::{
    Align2, Key, Rect, Response, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Delay, Delays};

use super::super::late_frames::{DelayKey, LateFrames};
use super::mark_ui;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;

/// Minimum and maximum number of listed rows.
const ROWS: (usize, usize) = (3, 8);
/// Width of the marker and the gap before a name.
const MARK_ROOM: f32 = 18.0;
/// The available sets of columns, from the largest to the smallest.
const COLUMNS: [&[Column]; 3] = [&[FRAMES, TOTAL, WORST, SHARE], &[FRAMES, SHARE], &[FRAMES]];

/// A column of numbers.
#[derive(Debug)]
struct Column {
    title: &'static str,
    /// In points.
    width: f32,
    text: fn(&Delay) -> String,
    /// The value by which a click on the title ranks rows, the largest first; `None` for time lost, by
    /// which they are ranked already.
    rank: Option<fn(&Delay) -> i64>,
}

const FRAMES: Column = Column {
    title: "Frames",
    width: 48.0,
    text: |delay| text::format_count(delay.sample_count),
    rank: Some(|delay| i64::try_from(delay.sample_count).unwrap_or(i64::MAX)),
};
const TOTAL: Column =
    Column { title: "Total ms", width: 56.0, text: |delay| millis(delay.total), rank: None };
const WORST: Column = Column {
    title: "Max ms",
    width: 58.0,
    text: |delay| millis(delay.worst),
    rank: Some(|delay| delay.worst.get()),
};
const SHARE: Column = Column {
    title: "Share",
    width: 48.0,
    text: |delay| text::format_share(delay.share),
    rank: None,
};

fn millis(time: Nanos) -> String {
    format!("{:.1}", time.as_millis())
}

/// Draws the ranked list, and leaves the height `below` free. A click on a row shows only the late
/// frames that this thread or cause delayed most; a second click shows all late frames. While a
/// filter is set, the arrow keys select another row.
pub(super) fn ui(ui: &mut Ui, late: &LateFrames, culprit: &mut Option<DelayKey>, below: f32) {
    ui.spacing_mut().item_spacing.y = 1.0;
    let tokens = Tokens::of(ui);
    let listed = listed(late.delays().len(), ui.available_height() - below);
    let ranked_by = ui.scope_id().with("ranked-by");
    let by: &str = ui.data(|data| data.get_temp(ranked_by)).unwrap_or(TOTAL.title);
    let delays = ranked(late.delays(), by);
    let (rows, hidden) = delays.split_at(listed.min(delays.len()));
    let columns = columns(ui, rows);
    let (head, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), size::COMPACT_ROW), Sense::hover());
    for (place, column) in places(head, columns).zip(columns) {
        // Total and share are the same rank.
        let is_total = [TOTAL.title, SHARE.title].contains(&by);
        let is_by = if is_total { column.rank.is_none() } else { column.title == by };
        if title_ui(
            ui,
            Rect::from_x_y_ranges(place.x - column.width..=place.x, head.y_range()),
            column,
            is_by,
        ) {
            ui.data_mut(|data| data.insert_temp(ranked_by, column.title));
        }
    }
    let mut selected = culprit.clone();
    for (at, &delay) in rows.iter().enumerate() {
        let key = key_of(delay);
        let is_selected = culprit.as_ref() == Some(&key);
        let response = row_ui(ui, delay, is_selected, columns);
        if response.clicked() {
            selected = (!is_selected).then_some(key);
        } else if culprit.is_some()
            && let Some(next) = next_row(&response, at).and_then(|next| rows.get(next))
        {
            selected = Some(key_of(next));
        }
    }
    *culprit = selected;
    if !hidden.is_empty() {
        let others = Delays::describe_others(hidden.iter().copied());
        Spans::plain(Type::Small, &others, tokens.t2).label(ui);
    }
}

/// Returns the rows in descending order of the column with this title.
fn ranked<'a>(delays: &'a [Delay], by: &str) -> Vec<&'a Delay> {
    let mut ranked: Vec<&Delay> = delays.iter().collect();
    let column = [FRAMES, WORST].into_iter().find(|column| column.title == by);
    if let Some(rank) = column.and_then(|column| column.rank) {
        ranked.sort_by_key(|delay| std::cmp::Reverse(rank(delay)));
    }
    ranked
}

/// Draws the title of a column, underlined if the rows are ranked by it. Returns whether the user clicked it to rank by this
/// column.
fn title_ui(ui: &mut Ui, rect: Rect, column: &Column, is_by: bool) -> bool {
    let tokens = Tokens::of(ui);
    let title = ui.interact(rect, ui.scope_id().with(("title", column.title)), Sense::click());
    let name = format!("Rank by {}", column.title);
    title.widget_info(|| WidgetInfo::selected(Role::Button, true, is_by, &name));
    let is_bright = is_by || title.hovered() || title.has_focus();
    let color = if is_bright { tokens.t1 } else { tokens.t2 };
    let font = Type::TableHeader.font();
    let words =
        ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, column.title, font, color);
    if is_by {
        // An arrow has no room in a narrow column.
        ui.painter().hline(words.x_range(), words.bottom(), (1.0, color));
    }
    title.clicked()
}

/// Returns how many of `count` rows fit into a height, including the header and the line that
/// counts the other rows.
fn listed(count: usize, height: f32) -> usize {
    let pitch = size::COMPACT_ROW + 1.0;
    let (min, max) = ROWS;
    let fits = |lines: usize| {
        // In addition to the rows: a header, and a line with the number of rows that are not
        // listed.
        let others = usize::from(lines < count);
        f32::from(u16::try_from(lines + 1 + others).unwrap_or(u16::MAX)) * pitch <= height
    };
    (min..=max).rev().find(|lines| fits(*lines)).unwrap_or(min).min(count)
}

/// Returns the largest set of columns that leaves enough width for all names, or the smallest set
/// if none does.
fn columns(ui: &Ui, rows: &[&Delay]) -> &'static [Column] {
    let width = |row: &&Delay| {
        let name = Spans::plain(Type::Body, &row.title(), Tokens::of(ui).t1);
        name.galley(ui).size().x
    };
    let longest = rows.iter().map(width).fold(0.0, f32::max) + MARK_ROOM;
    let taken = |columns: &[Column]| columns.iter().map(|column| column.width).sum::<f32>();
    let fits = |columns: &&&[Column]| longest + taken(columns) <= ui.available_width();
    let last: &[Column] = COLUMNS.last().copied().unwrap_or_default();
    COLUMNS.iter().find(fits).copied().unwrap_or(last)
}

/// Returns the right end of each column in a row, at half the height of the row.
fn places(row: Rect, columns: &[Column]) -> impl Iterator<Item = eframe::egui::Pos2> {
    let widths = columns.iter().map(|column| column.width);
    let mut right = row.right() - widths.sum::<f32>();
    columns.iter().map(move |column| {
        right += column.width;
        pos2(right, row.center().y)
    })
}

fn key_of(delay: &Delay) -> DelayKey {
    (delay.cause, delay.name.clone())
}

/// Returns the row to which an arrow key moves the focus from row `at`. `None` if no arrow key was
/// pressed in this row: Tab moves the focus without selecting a row.
fn next_row(response: &Response, at: usize) -> Option<usize> {
    let pressed =
        |key| response.ctx.input(|input| input.modifiers.is_none() && input.key_pressed(key));
    match response.has_focus() {
        true if pressed(Key::ArrowDown) => Some(at + 1),
        true if pressed(Key::ArrowUp) => at.checked_sub(1),
        _ => None,
    }
}

/// Draws the row of one cause of delay: marker, name, and numbers.
fn row_ui(ui: &mut Ui, delay: &Delay, is_selected: bool, columns: &[Column]) -> Response {
    let tokens = Tokens::of(ui);
    let room = vec2(ui.available_width(), size::COMPACT_ROW);
    let (rect, response) = ui.allocate_exact_size(room, Sense::click());
    if is_selected || response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, 2, tokens.wid);
    }
    let times = format!(
        "{} in total, {} at worst, {} of all lateness",
        text::format_time(delay.total),
        text::format_time(delay.worst),
        text::format_share(delay.share),
    );
    let title = delay.title();
    let label = format!("{title}, {}: {} frames, {times}", delay.kind, delay.sample_count);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_selected, &label));
    let taken: f32 = columns.iter().map(|column| column.width).sum();
    let named = rect.with_max_x(rect.right() - taken);
    let mut within = ui.new_child(UiBuilder::new().max_rect(named));
    within.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        mark_ui(ui, delay.cause);
        let width = ui.available_width();
        Spans::plain(Type::Body, &title, tokens.t1).label_within(ui, width);
    });
    for (place, column) in places(rect, columns).zip(columns) {
        let font = Type::Table.font();
        ui.painter().text(place, Align2::RIGHT_CENTER, (column.text)(delay), font, tokens.t1);
    }
    response.on_hover_text(format!("{title} ({}): {times}", delay.kind))
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Context, Event, Modifiers, PointerButton, Pos2, RawInput};
    use jitterscope_engine::report::Cause;

    use super::super::super::late_frames::tests::late;
    use super::*;
    use crate::theme;

    /// A list of three rows, and which of them is selected.
    struct List {
        ctx: Context,
        late: LateFrames,
        culprit: Option<DelayKey>,
    }

    impl List {
        fn new() -> Self {
            let ctx = Context::default();
            theme::install(&ctx);
            let causes = [Cause::TimerLate, Cause::WaitedForCpu, Cause::Blocked];
            let frames: Vec<(usize, Cause)> = (0..6).zip(causes.into_iter().cycle()).collect();
            let mut list = Self { ctx, late: late(&frames), culprit: None };
            assert_eq!(list.late.delays().len(), 3);
            list.frame(&[]);
            list
        }

        fn frame(&mut self, events: &[Event]) {
            let size = vec2(400.0, 300.0);
            let input = RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
                events: events.to_vec(),
                ..RawInput::default()
            };
            let mut output =
                self.ctx.run_ui(input, |ui| super::ui(ui, &self.late, &mut self.culprit, 0.0));
            output.textures_delta.clear();
        }

        /// Presses a key; returns the row that is selected afterward.
        fn press(&mut self, key: Key) -> Option<usize> {
            let event = |pressed| Event::Key {
                key,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers: Modifiers::NONE,
            };
            self.frame(&[event(true)]);
            self.frame(&[event(false)]);
            self.frame(&[]);
            self.selected()
        }

        /// Clicks a row; returns the row that is selected afterward.
        fn click(&mut self, row: u8) -> Option<usize> {
            let pitch = size::COMPACT_ROW + 1.0;
            let pos = pos2(100.0, pitch * (f32::from(row) + 1.5));
            let button = |pressed| Event::PointerButton {
                pos,
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            };
            self.frame(&[Event::PointerMoved(pos)]);
            self.frame(&[button(true)]);
            self.frame(&[button(false)]);
            self.frame(&[]);
            self.selected()
        }

        fn selected(&self) -> Option<usize> {
            let delays = self.late.delays();
            delays.iter().position(|delay| self.culprit == Some(key_of(delay)))
        }
    }

    #[test]
    fn rows_leave_room_for_what_is_below_them() {
        let pitch = size::COMPACT_ROW + 1.0;
        assert_eq!(listed(8, 9.0 * pitch), 8, "with the header");
        assert_eq!(listed(24, 9.0 * pitch), 7, "a line counts the others");
        assert_eq!(listed(24, 6.5 * pitch), 4);
        assert_eq!((listed(24, 0.0), listed(2, 0.0)), (3, 2), "the first ones are always shown");
    }

    #[test]
    fn arrow_keys_change_the_filter_and_tab_only_moves_the_focus() {
        let mut list = List::new();
        // The titles of the columns come first.
        let titles = [(); 2].map(|()| list.press(Key::Tab));
        assert_eq!(titles, [None; 2]);
        assert_eq!([list.press(Key::Tab), list.press(Key::ArrowDown)], [None, None], "no filter");
        assert_eq!(list.press(Key::Enter), Some(1));
        assert_eq!(list.press(Key::Tab), Some(1), "the focus leaves the selected row");
        assert_eq!(list.press(Key::ArrowUp), Some(1));
        assert_eq!(list.press(Key::ArrowUp), Some(0));
        assert_eq!(list.press(Key::ArrowDown), Some(1));
        assert_eq!(list.press(Key::Enter), None);
    }

    #[test]
    fn a_click_on_a_title_ranks_by_that_column() {
        let delay = |name: &str, sample_count, worst| Delay {
            name: name.to_owned(),
            sample_count,
            worst: Nanos::from_micros(worst),
            ..Delay::default()
        };
        // As the engine ranks them: by time lost.
        let delays = [delay("hog", 9, 400), delay("timer", 30, 90), delay("burst", 1, 50_000)];
        let names = |by: &str| -> Vec<String> {
            ranked(&delays, by).into_iter().map(|delay| delay.name.clone()).collect()
        };
        assert_eq!(names(TOTAL.title), ["hog", "timer", "burst"]);
        assert_eq!(names(FRAMES.title), ["timer", "hog", "burst"]);
        assert_eq!(names(WORST.title), ["burst", "hog", "timer"]);
    }

    #[test]
    fn a_click_selects_another_row_and_clears_the_selected_one() {
        let mut list = List::new();
        let selected = [0, 2, 1, 1].map(|row| list.click(row));
        assert_eq!(selected, [Some(0), Some(2), Some(1), None]);
    }
}
