//! The plots: timeline, histogram, tail. Each retains its view; the data comes with each call.

pub mod axis;
pub mod boxes;
mod canvas;
pub mod cause;
pub mod heat;
pub mod histogram;
pub mod lanes;
pub mod lollipop;
mod menu;
pub mod range;
pub mod scale_strip;
pub mod scaling;
pub mod tail;
pub mod thumb;
pub mod timeline;
pub mod trace;

pub use self::axis::Scale;
pub use self::boxes::{BoxSeries, boxes};
pub use self::cause::cause_style;
pub use self::heat::{HeatMap, HeatRow};
pub use self::histogram::{CountScale, HistogramPlot, HistogramSeries, LinearBins, PlotMark};
pub use self::lanes::{Lane, Lanes};
pub use self::lollipop::{Lollipop, LollipopGroup};
pub use self::range::{RangeBar, RangePlot};
pub use self::scale_strip::ScaleStrip;
pub use self::scaling::{ScalingPoint, ScalingSeries, efficiency_ui, time_ui};
pub use self::tail::{TailPlot, TailSeries};
pub use self::thumb::thumb;
pub use self::timeline::{LateMark, LiveWindow, Quantity, Timeline, TimelineData};
pub use self::trace::{Trace, traces_ui};
