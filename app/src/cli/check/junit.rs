//! Results as JUnit XML with one test case per limit, a format that Jenkins, GitLab, and GitHub
//! Actions read.

use jitterscope_engine::export::for_terminal;
use jitterscope_engine::stats::decision::Decision;

use super::CheckedRun;

/// Returns the content of the JUnit file. An undecided limit is an error, so that no pipeline
/// counts it as met.
pub(super) fn text(checked: &[CheckedRun<'_>], began: jiff::Timestamp) -> String {
    let results = || checked.iter().flat_map(|one| &one.results);
    let count = |decision| results().filter(|one| one.decision == decision).count();
    let length: f64 = checked.iter().map(|one| one.length.as_secs_f64()).sum();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite \
         name=\"jitterscope\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" \
         time=\"{length:.3}\" timestamp=\"{}\">\n",
        results().count(),
        count(Decision::Broken),
        count(Decision::Undecided),
        began.strftime("%Y-%m-%dT%H:%M:%S"),
    );
    for one in checked {
        for result in &one.results {
            let limit = result.limit;
            let name = format!("{}, {}, {}", limit.metric.title, limit.configuration, limit.text);
            xml.push_str(&format!(
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\">\n",
                escaped(&one.test.name),
                escaped(&name),
                one.length.as_secs_f64()
            ));
            let sentence = escaped(&result.sentence());
            xml.push_str(&match result.decision {
                Decision::Met => format!("      <system-out>{sentence}</system-out>\n"),
                Decision::Broken => {
                    format!("      <failure type=\"exceeded\" message=\"{sentence}\"/>\n")
                }
                Decision::Undecided => {
                    format!("      <error type=\"undecided\" message=\"{sentence}\"/>\n")
                }
            });
            for line in one.about() {
                xml.push_str(&format!("      <system-err>{}</system-err>\n", escaped(&line)));
            }
            xml.push_str("    </testcase>\n");
        }
    }
    xml + "  </testsuite>\n</testsuites>\n"
}

/// Escapes the text of an attribute or element, and removes characters that XML does not allow.
fn escaped(text: &str) -> String {
    for_terminal(text)
        .replace('\n', " ")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
