//! Fills triangles in software, to draw an exported image. For a window, the graphics card does
//! this work.
//!
//! Colors are blended as they are in the window: premultiplied, in gamma space.

use eframe::egui::epaint::{ClippedPrimitive, Mesh, Primitive, Vertex};
use eframe::egui::{Color32, Context, Rect, TextureId, Vec2};

/// Pixels in memory: four bytes per pixel, row by row.
#[derive(Clone, Debug, Default)]
struct Pixels {
    size: [usize; 2],
    rgba: Vec<u8>,
}

/// Paints shapes in software; contains the texture of the font.
#[derive(Clone, Debug, Default)]
pub(super) struct Raster {
    texture: Pixels,
}

/// A corner of a triangle: position in pixels, color, and position in the texture.
#[derive(Clone, Copy, Debug)]
struct RasterCorner {
    x: f64,
    y: f64,
    color: [f64; 4],
    u: f64,
    v: f64,
}

impl RasterCorner {
    fn of(vertex: &Vertex, scale: f32, texture: [usize; 2]) -> Self {
        let [width, height] = texture.map(float);
        Self {
            x: f64::from(vertex.pos.x * scale),
            y: f64::from(vertex.pos.y * scale),
            color: vertex.color.to_array().map(f64::from),
            u: f64::from(vertex.uv.x) * width,
            v: f64::from(vertex.uv.y) * height,
        }
    }
}

impl Raster {
    /// Copies the font texture of a context, with the glyphs that the context has drawn so far.
    pub(super) fn of(ctx: &Context) -> Self {
        let atlas = ctx.fonts_mut(|fonts| fonts.image());
        let rgba = atlas.pixels.iter().flat_map(Color32::to_array).collect();
        Self { texture: Pixels { size: atlas.size, rgba } }
    }

    /// Paints shapes over a background; returns the size in pixels, and the pixels. Textures other
    /// than the font are left blank.
    pub(super) fn paint(
        &self,
        primitives: &[ClippedPrimitive],
        points: Vec2,
        scale: f32,
        ground: Color32,
    ) -> ([usize; 2], Vec<u8>) {
        let size = [pixel(f64::from(points.x * scale)), pixel(f64::from(points.y * scale))];
        let rgba = ground.to_array().repeat(size[0] * size[1]);
        let mut pixels = Pixels { size, rgba };
        for primitive in primitives {
            if let Primitive::Mesh(mesh) = &primitive.primitive
                && mesh.texture_id == TextureId::default()
            {
                let clip = Clip::of(primitive.clip_rect, scale, size);
                self.mesh(mesh, &clip, scale, &mut pixels);
            }
        }
        (size, pixels.rgba)
    }

    fn mesh(&self, mesh: &Mesh, clip: &Clip, scale: f32, to: &mut Pixels) {
        let corner = |index: u32| {
            let vertex = mesh.vertices.get(usize::try_from(index).ok()?)?;
            Some(RasterCorner::of(vertex, scale, self.texture.size))
        };
        for triangle in mesh.indices.chunks_exact(3) {
            if let [a, b, c] = *triangle
                && let (Some(a), Some(b), Some(c)) = (corner(a), corner(b), corner(c))
            {
                self.triangle([a, b, c], clip, to);
            }
        }
    }

    fn triangle(&self, mut corners: [RasterCorner; 3], clip: &Clip, to: &mut Pixels) {
        let mut area = cross(&corners[0], &corners[1], corners[2].x, corners[2].y);
        if area < 0.0 {
            corners.swap(1, 2);
            area = -area;
        }
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let within = clip.around(&corners);
        let [one, two, three] = &corners;
        let edges = [Edge::of(two, three), Edge::of(three, one), Edge::of(one, two)];
        let plain = has_one_color(&corners).then(|| times(one.color, self.texel(one.u, one.v)));
        for y in within.top..within.bottom {
            for x in within.left..within.right {
                let (at_x, at_y) = (float(x) + 0.5, float(y) + 0.5);
                let sides = edges.map(|edge| edge.at(at_x, at_y));
                if !edges.iter().zip(sides).all(|(edge, side)| edge.holds(side)) {
                    continue;
                }
                let color = plain.unwrap_or_else(|| {
                    let (mut color, mut u, mut v) = ([0.0; 4], 0.0, 0.0);
                    for (corner, side) in corners.iter().zip(sides) {
                        let share = side / area;
                        u += corner.u * share;
                        v += corner.v * share;
                        for (sum, part) in color.iter_mut().zip(corner.color) {
                            *sum += part * share;
                        }
                    }
                    times(color, self.texel(u, v))
                });
                to.blend(x, y, color);
            }
        }
    }

