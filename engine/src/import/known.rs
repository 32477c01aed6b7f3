//! The known columns of frame logs, and the programs that write them, as data: how a program spells a
//! column, what the column holds, and in which unit.

use super::source::Source;
use super::time_unit::TimeUnit;
use crate::run::capture::FrameQuantity;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The time of a frame; the column with the lowest rank is used.
    FrameTime(u8),
    /// Frames per second.
    Rate,
    /// The time of the row, counted from a start.
    Clock,
    /// The time of the row, as hours, minutes, and seconds.
    TimeOfDay,
    /// The name of the process that presented the frame.
    Process,
    /// The process ID.
    ProcessId,
    /// The address of the swap chain.
    SwapChain,
    /// A value of each frame besides its frame time.
    PerFrame(FrameQuantity),
    /// Text.
    Text,
    /// A fact about the machine, which only the first row may have.
    Fact,
    /// Any other number.
    Number,
}

/// How servers call the time that they worked on a tick, in lower case.
pub(super) const TICKS: &[&str] = &[
    "mspt",
    "mspt (ms)",
    "ms per tick",
    "ms/tick",
    "tick time",
    "tick time (ms)",
    "tick_time",
    "tick_time_ms",
    "tick_ms",
    "ticktime",
    "tick duration",
    "tick duration (ms)",
    "tick_duration_ms",
];

/// The rank of columns of frame times that may be time stamps.
pub(super) const STAMPS: u8 = 4;

/// A known column: its spellings in lower case, what it holds, and its unit. A unit that is not certain
/// is checked against the rate and the clock of the file.
pub(super) struct KnownColumn {
    names: &'static [&'static str],
    pub(super) quantity: Quantity,
    pub(super) unit: Option<TimeUnit>,
    pub(super) is_certain: bool,
}

const fn column(names: &'static [&'static str], quantity: Quantity) -> KnownColumn {
    KnownColumn { names, quantity, unit: None, is_certain: true }
}

const fn in_unit(
    names: &'static [&'static str],
    quantity: Quantity,
    unit: TimeUnit,
) -> KnownColumn {
    KnownColumn { names, quantity, unit: Some(unit), is_certain: true }
}

const fn per_frame(names: &'static [&'static str], quantity: FrameQuantity) -> KnownColumn {
    in_unit(names, Quantity::PerFrame(quantity), TimeUnit::Millis)
}

