//! The marks of causes and runs as SVG symbols, from the tables that the window draws from.

use std::fmt::Write as _;

use crate::report::{Cause, Mark};

/// Radius of a mark in pixels, the same as in the window.
const RADIUS: f32 = 4.2;

/// Returns the id of the symbol of a mark.
pub(in crate::export) fn id(mark: Mark) -> String {
    format!("m-{mark:?}")
}

/// Returns the symbols of all marks, and the style rules with the colors of all causes: the class
/// of a cause is `k-` and its key.
pub(in crate::export) fn definitions() -> String {
    let mut text = String::from("<svg class=\"symbols\" aria-hidden=\"true\"><style>");
    // Writing to a string cannot fail.
    for cause in Cause::ALL {
        let (key, _, series) = cause.row().look;
        let color = ('A'..='H').nth(series).unwrap_or('A');
        let _ok = write!(text, ".k-{key}{{--k:var(--{color});fill:var(--k)}}");
    }
    text.push_str("</style><defs>");
    for mark in Mark::ALL {
        let _ok = write!(text, "<g id=\"{}\">{}</g>", id(mark), shape(mark));
    }
    text.push_str("</defs></svg>");
    text
}

fn shape(mark: Mark) -> String {
    let ink = if mark.is_filled() {
        ""
    } else {
        " fill=\"var(--page)\" stroke=\"var(--k)\" stroke-width=\"1.8\""
    };
    if mark.outlines().is_empty() {
        return format!("<circle r=\"{RADIUS}\"{ink}/>");
    }
    let mut path = String::new();
    for outline in mark.outlines() {
        for (&(x, y), letter) in outline.iter().zip(std::iter::once('M').chain(['L'; 3])) {
            let _ok = write!(path, "{letter}{:.1} {:.1}", x * RADIUS, y * RADIUS);
        }
        path.push_str(if outline.len() == 2 { "" } else { "Z" });
    }
    format!("<path d=\"{path}\"{ink}/>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_a_color_and_every_mark_a_symbol() {
        let text = definitions();
        for cause in Cause::ALL {
            let (key, mark, _) = cause.row().look;
            assert!(text.contains(&format!(".k-{key}{{--k:var(--")), "{text}");
            assert!(text.contains(&format!("<g id=\"{}\">", id(mark))), "{text}");
        }
        assert_eq!(shape(Mark::Circle), "<circle r=\"4.2\"/>");
        assert_eq!(shape(Mark::TriangleUp), "<path d=\"M-5.0 4.2L0.0 -4.2L5.0 4.2Z\"/>");
        assert!(
            shape(Mark::Cross).starts_with("<path d=\"M-4.2 -4.2L4.2 4.2M-4.2 4.2L4.2 -4.2\" ")
        );
    }
}
