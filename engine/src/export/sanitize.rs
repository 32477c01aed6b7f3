//! Text that others supplied, made harmless for where it goes.

/// Letters of a name or label that are shown.
pub(super) const NAME: usize = 200;
/// Letters of a note that are shown.
pub(super) const NOTE: usize = 10_000;

/// Whether a letter changes what surrounds it: control characters, and marks that turn the direction of
/// writing.
fn is_unsafe_char(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
        )
}

/// One line of at most this many characters, without hidden ones.
pub(super) fn single_line(text: &str, most: usize) -> String {
    let mut plain = String::new();
    let mut count = 0;
    for letter in text.chars() {
        if count == most {
            plain.push('…');
            break;
        }
        let letter = match letter {
            '\n' | '\t' => ' ',
            '\r' => continue,
            letter if is_unsafe_char(letter) => continue,
            letter => letter,
        };
        plain.push(letter);
        count += 1;
    }
    plain
}

/// A name in one line, cut where it is absurdly long.
pub fn shown_name(name: &str) -> String {
    single_line(name, NAME)
}

/// Lines that a terminal only shows: nothing in them moves its cursor, colors it or turns the direction
/// of writing.
pub fn for_terminal(text: &str) -> String {
    text.chars().filter(|&letter| letter == '\n' || !is_unsafe_char(letter)).collect()
}

/// A line as text of an HTML page or of an attribute in quotes.
pub(super) fn html(text: &str, most: usize) -> String {
    escape(&single_line(text, most))
}

/// Lines as text of an HTML page.
pub(super) fn html_lines(text: &str, most: usize) -> String {
    let short: String = text.chars().take(most).collect();
    let lines: Vec<String> = short.lines().map(|one| html(one, most)).collect();
    let mut page = lines.join("\n");
    if short.len() < text.len() {
        page.push('…');
    }
    page
}

fn escape(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            letter => page.push(letter),
        }
    }
    page
}

/// A line of Markdown that is shown as it is: no formatting, no link, no mention, no cell.
pub(super) fn markdown(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for letter in single_line(text, most).chars() {
        match letter {
            '<' => shown.push_str("&lt;"),
            '&' => shown.push_str("&amp;"),
            // A zero-width joiner prevents a name from being mentioned.
            '@' => shown.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '>' | '$' => {
                shown.push('\\');
                shown.push(letter);
            }
            letter => shown.push(letter),
        }
    }
    shown.trim().to_owned()
}

/// A cell that no spreadsheet takes for a formula.
pub(super) fn cell(text: &str) -> String {
    let plain = single_line(text, NOTE);
    if plain.trim_start().starts_with(['=', '+', '-', '@', '|', '%']) {
        format!("'{plain}")
    } else {
        plain
    }
}

/// A value of a file whose values are never quoted: no comma, no quote.
pub(super) fn unquoted(text: &str) -> String {
    cell(&single_line(text, NAME).replace([',', '"', ';'], " ").replace("  ", " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_own_dangers() {
        assert_eq!(
            html("<b a='1'>\"&\"</b>", NAME),
            "&lt;b a=&#39;1&#39;&gt;&quot;&amp;&quot;&lt;/b&gt;"
        );
        assert_eq!(html("a\u{202e}b\u{0}c\nd", NAME), "abc d");
        assert_eq!(html(&"x".repeat(10_000), 5), "xxxxx…");
        assert_eq!(
            markdown("a|b *c* <d> @me [x](y)", NAME),
            r"a\|b \*c\* &lt;d\> &#64;me \[x\](y)"
        );
        for formula in ["=cmd()", "+1", "-1", "@sum", "\t=x", "  =y"] {
            assert!(cell(formula).starts_with('\''), "{formula}");
        }
        assert_eq!(cell("Normal"), "Normal");
        assert_eq!(for_terminal("a\u{1b}[31mb\u{202e}\r\n\u{7}c"), "a[31mb\nc");
        assert_eq!(unquoted("a, b \"c\""), "a b c ");
    }
}
