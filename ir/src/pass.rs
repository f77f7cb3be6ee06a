//! Passes: what they declare, and what they are given when they run.
//!
//! A pass is a file with one static [`PassDef`], registered with `inventory`, and a type that implements [`Pass`]. It is
//! shared by all threads and keeps no state of a run; what it counts and says goes through the [`PassCx`].
//!
//! - [`registry`]: what is linked in: passes, named pipelines, translations.
//! - [`pipeline`]: a pipeline as text, and what it means; its grammar is `pipeline.pest`.
//! - [`manager`]: running a pipeline, bodies in parallel; [`layers`] puts in lowerings where a pass needs them.
//! - [`analysis`]: facts about a body that are kept from pass to pass as long as it is not changed.
//! - [`instrument`]: looking at the module between passes.
//! - [`host`]: what a pass may ask of the program that it runs in; [`outside`]: passes that run in another program.
//! - [`reproducer`]: the IR before a failing pass and the pipeline that fails, in one file.

pub mod analysis;
pub mod host;
pub mod instrument;
pub mod layers;
pub mod manager;
pub mod options;
pub mod outside;
pub mod panics;
pub mod pipeline;
pub mod registry;
pub mod reproducer;
pub mod timing;

mod group;

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use crate::body::Body;
use crate::context::Context;
use crate::diag::{Code, Diagnostic, Diagnostics, RemarkKind, Severity};
use crate::location::Loc;
use crate::verify::SymbolTable;

pub use analysis::{Analysis, AnalysisCache, Shared};
pub use host::{Host, NoHost};

crate::codes! {
    /// Something that a pass did, did not do, or determined.
    REMARK = "R0001" "Remark";
    /// A text that a pass emits next to the IR. Tools write it to a place of its own; it is never shown as a remark.
    OUTPUT = "R0002" "Output";
    /// A pass cannot do what it is for.
    PASS_FAILED = "E0401" "PassFailed";
    /// A pass panicked: a mistake in dlc or a plugin, not in the input.
    PASS_PANICKED = "E0402" "PassPanicked";
    /// A pass left IR that the verifier refuses: a mistake in dlc or a plugin, not in the input.
    PASS_BROKE_IR = "E0403" "PassBrokeIr";
    /// The text of a pipeline is not what its grammar wants.
    PIPELINE_SYNTAX = "E0411" "PipelineSyntax";
    /// No pass or pipeline of this name is registered.
    UNKNOWN_PASS = "E0412" "UnknownPass";
    /// A pass has no option of this name, or the option does not take this value.
    BAD_OPTION = "E0413" "BadOption";
    /// A pass cannot run where the pipeline puts it.
    BAD_NESTING = "E0414" "BadNesting";
    /// A pass needs a layer that a function has not reached.
    LAYER_MISSING = "E0415" "LayerMissing";
}

/// A pass that failed; what is wrong has been reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassFailed;

/// What running a pass gives. Whether it changed the body is known from the body itself.
pub type PassResult = Result<(), PassFailed>;

/// A transformation or analysis of one body.
pub trait Pass: Send + Sync {
    /// Runs on a body. Valid in, valid out; a body that the pass fails on is thrown away.
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult;

    /// [`run`](Self::run), with a panic in it caught. Not to be implemented: a panic can only be caught by the copy of the
    /// standard library that it started in, and this is compiled with the pass, in a shared library too.
    fn run_caught(&self, body: &mut Body, cx: &PassCx<'_>) -> Result<PassResult, panics::Caught> {
        panics::catch(|| self.run(body, cx))
    }
}

/// Which bodies a pass runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum On {
    /// The outermost module, with everything nested in it. No other body is worked on meanwhile.
    Module,
    /// Every body for itself: the module and each isolated op in it, in parallel. The pass sees and changes one body,
    /// nested ones not included.
    EachBody,
    /// Every body whose root is an op of this name.
    Op(&'static str),
}

/// The declaration of a pass.
pub struct PassDef {
    /// Its name on the command line: `merge-ranges`.
    pub name: &'static str,
    /// The names that it had, which a diagnostic explains.
    pub formerly: &'static [&'static str],
    /// What it does, one sentence.
    pub summary: &'static str,
    /// Which bodies it runs on.
    pub on: On,
    /// Its options.
    pub options: &'static [OptionDef],
    /// What it counts.
    pub statistics: &'static [StatDef],
    /// The layers that a body must have reached.
    pub requires: &'static [&'static str],
    /// The layers that it gives.
    pub adds: &'static [&'static str],
    /// The layers that are gone afterwards.
    pub removes: &'static [&'static str],
    /// The analyses that stay valid when it changes something, by name.
    pub preserves: &'static [&'static str],
    /// Layers of which it looks at what accompanies a function, where there is something.
    pub consults: &'static [&'static str],
    /// Whether it looks at [`PassCx::symbols`]: every pass before it has then been run on every body. The table of a
    /// pass that does not say so is empty.
    pub reads_symbols: bool,
    /// Makes the pass from its options; an option that makes no sense is an error in words.
    pub create: fn(&OptionValues) -> Result<Box<dyn Pass>, String>,
}

