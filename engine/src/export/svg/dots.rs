//! Many dots as one compact path.

/// Returns a path of dots: lines of length 0 with round caps. Coordinates are relative to the
/// previous dot, which halves their digits. Positions are rounded to tenths before the subtraction,
/// so that rounding errors do not accumulate.
pub(in crate::export) fn dots(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    let mut last = (0, 0);
    for (x, y) in points {
        let at = (tenths(x), tenths(y));
        let (across, down) = (text(at.0 - last.0), text(at.1 - last.1));
        let gap = if down.starts_with('-') { "" } else { " " };
        path.extend(["m", &across, gap, &down, "h0"]);
        last = at;
    }
    path
}

#[expect(clippy::cast_possible_truncation, reason = "a drawing is not that wide")]
fn tenths(value: f64) -> i64 {
    (value * 10.0).round() as i64
}

/// Formats tenths without redundant digits: `-.3`, `12`, `1.5`.
fn text(tenths: i64) -> String {
    let (sign, size) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
    match (size / 10, size % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, part) => format!("{sign}.{part}"),
        (whole, part) => format!("{sign}{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_placed_from_the_one_before() {
        let points = [(1.04, 203.86), (2.0, 203.5), (2.0, 204.0), (12.0, 1.0)];
        assert_eq!(dots(points), "m1 203.9h0m1-.4h0m0 .5h0m10-203h0");
        assert_eq!(dots([]), "");
        // The rounding errors of many dots do not accumulate.
        let many = dots((0..1_000).map(|k| (f64::from(k) * 0.26, 0.0)));
        let sum: f64 = many
            .split("h0")
            .filter_map(|one| one.strip_prefix('m')?.split(' ').next()?.parse::<f64>().ok())
            .sum();
        assert!((sum - 259.7).abs() < 1e-6, "{sum}");
    }
}
