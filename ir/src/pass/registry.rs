//! What is linked in: passes, named pipelines, translations from and to text that is not IR.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{PassDef, manager};
use crate::body::{Body, OpRef};
use crate::context::Context;
use crate::diag::{Diagnostics, did_you_mean};
use crate::location::SourceFile;

/// A named pipeline: an alias for its text.
#[derive(Debug)]
pub struct PipelineDef {
    /// Its name in pipelines and on the command line.
    pub name: &'static str,
    /// What it does, one sentence.
    pub summary: &'static str,
    /// The passes it stands for, as a pipeline string.
    pub text: &'static str,
    /// The layer that it is the standard way to; empty when it is none.
    pub to_layer: &'static str,
    /// The lowering, a pass of its text, that it is put in for where a pass needs a layer; empty when it is none.
    pub lowering: &'static str,
}

inventory::collect!(&'static PipelineDef);

/// A way from or to text that is not IR: the JSON of a layer, say.
pub struct Translation {
    /// Its name: `tiny-json`.
    pub name: &'static str,
    /// What it reads or writes, one sentence.
    pub summary: &'static str,
    /// The end of file names that are read by it: `.tiny.json`. Empty when none are.
    pub extension: &'static str,
    /// Whether a text is likely one that it reads, by a cheap look: where a name that ends in `.json`, or no name at
    /// all, says too little. What is wrong inside such a text is for `read` to say.
    pub detects: Option<fn(&str) -> bool>,
    /// The layer whose ops it writes, one at a time; empty when it is for another purpose.
    pub layer: &'static str,
    /// Reads a module. With any error there is none.
    pub read: Option<ReadFn>,
    /// Writes a function, or whatever else the layer has in a module. With any error there is no text.
    pub write: Option<WriteFn>,
}

/// Reads a module from a part of a text.
pub type ReadFn = fn(&Context, &SourceFile, Range<usize>, &Diagnostics) -> Option<Body>;

/// Writes an op that stands in a module as a text, with a line end after it.
pub type WriteFn = fn(&Context, OpRef<'_>, &Diagnostics) -> Option<String>;

inventory::collect!(&'static Translation);

impl std::fmt::Debug for Translation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Translation({})", self.name)
    }
}

/// Everything that is registered, by name. Of two things with one name the first in the program's link order is kept.
#[derive(Clone, Default, Debug)]
pub struct Registry {
    passes: BTreeMap<&'static str, &'static PassDef>,
    pipelines: BTreeMap<&'static str, &'static PipelineDef>,
    translations: BTreeMap<&'static str, &'static Translation>,
}

impl Registry {
    /// Everything linked into the program.
    pub fn linked() -> Registry {
        let mut registry = Registry::default();
        inventory::iter::<&'static PassDef>().for_each(|def| registry.add_pass(def));
        inventory::iter::<&'static PipelineDef>().for_each(|def| registry.add_pipeline(def));
        inventory::iter::<&'static Translation>().for_each(|def| registry.add_translation(def));
        registry
    }

    /// Adds a pass, unless there is one of this name.
    pub fn add_pass(&mut self, def: &'static PassDef) {
        self.passes.entry(def.name).or_insert(def);
    }

    /// Adds a named pipeline, unless there is one of this name.
    pub fn add_pipeline(&mut self, def: &'static PipelineDef) {
        self.pipelines.entry(def.name).or_insert(def);
    }

    /// The pipelines that cannot be put in for the lowering that they are registered for, each with the reason: one whose
    /// text is wrong, or does not have the lowering once.
    pub fn unusable_lowerings(&self) -> Vec<(&'static str, String)> {
        let lowerings = self.pipelines().filter(|def| !def.lowering.is_empty());
        lowerings.filter_map(|def| Some((def.name, manager::around(self, def).err()?))).collect()
    }

    /// Adds a translation, unless there is one of this name.
    pub fn add_translation(&mut self, def: &'static Translation) {
        self.translations.entry(def.name).or_insert(def);
    }

    /// The passes, by name.
    pub fn passes(&self) -> impl Iterator<Item = &'static PassDef> + Clone + '_ {
        self.passes.values().copied()
    }

    /// The named pipelines, by name.
    pub fn pipelines(&self) -> impl Iterator<Item = &'static PipelineDef> + Clone + '_ {
        self.pipelines.values().copied()
    }

    /// The translations, by name.
    pub fn translations(&self) -> impl Iterator<Item = &'static Translation> + Clone + '_ {
        self.translations.values().copied()
    }

    /// The pass of a name.
    pub fn pass(&self, name: &str) -> Option<&'static PassDef> {
        self.passes.get(name).copied()
    }

    /// The named pipeline of a name.
    pub fn pipeline(&self, name: &str) -> Option<&'static PipelineDef> {
        self.pipelines.get(name).copied()
    }

    /// The translation that reads files of this name: of several, the one with the longest extension.
    pub fn reader_of(&self, file: &str) -> Option<&'static Translation> {
        let fits =
            |t: &&'static Translation| t.read.is_some() && !t.extension.is_empty() && file.ends_with(t.extension);
        self.translations().filter(fits).max_by_key(|t| t.extension.len())
    }

    /// The translation that takes a text for its own, whatever its name; of several the first by name.
    pub fn reader_of_text(&self, text: &str) -> Option<&'static Translation> {
        self.translations().find(|t| t.read.is_some() && t.detects.is_some_and(|detects| detects(text)))
    }

    /// The translation that writes the ops of a layer.
    pub fn writer_of(&self, layer: &str) -> Option<&'static Translation> {
        self.translations().find(|t| t.write.is_some() && t.layer == layer)
    }

    /// The known pass or pipeline nearest to a misspelt name, or the pass that had it, as a suggestion.
    pub fn nearest(&self, wrong: &str) -> Option<String> {
        if let Some(def) = self.passes().find(|def| def.formerly.contains(&wrong)) {
            return Some(format!("'{wrong}' was renamed to '{}'", def.name));
        }
        did_you_mean(wrong, self.passes.keys().chain(self.pipelines.keys()).copied())
    }
}
