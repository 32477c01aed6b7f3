//! Threads whose names a source confirms: what they are for, and what to do when a frame waits for them.

use super::class::Class;

/// A thread that programs or drivers start under a known name.
#[derive(Clone, Copy, Debug)]
pub struct KnownThread {
    /// The whole name, of which Linux reports up to 15 bytes. A `*` at its end is for any further letters, and one at
    /// its start for any letters before, with digits after the name: Mesa writes the program first, and cuts the program.
    pattern: &'static str,
    /// The name for all threads of this kind.
    pub label: &'static str,
    /// What the thread is for, as a phrase.
    pub purpose: &'static str,
    /// The class of its work, where it differs from the game's other threads.
    pub class: Option<Class>,
    /// What to do when frames wait for it; empty if nothing is known to help.
    pub advice: &'static str,
    /// The source of the name.
    pub source: &'static str,
}

const DXVK: &str = "DXVK, src/dxvk and src/util";
const VKD3D: &str = "VKD3D-Proton, libs/vkd3d";
const MESA: &str = "Mesa, src/util/u_queue.c and src/gallium/drivers/radeonsi";
const MANGOHUD: &str = "MangoHud, src";
const COMPILES: &str = "Let the game finish compiling, or install its shader cache.";

const fn thread(
    pattern: &'static str,
    [label, purpose, advice, source]: [&'static str; 4],
    class: Option<Class>,
) -> KnownThread {
    KnownThread { pattern, label, purpose, class, advice, source }
}

/// Only names marked as compilers there may have the class of shaders.
const KNOWN: [KnownThread; 21] = [
    thread(
        "dxvk-shader*",
        ["dxvk-shader", "compiles shaders for DXVK", COMPILES, DXVK],
        Some(Class::Shaders),
    ),
    thread(
        "*:sh",
        ["radeonsi shader compiler", "compiles shaders for radeonsi", COMPILES, MESA],
        Some(Class::Shaders),
    ),
    thread(
        "*:shlo",
        ["radeonsi shader compiler", "compiles optimized shaders for radeonsi", COMPILES, MESA],
        Some(Class::Shaders),
    ),
    thread("dxvk-cs", ["dxvk-cs", "records commands for DXVK", "", DXVK], None),
    thread("dxvk-submit", ["dxvk-submit", "submits and presents frames for DXVK", "", DXVK], None),
    thread("dxvk-queue", ["dxvk-queue", "waits for the graphics device for DXVK", "", DXVK], None),
    thread("dxvk-frame", ["dxvk-frame", "waits until frames are shown for DXVK", "", DXVK], None),
    thread("dxvk-cache", ["dxvk-cache", "caches states for DXVK", "", DXVK], None),
    thread(
        "vkd3d_queue",
        ["vkd3d_queue", "submits and presents frames for VKD3D-Proton", "", VKD3D],
        None,
    ),
    thread(
        "vkd3d_fence",
        ["vkd3d_fence", "waits for the graphics device for VKD3D-Proton", "", VKD3D],
        None,
    ),
    thread(
        "vkd3d-swapchain",
        ["vkd3d-swapchain", "presents frames for VKD3D-Proton", "", VKD3D],
        None,
    ),
    thread(
        "vkd3d-disk$",
        ["vkd3d-disk$", "writes the shader cache of VKD3D-Proton", "", VKD3D],
        None,
    ),
    thread(
        "*:disk$",
        ["Mesa disk cache", "reads and writes the shader cache of Mesa", "", MESA],
        None,
    ),
    thread("*:gdrv", ["Mesa driver thread", "runs the driver for Mesa", "", MESA], None),
    thread("*:cs", ["Mesa submission", "submits commands for Mesa", "", MESA], None),
    thread(
        "WSI swapchain q",
        ["WSI swapchain q", "presents frames under X11 for Mesa", "", MESA],
        None,
    ),
    thread(
        "mangohud*",
        [
            "mangohud",
            "reads sensors and writes the log of MangoHud",
            "Show fewer values in MangoHud: some sensors take long to read.",
            MANGOHUD,
        ],
        Some(Class::Overlay),
    ),
    thread(
        "mangoapp",
        ["mangoapp", "is the overlay of gamescope", "", MANGOHUD],
        Some(Class::Overlay),
    ),
    thread("gamescope-*", ["gamescope", "composes the screen", "", "gamescope, src"], None),
    thread(
        "data-loop.*",
        ["data-loop", "processes audio for PipeWire", "", "PipeWire, src/pipewire/data-loop.c"],
        None,
    ),
    thread(
        "pw-data-loop",
        ["pw-data-loop", "processes audio for PipeWire", "", "PipeWire, src/pipewire/data-loop.c"],
        None,
    ),
];

/// Beginnings of the names of kernel threads, interrupts, and drivers of graphics devices.
const GRAPHICS: [&str; 12] = [
    "amdgpu",
    "i915",
    "xe",
    "nvidia",
    "nouveau",
    "radeon",
    "gfx_",
    "comp_",
    "sdma",
    "card0-crtc",
    "virtio_gpu",
    "vmwgfx",
];

/// Returns what is known about a thread by its name; `None` if no source confirms the name.
pub fn known_thread(name: &str) -> Option<&'static KnownThread> {
    KNOWN.iter().find(|known| {
        match (known.pattern.strip_suffix('*'), known.pattern.strip_prefix('*')) {
            (Some(begin), _) => name.starts_with(begin),
            (None, Some(end)) => {
                let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
                stem.len() < name.len() && stem.ends_with(end)
            }
            (None, None) => name == known.pattern,
        }
    })
}

/// Whether this is the name of an interrupt or of a kernel thread of a graphics driver, with or without brackets and
/// the number of the interrupt.
pub(super) fn is_of_graphics(name: &str) -> bool {
    let name = name.trim_matches(['[', ']']);
    let name = match name.strip_prefix("irq/") {
        Some(rest) => rest.split_once('-').map_or(rest, |(_, device)| device),
        None => name,
    };
    GRAPHICS.iter().any(|begin| {
        let rest = name.strip_prefix(begin);
        // A short name such as "xe" is only the driver where no further letter follows.
        rest.is_some_and(|rest| {
            !rest.starts_with(|letter: char| letter.is_ascii_alphabetic()) || begin.ends_with('_')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_confirmed_names_are_shader_compilers() {
        let class = |name: &str| known_thread(name).and_then(|known| known.class);
        for name in ["dxvk-shader-n", "dxvk-shader", "dxvk-shader-p", "witcher3.e:sh0", "x:shlo12"]
        {
            assert_eq!(class(name), Some(Class::Shaders), "{name}");
        }
        for name in [
            "dxvk-cs",
            "dxvk-submit",
            "vkd3d_queue",
            "[vkps] Update",
            "Foreground Work",
            "a:sh",
            ":disk$0",
            "sh0",
            "Job.Worker 3",
            "",
            "dxvk-shade",
        ] {
            assert_ne!(class(name), Some(Class::Shaders), "{name}");
        }
        assert_eq!(class("mangohud-log"), Some(Class::Overlay));
    }

    #[test]
    fn graphics_drivers_are_known_by_the_beginning_of_the_name() {
        for name in ["amdgpu", "irq/56-nvidia", "[gfx_0.0.0]", "xe", "i915", "[card0-crtc0]"] {
            assert!(is_of_graphics(name), "{name}");
        }
        for name in ["xenbus", "nvme0q1", "irq/27-xhci_hcd", "eth0", ""] {
            assert!(!is_of_graphics(name), "{name}");
        }
    }
}
