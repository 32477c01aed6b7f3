//! The options about a capture that `import`, `runs show`, `export`, and `compare` share: which of its frames, which part
//! of its time, and by which definitions.

use std::sync::Arc;

use clap::builder::PossibleValue;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::parse_nanos;
use jitterscope_engine::report::capture::Scope;
use jitterscope_engine::report::{CaptureView, FrameKind, Options};
use jitterscope_engine::run::capture::{FrameQuantity, Recording};
use jitterscope_engine::run::{Capture, Run};
use jitterscope_engine::stats::stutter::STUTTER_FACTOR;
use jitterscope_engine::stats::{LowDefinition, Quantile};
use jitterscope_engine::units::{count_text, format_long_time, format_setting};

use super::{flag, option, text};

/// Maximum number of percentiles of `--percentiles`.
const MAX_PERCENTILES: usize = 20;

/// Returns the options about a capture.
pub(super) fn args() -> [Arg; 9] {
    let lows = LowDefinition::ALL.map(|low| PossibleValue::new(low.key()).help(low.label()));
    let time = |name, value, help| option(name, value, help).value_parser(parse_time);
    let args = [
        option(
            "frames",
            "KIND",
            "Frame times of presented or of displayed frames [default: presented]",
        )
        .value_parser(FrameKind::ALL.map(FrameKind::key)),
        option("low", "NAME", "Definition of the 1% and 0.1% low [default: mean-of-slowest]")
            .value_parser(lows),
        option("percentiles", "LIST", "Percentiles to print in addition: 50,97,99.5")
            .value_parser(parse_percentiles),
        time("above", "TIME", "Count frames above this frame time: 50ms"),
        option(
            "stutter",
            "FACTOR",
            "A frame stutters above this many times the moving median [default: 2.5]",
        )
        .value_parser(parse_factor),
        time("from", "TIME", "Begin at this time of the capture: 12s"),
        time("to", "TIME", "End at this time of the capture: 95s"),
        option("skip-first", "COUNT", "Omit this many frames at the start")
            .value_parser(clap::value_parser!(usize)),
        flag("omit-pauses", "Omit pauses: frames of more than 2 s"),
    ];
    args.map(|arg| arg.help_heading("Captures"))
}

/// Returns the options about captures that change what a comparison compares.
pub(super) fn args_of_comparison() -> impl Iterator<Item = Arg> {
    args().into_iter().filter(|arg| !["percentiles", "above"].contains(&arg.get_id().as_str()))
}

/// Returns the options of a report that the arguments ask for.
pub(super) fn options(matches: &ArgMatches) -> Options {
    fn value<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
        matches.try_get_one::<T>(name).ok().flatten().cloned()
    }
    let frames = text(matches, "frames");
    let frames = FrameKind::ALL.into_iter().find(|kind| frames.as_deref() == Some(kind.key()));
    let low = text(matches, "low").and_then(|key| LowDefinition::of_key(&key));
    let capture = CaptureView {
        frames: frames.unwrap_or_default(),
        low: low.unwrap_or_default(),
        percentiles: value::<Vec<Quantile>>(matches, "percentiles").unwrap_or_default(),
        above: value(matches, "above"),
        stutter_factor: value(matches, "stutter").unwrap_or(STUTTER_FACTOR),
        from: value(matches, "from"),
        to: value(matches, "to"),
        skip_first: value(matches, "skip-first").unwrap_or(0),
        omits_pauses: matches.try_get_one::<bool>("omit-pauses").ok().flatten() == Some(&true),
    };
    Options { capture, ..Options::default() }
}

/// The options that only a recording of every frame has.
const OF_FRAMES: [&str; 6] = ["frames", "low", "percentiles", "above", "stutter", "omit-pauses"];
/// The options that ticks of a server do not have.
const NOT_OF_TICKS: [&str; 4] = ["frames", "low", "percentiles", "stutter"];
/// The options that any recording over time has.
const OF_TIMES: [&str; 3] = ["from", "to", "skip-first"];

/// Returns an error if any option about a capture is given: a quick check has none.
pub(super) fn refuse_any(matches: &ArgMatches) -> Result<(), String> {
    let given = given(matches, &OF_FRAMES).or_else(|| given(matches, &OF_TIMES));
    given.map_or(Ok(()), |option| Err(format!("--{option} is of a capture, not of a quick check")))
}

