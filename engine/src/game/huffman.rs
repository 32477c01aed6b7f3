//! A canonical Huffman code for chat, based on the frequency of characters in English text.

use super::bits::Record;

/// Number of occurrences of each letter in some ten thousand characters.
const LETTERS: [(u8, u32); 27] = [
    (b' ', 1_700),
    (b'e', 1_000),
    (b't', 730),
    (b'a', 660),
    (b'o', 620),
    (b'i', 570),
    (b'n', 560),
    (b's', 510),
    (b'h', 490),
    (b'r', 480),
    (b'd', 340),
    (b'l', 330),
    (b'u', 230),
    (b'c', 220),
    (b'm', 200),
    (b'w', 190),
    (b'f', 180),
    (b'g', 165),
    (b'y', 160),
    (b'p', 155),
    (b'b', 120),
    (b'v', 80),
    (b'k', 65),
    (b'x', 14),
    (b'j', 12),
    (b'q', 9),
    (b'z', 7),
];

/// Returns the relative frequency of a byte. A byte that does not occur in texts still needs a
/// (long) code.
const fn weight(byte: u8) -> u32 {
    const COMMON: u32 = 200;
    let mut k = 0;
    while k < LETTERS.len() {
        let (letter, often) = LETTERS[k];
        if letter == byte {
            return often * COMMON;
        }
        if letter.is_ascii_lowercase() && letter.to_ascii_uppercase() == byte {
            return if often < 24 { 2 * COMMON } else { often / 12 * COMMON };
        }
        k += 1;
    }
    match byte {
        b'.' | b',' | b'!' | b'?' | b'\'' => 60 * COMMON,
        b'0'..=b'9' => 20 * COMMON,
        b'-' | b':' | b';' | b'(' | b')' => 8 * COMMON,
        _ => 1,
    }
}

/// Returns the length of each byte's code in bits, by Huffman's method: the two trees with the
/// lowest weight are merged until one is left. Of trees with equal weights, the older one is used,
/// so that the code is deterministic.
const fn lengths() -> [u8; 256] {
    let mut weights = [0_u32; 511];
    let mut parents = [0_usize; 511];
    let mut is_open = [false; 511];
    let mut byte = 0_u8;
    loop {
        weights[byte as usize] = weight(byte);
        is_open[byte as usize] = true;
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    let mut next = 256;
    while next < 511 {
        let mut pair = 0;
        while pair < 2 {
            let mut lightest = 511;
            let mut k = 0;
            while k < next {
                if is_open[k] && (lightest == 511 || weights[k] < weights[lightest]) {
                    lightest = k;
                }
                k += 1;
            }
            is_open[lightest] = false;
            parents[lightest] = next;
            weights[next] += weights[lightest];
            pair += 1;
        }
        is_open[next] = true;
        next += 1;
    }
    let mut lengths = [0_u8; 256];
    let mut k = 0;
    while k < 256 {
        let mut node = k;
        while node != 510 {
            node = parents[node];
            lengths[k] += 1;
        }
        k += 1;
    }
    lengths
}

/// Returns the canonical code of each byte: codes are numbered in the order of their lengths, then
/// of their bytes.
const fn codes() -> [Record; 256] {
    let lengths = lengths();
    let mut codes = [Record::EMPTY; 256];
    let (mut code, mut length) = (0_u64, 1_u8);
    while length < 40 {
        let mut byte = 0;
        while byte < 256 {
            if lengths[byte] == length {
                codes[byte] = Record::EMPTY.then(code, length as u32);
                code += 1;
            }
            byte += 1;
        }
        code <<= 1;
        length += 1;
    }
    codes
}

/// The code of each byte.
pub(super) static CODES: [Record; 256] = codes();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_of_bits_is_read_in_one_way() {
        let longest = CODES.iter().map(|code| code.length()).max().unwrap();
        let filled: u64 = CODES.iter().map(|code| 1 << (longest - code.length())).sum();
        assert_eq!(filled, 1 << longest, "the code leaves bits unused or is ambiguous");
        for (a, one) in CODES.iter().enumerate() {
            for (b, other) in CODES.iter().enumerate().filter(|(b, _)| *b != a) {
                let is_prefix = one.length() <= other.length()
                    && other.bits() >> (other.length() - one.length()) == one.bits();
                assert!(!is_prefix, "the code of {a} begins that of {b}");
            }
        }
    }

    #[test]
    fn common_characters_have_short_codes() {
        assert_eq!(CODES[usize::from(b' ')].length(), 3);
        for letter in b"etaoinshrdlucmfwygpb" {
            assert!((3..=7).contains(&CODES[usize::from(*letter)].length()), "{letter}");
        }
        assert!((16..=22).contains(&CODES[0].length()), "{}", CODES[0].length());
    }
}
