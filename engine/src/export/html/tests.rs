//! Tests properties of every HTML page: the contrast of its colors, and the hash that permits its script.

use std::collections::BTreeMap;

use super::*;

/// Reads the colors of the light and of the dark page, by name, from the style sheet.
fn palettes() -> [BTreeMap<&'static str, [f64; 3]>; 2] {
    let css = include_str!("style.css");
    let (light, rest) = css.split_once("@media").unwrap();
    let (dark, _) = rest.split_once("}}").unwrap();
    [light, dark].map(|block| {
        let colors = block.split([';', '{']).filter_map(|one| {
            let (name, color) = one.trim().strip_prefix("--")?.split_once(":#")?;
            let hex = color.trim_end_matches('}');
            let hex = if hex.len() == 3 {
                hex.chars().flat_map(|c| [c, c]).collect()
            } else {
                hex.to_owned()
            };
            let part = |at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
            Some((name, [part(0), part(2), part(4)]))
        });
        colors.collect()
    })
}

/// Returns the contrast ratio of two colors (channels from 0 to 255) as defined by WCAG 2.2, from 1 to 21.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let luminance = |color: [f64; 3]| {
        let [r, g, b] = color.map(|part| match part / 255.0 {
            part if part <= 0.04045 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_and_marks_have_the_contrast_of_wcag_aa() {
    let tints = ["goodb", "fairb", "poorb", "infob"];
    let mut text: Vec<(&str, &str)> = Vec::new();
    for color in ["t1", "t2", "good", "fair", "poor", "info", "acc"] {
        text.extend([(color, "page")]);
    }
    for ground in tints.into_iter().chain(["soft"]) {
        text.extend([("t1", ground), ("t2", ground)]);
    }
    text.extend(tints.map(|tint| (tint.trim_end_matches('b'), tint)));
    let series = ["A", "B", "C", "D", "E", "F", "G", "H"];
    // The letters of runs and the text in bars of causes have the page color on the color of a series.
    text.extend(series.map(|color| ("page", color)));
    let marks = series.into_iter().chain(["good", "fair", "poor", "target", "t3"]);
    let marks: Vec<(&str, &str)> = marks.map(|color| (color, "page")).collect();
    let mut problems = Vec::new();
    for (colors, theme) in palettes().iter().zip(["light", "dark"]) {
        for (pairs, least) in [(&text, 4.5), (&marks, 3.0)] {
            for (color, ground) in pairs {
                let found = contrast(colors[color], colors[ground]);
                if found < least {
                    problems
                        .push(format!("{theme}: {color} on {ground} is {found:.2}, not {least}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_sentence_has_one_end_and_no_words_are_none() {
    for (words, expected) in [("", ""), ("One", "One."), ("One.", "One."), ("A, …", "A, …")] {
        assert_eq!(sentence(words), expected);
    }
}

#[test]
fn the_script_has_the_hash_of_the_policy() {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let hex = crate::format::checksum::sha256(SCRIPT.as_bytes());
    let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
    let digest: Vec<u8> = (0..32).map(byte).collect();
    let mut text = String::from("sha256-");
    for three in digest.chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, &byte| (bits << 8) | u32::from(byte));
        let bits = bits << (8 * (3 - three.len()));
        for place in 0..=three.len() {
            let letter = usize::try_from((bits >> (18 - 6 * place)) & 63).unwrap();
            text.push(char::from(LETTERS[letter]));
        }
    }
    text.push('=');
    assert_eq!(text, SCRIPT_HASH);
}
