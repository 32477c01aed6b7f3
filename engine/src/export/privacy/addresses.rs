//! Network addresses in texts: IPv4, IPv6, and MAC addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The text that replaces an address.
const ADDRESS: &str = "[address]";

/// Returns the text with each network address replaced by [`ADDRESS`]. Versions such as
/// 5.15.153.1-generic are not addresses.
pub(super) fn without_addresses(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let Some((run, after)) = rest.split_at_checked(length).filter(|_| 0 < length) else {
            result.push(letter);
            (before, rest) = (Some(letter), rest.get(letter.len_utf8()..).unwrap_or_default());
            continue;
        };
        let next = after.chars().next();
        redact(run, before, next, &mut result);
        (before, rest) = (run.chars().next_back(), after);
    }
    result
}

fn is_part(letter: char) -> bool {
    letter.is_ascii_hexdigit() || matches!(letter, '.' | ':' | '-')
}

/// Appends a sequence of characters that may occur in addresses, with its addresses redacted;
/// `before` and `next` are the characters around the sequence.
fn redact(run: &str, mut before: Option<char>, next: Option<char>, result: &mut String) {
    let is_word = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let inner = run.trim_end_matches(['.', '-']);
    let mut rest =
        if inner.ends_with("::") { inner } else { inner.trim_end_matches(['.', '-', ':']) };
    let end = run.get(rest.len()..).unwrap_or_default();
    loop {
        let own = rest.trim_start_matches(['.', '-']);
        let own = if own.starts_with("::") { own } else { own.trim_start_matches(':') };
        let start = rest.get(..rest.len() - own.len()).unwrap_or_default();
        result.push_str(start);
        // A sequence with a letter directly before or after it is part of a word or of a version,
        // not an address.
        let is_apart = (!start.is_empty() || !is_word(before)) && !is_word(next);
        if is_apart && is_address(own) {
            result.push_str(ADDRESS);
            break;
        }
        match own.split_once('-') {
            // Redact both ends of a range of addresses, such as 10.0.0.5-10.0.0.9.
            Some((one, other)) if is_apart && is_address(one) => {
                result.push_str(ADDRESS);
                result.push('-');
                (rest, before) = (other, Some('-'));
            }
            _ => {
                let (head, address) = redacted_at_end(own, next).unwrap_or((own, ""));
                result.push_str(head);
                result.push_str(address);
                break;
            }
        }
    }
    result.push_str(end);
}

/// Splits a sequence that ends in an address into the text before the address and the replacement.
/// In "interface-10.0.0.5", the sequence is "face-10.0.0.5", since the letters of "face" are
/// hexadecimal digits.
fn redacted_at_end(own: &str, next: Option<char>) -> Option<(&str, &'static str)> {
    let is_word = next.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let mut ends = own.match_indices([':', '-']).filter_map(|(at, _)| own.split_at_checked(at + 1));
    ends.find(|(_, tail)| !is_word && is_address(tail)).map(|(head, _)| (head, ADDRESS))
}

/// Whether a text is an address. The beginning of a long text decides, because a text has many ends
/// that are checked.
fn is_address(text: &str) -> bool {
    let is_card = |separator: char| {
        let is_group =
            |group: &str| group.len() == 2 && group.bytes().all(|it| it.is_ascii_hexdigit());
        text.len() == "00:00:00:00:00:00".len() && text.split(separator).all(is_group)
    };
    // A port may follow an IPv4 address, which has at most 15 characters.
    let host = text.get(..16).unwrap_or(text).split(':').next().unwrap_or_default();
    let is_port = || text.get(host.len() + 1..).is_none_or(|port| !port.contains(':'));
    let is_v6 = || 2 < text.len() && text.parse::<Ipv6Addr>().is_ok();
    is_card(':') || is_card('-') || (host.parse::<Ipv4Addr>().is_ok() && is_port()) || is_v6()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_go_and_times_dates_and_versions_stay() {
        for (text, left) in [
            ("sshd: 10.0.0.5.", "sshd: [address]."),
            ("ssh:192.168.1.20:22 to fe80::1%eth0", "ssh:[address] to [address]%eth0"),
            ("[2001:db8::8a2e:370:7334]:443", "[[address]]:443"),
            ("00:1a:2B:3c:4d:5e, 00-1A-2B-3C-4D-5E", "[address], [address]"),
            ("10.0.0.5-10.0.0.9", "[address]-[address]"),
            ("http://10.1.2.3/x", "http://[address]/x"),
            ("storage:192.168.1.5, remote:10.0.0.5", "storage:[address], remote:[address]"),
            ("device:fe80::1 node-10.0.0.5", "device:[address] node-[address]"),
            ("face-10.0.0.7:22", "face-[address]"),
            ("10.0.0.5:22-10.0.0.9:22 10.0.0.9.:", "[address]-[address] [address].:"),
        ] {
            assert_eq!(without_addresses(text), left);
        }
        for text in [
            "12:30:45.125 on 2026-11-23, 5.15.153.1-microsoft, 6.1.0-26, v1.2.3.4, 300.1.2.3",
            "std::thread, a::x, 0x1f:2, 1.2.3, bad.cafe, deadbeef-dead-beef-dead-beefdeadbeef",
            "irq/9-acpi, kworker/0:1-events, 3:2, ::, é",
        ] {
            assert_eq!(without_addresses(text), text);
        }
    }
}
