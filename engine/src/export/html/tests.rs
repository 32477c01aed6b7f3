//! What every page promises.

use super::*;

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
