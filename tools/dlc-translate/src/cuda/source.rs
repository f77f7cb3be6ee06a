//! The lines of the kernel that instructions are from, as comments.

use std::collections::BTreeMap;
use std::sync::Arc;

use dlc_ir::location::LocData;
use dlc_ir::{Context, Loc};

/// What is known of the files that locations name.
pub struct Lines<'a> {
    ctx: &'a Context,
    files: BTreeMap<String, Option<Arc<Vec<String>>>>,
    last: Option<(String, u32)>,
}

impl<'a> Lines<'a> {
    /// With no file read so far.
    pub fn new(ctx: &'a Context) -> Lines<'a> {
        Lines { ctx, files: BTreeMap::new(), last: None }
    }

    /// The line that a location names, unless it is the one before or that of an instruction itself.
    pub fn of(&mut self, loc: Loc) -> Option<String> {
        let (file, line) = place(self.ctx, loc)?;
        if self.last.as_ref() == Some(&(file.clone(), line)) {
            return None;
        }
        self.last = Some((file.clone(), line));
        let text = self.line(&file, line);
        Some(text.unwrap_or_else(|| format!("{file}:{line}")))
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        let read = || Some(Arc::new(std::fs::read_to_string(file).ok()?.lines().map(String::from).collect()));
        let lines = self.files.entry(file.to_string()).or_insert_with(read).as_ref()?;
        let text = lines.get(usize::try_from(line).ok()?.checked_sub(1)?)?.trim();
        // A line that goes on after a backslash would take the next one with it.
        let text = text.trim_end_matches('\\').trim_end();
        (!text.is_empty()).then(|| text.chars().take(150).collect())
    }
}

/// The file and the line of a location that names one; positions in the file that was read are those of instructions.
fn place(ctx: &Context, loc: Loc) -> Option<(String, u32)> {
    match *ctx.loc_data(loc)? {
        LocData::File { file, start, .. } => Some((ctx.str(file).to_string(), start.0)),
        LocData::Name { child, .. } => place(ctx, child),
        LocData::Fused { locs, .. } => locs.iter().find_map(|&loc| place(ctx, loc)),
        LocData::CallSite { callee, .. } => place(ctx, callee),
    }
}

/// Whether a location names a line of the kernel.
pub fn is_known(ctx: &Context, loc: Loc) -> bool {
    place(ctx, loc).is_some()
}
