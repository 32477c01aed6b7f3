//! The visible content of a page, parsed from its HTML, for the preview of a report in the window.

use super::super::document::{Block, Grid, Line, Piece, TextStyle};
use markup::{Mark, Tag};

mod markup;

/// Elements that a reader of the page never sees, or only on a phone.
const UNSEEN: [&str; 5] = ["head", "style", "script", "button", "svg"];
/// Classes of further elements that a reader never sees, or only on a phone.
const UNSEEN_CLASSES: [&str; 2] = ["hide", "sub"];
/// Elements within a line.
const INLINE: [&str; 7] = ["a", "b", "bdi", "i", "output", "small", "span"];

/// Returns the content of a page written by [`write`](super::write) or
/// [`write_page`](super::write_page): collapsed sections are [`Block::Details`], and plots are only
/// their title and a sentence about their content. The result for any other text is unspecified.
/// Time: O(n).
pub fn outline(page: &str) -> Vec<Block> {
    let mut reader = Reader { marks: markup::marks(page), line: Vec::new() };
    reader.blocks("")
}

struct Reader<'a> {
    marks: markup::Marks<'a>,
    /// The text since the last block.
    line: Line,
}

impl Reader<'_> {
    /// Reads blocks up to the end of the element `until`, or of the page.
    fn blocks(&mut self, until: &str) -> Vec<Block> {
        let mut blocks = Vec::new();
        while let Some(mark) = self.marks.next() {
            match mark {
                Mark::Text(text) => self.line.push(Piece::plain(text)),
                Mark::Close(name) if name == until => break,
                Mark::Close(name) if INLINE.contains(&name) => {}
                Mark::Close(_) => self.end_line(&mut blocks),
                Mark::Open(tag) if tag.is("svg") && tag.label.is_some() => {
                    self.end_line(&mut blocks);
                    blocks.push(self.plot(&tag));
                }
                Mark::Open(tag) if is_unseen(&tag) => self.skip(&tag),
                Mark::Open(tag) if INLINE.contains(&tag.name) => self.inline(&tag),
                Mark::Open(tag) if tag.is("code") => {
                    let text = self.text("code");
                    self.line.push(Piece::code(text));
                }
                Mark::Open(tag) => {
                    self.end_line(&mut blocks);
                    self.block(&tag, &mut blocks);
                }
            }
        }
        self.end_line(&mut blocks);
        blocks
    }

    /// Reads a block-level element after its start tag, and adds the content to `blocks`.
    fn block(&mut self, tag: &Tag<'_>, blocks: &mut Vec<Block>) {
        match tag.name {
            "h1" | "h2" | "h3" => blocks.push(Block::Heading(self.text(tag.name))),
            // The items of a list of facts or of a legend become one line.
            "ul" => {
                let items = self.list(tag.name).join(" · ");
                blocks.extend((!items.is_empty()).then(|| Block::Paragraph(vec![plain(items)])));
            }
            "ol" => blocks.extend(self.list(tag.name).into_iter().map(Block::item)),
            "dl" => blocks.extend(self.pairs(tag.has_class("keys"))),
            "table" => blocks.push(Block::Grid(self.table())),
            "details" => {
                let inside = self.blocks("details");
                let mut inside = inside.into_iter();
                let title = match inside.next() {
                    Some(Block::Heading(title)) => title,
                    _ => String::new(),
                };
                blocks.push(Block::Details(title, inside.collect()));
            }
            // The summary becomes the first heading of the collapsed section; the content of the
            // section follows the `summary` element.
            "summary" => blocks.extend(Some(Block::Heading(self.text("summary")))),
            _ => {}
        }
    }

    /// Reads the start of an inline element: `b` becomes bold text, and most other elements become
    /// a space.
    fn inline(&mut self, tag: &Tag<'_>) {
        if tag.is("b") {
            let text = self.text("b");
            self.line.push(Piece::strong(text));
        } else if !matches!(tag.name, "bdi" | "i" | "output") {
            // The page separates these elements by CSS only: add a space.
            self.line.push(Piece::plain(" "));
        }
    }

    fn end_line(&mut self, blocks: &mut Vec<Block>) {
        let line = tidy(std::mem::take(&mut self.line));
        if !line.is_empty() {
            blocks.push(Block::Paragraph(vec![line]));
        }
    }

    /// Returns the text up to the end of an element, in one line.
    fn text(&mut self, until: &str) -> String {
        let mut text = String::new();
        while let Some(mark) = self.marks.next() {
            match mark {
                Mark::Text(words) => text.push_str(&words),
                Mark::Close(name) if name == until => break,
                Mark::Open(tag) if is_unseen(&tag) => self.skip(&tag),
                Mark::Open(tag) if !matches!(tag.name, "bdi" | "i") => text.push(' '),
                Mark::Open(_) | Mark::Close(_) => {}
            }
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Skips an element with its content.
    fn skip(&mut self, tag: &Tag<'_>) {
        let mut depth = u32::from(!tag.is_empty);
        while 0 < depth {
            match self.marks.next() {
                Some(Mark::Open(inner)) if inner.is(tag.name) && !inner.is_empty => depth += 1,
                Some(Mark::Close(name)) if name == tag.name => depth -= 1,
                Some(_) => {}
                None => return,
            }
        }
    }

    /// Reads a plot: its title, and the sentence about its content for screen readers.
    fn plot(&mut self, tag: &Tag<'_>) -> Block {
        let title = tag.label.clone().unwrap_or_default();
        let mut finding = String::new();
        let mut depth = u32::from(!tag.is_empty);
        while 0 < depth {
            match self.marks.next() {
                Some(Mark::Open(inner)) if inner.is("desc") && finding.is_empty() => {
                    finding = self.text("desc");
                }
                Some(Mark::Open(inner)) if inner.is("svg") && !inner.is_empty => depth += 1,
                Some(Mark::Close("svg")) => depth -= 1,
                Some(_) => {}
                None => break,
            }
        }
        Block::Plot { title, finding }
    }

    fn list(&mut self, until: &str) -> Vec<String> {
        let mut items = Vec::new();
        while let Some(mark) = self.marks.next() {
            match mark {
                Mark::Open(tag) if tag.is("li") => items.push(self.text("li")),
                Mark::Close(name) if name == until => break,
                _ => {}
            }
        }
        items.retain(|item| !item.is_empty());
        items
    }

    /// Reads a list of names and values: one column per name if `is_across` (key figures),
    /// otherwise one item per name.
    fn pairs(&mut self, is_across: bool) -> Vec<Block> {
        let mut pairs: Vec<Vec<String>> = Vec::new();
        while let Some(mark) = self.marks.next() {
            match mark {
                Mark::Open(tag) if tag.is("dt") => pairs.push(vec![self.text("dt")]),
                Mark::Open(tag) if tag.is("dd") => {
                    let value = self.text("dd");
                    pairs.last_mut().into_iter().for_each(|pair| pair.push(value.clone()));
                }
                Mark::Close("dl") => break,
                _ => {}
            }
        }
        if is_across {
            let row =
                |at: usize| pairs.iter().map(move |pair| pair.get(at).cloned().unwrap_or_default());
            let most = pairs.iter().map(Vec::len).max().unwrap_or(0);
            return vec![Block::Grid(Grid {
                header: row(0).collect(),
                is_right: vec![false; pairs.len()],
                rows: (1..most).map(|at| row(at).collect()).collect(),
            })];
        }
        let item = |pair: &Vec<String>| {
            let (name, values) = pair.split_first()?;
            let values = values.join(", ");
            Some(Block::Item(vec![Piece::strong(name), Piece::plain(format!("  {values}"))]))
        };
        pairs.iter().filter_map(item).collect()
    }

    fn table(&mut self) -> Grid {
        let (mut grid, mut caption, mut row, mut is_head) =
            (Grid::default(), String::new(), Vec::new(), false);
        while let Some(mark) = self.marks.next() {
            match mark {
                Mark::Open(tag) if is_unseen(&tag) => self.skip(&tag),
                Mark::Open(tag) if tag.is("caption") => caption = self.text("caption"),
                Mark::Open(tag) if tag.is("th") || tag.is("td") => {
                    if row.len() == grid.is_right.len() {
                        grid.is_right.push(tag.has_class("n"));
                    }
                    row.push(self.text(tag.name));
                    row.extend((1..tag.span).map(|_| String::new()));
                }
                Mark::Open(tag) if tag.is("thead") => is_head = true,
                Mark::Close("thead") => is_head = false,
                Mark::Close("tr") if is_head => grid.header = std::mem::take(&mut row),
                Mark::Close("tr") => grid.rows.push(std::mem::take(&mut row)),
                Mark::Close("table") => break,
                _ => {}
            }
        }
        if grid.header.is_empty() && !caption.is_empty() {
            let columns = grid.rows.iter().map(Vec::len).max().unwrap_or(1);
            grid.header = std::iter::once(caption).collect();
            grid.header.resize(columns.max(1), String::new());
        }
        grid
    }
}

fn is_unseen(tag: &Tag<'_>) -> bool {
    UNSEEN.contains(&tag.name) || UNSEEN_CLASSES.iter().any(|class| tag.has_class(class))
}

fn plain(text: String) -> Line {
    vec![Piece::plain(text)]
}

/// Returns a line without the whitespace of the HTML source.
fn tidy(line: Line) -> Line {
    let mut tidied = Line::new();
    for piece in line {
        let words = piece.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let begins = piece.text.starts_with(char::is_whitespace);
        let is_apart = |last: &Piece| !last.text.ends_with(' ');
        if begins && tidied.last().is_some_and(is_apart) {
            let after = if words.is_empty() { " ".to_owned() } else { format!(" {words}") };
            tidied.push(Piece { text: after, look: piece.look });
        } else if !words.is_empty() {
            tidied.push(Piece { text: words, look: piece.look });
        }
        let ends = piece.text.ends_with(char::is_whitespace);
        if let Some(last) = tidied.last_mut().filter(|last| ends && is_apart(last)) {
            last.text.push(' ');
        }
    }
    while let Some(last) = tidied.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() || tidied.pop().is_none() {
            break;
        }
    }
    let is_empty = tidied.iter().all(|piece| piece.text.is_empty());
    if is_empty && tidied.iter().all(|piece| piece.look == TextStyle::Plain) {
        tidied.clear();
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_outlined_in_its_order_without_what_no_reader_sees() {
        let page = "<!DOCTYPE html>\n<html>\n<head><title>x</title></head>\n<body><svg \
            aria-hidden=\"true\"><defs><svg/></defs></svg><main><h1 dir=\"auto\">A &amp; B</h1>\n<ul \
            class=\"facts\"><li><bdi>one</bdi></li><li>two</li></ul><div class=\"verdict\"><p \
            class=\"answer\">Late.</p><p class=\"do\"><b>What to do:</b> Wait.</p></div>\n<dl \
            class=\"keys\"><div><dt title=\"a > b\">p99</dt><dd class=\"v\">1<small> ms</small></dd><dd>95% \
            CI</dd></div></dl><section><div class=\"head\"><h2>Timeline</h2></div><div class=\"plot\"><svg \
            height=\"9\" role=\"img\" aria-label=\"Timeline\"><desc>one is late</desc>\n<svg><text>7</text></svg>\
            </svg></div></section><table><caption class=\"hide\">no</caption><thead><tr><th>Name</th><th \
            class=\"n\">p50</th></tr></thead><tbody><tr><th><bdi>x</bdi><span \
            class=\"sub\">phone</span></th><td class=\"n\">2</td></tr></tbody></table><details \
            class=\"half\"><summary><h2>Machine</h2><small>hardware</small></summary><div><dl \
            class=\"three\"><div><dt>CPU</dt><dd>Z</dd></div></dl></div></details><footer><p>End: <code \
            class=\"cmd\">cli</code></p></footer></main><script>if(a<b){}</script></body></html>";
        let grid = |header: &[&str], is_right: &[bool], rows: &[&[&str]]| {
            let texts = |row: &[&str]| row.iter().map(|&cell| cell.to_owned()).collect();
            Block::Grid(Grid {
                header: texts(header),
                is_right: is_right.to_vec(),
                rows: rows.iter().map(|row| texts(row)).collect(),
            })
        };
        let expected = [
            Block::Heading("A & B".to_owned()),
            Block::Paragraph(vec![vec![Piece::plain("one · two")]]),
            Block::Paragraph(vec![vec![Piece::plain("Late.")]]),
            Block::Paragraph(vec![vec![Piece::strong("What to do:"), Piece::plain(" Wait.")]]),
            grid(&["p99"], &[false], &[&["1 ms"], &["95% CI"]]),
            Block::Heading("Timeline".to_owned()),
            Block::Plot { title: "Timeline".to_owned(), finding: "one is late".to_owned() },
            grid(&["Name", "p50"], &[false, true], &[&["x", "2"]]),
            Block::Details(
                "Machine hardware".to_owned(),
                vec![Block::Item(vec![Piece::strong("CPU"), Piece::plain("  Z")])],
            ),
            Block::Paragraph(vec![vec![Piece::plain("End: "), Piece::code("cli")]]),
        ];
        assert_eq!(outline(page), expected);
        // A truncated page, or text that is not a page, does not cause a panic.
        for end in (0..page.len()).filter(|&end| page.is_char_boundary(end)) {
            let _blocks = outline(&page[..end]);
        }
        assert_eq!(outline("a < b"), [Block::Paragraph(vec![vec![Piece::plain("a")]])]);
    }
}
