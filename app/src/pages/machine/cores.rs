//! Diagram of the cores: packages, shared caches, core types, and the logical CPUs of each core.

use std::collections::HashMap;

use eframe::egui::{Align2, Margin, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};
use jitterscope_engine::platform::{Cache, CoreKind, Cpu};

use crate::session::Facts;
use crate::text;
use crate::theme::{Tokens, Type, icons, paint_icon, size};
use crate::widgets::paint::bordered_frame;
use crate::widgets::{Card, Spans};

/// Minimum width and height of the box of a core, in points.
const CORE: [f32; 2] = [86.0, 46.0];
/// Maximum number of cores in the diagram, and of CPUs in the box of a core.
const MAX_CORES: usize = 1_024;
const MAX_CPUS: usize = 16;
/// Maximum number of different caches of one level in the text.
const MAX_CACHES: usize = 8;

/// A core and its logical CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CoreBox {
    number: Option<u32>,
    kind: CoreKind,
    cpus: Vec<u32>,
}

/// The cores that share a last-level cache; if caches are not reported, the cores of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CoreGroup<'a> {
    package: Option<u32>,
    cache: Option<&'a Cache>,
    cores: Vec<CoreBox>,
}

/// Groups logical CPUs into cores, and cores by shared cache. Takes one pass: another PC may report thousands of CPUs.
fn groups<'a>(cpus: &[Cpu], caches: &'a [Cache]) -> Vec<CoreGroup<'a>> {
    let last = caches.iter().map(|cache| cache.level).max().filter(|level| 1 < *level);
    let mut cache_of: HashMap<u32, usize> = HashMap::new();
    for (cache, at) in caches.iter().zip(0..).filter(|(cache, _)| Some(cache.level) == last) {
        for &cpu in &cache.cpus {
            cache_of.entry(cpu).or_insert(at);
        }
    }
    let mut groups: Vec<CoreGroup<'_>> = Vec::new();
    let mut group_of: HashMap<(Option<u32>, Option<usize>), usize> = HashMap::new();
    let mut core_of: HashMap<(usize, u32), usize> = HashMap::new();
    for cpu in cpus {
        let cache = cache_of.get(&cpu.logical).copied();
        let place = *group_of.entry((cpu.package, cache)).or_insert_with(|| {
            let cache = cache.and_then(|at| caches.get(at));
            groups.push(CoreGroup { package: cpu.package, cache, cores: Vec::new() });
            groups.len() - 1
        });
        let Some(group) = groups.get_mut(place) else { continue };
        let known = cpu.core.and_then(|core| core_of.get(&(place, core)).copied());
        if let Some(core) = known.and_then(|at| group.cores.get_mut(at)) {
            core.cpus.push(cpu.logical);
        } else {
            if let Some(core) = cpu.core {
                core_of.insert((place, core), group.cores.len());
            }
            let cpus = vec![cpu.logical];
            group.cores.push(CoreBox { number: cpu.core, kind: cpu.kind, cpus });
        }
    }
    groups
}

/// Draws the card with the diagram of the cores.
pub(super) fn ui(ui: &mut Ui, facts: &Facts) {
    let machine = &facts.machine;
    let title = machine.cpu_model.as_deref().unwrap_or("Processor");
    let mut note = text::machine::core_counts(machine);
    let (fast, frugal) =
        (machine.count_of(CoreKind::Performance), machine.count_of(CoreKind::Efficiency));
    if 0 < frugal {
        let (fast, frugal) =
            (text::count_text(fast, "P-cores"), text::count_text(frugal, "E-cores"));
        note.push_str(&format!(", {fast} and {frugal}"));
    }
    if let Some(khz) = machine.cpus.iter().filter_map(|cpu| cpu.most_khz).max() {
        note.push_str(&format!(", up to {}.{} GHz", khz / 1_000_000, khz / 100_000 % 10));
    }
    Card::new(title).note(&note).show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        let groups = groups(&machine.cpus, &facts.detail.system.caches);
        let mut left = MAX_CORES;
        for (group, number) in groups.iter().zip(0..) {
            if left == 0 {
                break;
            }
            group_ui(ui, facts, group, (number, groups.len()), left);
            left = left.saturating_sub(group.cores.len());
        }
        let count = groups.iter().map(|group| group.cores.len()).sum::<usize>();
        if MAX_CORES < count {
            let words = format!("and {} more cores", text::format_count(count - MAX_CORES));
            Spans::plain(Type::Small, &words, tokens.t2).label(ui);
        }
        let mut lines = vec![caches_in_words(&facts.detail.system.caches)];
        if let Some(cpu) = facts.performance_cpu.filter(|_| facts.can_pin) {
            lines.push(format!("The pin marks CPU {cpu}, which \"P-core\" refers to."));
        }
        if facts.detail.system.smt == Some(true) {
            let shared = "Two CPUs in one box share a core: two busy threads on it slow each other \
                     down.";
            lines.push(shared.to_owned());
        }
        let words = lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>();
        let words = words.join(" ");
        Spans::plain(Type::Small, &words, tokens.t2).paragraph(ui);
    });
}