inventory::collect!(&'static PassDef);

impl PassDef {
    /// A declaration to take the rest from: no options, no statistics, any layer.
    pub const fn base(
        name: &'static str,
        summary: &'static str,
        create: fn(&OptionValues) -> Result<Box<dyn Pass>, String>,
    ) -> PassDef {
        PassDef {
            name,
            formerly: &[],
            summary,
            on: On::EachBody,
            options: &[],
            statistics: &[],
            requires: &[],
            adds: &[],
            removes: &[],
            preserves: &[],
            consults: &[],
            reads_symbols: false,
            create,
        }
    }

    /// Whether it needs, adds or removes layers.
    pub fn is_layered(&self) -> bool {
        !self.requires.is_empty() || !self.adds.is_empty() || !self.removes.is_empty()
    }
}

impl std::fmt::Debug for PassDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PassDef({})", self.name)
    }
}

/// An option of a pass.
#[derive(Clone, Copy, Debug)]
pub struct OptionDef {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// Its value when it is not given, as text.
    pub default: &'static str,
    /// What it does, one sentence.
    pub doc: &'static str,
}

/// What an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`; the bare name means `true`.
    Bool,
    /// A 64-bit integer.
    Int,
    /// Any text.
    Text,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A list of texts with commas: `[a,b]`.
    List,
}

/// The options of one use of a pass, checked against the declaration and with defaults filled in.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OptionValues {
    values: Vec<(&'static str, String)>,
}

impl OptionValues {
    /// The values of the options, in the order of the declaration.
    pub(crate) fn new(values: Vec<(&'static str, String)>) -> Self {
        OptionValues { values }
    }

    /// The text of an option.
    ///
    /// # Panics
    /// If the declaration has no such option.
    pub fn text(&self, name: &str) -> &str {
        let found = self.values.iter().find(|(n, _)| *n == name);
        &found.unwrap_or_else(|| panic!("the pass declares no option '{name}'")).1
    }

    /// The value of a `Bool` option.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name) == "true"
    }

    /// The value of an `Int` option.
    pub fn int(&self, name: &str) -> i64 {
        self.text(name).parse().expect("checked when the pipeline was read")
    }

    /// The items of a `List` option.
    pub fn list(&self, name: &str) -> Vec<&str> {
        let text = self.text(name).trim_start_matches('[').trim_end_matches(']');
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
    }
}

/// Something that a pass counts.
#[derive(Clone, Copy, Debug)]
pub struct StatDef {
    /// A plural noun: `merged`, `splits`.
    pub name: &'static str,
    /// What is counted.
    pub doc: &'static str,
}

/// What a pass is given besides the body.
pub struct PassCx<'a> {
    /// The context.
    pub ctx: &'a Context,
    /// The declaration of the pass that runs.
    pub def: &'static PassDef,
    /// The symbols of the table that the body stands in, as they were before the pass started on any body.
    pub symbols: &'a SymbolTable,
    /// Where diagnostics go.
    pub diags: &'a Diagnostics,
    /// The program that it all runs in.
    pub host: &'a dyn Host,
    pub(crate) statistics: &'a [AtomicU64],
    pub(crate) counters: &'a DebugCounters,
    /// Whether anybody asked for remarks.
    pub(crate) remarks: bool,
    /// The stamp of the body when the pass was started on it.
    pub(crate) started: u64,
    /// The analyses that were computed for it.
    pub(crate) analyses: RefCell<Vec<&'static str>>,
    pub(crate) alongside: RefCell<Vec<Body>>,
}

impl<'a> PassCx<'a> {
    /// What a pass is given when it runs outside of a manager; `statistics` has one counter for each declared.
    pub fn new(
        ctx: &'a Context,
        def: &'static PassDef,
        symbols: &'a SymbolTable,
        diags: &'a Diagnostics,
        statistics: &'a [AtomicU64],
        counters: &'a DebugCounters,
    ) -> Self {
        PassCx {
            ctx,
            def,
            symbols,
            diags,
            host: &NoHost,
            statistics,
            counters,
            remarks: true,
            // Nothing knows what happened to the body before.
            started: u64::MAX,
            analyses: RefCell::default(),
            alongside: RefCell::default(),
        }
    }

    /// An analysis of the body that the pass runs on: the one that was made before if it still holds, else a new one.
    ///
    /// `body` must be the body of this run.
    pub fn analysis<A: Analysis>(&self, body: &Body) -> Shared<A> {
        let preserved = self.def.preserves.contains(&A::NAME).then_some(self.started);
        let (analysis, made) = body.analyses().get(self.ctx, body, preserved);
        if made {
            self.analyses.borrow_mut().push(A::NAME);
        }
        analysis
    }

