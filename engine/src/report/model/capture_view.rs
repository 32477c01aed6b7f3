//! What a reader asks of a capture: which of its frames, which part of its time, and by which definitions.

use crate::nanos::Nanos;
use crate::stats::stutter::STUTTER_FACTOR;
use crate::stats::{LowDefinition, Quantile};

/// Which frames the frame times are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// From one frame that the application presented to the next.
    #[default]
    Presented,
    /// From one frame that the display showed to the next, generated frames included.
    Displayed,
}

impl FrameKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Presented, Self::Displayed];

    /// Returns the name on the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Presented => "presented",
            Self::Displayed => "displayed",
        }
    }

    /// Returns the name in the window.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Presented => "Presented",
            Self::Displayed => "Displayed",
        }
    }
}

/// What is asked of a capture.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureView {
    /// Which frames; presented ones if the file has no others.
    pub frames: FrameKind,
    /// The definition of the 1% and 0.1% low.
    pub low: LowDefinition,
    /// Percentiles to compute besides those of the table.
    pub percentiles: Vec<Quantile>,
    /// Frames above this frame time are counted.
    pub above: Option<Nanos>,
    /// A frame is stutter above this many times the moving median.
    pub stutter_factor: f64,
    /// Frames that end later than this are included; `None` from the start.
    pub from: Option<Nanos>,
    /// Frames that end no later than this are included; `None` to the end.
    pub to: Option<Nanos>,
    /// Number of frames that are omitted at the start of the range.
    pub skip_first: usize,
    /// Whether pauses are omitted.
    pub omits_pauses: bool,
}

impl Default for CaptureView {
    fn default() -> Self {
        Self {
            frames: FrameKind::default(),
            low: LowDefinition::default(),
            percentiles: Vec::new(),
            above: None,
            stutter_factor: STUTTER_FACTOR,
            from: None,
            to: None,
            skip_first: 0,
            omits_pauses: false,
        }
    }
}

impl CaptureView {
    /// Returns the options of the command line that ask for the same frames and definitions, each after a blank; empty for
    /// the default.
    pub fn arguments(&self) -> String {
        let Self { frames, low, stutter_factor, from, to, skip_first, omits_pauses, .. } = self;
        let default = Self::default();
        let nanos = |name: &str, time: Nanos| format!(" --{name} {}ns", time.get());
        let all = [
            (*frames != default.frames).then(|| format!(" --frames {}", frames.key())),
            (*low != default.low).then(|| format!(" --low {}", low.key())),
            (1e-9 < (stutter_factor - default.stutter_factor).abs())
                .then(|| format!(" --stutter {stutter_factor}")),
            from.map(|from| nanos("from", from)),
            to.map(|to| nanos("to", to)),
            (0 < *skip_first).then(|| format!(" --skip-first {skip_first}")),
            omits_pauses.then(|| " --omit-pauses".to_owned()),
        ];
        all.into_iter().flatten().collect()
    }

    /// Whether a frame that ends at this time is in the range.
    pub(in crate::report) fn is_in_range(&self, at: Nanos) -> bool {
        self.from.is_none_or(|from| from < at) && self.to.is_none_or(|to| at <= to)
    }
}
