//! Rectangles of one color each, as a single plot item. The heat map of `egui_plot` lays out a text
//! for every tile, even if no text is drawn: 9 600 layouts per frame for 150 columns and 64 rows.

use std::ops::RangeInclusive;

use eframe::egui::{Color32, Mesh, Shape, Ui};
use egui_plot::{PlotBounds, PlotGeometry, PlotItem, PlotItemBase, PlotPoint, PlotTransform};

/// A rectangle: two opposite corners in plot coordinates, and its color.
pub(super) type Cell = ([f64; 2], [f64; 2], Color32);

/// Rectangles that do not react to the pointer.
pub(super) struct Cells {
    base: PlotItemBase,
    cells: Vec<Cell>,
}

impl Cells {
    pub(super) fn new(name: &str, cells: Vec<Cell>) -> Self {
        Self { base: PlotItemBase::new(name.to_owned()), cells }
    }
}

impl PlotItem for Cells {
    fn shapes(&self, _: &Ui, transform: &PlotTransform, shapes: &mut Vec<Shape>) {
        let mut mesh = Mesh::default();
        mesh.reserve_triangles(self.cells.len() * 2);
        mesh.reserve_vertices(self.cells.len() * 4);
        for &([left, low], [right, high], color) in &self.cells {
            let ends = [PlotPoint::new(left, low), PlotPoint::new(right, high)];
            let rect = transform.rect_from_values(&ends[0], &ends[1]);
            mesh.add_colored_rect(rect, color);
        }
        shapes.push(Shape::mesh(mesh));
    }

    fn initialize(&mut self, _: RangeInclusive<f64>) {}

    fn color(&self) -> Color32 {
        Color32::TRANSPARENT
    }

    fn allow_hover(&self) -> bool {
        false
    }

    fn geometry(&self) -> PlotGeometry<'_> {
        PlotGeometry::None
    }

    fn bounds(&self) -> PlotBounds {
        PlotBounds::NOTHING
    }

    fn base(&self) -> &PlotItemBase {
        &self.base
    }

    fn base_mut(&mut self) -> &mut PlotItemBase {
        &mut self.base
    }
}
