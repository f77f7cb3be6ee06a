//! Passes: what they declare, and what they are given when they run.
//!
//! A pass is a file with one static [`PassDef`], registered with `inventory`, and a type that implements [`Pass`]. It is
//! shared by all threads and keeps no state of a run; what it counts and says goes through the [`PassCx`].

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use crate::body::Body;
use crate::context::Context;
use crate::diag::{Code, Diagnostic, Diagnostics, RemarkKind, Severity};
use crate::location::Loc;
use crate::verify::SymbolTable;

crate::codes! {
    /// Something that a pass did, did not do, or found out.
    REMARK = "R0001" "Remark";
    /// A pass cannot do what it is for.
    PASS_FAILED = "E0401" "PassFailed";
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
            summary,
            on: On::EachBody,
            options: &[],
            statistics: &[],
            requires: &[],
            adds: &[],
            removes: &[],
            preserves: &[],
            create,
        }
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

/// What a pass is given beside the body.
pub struct PassCx<'a> {
    /// The context.
    pub ctx: &'a Context,
    /// The declaration of the pass that runs.
    pub def: &'static PassDef,
    /// The symbols of the table that the body stands in, as they were before the pass started on any body.
    pub symbols: &'a SymbolTable,
    /// Where diagnostics go.
    pub diags: &'a Diagnostics,
    pub(crate) statistics: &'a [AtomicU64],
    pub(crate) counters: &'a DebugCounters,
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
        PassCx { ctx, def, symbols, diags, statistics, counters }
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
        let error = Diagnostic::error(&REMARK, loc, message);
        self.diags.emit(Diagnostic { severity: Severity::Remark, remark: Some((self.def.name, kind)), ..error });
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
    /// Numbers mean something only when bodies are worked on one after the other.
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
