//! Copies text from the window to the clipboard.

use eframe::egui::Context;
use jitterscope_engine::export::{Identity, IncludedNames};

use crate::text::NARROW_SPACE;

/// Copies a text that the window shows to the clipboard. Narrow spaces become plain spaces, and the
/// names of the host and the user are redacted.
///
/// Do not use this function for reports and commands: the user decides which names a report
/// contains, and a command must be copied unchanged.
pub(crate) fn copy_shown(ctx: &Context, text: &str) {
    let text = IncludedNames::ON_SCREEN.redacted(text, Identity::here());
    ctx.copy_text(text.replace(NARROW_SPACE, " "));
}

#[cfg(test)]
mod tests {
    use eframe::egui::OutputCommand;

    use super::*;

    #[test]
    fn copied_text_lacks_the_home_folder_and_addresses() {
        let ctx = Context::default();
        copy_shown(&ctx, &format!("run of /home/qx7user/game at 10.77.1.9: 3{NARROW_SPACE}ms"));
        let copied: Vec<OutputCommand> = ctx.output(|output| output.commands.clone());
        assert!(
            matches!(&copied[..], [OutputCommand::CopyText(text)] if text.ends_with(": 3 ms")
                && !text.contains("qx7user") && !text.contains("10.77")),
            "{copied:?}"
        );
    }
}
