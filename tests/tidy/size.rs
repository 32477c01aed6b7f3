//! Size is a budget: how many lines of product code each crate may have.

use std::collections::BTreeMap;

use super::source::test_modules;
use super::{Source, check, is_of_tests, sources};

/// The folder of each crate, and how many product lines it may have. A commit may only lower a number. A
/// commit that has to raise one says why in a sentence here, next to the number.
/// Engine, 49 748 to 49 838: the words of causes and results moved from the app.
/// Engine, 49 838 to 49 992: the ticks moved from the app.
/// Engine, 49 992 to 50 258: the course of the quick check moved from the app and the command line.
/// Engine, 50 258 to 50 265, and app, 38 586 to 38 588: rows of choices replace matches on their positions.
/// Engine, 50 265 to 52 079: missing kernel records are counted and stated, and long runs are sampled; intervals of
/// dependent samples; a template for a platform; programs are read in slices, and own threads note their runs; a verdict
/// that blames a program.
/// App, 38 588 to 38 701: cautions about records, and the late frames that Show frames opens.
/// Engine, 52 079 to 55 931, and app, 38 701 to 37 692: a tracing instance, the period of a culprit, and advice against
/// known programs; one effect for every question "did it change", the run-to-run variation by kind of metric, disturbed
/// runs by name, and more conditions; captures read in three steps, with seven formats more; the words of comparison and
/// of the quick check moved from the app.
/// Engine, 55 931 to 58 224, and app, 37 692 to 37 367: conclusions of a matrix of configurations; a loop that reads
/// Instant, blocks, plots, and contents of packets as the reference tools have them, and options under their names; the
/// outlines of marks, the axis of forest plots, and the words of comparisons and of notes on a result moved from the app,
/// and HTML is written from the blocks of a document, which Markdown, terminal, and preview show as well; origins of
/// frames that others stretched; who had the CPUs in gaps.
/// Engine, 58 224 to 58 355, and app, 37 367 to 37 800: runs are listed for other programs, tagged, named, restored, and
/// written as one table on the command line; changes of tags are undone; agents that fall silent or send too much, names
/// that forge lines, and a damaged state of the window.
/// Engine, 58 355 to 60 027, and app, 37 800 to 38 133: what people ask of a capture (displayed frames, limits, a part,
/// pauses, the definition of lows), ticks of a server, exports that hold the values of a capture, and two formats more.
/// Engine, 60 027 to 65 475, and app, 38 133 to 38 869: recordings: the recorder, which holds the records of all threads in
/// memory, follows a log row by row, and takes commands of its user; the path of a frame through these records, the causes
/// of stutters with their words, and the page of the window.
/// Engine, 65 475 to 67 864, and app, 38 869 to 40 276: games that are started again during a recording, answers to marks,
/// a log whose clock drifts, records in lines that a journal can hold, what each record costs, switches from idle that a kernel does not record, and the charts on the page of
/// a recording;
/// sampled logs of ticks, captions of each recording and of groups of
/// captures, exports of the frames that are shown; the range of a capture by dragging, and what limits its frames over
/// time;
/// signals that reach every host, programs that end with this one,
/// streams that are refused, memory of small values, what a window needs, and a last result that is not tried twice;
/// trends: levels and their changes, lines of points, their document
/// and plot, the command, and the tab of Compare; the results of many hosts as table, JSON, CSV, and metrics.
/// Engine, 67 864 to 70 006, and app, 40 276 to 39 946: logs that are joined with a recording, the switches of a game for
/// ordinary users, answers that remain without their detail, and limits of what all recordings take; quick checks that open
/// elsewhere, files that were edited, reports without samples, up to six groups of runs; tables that are read block by
/// block, the wall clock of captures, and the minimum effect of trends; the tables of late frames, of differences, and of
/// conditions moved from the app, which draws all tables with one widget.
/// Engine, 70 006 to 70 734, and app, 39 946 to 40 734: files that another program wrote again, one table for all groups,
/// and groups by tag and by saved filter in the window; a join that is undone and states its uncertainty apart from detail,
/// imports of changed recordings, lines with gaps, and the buttons of the window that join a log and delete detail; JSON of
/// captures and logs of Afterburner are read piece by piece, plain numbers are parsed without a copy, dates are read from file
/// names, and files that cannot be read are named; bounds of what a recording, a page, and a menu draw or hold, single lines
/// from other PCs, and the progress of opening files.
/// Engine, 70 734 to 72 258, and app, 40 734 to 41 619: a pair of which a run was disturbed has no result, and states why;
/// the variation between the sessions of a library; system calls that a filter refuses, by name; what a mistyped value may
/// mean; bins of histograms in columns, JSON of cyclictest and percentile
/// listings that are read piece by piece, and files that are not there in words; the three ways to begin with their
/// sketches, the example of a capture, and the head of a capture's page;
/// what a recording needs of this PC, with MangoHud's configuration;
/// rates of stutters compared with last time, `record compare`, the period of a few events, and drift,
/// where both recordings show the same; text of cyclictest, oslat, and rtla that is read piece by piece, and more files by
/// name; the scale, the stutters, and the pauses of a capture's timeline by button, and what each of its figures is of;
/// disturbed groups that were measured one after the other, names of groups, what files do not state, and the tab of groups
/// with their letters in the list; states in boxes below a timeline, and positions in minutes and seconds;
/// the game of a capture in the index; the undo of each deletion.
/// Engine, 72 258 to 73 140, and app, 41 620 to 41 490: the part of a capture apart from its numbers; the strip of pauses
/// and the menu of lows at their tile, a maximized plot that fills the page, and fields that follow a fast undo; the cycles
/// of a followed thread, their paths, and their words; the places of switches and states among the records of a trace;
/// pauses, the end, and the limits of what a followed thread did; how many configurations, columns, and warnings a page
/// does not show.
/// Engine, 73 140, and app, 41 490: a recording as text for a chat; what to do before a thread is followed; until when the
/// memory of a recording is not full.
/// Engine, 73 215 to 73 482: the rows of a table that are parsed on several CPUs, and what is decided in their order.
/// App, 41 597 to 41 672: an interrupt that also ends the program that connects; the bar above what limits the frames of a capture, as a widget that causes of late frames share.
/// Engine, 73 680: units of a column's distances, a yes or no of CapFrameX without a copy, runs that lack the metric of a
/// trend, and when the first row of a table was recorded. App, 41 760: the letters of groups in the details of runs, and what
/// is typed after a Tab in the same frame.
const MAX_PRODUCT_LINES: [(&str, usize); 2] = [("engine/src", 73_680), ("app/src", 41_760)];
/// How far a crate may be below its number before the number has to be lowered.
const MAX_UNUSED_LINES: usize = 150;