/// Describes the caches of each core, without the shared last level: `Each core: L1 32 KiB, L2 512
/// KiB.`
fn caches_in_words(caches: &[Cache]) -> String {
    let last = caches.iter().map(|cache| cache.level).max().unwrap_or(0);
    let mut words: Vec<String> = Vec::new();
    for level in 1..=last.saturating_sub(1).max(1) {
        let mut kinds: Vec<(&str, u64)> = Vec::new();
        for cache in caches.iter().filter(|cache| cache.level == level) {
            if kinds.len() < MAX_CACHES && !kinds.contains(&(cache.kind.as_str(), cache.bytes)) {
                kinds.push((&cache.kind, cache.bytes));
            }
        }
        if !kinds.is_empty() {
            let sizes: Vec<String> =
                kinds.iter().map(|(_, bytes)| text::format_count(bytes >> 10)).collect();
            words.push(format!("L{level} {} KiB", sizes.join(" + ")));
        }
    }
    if words.is_empty() { String::new() } else { format!("Each core: {}.", words.join(", ")) }
}

/// Draws at most `most` cores of a group; `count` is the number of all groups.
fn group_ui(
    ui: &mut Ui,
    facts: &Facts,
    group: &CoreGroup<'_>,
    (number, count): (u32, usize),
    most: usize,
) {
    let tokens = Tokens::of(ui);
    let frame = bordered_frame(tokens.plot, tokens.line, size::RADIUS)
        .inner_margin(Margin::same(size::CARD_PADDING - 2));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing = vec2(size::GAP_ICON, size::GAP_ICON);
        let name = match (count, group.package) {
            (1, _) => "Package".to_owned(),
            (_, Some(package)) => format!("Group {number}, package {package}"),
            (_, None) => format!("Group {number}"),
        };
        let cache = group.cache.map_or(String::new(), |cache| {
            let mebi = cache.bytes >> 20;
            let size =
                if 0 < mebi { format!("{mebi} MiB") } else { format!("{} KiB", cache.bytes >> 10) };
            format!("L{} {size}{}", cache.level, text::machine::shared_by(cache))
        });
        Spans::plain(Type::LabelStrong, &name, tokens.t1)
            .gap(size::GAP_SMALL)
            .text(Type::Small, &cache, tokens.t2)
            .label(ui);
        ui.horizontal_wrapped(|ui| {
            for core in group.cores.iter().take(most) {
                core_ui(ui, facts, core);
            }
        });
    });
}

