//! Text for the clipboard.

use eframe::egui::Context;
use jitterscope_engine::export::{Identity, IncludedNames};

use crate::text::NARROW_SPACE;

/// Copies what the window shows, with plain spaces and without the names of the host and the user.
///
/// Reports and commands are not copied here: a report has the names that the user chose, and a command has
/// to work as it is.
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
