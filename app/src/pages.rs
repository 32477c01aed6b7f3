//! The pages of the window. Each page has its own view state, draws the session, and returns
//! actions.

mod activity;
mod add_host;
mod capture;
mod compare;
mod doors;
mod examples;
mod export;
mod image;
mod live_summary;
mod lost;
mod machine;
mod path_dialog;
mod quick;
mod record;
mod recording_changes;
mod result;
mod rights;
mod runs;
mod settings;
mod setup;
mod welcome;
mod which_column;
mod which_series;

pub use add_host::AddHostDialog;
pub use capture::CapturePage;
pub use compare::ComparePage;
pub use examples::examples_menu_ui;
pub use export::ExportDialog;
pub use image::{frame_png, image, image_in_high_contrast, plot_image};
pub use lost::place_ui;
pub use machine::{MachinePage, machine_markdown};
pub use path_dialog::PathDialog;
pub use quick::QuickPage;
pub use record::RecordPage;
pub use result::{TestPage, WHAT_HELPS, icon_of, what_helps_button_ui};
pub use runs::RunsPage;
pub use settings::SettingsPage;
pub use welcome::WelcomePage;
pub use which_column::WhichColumnDialog;
pub use which_series::WhichSeriesDialog;

use eframe::egui::{Frame, Margin};
use jitterscope_engine::platform::SystemTool;
use jitterscope_engine::stats::GradeRange;

use crate::session::{Action, Session};
use crate::text::quick::tool_button;
use crate::theme::size;
use crate::widgets::Button;

/// Returns the severity that corresponds to a grade.
pub fn severity_of(grade: Option<GradeRange>) -> crate::widgets::Severity {
    crate::widgets::Severity::of_grade(grade)
}

/// Shows a button that opens the desktop's task manager, if the desktop has one.
fn show_programs_ui(ui: &mut eframe::egui::Ui, session: &Session, actions: &mut Vec<Action>) {
    let tool = SystemTool::Programs;
    if session.machine.has_tool(tool) && ui.add(Button::new(tool_button(tool))).clicked() {
        actions.push(Action::OpenTool(tool));
    }
}

/// Returns the frame around the contents of a page, which has only a margin.
fn page_frame() -> Frame {
    Frame::new().inner_margin(Margin::symmetric(size::PAGE_PADDING_X, size::PAGE_PADDING_Y))
}