    /// Puts an op next to the one that the pass runs on, right after it and what was put there before: a view or plan
    /// that accompanies a function. It is there when all bodies have been through the passes of this pass group; passes
    /// that follow this one in the pipeline run on it too.
    ///
    /// The root of the new body is an isolated op, or one without operands, results and regions.
    pub fn put_next_to(&self, body: Body) {
        self.alongside.borrow_mut().push(body);
    }

    /// Whether anybody asked for remarks: if not, there is no need to determine what would be in one.
    pub fn wants_remarks(&self) -> bool {
        self.remarks
    }

    /// Adds to a statistic.
    ///
    /// # Panics
    /// If the declaration has no such statistic.
    pub fn count(&self, name: &str, amount: u64) {
        let index = self.def.statistics.iter().position(|stat| stat.name == name);
        let index = index.unwrap_or_else(|| panic!("the pass '{}' declares no statistic '{name}'", self.def.name));
        self.statistics[index].fetch_add(amount, Ordering::Relaxed);
    }

    /// Says something about what was done (or not), to those who ask for remarks.
    pub fn remark(&self, kind: RemarkKind, loc: Loc, message: impl Into<String>) {
        if !self.remarks {
            return;
        }
        let error = Diagnostic::error(&REMARK, loc, message);
        self.diags.emit(Diagnostic { severity: Severity::Remark, remark: Some((self.def.name, kind)), ..error });
    }

    /// Emits a text next to the IR: a table, a picture. The name is that of a file, without folders.
    ///
    /// It goes the way of the diagnostics, so that outputs come in the order of the text at any number of threads; see
    /// [`take_outputs`].
    pub fn output(&self, name: impl Into<String>, text: impl Into<String>) {
        let carrier = Diagnostic::error(&OUTPUT, Loc::UNKNOWN, text).at(name);
        self.diags.emit(Diagnostic { severity: Severity::Remark, ..carrier });
    }

    /// Reports an error and fails the pass.
    pub fn fail(&self, diagnostic: Diagnostic) -> PassFailed {
        self.diags.emit(diagnostic);
        PassFailed
    }

    /// Reports an error of a code of the pass, at a place.
    pub fn error(&self, code: &'static Code, loc: Loc, message: impl Into<String>) {
        self.diags.emit(Diagnostic::error(code, loc, message));
    }

    /// Whether the next rewrite of a rule may be done. Every rewrite of every pass asks; the answer is yes, unless a
    /// debug counter skips just this one. The rule is the name of the pass, or `pass/pattern`.
    #[inline]
    pub fn allows(&self, rule: &str) -> bool {
        !self.counters.active || self.counters.allows(rule)
    }
}

/// A text that a pass emitted next to the IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassOutput {
    /// The name that the pass gave it: that of a file, without folders.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Takes what passes gave out from among diagnostics, in order.
pub fn take_outputs(diagnostics: &mut Vec<Diagnostic>) -> Vec<PassOutput> {
    let taken = diagnostics.extract_if(.., |found| found.code.code == OUTPUT.code);
    taken.map(|found| PassOutput { name: found.at.unwrap_or_default(), text: found.message }).collect()
}

/// Counts rewrites by rule, and skips some, to see whether a test notices.
#[derive(Default, Debug)]
pub struct DebugCounters {
    active: bool,
    /// Per rule the rewrites to skip: the one of this number (from 0), or all.
    skips: FxHashMap<String, Option<u64>>,
    seen: Mutex<FxHashMap<String, u64>>,
}

impl DebugCounters {
    /// Counts and skips nothing.
    pub fn off() -> Self {
        Self::default()
    }

    /// Counts every rewrite, and skips the given ones: per rule one (counted from 0), or all of them.
    ///
    /// Numbers mean something only when bodies are worked on one after another.
    pub fn new(skips: impl IntoIterator<Item = (String, Option<u64>)>) -> Self {
        DebugCounters { active: true, skips: skips.into_iter().collect(), seen: Mutex::default() }
    }

    /// Whether it counts at all.
    pub fn is_active(&self) -> bool {
        self.active
    }

    fn allows(&self, rule: &str) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let count = seen.entry(rule.to_string()).or_default();
        let number = *count;
        *count += 1;
        self.skips.get(rule).is_none_or(|skip| skip.is_some_and(|skip| skip != number))
    }

    /// How many rewrites each rule wanted to do, by rule.
    pub fn report(&self) -> Vec<(String, u64)> {
        let seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut report: Vec<_> = seen.iter().map(|(rule, count)| (rule.clone(), *count)).collect();
        report.sort();
        report
    }
}