fn core_ui(ui: &mut Ui, facts: &Facts, core: &CoreBox) {
    let tokens = Tokens::of(ui);
    let pinned = facts.performance_cpu.filter(|cpu| facts.can_pin && core.cpus.contains(cpu));
    let shown = core.cpus.get(..MAX_CPUS).unwrap_or(&core.cpus);
    let wide = f32::from(u16::try_from(shown.len()).unwrap_or(1)) * 40.0 + 6.0;
    let (rect, response) = ui.allocate_exact_size(vec2(wide.max(CORE[0]), CORE[1]), Sense::hover());
    let (fill, line) =
        if pinned.is_some() { (tokens.sel, tokens.acc) } else { (tokens.wid, tokens.line2) };
    ui.painter().rect(rect, size::RADIUS, fill, Stroke::new(1.0, line), StrokeKind::Inside);
    let letter = match core.kind {
        CoreKind::Performance => " · P",
        CoreKind::Efficiency => " · E",
        CoreKind::Uniform => "",
    };
    let name = match core.number {
        Some(number) => format!("Core {number}{letter}"),
        None => format!("Core{letter}"),
    };
    let at = rect.left_top() + vec2(size::GAP_ICON, 3.0);
    let words = ui.painter().text(at, Align2::LEFT_TOP, &name, Type::Axis.font(), tokens.t1);
    if pinned.is_some() {
        let center = words.right_center() + vec2(size::GAP_SMALL + 2.0, 0.0);
        paint_icon(ui.painter(), center, icons::PUSH_PIN, size::ICON_SMALL, tokens.t1);
    }
    let count = f32::from(u16::try_from(shown.len().max(1)).unwrap_or(1));
    let width = (rect.width() - 2.0 * size::GAP_ICON - (count - 1.0) * size::GAP_LABEL) / count;
    let mut left = rect.left() + size::GAP_ICON;
    for cpu in shown {
        let place =
            Rect::from_min_size(eframe::egui::pos2(left, rect.bottom() - 24.0), vec2(width, 18.0));
        ui.painter().rect_filled(place, 2, tokens.plot);
        let font = Type::Label.font();
        ui.painter().text(place.center(), Align2::CENTER_CENTER, cpu.to_string(), font, tokens.t1);
        left += width + size::GAP_LABEL;
    }
    let cpus: Vec<String> = shown.iter().map(u32::to_string).collect();
    let pin = if pinned.is_some() { ", used for pinning" } else { "" };
    let spoken = format!("{name}: CPU {}{pin}", cpus.join(", "));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    response.on_hover_text(&spoken);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(logical: u32, core: u32, package: u32, kind: CoreKind) -> Cpu {
        Cpu { logical, core: Some(core), package: Some(package), kind, most_khz: None }
    }

    fn last(cpus: &[u32]) -> Cache {
        Cache { level: 3, kind: "Unified".to_owned(), bytes: 32 << 20, cpus: cpus.to_vec() }
    }

    #[test]
    fn cores_that_share_a_cache_stand_together() {
        use CoreKind::Uniform;
        let cpus: Vec<Cpu> = (0..8).map(|at| cpu(at, at % 4, 0, Uniform)).collect();
        let caches = [last(&[0, 1, 4, 5]), last(&[2, 3, 6, 7])];
        let found = groups(&cpus, &caches);
        let numbers: Vec<Vec<Vec<u32>>> = found
            .iter()
            .map(|group| group.cores.iter().map(|core| core.cpus.clone()).collect())
            .collect();
        assert_eq!(numbers, [[[0, 4], [1, 5]], [[2, 6], [3, 7]]]);
    }

    #[test]
    fn packages_are_distinguished_and_what_is_not_reported_stays_apart() {
        use CoreKind::{Efficiency, Performance};
        let cpus = [cpu(0, 0, 0, Performance), cpu(1, 0, 1, Efficiency)];
        assert_eq!(groups(&cpus, &[]).len(), 2);
        let plain = |logical| Cpu { logical, ..Cpu::default() };
        let found = groups(&[plain(0), plain(1)], &[]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].cores.len(), 2, "two CPUs without a core are not one core");
        assert_eq!(groups(&[], &[last(&[0])]), []);
    }

    #[test]
    fn the_near_caches_are_reported_in_a_line() {
        let cache = |level, kind: &str, kibi: u64| Cache {
            level,
            kind: kind.to_owned(),
            bytes: kibi << 10,
            cpus: vec![0],
        };
        let caches = [
            cache(1, "Data", 32),
            cache(1, "Instruction", 32),
            cache(2, "Unified", 512),
            last(&[0]),
        ];
        assert_eq!(caches_in_words(&caches), "Each core: L1 32 + 32 KiB, L2 512 KiB.");
        assert_eq!(caches_in_words(&[]), "");
    }
}
