//! The plots: timeline, histogram, tail. Each keeps its view; the data comes with each call.

pub mod axis;
pub mod boxes;
mod canvas;
pub mod cause;
pub mod histogram;
pub mod lanes;
pub mod tail;
pub mod timeline;

pub use self::axis::Scale;
pub use self::boxes::{BoxSeries, boxes};
pub use self::cause::cause_look;
pub use self::histogram::{CountScale, HistogramPlot, HistogramSeries, PlotMark};
pub use self::lanes::{Lane, Lanes};
pub use self::tail::{TailPlot, TailSeries};
pub use self::timeline::{LateMark, LiveWindow, Quantity, Timeline, TimelineData};
