//! Families of metrics: one description each, with its series together, as both formats require.

use crate::export::sanitize::{NAME, single_line};

/// The labels of a series, as they are written between braces.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels(String);

impl Labels {
    /// The same with one more; the name is one that needs no escape.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        let value = single_line(value, NAME).replace('\\', "\\\\").replace('"', "\\\"");
        self.0.push_str(&format!("{name}=\"{value}\""));
        self
    }

    fn braced(&self) -> String {
        if self.0.is_empty() { String::new() } else { format!("{{{}}}", self.0) }
    }
}

#[derive(Debug)]
struct Family {
    name: String,
    kind: &'static str,
    help: String,
    lines: Vec<String>,
}

/// The families of a file, in the order in which they were first named.
#[derive(Debug, Default)]
pub(super) struct Families(Vec<Family>);

impl Families {
    fn family(&mut self, name: &str, kind: &'static str, help: &str) -> Option<&mut Family> {
        let known = self.0.iter().position(|family| family.name == name);
        let at = known.unwrap_or_else(|| {
            // A quotation mark is escaped in one format and not in the other.
            let help = single_line(help, usize::MAX).replace('\\', "\\\\").replace('"', "'");
            let name = name.to_owned();
            self.0.push(Family { name, kind, help, lines: Vec::new() });
            self.0.len() - 1
        });
        self.0.get_mut(at).filter(|family| family.kind == kind)
    }

    /// Adds a value; one that is not finite is absent.
    pub(super) fn gauge(&mut self, name: &str, help: &str, labels: &Labels, value: f64) {
        if !value.is_finite() {
            return;
        }
        if let Some(family) = self.family(name, "gauge", help) {
            family.lines.push(format!("{name}{} {value}", labels.braced()));
        }
    }

    /// Adds a histogram: upper ends with how many values are at or below each, the number of all values, and
    /// their sum.
    pub(super) fn histogram(
        &mut self,
        name: &str,
        help: &str,
        labels: &Labels,
        buckets: &[(&str, usize)],
        count: usize,
        sum: f64,
    ) {
        let Some(family) = self.family(name, "histogram", help) else { return };
        for (end, count) in buckets.iter().chain(&[("+Inf", count)]) {
            let labels = labels.clone().with("le", end).braced();
            family.lines.push(format!("{name}_bucket{labels} {count}"));
        }
        let labels = labels.braced();
        family.lines.push(format!("{name}_sum{labels} {sum}"));
        family.lines.push(format!("{name}_count{labels} {count}"));
    }

    /// Every family with its series.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for Family { name, kind, help, lines } in &self.0 {
            text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
            for line in lines {
                text.push_str(line);
                text.push('\n');
            }
        }
        text + "# EOF\n"
    }
}