/// Returns the first of these options that is given.
fn given(matches: &ArgMatches, names: &[&'static str]) -> Option<&'static str> {
    let is_given = |name: &&&str| {
        let is_known = matches.try_contains_id(name).unwrap_or(false);
        is_known && matches.value_source(name) == Some(ValueSource::CommandLine)
    };
    names.iter().find(is_given).copied()
}

/// Returns an error if an option about a capture does not apply to a run: no option is ignored.
pub(super) fn check(run: &Run, matches: &ArgMatches) -> Result<(), String> {
    let given = |names: &[&'static str]| given(matches, names);
    let option = match run.capture() {
        Some(Capture::Frames(recordings)) => {
            let has_displayed =
                recordings.iter().any(|one| one.per_frame(FrameQuantity::DisplayedTime).is_some());
            let frames = text(matches, "frames");
            if frames.as_deref() == Some(FrameKind::Displayed.key()) && !has_displayed {
                return Err("--frames displayed: this file does not have when its frames were \
                            displayed"
                    .to_owned());
            }
            None
        }
        Some(Capture::SampledLog(_) | Capture::SampledTicks(_)) => given(&OF_FRAMES),
        Some(Capture::Ticks(_)) => given(&NOT_OF_TICKS),
        Some(Capture::Histogram(_)) | None => given(&OF_FRAMES).or_else(|| given(&OF_TIMES)),
    };
    if let Some(option) = option {
        let test = run.subject.name().to_lowercase();
        return Err(format!("--{option} does not apply to a {test}"));
    }
    check_part(run, matches)
}

/// Returns an error if the requested part of a capture has no frame.
fn check_part(run: &Run, matches: &ArgMatches) -> Result<(), String> {
    let recordings = run.capture().map_or(&[][..], Capture::recordings);
    let end = |one: &Recording| one.times().max().unwrap_or_default().max(one.length());
    let Some(length) = recordings.iter().map(end).max() else { return Ok(()) };
    let count = recordings.iter().map(|one| one.frame_times.len()).max().unwrap_or(0);
    let CaptureView { from, to, skip_first, omits_pauses, .. } = options(matches).capture;
    let is_part = from.is_some() || to.is_some() || 0 < skip_first || omits_pauses;
    if let (Some(from), Some(to)) = (from, to.filter(|to| from.is_some_and(|from| *to <= from))) {
        let (from, to) = (format_setting(from), format_setting(to));
        return Err(format!("--to {to} is not after --from {from}: give a later end"));
    }
    if let Some(from) = from.filter(|from| length <= *from) {
        let (from, length) = (format_setting(from), format_long_time(length));
        return Err(format!("--from {from} is after the end: the capture is {length} long"));
    }
    if count <= skip_first {
        let count = count_text(count, "frames");
        return Err(format!("--skip-first {skip_first} omits all frames: the capture has {count}"));
    }
    let view = Arc::new(options(matches).capture);
    let has_frames = |one: &Recording| Scope::of(one, &view).recording.present().next().is_some();
    if is_part && !recordings.iter().any(has_frames) {
        return Err("no frame is in this part of the capture: select a larger one".to_owned());
    }
    Ok(())
}

fn parse_time(text: &str) -> Result<Nanos, String> {
    let time = parse_nanos(text).filter(|time| Nanos::ZERO <= *time);
    time.ok_or_else(|| "expected a time with its unit, such as 12s or 50ms".to_owned())
}

fn parse_factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (1.0..=100.0).contains(factor));
    factor.ok_or_else(|| "expected 1 to 100".to_owned())
}

fn parse_percentiles(text: &str) -> Result<Vec<Quantile>, String> {
    let one = |text: &str| {
        let percent: f64 = text.trim().trim_start_matches('p').parse().ok()?;
        let parts = (percent * 1e3).round();
        let is_share = (0.0..=100.0).contains(&percent) && (parts - percent * 1e3).abs() < 1e-6;
        let parts = format!("{parts:.0}").parse().ok()?;
        is_share.then(|| Quantile::new(parts))
    };
    let all: Option<Vec<Quantile>> = text.split(',').map(one).collect();
    let all = all.filter(|all| all.len() <= MAX_PERCENTILES);
    all.ok_or_else(|| {
        format!("expected up to {MAX_PERCENTILES} numbers from 0 to 100, such as 50,97,99.5")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str]) -> Result<CaptureView, String> {
        let command = clap::Command::new("show").no_binary_name(true).args(self::args());
        let matches = command.try_get_matches_from(args).map_err(|error| error.to_string())?;
        Ok(options(&matches).capture)
    }

    #[test]
    fn options_become_what_is_asked_of_a_capture() {
        assert_eq!(parsed(&[]).unwrap(), CaptureView::default());
        let view = parsed(&[
            "--frames",
            "displayed",
            "--low",
            "capframex-p1",
            "--percentiles",
            "50,97,p99.5",
            "--above",
            "50ms",
            "--stutter",
            "3",
            "--from",
            "12s",
            "--to",
            "95s",
            "--skip-first",
            "1",
            "--omit-pauses",
        ]);
        let expected = CaptureView {
            frames: FrameKind::Displayed,
            low: LowDefinition::CapFrameXPercentile,
            percentiles: [50_000, 97_000, 99_500].map(Quantile::new).into(),
            above: Some(Nanos::from_millis(50)),
            stutter_factor: 3.0,
            from: Some(Nanos::from_secs(12)),
            to: Some(Nanos::from_secs(95)),
            skip_first: 1,
            omits_pauses: true,
        };
        assert_eq!(view.unwrap(), expected);
        for bad in [
            ["--percentiles", "101"],
            ["--percentiles", ""],
            ["--stutter", "0"],
            ["--above", "5"],
            ["--low", "nosuch"],
            ["--frames", "all"],
        ] {
            assert!(parsed(&bad).is_err(), "{bad:?}");
        }
    }
}
