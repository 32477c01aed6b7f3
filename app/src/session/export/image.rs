//! Images of results and plots, which the window draws.

use super::super::finished_check::FinishedCheck;
use super::super::shown::LoadedRun;

/// An image in memory: pixels for the window, and the encoded PNG file.
#[derive(Clone, PartialEq, Eq)]
pub struct ExportImage {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Four bytes per pixel (red, green, blue, alpha), row by row.
    pub rgba: Vec<u8>,
    /// Width and height of a scaled-down copy for the window: at most 2 000 pixels each.
    pub small_size: [usize; 2],
    /// The pixels of the scaled-down copy.
    pub small: Vec<u8>,
    /// The encoded PNG file.
    pub png: Vec<u8>,
}

impl std::fmt::Debug for ExportImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExportImage").field("size", &self.size).finish_non_exhaustive()
    }
}

/// The result shown in an image.
#[derive(Clone, Copy, Debug)]
pub enum ImageOf<'a> {
    /// A run.
    Run(&'a LoadedRun),
    /// A quick check.
    Check(&'a FinishedCheck),
}

/// Draws a result in the dark (`true`) or light theme; implemented by the window.
pub type ImageRenderer = fn(ImageOf<'_>, bool) -> Result<ExportImage, String>;

/// Draws an image of a plot; implemented by the window.
pub type PlotPainter = Box<dyn FnOnce() -> Result<ExportImage, String> + Send>;
