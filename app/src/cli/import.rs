//! The `import` command: prints a capture of another program, or an exported run.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::import::{self, Column, Imported, Options, Source, TimeUnit};
use jitterscope_engine::report::Report;
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{SaveOutcome, Store};
use jitterscope_engine::units::count_text;

use super::names::Place;
use super::print::{self, print_message, print_output};
use super::quick::{self, Saved};
use super::{Status, capture_view, flag, labels, option, output_args, text};

/// Returns the `import` command with its options.
pub(super) fn command() -> Command {
    let mut after = String::from("Supported files:\n");
    for source in Source::ALL {
        after.push_str(&format!("  {}\n", source.label()));
    }
    after.push_str(
        "\nCaptures of other programs have no schedule, so they have no lateness and no \
         grade.\nLines that cannot be read are counted and shown; missing values stay \
         missing.\n\nExamples:\n  jitterscope-cli import report.html\n  jitterscope-cli import \
         MangoHud_2026-11-21.csv --save\n  jitterscope-cli import presentmon.csv --process \
         game.exe --format csv\n  jitterscope-cli import frames.csv --column 'cost' --unit us\n  \
         jitterscope-cli import latency.hgrm --unit ms\n  jitterscope-cli import \
         *.csv --save",
    );
    Command::new("import")
        .about("Show a capture of another program, or an exported run; save it with --save")
        .after_help(after)
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Files to read; their kinds are detected from their content"),
        )
        .arg(option(
            "process",
            "NAME",
            "Process to read from a file with several, by name or number [default: the one with \
             the most frames]",
        ))
        .arg(option("swap-chain", "ADDRESS", "Swap chain to read if a process has several"))
        .arg(option(
            "column",
            "NAME",
            "Column of frame times in a table, by name or number [default: the one that is known]",
        ))
        .arg(
            option(
                "unit",
                "UNIT",
                "Unit of the column, of a percentile listing, or of a histogram of cyclictest \
                     [default: the one in the column's name, else ms; us for a listing and a histogram, \
                     ns where cyclictest measured in them]",
            )
            .value_parser(TimeUnit::ALL.map(TimeUnit::key).to_vec()),
        )
        .arg(flag("per-frame", "Read each row of a table as a frame").conflicts_with("sampled"))
        .arg(flag("sampled", "Read each row of a table as a reading of an interval"))
        .args(labels::args())
        .arg(
            flag("ticks", "Read each row of a table as a tick of a server")
                .conflicts_with("per-frame"),
        )
        .arg(flag("save", "Save the run"))
        .args(capture_view::args())
        .args(output_args())
}

/// Runs the `import` command.
pub(super) fn run(
    store: Option<&Store>,
    matches: &ArgMatches,
) -> Result<Status, Box<dyn std::error::Error>> {
    let paths: Vec<&PathBuf> = matches.get_many("file").into_iter().flatten().collect();
    let unit = text(matches, "unit");
    let unit = TimeUnit::ALL.into_iter().find(|known| unit.as_deref() == Some(known.key()));
    let column = text(matches, "column").map(|name| Column { name, unit });
    let (process, swap_chain) = (text(matches, "process"), text(matches, "swap-chain"));
    let is_per_frame = match (matches.get_flag("per-frame"), matches.get_flag("sampled")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let are_ticks = matches.get_flag("ticks");
    let options = Options { process, swap_chain, column, unit, is_per_frame, are_ticks };
    let [path] = paths.as_slice() else { return run_many(store, &paths, &options, matches) };
    let path = *path;
    let imported = read(path, &options)?;
    print_summary(&imported);
    let (runs, own) = labeled(imported, path, matches)?;
    // Save before printing: printing fails if the disk is full or the reader has closed the pipe.
    let saved = matches.get_flag("save").then(|| save(store, &runs, own));
    let printed = match runs.as_slice() {
        [run] => print::result(run, matches).map_err(Into::into),
        runs => quick::show(runs, matches),
    };
    if let Some(saved) = saved {
        print_message(&saved?);
    }
    printed?;
    Ok(Status::Done)
}

fn read(path: &Path, options: &Options) -> Result<Imported, String> {
    import::read(path, options).map_err(|error| format!("{error}: {}", path.display()))
}

/// Reads several files one after another: prints a line for each that was read, and the reason for each that was not.
fn run_many(
    store: Option<&Store>,
    paths: &[&PathBuf],
    options: &Options,
    matches: &ArgMatches,
) -> Result<Status, Box<dyn std::error::Error>> {
    if let Some(option) = ["name", "out"].into_iter().find(|name| matches.contains_id(name)) {
        return Err(format!("--{option} is of one file, not of {}", paths.len()).into());
    }
    let mut failed_count = 0_usize;
    for path in paths {
        let imported = match read(path, options) {
            Ok(imported) => imported,
            Err(error) => {
                failed_count += 1;
                print_message(&error);
                continue;
            }
        };
        let source = imported.source.label();
        let bad = match imported.bad_lines.count {
            0 => String::new(),
            count => format!("; {} cannot be read", count_text(count, "lines")),
        };
        for note in imported.is_edited().then_some(&imported.notes).into_iter().flatten() {
            print_message(&format!("{note}: {}", path.display()));
        }
        let (runs, own) = match labeled(imported, path, matches) {
            Ok(labeled) => labeled,
            Err(error) => {
                failed_count += 1;
                print_message(&format!("{error}: {}", path.display()));
                continue;
            }
        };
        let sentence = match runs.as_slice() {
            [run] => Report::of(run, &capture_view::options(matches)).sentence(),
            runs => Saved::of(runs, Place::Terminal).sentence(),
        };
        print_output(&format!("{}: {source}. {sentence}{bad}\n", path.display()))?;
        if matches.get_flag("save") {
            print_message(&save(store, &runs, own)?);
        }
    }
    print_message(&format!("{} of {} files read", paths.len() - failed_count, paths.len()));
    Ok(if failed_count == 0 { Status::Done } else { Status::Failed })
}

/// The runs of a file, and its path if it is one of this program.
type LabeledRuns<'a> = (Vec<Run>, Option<&'a Path>);