/// Every known column.
const COLUMNS: [KnownColumn; 33] = [
    in_unit(&["msbetweenpresents"], Quantity::FrameTime(0), TimeUnit::Millis),
    in_unit(
        &[
            "frame time [ms]",
            "frametime [ms]",
            "frame time (presented) [ms]",
            "frame time (presented) (avg) [ms]",
            "frametime (ms)",
            "frame time (ms)",
        ],
        Quantity::FrameTime(1),
        TimeUnit::Millis,
    ),
    in_unit(&["frame interval (\u{b5}s)"], Quantity::FrameTime(1), TimeUnit::Micros),
    // MangoHud 0.5 to 0.6.8 wrote microseconds into the column in which all later ones write milliseconds.
    KnownColumn {
        names: &["frametime"],
        quantity: Quantity::FrameTime(2),
        unit: Some(TimeUnit::Millis),
        is_certain: false,
    },
    in_unit(&["msbetweenappstart"], Quantity::FrameTime(3), TimeUnit::Millis),
    KnownColumn {
        names: TICKS,
        quantity: Quantity::FrameTime(2),
        unit: Some(TimeUnit::Millis),
        is_certain: false,
    },
    // Fraps writes the time since the start of the benchmark.
    in_unit(&["time (ms)"], Quantity::FrameTime(STAMPS), TimeUnit::Millis),
    in_unit(
        &[
            "fps",
            "framerate",
            "frame rate",
            "framerate [fps]",
            "framerate (presented) [fps]",
            "framerate (presented) (avg) [fps]",
        ],
        Quantity::Rate,
        TimeUnit::Fps,
    ),
    in_unit(
        &["timeinseconds", "time (s)", "time [s]", "elapsed (s)", "uptime (s)", "seconds"],
        Quantity::Clock,
        TimeUnit::Secs,
    ),
    in_unit(&["timeinms", "cpustarttimeinms"], Quantity::Clock, TimeUnit::Millis),
    in_unit(&["elapsed"], Quantity::Clock, TimeUnit::Nanos),
    in_unit(&["time (\u{b5}s)"], Quantity::Clock, TimeUnit::Micros),
    column(&["time", "timestamp", "time stamp", "date time", "datetime"], Quantity::TimeOfDay),
    column(&["application"], Quantity::Process),
    column(&["processid"], Quantity::ProcessId),
    column(&["swapchainaddress"], Quantity::SwapChain),
    column(&["dropped"], Quantity::PerFrame(FrameQuantity::Dropped)),
    column(&["frametype"], Quantity::PerFrame(FrameQuantity::Origin)),
    column(
        &["runtime", "presentruntime", "presentmode", "resolution", "date", "events", "gpu", "cpu"],
        Quantity::Text,
    ),
    column(
        &[
            "motherboard",
            "os",
            "processor",
            "system ram",
            "base driver version",
            "driver package",
            "gpu #",
            "gpu core clock (mhz)",
            "gpu memory clock (mhz)",
            "gpu memory (mb)",
            "user comment",
            "comment",
        ],
        Quantity::Fact,
    ),
    per_frame(&["msbetweendisplaychange", "displayedtime"], FrameQuantity::DisplayedTime),
    per_frame(&["mscpubusy", "cpubusy"], FrameQuantity::CpuBusy),
    per_frame(&["mscpuwait", "cpuwait"], FrameQuantity::CpuWait),
    per_frame(&["msgpubusy", "gpubusy", "msgpuactive"], FrameQuantity::GpuBusy),
    per_frame(&["msgpuwait", "gpuwait"], FrameQuantity::GpuWait),
    in_unit(
        &["render gpu (\u{b5}s)"],
        Quantity::PerFrame(FrameQuantity::GpuBusy),
        TimeUnit::Micros,
    ),
    in_unit(&["wait cpu (\u{b5}s)"], Quantity::PerFrame(FrameQuantity::CpuWait), TimeUnit::Micros),
    per_frame(&["mspclatency", "pclatency"], FrameQuantity::PcLatency),
    per_frame(&["msclicktophotonlatency", "clicktophotonlatency"], FrameQuantity::ClickToPhoton),
    per_frame(&["msanimationerror", "animationerror"], FrameQuantity::AnimationError),
    in_unit(
        &["msinpresentapi", "msuntilrendercomplete", "msuntildisplayed", "msrenderpresentlatency"],
        Quantity::Number,
        TimeUnit::Millis,
    ),
    column(
        &["syncinterval", "presentflags", "allowstearing", "wasbatched", "dwmnotified"],
        Quantity::Number,
    ),
    column(&["cpu_load", "gpu_load", "cpu_temp", "gpu_temp", "gpu_power"], Quantity::Number),
];

/// Returns the known column of this name, which is in lower case; `None` if it is not known.
pub(super) fn known_column(name: &str) -> Option<&'static KnownColumn> {
    COLUMNS.iter().find(|column| column.names.contains(&name))
}

/// Returns how programs spell a column of values of each frame, in lower case, and its unit; the best one first.
pub(super) fn names_of(
    quantity: FrameQuantity,
) -> impl Iterator<Item = (&'static str, Option<TimeUnit>)> {
    let columns =
        COLUMNS.iter().filter(move |column| column.quantity == Quantity::PerFrame(quantity));
    columns.flat_map(|column| column.names.iter().map(|name| (*name, column.unit)))
}

/// Returns what a column holds; `None` if its name is not known.
pub(super) fn quantity(name: &str) -> Option<Quantity> {
    known_column(name).map(|column| column.quantity)
}

