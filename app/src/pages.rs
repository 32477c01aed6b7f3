//! The pages of the window: each holds its view state, is drawn from the session, and returns
//! actions.

mod capture;
mod compare;
mod examples;
mod export;
mod frame_loop;
mod grading;
mod image;
mod live_summary;
mod machine;
mod path_dialog;
mod quick;
mod runs;
mod settings;
mod setup;
mod test;
mod welcome;
mod which_column;
mod which_series;

pub use capture::CapturePage;
pub use compare::ComparePage;
pub use export::ExportDialog;
pub use frame_loop::{FrameLoopPage, severity_of};
pub use image::{frame_png, image, image_in_high_contrast, plot_image};
pub use machine::{MachinePage, machine_markdown};
pub use path_dialog::PathDialog;
pub use quick::QuickPage;
pub use runs::RunsPage;
pub use settings::SettingsPage;
pub use test::{TestPage, icon_of};
pub use welcome::WelcomePage;
pub use which_column::WhichColumnDialog;
pub use which_series::WhichSeriesDialog;