/// Returns how many product lines each module of a crate has, and the sum of them. A product line is a line of
/// a `.rs` file with code on it: blank lines, comment lines, items under `#[cfg(test)]`, and the files of
/// tests do not count.
fn product_lines(below: &str) -> (BTreeMap<String, usize>, usize) {
    let mut by_module: BTreeMap<String, usize> = BTreeMap::new();
    for Source { name, product, .. } in sources(below) {
        if !is_of_tests(&name) {
            *by_module.entry(super::module(&name, below).to_owned()).or_default() +=
                count_product_lines(&product);
        }
    }
    let sum = by_module.values().sum();
    (by_module, sum)
}

fn count_product_lines(product: &str) -> usize {
    let lines = product.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn no_crate_grows() {
    let mut problems = Vec::new();
    for (below, max) in MAX_PRODUCT_LINES {
        let (by_module, count) = product_lines(below);
        let of_modules: Vec<String> =
            by_module.iter().map(|(module, count)| format!("{module} {count}")).collect();
        let of_modules = of_modules.join(", ");
        if max < count {
            problems.push(format!(
                "{below} has {count} product lines, {} more than the {max} it may have. Remove what the \
                 change makes unnecessary, such as a second description of the same thing; otherwise raise \
                 the number in tests/tidy/size.rs, with a sentence why. Modules: {of_modules}",
                count - max
            ));
        }
        if count + MAX_UNUSED_LINES < max {
            problems.push(format!(
                "{below} has {count} product lines, {} fewer than the {max} it may have: lower the number in \
                 tests/tidy/size.rs to {count}. Modules: {of_modules}",
                max - count
            ));
        }
    }
    check(&problems);
}

#[test]
fn a_module_that_only_tests_have_is_in_a_folder_of_tests() {
    let mut problems = Vec::new();
    for below in ["engine/src", "app/src"] {
        for Source { name, text, .. } in sources(below) {
            for module in test_modules(&text) {
                if module != "tests" && !is_of_tests(&name) {
                    problems.push(format!("{name} declares '{module}' outside of its tests"));
                }
            }
        }
    }
    check(&problems);
}

#[test]
fn comments_blanks_and_tests_are_no_product_lines() {
    let text = "//! Doc.\n\nuse a::b; // c\n\n/// Doc.\nfn f() {\n    g(\"\n    h\n\");\n}\n\n\
                #[cfg(test)]\nmod tests {\n    fn i() {}\n}\n";
    assert_eq!(count_product_lines(&super::source::product(text)), 6);
    let declared = "mod a;\n#[cfg(test)]\npub(crate) mod b;\n#[cfg(test)]\nmod c {}\n\
                    #[cfg(test)]\nuse d;\n";
    assert_eq!(test_modules(declared), ["b"]);
}