/// A program that writes tables of frames.
pub(super) struct Program {
    pub(super) source: Source,
    /// Columns in lower case, all of which the program writes. A name that begins with `*` means
    /// every column that contains the rest.
    columns: &'static [&'static str],
    /// Whether each row is a reading of an interval, whatever the clock of the file shows.
    pub(super) is_sampled: bool,
    /// Whether a row may have more or fewer cells than the header, because columns are added at the end
    /// while the program writes.
    pub(super) is_growing: bool,
}

const fn program(source: Source, columns: &'static [&'static str]) -> Program {
    Program { source, columns, is_sampled: false, is_growing: false }
}

const fn sampled(source: Source, columns: &'static [&'static str]) -> Program {
    Program { source, columns, is_sampled: true, is_growing: false }
}

/// The programs whose tables are known, the most specific one first.
const PROGRAMS: [Program; 13] = [
    program(Source::FrameView, &["application", "gpu0clk(mhz)"]),
    program(Source::FrameView, &["application", "gpu0util(%)"]),
    program(Source::FrameView, &["application", "render queue depth"]),
    program(Source::Ocat, &["application", "motherboard"]),
    program(Source::PresentMon, &["application"]),
    sampled(Source::Adrenalin, &["gpu util", "fps"]),
    program(Source::XrFrameTools, &["frame interval (\u{b5}s)", "app cpu (\u{b5}s)"]),
    sampled(Source::OpenXrToolkit, &["fps", "*appcpu"]),
    sampled(Source::HwInfo, &["date", "time", "*["]),
    Program { is_growing: true, ..program(Source::Unreal, &["events", "frametime"]) },
    program(Source::Fraps, &["frame", "time (ms)"]),
    program(Source::MangoHud, &["fps", "frametime"]),
    program(Source::Columns, &[]),
];

/// Returns the program that writes these columns; names are in lower case.
pub(super) fn program_of(names: &[String]) -> &'static Program {
    let has = |wanted: &str| match wanted.strip_prefix('*') {
        Some(part) => names.iter().any(|name| name.contains(part)),
        None => names.iter().any(|name| name == wanted),
    };
    let [.., last] = &PROGRAMS;
    PROGRAMS.iter().find(|program| program.columns.iter().all(|name| has(name))).unwrap_or(last)
}

/// Tables that have only the summary of a recording: columns in lower case, and what the file is.
const SUMMARIES: [(&[&str], &str); 4] = [
    (&["0.1% min fps", "average fps"], "a summary of MangoHud; open the log of the same name"),
    (
        &["duration", "total frames", "average fps"],
        "a summary of PresentMon; open its CSV of frames",
    ),
    (
        &["frames", "time (ms)", "min", "max"],
        "a summary of Fraps; open the file of frame times of the same name",
    ),
    (&["average fps (game)", "file name"], "a summary of FrameView; open the log of a recording"),
];

/// Returns what a table is that has only a summary; `None` for any other table. Names are in lower case.
pub(super) fn summary(names: &[String]) -> Option<&'static str> {
    let has = |wanted: &&str| names.iter().any(|name| name == wanted);
    SUMMARIES.iter().find(|(columns, _)| columns.iter().all(has)).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_decide_the_program() {
        for (names, source) in [
            ("application,processid,msbetweenpresents,wasbatched", Source::PresentMon),
            ("application,msbetweenpresents,wasbatched,motherboard", Source::Ocat),
            ("date,time,core 0 [\u{b0}c],framerate [fps]", Source::HwInfo),
            ("gpu util,gpu temp,fps", Source::Adrenalin),
            ("time,fps,appcpu (us)", Source::OpenXrToolkit),
            ("frame,time (ms)", Source::Fraps),
            ("time (\u{b5}s),frame interval (\u{b5}s),fps,app cpu (\u{b5}s)", Source::XrFrameTools),
            ("frame,frametime", Source::Columns),
        ] {
            let names: Vec<String> = names.split(',').map(str::to_owned).collect();
            assert_eq!(program_of(&names).source, source, "{names:?}");
        }
    }
}