    /// Returns the color of the texture at a position, interpolated between the four nearest
    /// texels; each channel is between 0 and 1.
    fn texel(&self, u: f64, v: f64) -> [f64; 4] {
        let (u, v) = (u - 0.5, v - 0.5);
        let (left, top) = (u.floor(), v.floor());
        let (right, down) = (u - left, v - top);
        let mut sum = [0.0; 4];
        for (step_x, step_y, share) in [
            (0.0, 0.0, (1.0 - right) * (1.0 - down)),
            (1.0, 0.0, right * (1.0 - down)),
            (0.0, 1.0, (1.0 - right) * down),
            (1.0, 1.0, right * down),
        ] {
            if 0.0 < share {
                let texel = self.texture.at(pixel(left + step_x), pixel(top + step_y));
                for (sum, part) in sum.iter_mut().zip(texel) {
                    *sum += share * f64::from(part) / 255.0;
                }
            }
        }
        sum
    }
}

impl Pixels {
    /// Returns a pixel; for a position outside of the texture, the nearest pixel in it.
    fn at(&self, x: usize, y: usize) -> [u8; 4] {
        let [width, height] = self.size;
        let x = x.min(width.saturating_sub(1));
        let y = y.min(height.saturating_sub(1));
        let start = (y * width + x) * 4;
        self.rgba.get(start..start + 4).and_then(|four| four.try_into().ok()).unwrap_or([255; 4])
    }

    /// Blends a premultiplied color over a pixel.
    fn blend(&mut self, x: usize, y: usize, color: [f64; 4]) {
        let start = (y * self.size[0] + x) * 4;
        let Some(place) = self.rgba.get_mut(start..start + 4) else { return };
        let left = 1.0 - color[3] / 255.0;
        for (under, over) in place.iter_mut().zip(color) {
            *under = byte(over + f64::from(*under) * left);
        }
    }
}

/// Returns an image reduced so that no side is longer than `most` pixels. Each pixel of the result
/// is the mean of a square of pixels.
pub(super) fn smaller(size: [usize; 2], rgba: &[u8], most: usize) -> ([usize; 2], Vec<u8>) {
    let [width, height] = size;
    let step = width.max(height).div_ceil(most.max(1)).max(1);
    let (across, down) = (width / step, height / step);
    let mut small = Vec::with_capacity(across * down * 4);
    let count = u32::try_from(step * step).unwrap_or(u32::MAX);
    for y in 0..down {
        for x in 0..across {
            let mut sums = [0_u32; 4];
            for row in y * step..(y + 1) * step {
                let start = (row * width + x * step) * 4;
                let part = rgba.get(start..start + step * 4).unwrap_or_default();
                for four in part.chunks_exact(4) {
                    for (sum, byte) in sums.iter_mut().zip(four) {
                        *sum += u32::from(*byte);
                    }
                }
            }
            small.extend(sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX)));
        }
    }
    ([across, down], small)
}

/// The pixels that may be painted; `right` and `bottom` are exclusive.
#[derive(Clone, Copy, Debug)]
struct Clip {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

impl Clip {
    fn of(rect: Rect, scale: f32, [width, height]: [usize; 2]) -> Self {
        let edge = |points: f32, most: usize| pixel(f64::from((points * scale).round())).min(most);
        Self {
            left: edge(rect.left(), width),
            top: edge(rect.top(), height),
            right: edge(rect.right(), width),
            bottom: edge(rect.bottom(), height),
        }
    }