/// Returns the runs of a file with the labels that the user gave, and the path of a file of this program.
fn labeled<'a>(
    imported: Imported,
    path: &'a Path,
    matches: &ArgMatches,
) -> Result<LabeledRuns<'a>, Box<dyn std::error::Error>> {
    let own = imported.is_own().then_some(path);
    let runs = imported.into_runs().into_iter();
    let runs: Vec<Run> = runs.map(|run| labels::labeled(run, labels::given(matches))).collect();
    for run in &runs {
        capture_view::check(run, matches)?;
    }
    Ok((runs, own))
}

/// Saves the runs of a file unless they are saved already; returns the messages to print. Another run with the same ID is
/// an error: neither of the two may be lost.
fn save(
    store: Option<&Store>,
    runs: &[Run],
    own: Option<&Path>,
) -> Result<String, Box<dyn std::error::Error>> {
    let store = store.ok_or("no default data folder on this system; set one with --data-dir")?;
    // A file of several runs is none of the saved runs, wherever it is.
    let own = own.filter(|_| runs.len() == 1);
    let mut said: Vec<String> = Vec::new();
    for run in runs {
        let failure = match store.save_new(run, own) {
            Ok(SaveOutcome::New(path)) => {
                said.push(format!("saved as {}", path.display()));
                continue;
            }
            Ok(SaveOutcome::Known(_)) => {
                said.push("the run is already saved".to_owned());
                continue;
            }
            Ok(SaveOutcome::Other(path)) => {
                format!("another run with the same ID is saved as {}", path.display())
            }
            Ok(SaveOutcome::Lacks(path)) => format!(
                "the recording is saved without the detail or the joined log of this file; remove it with 'runs rm' to import this file: {}",
                path.display()
            ),
            Err(error) => error.to_string(),
        };
        // What was saved before the failure stays saved.
        for said in &said {
            print_message(said);
        }
        return Err(failure.into());
    }
    Ok(said.join("\n"))
}

/// Prints a summary of the imported file, with the parts that could not be read.
fn print_summary(imported: &Imported) {
    print_message(&format!("read as {}", imported.source.with_article()));
    if 1 < imported.series.len() {
        print_message("series in the file:");
        for (series, position) in imported.series.iter().zip(0..) {
            let mark = if imported.selected == Some(position) { '*' } else { ' ' };
            print_message(&format!("{mark} {}", series.words()));
        }
    }
    let bad = &imported.bad_lines;
    if 0 < bad.count {
        print_message(&format!("{} cannot be read:", count_text(bad.count, "lines")));
        for (line, reason) in &bad.first {
            print_message(&format!("  line {line}: {reason}"));
        }
        let shown = u64::try_from(bad.first.len()).unwrap_or(u64::MAX);
        if shown < bad.count {
            print_message(&format!("  and {} more", bad.count - shown));
        }
    }
    for note in &imported.notes {
        print_message(note);
    }
}
