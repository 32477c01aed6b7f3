//! Metric families: the description of a metric followed by all series of the metric, as OpenMetrics and the Prometheus
//! text format require.

use crate::export::sanitize::{NAME, single_line};

/// The labels of a series, as the text between the braces.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels(String);

impl Labels {
    /// Returns the labels with one more label; `name` must not need escaping.
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
struct MetricFamily {
    name: String,
    kind: &'static str,
    help: String,
    lines: Vec<String>,
}

/// The metric families of a file, in the order in which each was first added.
#[derive(Debug, Default)]
pub(super) struct Families(Vec<MetricFamily>);

impl Families {
    fn family(&mut self, name: &str, kind: &'static str, help: &str) -> Option<&mut MetricFamily> {
        let known = self.0.iter().position(|family| family.name == name);
        let at = known.unwrap_or_else(|| {
            // Use apostrophes: in a help text, OpenMetrics escapes a quotation mark, and the Prometheus format does
            // not.
            let help = single_line(help, usize::MAX).replace('\\', "\\\\").replace('"', "'");
            let name = name.to_owned();
            self.0.push(MetricFamily { name, kind, help, lines: Vec::new() });
            self.0.len() - 1
        });
        self.0.get_mut(at).filter(|family| family.kind == kind)
    }

    /// Adds a value of the metric `name`, unless the value is infinite or NaN.
    pub(super) fn gauge(&mut self, name: &str, help: &str, labels: &Labels, value: f64) {
        if !value.is_finite() {
            return;
        }
        if let Some(family) = self.family(name, "gauge", help) {
            family.lines.push(format!("{name}{} {value}", labels.braced()));
        }
    }

    /// Adds a histogram: for each bucket, the upper bound and the number of values up to it; then
    /// the number and the sum of all values.
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

    /// Returns the text of every family with its series.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for MetricFamily { name, kind, help, lines } in &self.0 {
            text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
            for line in lines {
                text.push_str(line);
                text.push('\n');
            }
        }
        text + "# EOF\n"
    }
}
