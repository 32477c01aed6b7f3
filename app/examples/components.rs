//! Shows every part of the window's kit on one page; `--light`, `--ask` and `--tell` choose what more.

mod components {
    //! The page's three columns.
    pub(super) mod left;
    pub(super) mod middle;
    pub(super) mod right;
}

use eframe::egui;
use jitterscope::{Answer, Dialog, Hidden, Toast, Toasts};
use jitterscope::{Tokens, install_theme, size};
use jitterscope_engine::nanos::Nanos;

fn main() -> eframe::Result {
    let flags: Vec<String> = std::env::args().collect();
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let (light, asks, reports) = (has("--light"), has("--ask"), has("--tell"));
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size([1440.0, 900.0]),
        system_font_fallback: false,
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        "Components",
        options,
        Box::new(move |cc| {
            install_theme(&cc.egui_ctx);
            let theme = if light { egui::Theme::Light } else { egui::Theme::Dark };
            cc.egui_ctx.set_theme(theme);
            let toasts = if reports { messages() } else { Toasts::default() };
            Ok(Box::new(Components::new(asks, toasts)))
        }),
    )
}

/// What the page's controls hold.
struct Components {
    shown: &'static str,
    cpu: u8,
    work: Nanos,
    length: Nanos,
    checks: [bool; 3],
    strategy: u8,
    switches: [bool; 2],
    hidden: Hidden,
    toasts: Toasts<&'static str>,
    asks: bool,
}

impl Components {
    fn new(asks: bool, toasts: Toasts<&'static str>) -> Self {
        Self {
            shown: "Frame time",
            cpu: 6,
            work: Nanos::from_millis(2),
            length: Nanos::from_secs(30),
            checks: [true, false, true],
            strategy: 0,
            switches: [true, false],
            hidden: Hidden::default(),
            toasts,
            asks,
        }
    }
}

impl eframe::App for Components {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let page = egui::Frame::new()
            .fill(Tokens::of(ui).panel)
            .inner_margin(egui::Margin::symmetric(size::PAGE_PADDING_X, 14));
        egui::CentralPanel::default().frame(page).show(ui, |ui| {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
                column(ui, 336.0, |ui| components::left::ui(ui, &mut self.hidden));
                column(ui, ui.available_width() - 380.0 - size::GAP_FIELD, |ui| {
                    components::middle::ui(ui, self);
                });
                column(ui, 380.0, components::right::ui);
            });
        });
        if let Some(action) = self.toasts.show(ui) {
            self.toasts.push(Toast::info(format!("You asked to {action}.")));
        }
        if self.asks {
            let question = Dialog {
                title: "Stop the test?",
                text: "3 of 12 configurations are complete and will be kept.",
                primary: "Stop",
                cancel: "Keep running",
                is_stop: true,
            };
            match question.show(ui) {
                Some(Answer::Primary) => {
                    self.asks = false;
                    self.toasts.push(Toast::warning("Stopped."));
                }
                Some(Answer::Cancel) => self.asks = false,
                None => {}
            }
        }
    }
}

/// One message of each kind.
fn messages() -> Toasts<&'static str> {
    let mut toasts = Toasts::default();
    toasts.push(Toast::info("Copied to the clipboard. Host and user name are excluded."));
    toasts.push(Toast::undo("Deleted Sleep test 3", "undo"));
    let failed = "Could not save to /media/usb: no space left. The run is kept in the library.";
    toasts.push(Toast::error(failed).action("Choose folder", "choose"));
    toasts
}

/// A column of cards.
fn column(ui: &mut egui::Ui, width: f32, contents: impl FnOnce(&mut egui::Ui)) {
    ui.vertical(|ui| {
        ui.set_width(width.max(0.0));
        ui.spacing_mut().item_spacing.y = size::GAP_FIELD;
        contents(ui);
    });
}
