//! What every surface lists of a kind of test: names, texts, and examples.

use crate::nanos::Nanos;

/// What every surface lists of a kind of test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The key in files and on the command line: `frame-loop`.
    pub key: &'static str,
    /// The name on screen, in sentence case.
    pub name: &'static str,
    /// The key of its icon.
    pub icon: &'static str,
    /// The digit of its keyboard shortcut, if one is free.
    pub digit: Option<u8>,
    /// What it measures, in a few words without a period.
    pub subtitle: &'static str,
    /// What it answers, as a question.
    pub question: &'static str,
    /// What it answers, in one or two sentences.
    pub about: &'static str,
    /// Options of example commands, the shortest first.
    pub examples: &'static [&'static str],
    /// The name of each sample's value, in lower case.
    pub value_name: &'static str,
    /// What samples are called, in lower case.
    pub samples_name: &'static str,
    /// What several configurations are called, in lower case.
    pub rows_name: &'static str,
    /// What one of the trials is called that run one after another, in sentence case.
    pub step_name: &'static str,
}

/// A piece of the line that states how much a plan measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Words.
    Words(&'static str),
    /// A number.
    Count(usize),
    /// A length of time.
    Time(Nanos),
}
