//! The texts of a page, and their problems: cut off, covered, or truncated; and widgets without a
//! name for screen readers.

use egui::epaint::{ClippedShape, Shape, TextShape};
use egui::{Rect, accesskit};
use egui_kittest::Harness;
use egui_kittest::kittest::NodeT as _;
use jitterscope::App;

/// How far words may reach beyond what is drawn, in points: antialiasing, italics, rounding.
const SLACK: f32 = 1.5;

/// Words on the screen.
#[derive(Clone, Debug)]
pub(super) struct Words {
    pub(super) text: String,
    /// Where their letters are.
    rect: Rect,
    /// What of that may be drawn.
    clip: Rect,
    /// Whether they end in an ellipsis for want of room.
    pub(super) is_elided: bool,
}

impl Words {
    /// What of them is seen.
    fn seen(&self) -> Rect {
        self.rect.intersect(self.clip)
    }

    fn is_seen(&self) -> bool {
        let seen = self.seen();
        1.0 < seen.width() && 2.0 < seen.height()
    }

    /// Whether letters are missing at the left or the right.
    fn is_cut(&self, screen: Rect) -> bool {
        let room = self.clip.intersect(screen);
        self.rect.left() < room.left() - SLACK || room.right() + SLACK < self.rect.right()
    }

    fn covers(&self, other: &Self) -> bool {
        let both = self.seen().intersect(other.seen());
        2.0 < both.width() && 3.0 < both.height()
    }
}

/// All words that are drawn, in the order in which they are.
pub(super) fn words_of(harness: &Harness<'_, App>) -> Vec<Words> {
    let mut found = Vec::new();
    for ClippedShape { clip_rect, shape, .. } in &harness.output().shapes {
        take(shape, *clip_rect, &mut found);
    }
    found.retain(Words::is_seen);
    found
}

fn take(shape: &Shape, clip: Rect, found: &mut Vec<Words>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| take(shape, clip, found)),
        Shape::Text(text) => found.push(words(text, clip)),
        _ => {}
    }
}

fn words(text: &TextShape, clip: Rect) -> Words {
    Words {
        text: text.galley.text().to_owned(),
        rect: text.visual_bounding_rect(),
        clip,
        is_elided: text.galley.elided,
    }
}

/// Whether these are letters and not an icon: icons may stand on each other and on edges.
fn is_text(words: &Words) -> bool {
    words.text.chars().any(|letter| letter.is_alphanumeric() && letter < '\u{e000}')
}

/// Problems of a frame; `may_scroll` if a table may extend beyond the right edge, and `is_layered`
/// if widgets overlap on purpose.
pub(super) fn problems_of(
    harness: &Harness<'_, App>,
    may_scroll: bool,
    is_layered: bool,
) -> Vec<String> {
    let screen = harness.ctx.content_rect();
    let all: Vec<Words> = words_of(harness).into_iter().filter(is_text).collect();
    let mut problems = Vec::new();
    for one in all.iter().filter(|one| one.is_cut(screen)) {
        // A table that is wider than its room is moved sideways: only its right edge may cut.
        let is_scrolled = may_scroll
            && one.clip.left() - SLACK <= one.rect.left()
            && one.clip.right() <= screen.right() - 8.0;
        // A preview of a file is as long and as wide as the file, and scrolled both ways.
        let is_file = 20 < one.text.lines().count();
        if !is_scrolled && !is_file {
            problems.push(format!("cut off: {:?} at {:?} in {:?}", one.text, one.rect, one.clip));
        }
    }
    if !is_layered {
        for (at, one) in all.iter().enumerate() {
            for other in all.iter().skip(at + 1).filter(|other| one.covers(other)) {
                if one.text != other.text {
                    problems.push(format!(
                        "on each other: {:?} and {:?} at {:?}",
                        one.text,
                        other.text,
                        one.seen().intersect(other.seen())
                    ));
                }
            }
        }
    }
    for one in all.iter().filter(|one| one.text.contains("use of widget ID")) {
        problems.push(format!("two widgets share an id: {:?}", one.text));
    }
    problems
}

/// Widgets that the keyboard reaches or a click changes, but that say nothing to a screen reader.
pub(super) fn nameless(harness: &Harness<'_, App>) -> Vec<String> {
    let mut found = harness.unnamed_widgets();
    for node in harness.root().children_recursive() {
        let node = node.accesskit_node();
        let acts = [accesskit::Action::Click, accesskit::Action::Focus]
            .into_iter()
            .any(|action| node.data().supports_action(action));
        // What is only read has its words as its value.
        let value = node.value().filter(|_| node.role() == accesskit::Role::Label);
        let is_named = node.label().or(value).is_some_and(|label| !label.trim().is_empty())
            || node.data().placeholder().is_some_and(|words| !words.trim().is_empty());
        // The window itself and regions that scroll are not widgets.
        let is_region = matches!(
            node.role(),
            accesskit::Role::Window
                | accesskit::Role::ScrollBar
                | accesskit::Role::ScrollView
                | accesskit::Role::GenericContainer
        );
        if acts && !is_named && !is_region && !node.is_hidden() {
            found.push(format!("{:?} at {:?}", node.role(), node.raw_bounds()));
        }
    }
    found
}
