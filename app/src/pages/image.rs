//! A result as an image: the content of its page, drawn without a window, with the names of run and
//! machine.

mod raster;

use eframe::egui::epaint::ClippedShape;
use eframe::egui::{Context, Id, RawInput, Rect, Theme, Ui, UiBuilder, ViewportId, pos2, vec2};
use eframe::icon_data::IconDataExt as _;
use jitterscope_engine::report::Chart;
use jitterscope_engine::run::Run;

use super::quick::result_ui as check_ui;
use super::{CapturePage, RecordPage, TestPage, page_frame, severity_of};
use crate::plots::chart_ui;
use crate::session::{ExportImage, ImageOf, LoadedRun};
use crate::text;
use crate::theme::{self, Contrast, Tokens, Type, size};
use crate::widgets::{Hidden, Spans, VerdictStrip, card::hide_controls};
use raster::Raster;

/// Pixels per point.
const SCALE: f32 = 2.0;
/// Width of an image in points, equal to the width of a page in a window of default size.
const WIDTH: f32 = 1_160.0;
/// Height in points that is reported to plots as available.
const PAGE_HEIGHT: f32 = 860.0;
/// Height in points of an image of a single plot.
const PLOT_HEIGHT: f32 = 420.0;
/// Maximum height of an image in points; the rest of the page is cropped.
const MAX_HEIGHT: f32 = 2_600.0;
/// Maximum width and height of a preview in pixels, which every graphics card supports.
const MAX_SMALL: usize = 2_000;
/// Number of layout passes: the width of right-aligned items is known only after the first pass.
const PASSES: usize = 3;

/// Draws a result as an image; takes some tenths of a second and needs no window.
pub fn image(of: ImageOf<'_>, is_dark: bool) -> Result<ExportImage, String> {
    draw(of, is_dark, Contrast::Standard)
}

/// Draws a result as an image, with high-contrast series and borders.
pub fn image_in_high_contrast(of: ImageOf<'_>, is_dark: bool) -> Result<ExportImage, String> {
    draw(of, is_dark, Contrast::High)
}

fn draw(of: ImageOf<'_>, is_dark: bool, contrast: Contrast) -> Result<ExportImage, String> {
    match of {
        ImageOf::Run(shown) => {
            let mut view = ImageView::of(shown);
            rendered(is_dark, contrast, |ui| view.ui(ui, shown))
        }
        ImageOf::Check(check) => rendered(is_dark, contrast, |ui| {
            page(ui, |ui| {
                if let Some(first) = check.runs().next() {
                    let name = &first.run.name;
                    let name = if name.is_empty() { "Quick check" } else { name.as_str() };
                    heading_ui(ui, name, "Quick check", &first.run);
                }
                check_ui(ui, check);
            })
        }),
    }
}

/// Draws a page from its top; returns its height.
fn page(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) -> f32 {
    let page = Rect::from_min_size(pos2(0.0, 0.0), vec2(WIDTH, PAGE_HEIGHT));
    let mut page = ui.new_child(UiBuilder::new().max_rect(page));
    page_frame().show(&mut page, |ui| {
        ui.spacing_mut().item_spacing.y = size::GAP_CARD;
        contents(ui);
    });
    page.min_rect().bottom()
}

/// Draws a plot with its title, its subtitle `of`, and its legend.
pub fn plot_image(
    chart: &Chart,
    of: &str,
    is_dark: bool,
    contrast: Contrast,
) -> Result<ExportImage, String> {
    rendered(is_dark, contrast, |ui| {
        let page = Rect::from_min_size(pos2(0.0, 0.0), vec2(WIDTH, PAGE_HEIGHT));
        let mut page = ui.new_child(UiBuilder::new().max_rect(page));
        page_frame().show(&mut page, |ui| {
            let tokens = Tokens::of(ui);
            Spans::plain(Type::Title, chart.title, tokens.t1).label(ui);
            let note =
                if chart.note.is_empty() { String::new() } else { format!(" · {}", chart.note) };
            let line = format!("{of}{note} · Jitterscope {}", env!("CARGO_PKG_VERSION"));
            Spans::plain(Type::Small, &line, tokens.t2).label(ui);
            let id = Id::unique("image");
            let rows = f32::from(u16::try_from(chart.y.names.len()).unwrap_or(u16::MAX));
            let height = (rows * 22.0 + 60.0).clamp(PLOT_HEIGHT, MAX_HEIGHT - 120.0);
            chart_ui(ui, chart, (id, None), height, &mut Hidden::default());
        });
        page.min_rect().bottom()
    })
}