    /// Returns the part of the clip area that contains a triangle.
    fn around(&self, corners: &[RasterCorner; 3]) -> Self {
        let [a, b, c] = corners;
        let min = |one: f64, two: f64, three: f64| pixel(one.min(two).min(three).floor());
        let most = |one: f64, two: f64, three: f64| pixel(one.max(two).max(three).ceil());
        Self {
            left: self.left.max(min(a.x, b.x, c.x)),
            top: self.top.max(min(a.y, b.y, c.y)),
            right: self.right.min(most(a.x, b.x, c.x)),
            bottom: self.bottom.min(most(a.y, b.y, c.y)),
        }
    }
}

/// An edge of a triangle with clockwise corners.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: RasterCorner,
    to: RasterCorner,
    /// Whether pixels exactly on the edge belong to this triangle instead of its neighbor.
    has_pixels: bool,
}

impl Edge {
    fn of(from: &RasterCorner, to: &RasterCorner) -> Self {
        let (across, down) = (to.x - from.x, to.y - from.y);
        let is_top = down == 0.0 && 0.0 < across;
        Self { from: *from, to: *to, has_pixels: is_top || down < 0.0 }
    }

    /// Returns a value that is positive if the point is on the inner side of the edge.
    fn at(&self, x: f64, y: f64) -> f64 {
        cross(&self.from, &self.to, x, y)
    }

    fn holds(&self, value: f64) -> bool {
        0.0 < value || (value == 0.0 && self.has_pixels)
    }
}

/// Returns twice the signed area of the triangle of two corners and a point; positive if clockwise.
fn cross(a: &RasterCorner, b: &RasterCorner, x: f64, y: f64) -> f64 {
    (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
}

/// Whether all corners have the same color and texture position. Triangles inside a shape have such
/// corners, but not triangles of text or of a soft edge.
fn has_one_color([first, others @ ..]: &[RasterCorner; 3]) -> bool {
    let is_same = |one: f64, two: f64| one.total_cmp(&two).is_eq();
    others.iter().all(|other| {
        is_same(first.u, other.u)
            && is_same(first.v, other.v)
            && first.color.iter().zip(other.color).all(|(one, two)| is_same(*one, two))
    })
}

fn times(color: [f64; 4], texel: [f64; 4]) -> [f64; 4] {
    let mut result = color;
    for (part, by) in result.iter_mut().zip(texel) {
        *part *= by;
    }
    result
}

#[expect(clippy::cast_precision_loss, reason = "an image has few pixels")]
const fn float(pixels: usize) -> f64 {
    pixels as f64
}

/// Converts to a whole number of pixels; a negative value becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer saturates"
)]
const fn pixel(value: f64) -> usize {
    value as usize
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer saturates"
)]
const fn byte(value: f64) -> u8 {
    (value + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use eframe::egui::{pos2, vec2};

    use super::*;

    /// Two triangles that form a square paint each pixel of their common edge exactly once.
    #[test]
    fn a_half_clear_square_has_one_color() {
        let tokens = &crate::theme::tokens::DARK;
        let over = tokens.good.gamma_multiply(0.5);
        let mut mesh = Mesh::default();
        mesh.add_colored_rect(Rect::from_min_max(pos2(1.0, 1.0), pos2(7.0, 7.0)), over);
        let raster = Raster { texture: Pixels { size: [1, 1], rgba: vec![255; 4] } };
        let clipped = ClippedPrimitive {
            clip_rect: Rect::from_min_max(pos2(0.0, 0.0), pos2(6.0, 8.0)),
            primitive: Primitive::Mesh(mesh),
        };
        let (size, rgba) = raster.paint(&[clipped], vec2(8.0, 8.0), 2.0, tokens.panel);
        assert_eq!(size, [16, 16]);
        assert_eq!(smaller(size, &rgba, 8).0, [8, 8]);
        let half = Pixels { size: [8, 8], rgba: smaller(size, &rgba, 8).1 };
        let pixels = Pixels { size, rgba };
        assert_eq!(half.at(3, 3), pixels.at(6, 6));
        let inside = pixels.at(5, 5);
        assert_ne!(inside, tokens.panel.to_array());
        for y in 0..16 {
            for x in 0..16 {
                let is_inside = (2..12).contains(&x) && (2..14).contains(&y);
                let expected = if is_inside { inside } else { tokens.panel.to_array() };
                assert_eq!(pixels.at(x, y), expected, "{x} {y}");
            }
        }
    }
}
