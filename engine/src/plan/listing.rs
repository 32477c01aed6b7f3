//! Names, texts, and examples with which the window and the command line list a test.

/// Names, texts, and examples with which the window and the command line list a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The key in files and on the command line: `frame-loop`.
    pub key: &'static str,
    /// The name on screen, in sentence case.
    pub name: &'static str,
    /// Key of the icon of the test.
    pub icon: &'static str,
    /// Digit of the keyboard shortcut that opens the test; `None` if the test has no shortcut.
    pub digit: Option<u8>,
    /// What the test measures, in a few words without a period.
    pub subtitle: &'static str,
    /// Question that the test answers.
    pub question: &'static str,
    /// What the test measures and shows, in one or two sentences.
    pub about: &'static str,
    /// Command-line options of example commands; the shortest example comes first.
    pub examples: &'static [&'static str],
    /// Name of the value that each sample has, in lower case: `lateness`.
    pub value_name: &'static str,
    /// Plural name of the samples, in lower case: `frames`.
    pub samples_name: &'static str,
    /// Plural name of the configurations: `configurations`, or `CPUs` if each configuration is a CPU.
    pub rows_name: &'static str,
    /// Name of one trial in the progress display, in sentence case: `Step` in "Step 2 of 6".
    pub step_name: &'static str,
}
