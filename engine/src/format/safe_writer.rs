//! JSON that can be embedded in an HTML page and shown in any viewer.

use std::io;

/// Whether a character can affect how the text around it is shown: control characters, and marks
/// that change the writing direction.
pub(crate) fn is_unsafe_char(letter: char) -> bool {
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

/// Writes JSON with escapes for characters that could end an HTML element, move the cursor of a
/// terminal, or change the writing direction.
#[derive(Debug)]
pub struct SafeWriter<W>(pub W);

impl<W: io::Write> io::Write for SafeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The buffer ends within a character: the caller writes the bytes of this character
            // again, together with the next bytes.
            Err(error) if 0 < error.valid_up_to() => {
                let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
                return self.write(whole);
            }
            Err(_) => return self.0.write(bytes),
        };
        // The characters to escape occur only within strings of valid JSON (line ends are exempt),
        // where an escape represents the same character.
        let is_escaped = |letter: char| {
            matches!(letter, '<' | '>' | '&') || (letter != '\n' && is_unsafe_char(letter))
        };
        for piece in text.split_inclusive(is_escaped) {
            match piece.chars().next_back().filter(|last| is_escaped(*last)) {
                Some(last) => {
                    let before = piece.get(..piece.len() - last.len_utf8()).unwrap_or_default();
                    self.0.write_all(before.as_bytes())?;
                    write!(self.0, "\\u{:04x}", u32::from(last))?;
                }
                None => self.0.write_all(piece.as_bytes())?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns JSON with the escapes of [`SafeWriter`].
pub fn safe_json(json: &str) -> String {
    let mut safe = SafeWriter(Vec::with_capacity(json.len()));
    // Writing to memory cannot fail.
    let _ok = io::Write::write_all(&mut safe, json.as_bytes());
    String::from_utf8_lossy(&safe.0).into_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn json_in_a_page_cannot_end_its_element() {
        let page = safe_json(r#"{"a":"</script><!--&"}"#);
        assert_eq!(page, r#"{"a":"\u003c/script\u003e\u003c!--\u0026"}"#);
    }

    #[test]
    fn letters_that_change_their_surroundings_are_escaped_wherever_the_text_is_cut() {
        let json = "{\n\"a\":\"é\u{9b}31m\u{202e}gpj\u{2066}\u{feff}\u{7f}µ\"}\n";
        let expected = "{\n\"a\":\"é\\u009b31m\\u202egpj\\u2066\\ufeff\\u007fµ\"}\n";
        assert_eq!(safe_json(json), expected);
        for size in 4..12 {
            let mut whole = io::BufWriter::with_capacity(size, SafeWriter(Vec::new()));
            for letter in json.chars() {
                whole.write_all(letter.to_string().as_bytes()).unwrap();
            }
            whole.flush().unwrap();
            assert_eq!(String::from_utf8_lossy(&whole.get_ref().0), expected, "{size}");
        }
        let read: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(read["a"], "é\u{9b}31m\u{202e}gpj\u{2066}\u{feff}\u{7f}µ");
    }
}
