//! Puts icon, version and manifest into the Windows programs; other systems keep theirs in `packaging`.

use std::{env, io};

const MANIFEST: &str = "../packaging/windows/jitterscope.manifest";
const ICON: &str = "../assets/icon/jitterscope.ico";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={MANIFEST}");
    println!("cargo::rerun-if-changed={ICON}");
    // What it is built for; `cfg` would ask on what.
    if env::var_os("CARGO_CFG_WINDOWS").is_none() {
        return Ok(());
    }
    winresource::WindowsResource::new()
        .set("ProductName", "Jitterscope")
        .set("FileDescription", "Jitterscope")
        .set("LegalCopyright", "MIT or Apache-2.0")
        .set_icon(ICON)
        .set_manifest_file(MANIFEST)
        .compile()
}