/// Renders the contents that `show` draws as an image; `show` returns the height of the contents in
/// points.
fn rendered(
    is_dark: bool,
    contrast: Contrast,
    mut show: impl FnMut(&mut Ui) -> f32,
) -> Result<ExportImage, String> {
    let theme = if is_dark { Theme::Dark } else { Theme::Light };
    let ctx = Context::default();
    theme::install(&ctx);
    theme::set_contrast(&ctx, contrast);
    ctx.set_theme(theme);
    theme::set_motion(&ctx, false);
    hide_controls(&ctx);
    let mut height = PAGE_HEIGHT;
    let mut primitives = Vec::new();
    for _ in 0..PASSES {
        let mut output = ctx.run_ui(input(), |ui| height = show(ui));
        output.textures_delta.clear();
        primitives = ctx.tessellate(std::mem::take(&mut output.shapes), SCALE);
    }
    let points = vec2(WIDTH, height.min(MAX_HEIGHT).ceil());
    let ground = Tokens::of_theme(theme, contrast).panel;
    let (size, rgba) = Raster::of(&ctx).paint(&primitives, points, SCALE, ground);
    let (png, rgba) = encode(size, rgba)?;
    let (small_size, small) = raster::smaller(size, &rgba, MAX_SMALL);
    Ok(ExportImage { size, rgba, small_size, small, png })
}

/// Returns a frame of the window as PNG, rendered without a graphics card; images in it are left
/// blank.
pub fn frame_png(ctx: &Context, shapes: Vec<ClippedShape>) -> Result<Vec<u8>, String> {
    let scale = ctx.pixels_per_point();
    let points = ctx.viewport_rect().size();
    let primitives = ctx.tessellate(shapes, scale);
    let ground = ctx.global_style().visuals.panel_fill;
    let (size, rgba) = Raster::of(ctx).paint(&primitives, points, scale, ground);
    Ok(encode(size, rgba)?.0)
}

/// Encodes pixels as PNG; returns the file and the pixels.
fn encode([width, height]: [usize; 2], rgba: Vec<u8>) -> Result<(Vec<u8>, Vec<u8>), String> {
    let side = |pixels: usize| u32::try_from(pixels).map_err(|error| error.to_string());
    let image = eframe::egui::IconData { rgba, width: side(width)?, height: side(height)? };
    Ok((image.to_png_bytes()?, image.rgba))
}

/// Returns the input for a screen that has the width of an image and the maximum height of an
/// image.
fn input() -> RawInput {
    let screen = Rect::from_min_size(pos2(0.0, 0.0), vec2(WIDTH, MAX_HEIGHT));
    let mut input = RawInput {
        screen_rect: Some(screen),
        max_texture_side: Some(8_192),
        time: Some(0.0),
        focused: false,
        ..RawInput::default()
    };
    if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
        viewport.native_pixels_per_point = Some(SCALE);
    }
    input
}

/// The page that shows a run, in its initial state: the page of a test or of an imported run.
enum ImageView {
    Test(Box<TestPage>),
    Capture(Box<CapturePage>),
    Recording(Box<RecordPage>),
}

impl ImageView {
    fn of(shown: &LoadedRun) -> Self {
        match shown.run.plan() {
            Some(plan) => Self::Test(Box::new(TestPage::of(plan))),
            None if shown.run.recording().is_some() => Self::Recording(Box::default()),
            None => Self::Capture(Box::default()),
        }
    }

    /// Draws name, machine, verdict, and result; returns the total height.
    fn ui(&mut self, ui: &mut Ui, shown: &LoadedRun) -> f32 {
        page(ui, |ui| {
            heading_ui(ui, &text::run_name(&shown.run), shown.run.subject.name(), &shown.run);
            strip_ui(ui, shown);
            match self {
                Self::Test(page) => page.result_ui(ui, shown),
                Self::Capture(page) => page.result_ui(ui, shown),
                Self::Recording(page) => page.result_ui(ui, shown),
            }
        })
    }
}

/// Draws the name of the run, date, machine, and program version.
fn heading_ui(ui: &mut Ui, name: &str, test: &str, run: &Run) {
    let tokens = Tokens::of(ui);
    Spans::plain(Type::Title, name, tokens.t1).label(ui);
    let line = format!(
        "{test} · {} · {} · Jitterscope {}",
        text::date(&text::local(run.started_at)),
        run.machine.short(),
        run.app_version,
    );
    Spans::plain(Type::Small, &line, tokens.t2).label(ui);
}

fn strip_ui(ui: &mut Ui, shown: &LoadedRun) {
    let report = &shown.report;
    let severity = match shown.run.recording() {
        Some(_) => super::record::severity(shown),
        None => severity_of(report.verdict.grade),
    };
    VerdictStrip::new(severity, report.word())
        .sentence(&report.sentence())
        .evidence(&report.evidence())
        .show(ui, |_| {});
}
