//! The texts in a frame, and problems: text that is cut off, covered, or truncated, and widgets without a
//! name for screen readers.

use egui::epaint::{ClippedShape, Shape, TextShape};
use egui::{Rect, accesskit};
use egui_kittest::Harness;
use egui_kittest::kittest::NodeT as _;
use jitterscope::App;

/// Distance in points by which text may extend beyond its clip area without being cut off visibly, because of
/// antialiasing, italics, or rounding.
const SLACK: f32 = 1.5;

/// A text in the frame.
#[derive(Clone, Debug)]
pub(super) struct Words {
    pub(super) text: String,
    /// The area of the letters.
    rect: Rect,
    /// The area in which letters are drawn; letters outside of it are clipped.
    clip: Rect,
    /// Whether the text ends with an ellipsis because it is too wide.
    pub(super) is_elided: bool,
}

impl Words {
    /// Returns the visible area of the text.
    fn seen(&self) -> Rect {
        self.rect.intersect(self.clip)
    }

    fn is_seen(&self) -> bool {
        let seen = self.seen();
        1.0 < seen.width() && 2.0 < seen.height()
    }

    /// Returns whether the text is clipped at its left or right end.
    fn is_cut(&self, screen: Rect) -> bool {
        let room = self.clip.intersect(screen);
        self.rect.left() < room.left() - SLACK || room.right() + SLACK < self.rect.right()
    }

    fn covers(&self, other: &Self) -> bool {
        let both = self.seen().intersect(other.seen());
        2.0 < both.width() && 3.0 < both.height()
    }
}

/// Returns all visible texts in the order in which they are drawn.
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

/// Returns whether a text contains letters, and is not an icon: icons may overlap each other and edges.
fn is_text(words: &Words) -> bool {
    words.text.chars().any(|letter| letter.is_alphanumeric() && letter < '\u{e000}')
}

/// Returns the problems in a frame. `may_scroll`: a table may extend beyond the right edge. `is_layered`:
/// widgets overlap on purpose.
pub(super) fn problems_of(
    harness: &Harness<'_, App>,
    may_scroll: bool,
    is_layered: bool,
) -> Vec<String> {
    let screen = harness.ctx.content_rect();
    let all: Vec<Words> = words_of(harness).into_iter().filter(is_text).collect();
    let mut problems = Vec::new();
    for one in all.iter().filter(|one| one.is_cut(screen)) {
        // A table that is wider than its card scrolls horizontally: text may be cut off only at the right
        // edge of the card.
        let is_scrolled = may_scroll
            && one.clip.left() - SLACK <= one.rect.left()
            && one.clip.right() <= screen.right() - 8.0;
        // The preview of a file scrolls in both directions, so its lines may be cut off.
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

/// Returns the widgets that can be focused or clicked but have no name for screen readers.
pub(super) fn nameless(harness: &Harness<'_, App>) -> Vec<String> {
    let mut found = harness.unnamed_widgets();
    for node in harness.root().children_recursive() {
        let node = node.accesskit_node();
        let acts = [accesskit::Action::Click, accesskit::Action::Focus]
            .into_iter()
            .any(|action| node.data().supports_action(action));
        // The name of a text that cannot be edited is its value.
        let value = node.value().filter(|_| node.role() == accesskit::Role::Label);
        let is_named = node.label().or(value).is_some_and(|label| !label.trim().is_empty())
            || node.data().placeholder().is_some_and(|words| !words.trim().is_empty());
        // The window itself and scroll areas are not widgets.
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
