//! The plots. Most plots are drawn from a chart description in the report. The timeline and the
//! heat map have their own view state, and receive their data with each call.

pub mod axis;
pub mod cells;
mod chart;
pub mod heat;
pub mod lanes;
mod menu;
pub mod occupants;
mod plane;
pub mod scale_strip;
pub mod strips;
mod style;
pub mod timeline;

pub use self::axis::Scale;
pub use self::chart::{ChartCard, ChartPick, DimmedPart, chart_ui, charts_ui, pickable_charts_ui};
pub use self::heat::HeatMap;
pub use self::lanes::{Lane, lanes_controls_ui, lanes_ui, reset_lanes};
pub use self::menu::take_image_request;
pub use self::occupants::{FrameLanes, occupants_height, occupants_ui, shared_time};
pub use self::scale_strip::scale_strip;
pub use self::strips::{Above, StatePart, Strip, strips_height, strips_sides, strips_ui};
pub use self::timeline::{LiveWindow, Timeline, TimelineData};
pub use crate::widgets::mark::cause_style;
