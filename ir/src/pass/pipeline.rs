//! A pipeline: passes in order, nested by the ops whose bodies they run on.
//!
//! `builtin.module(cse,sample.func(canonicalize{max-iterations=3},any(licm)))`
//!
//! - A name is a pass, with its options in braces, parted by commas or blanks; or a named pipeline, which stands for its
//!   passes, and gives its options to those of them that have options of these names. A bare `flag` means `flag=true`; a
//!   value with other characters than a word's is quoted.
//! - `name(..)` runs its passes on the bodies directly inside the current one whose root op has that name, `any(..)` on
//!   all of them. The outermost `builtin.module(..)` may be left out.
//! - A pass that is written outside of any nesting runs on every body that it is for, at any depth.
//! - `lower-to{layer=book}` brings every function to a layer.
//!
//! [`Pipeline`] prints what it was read from, up to blanks and named pipelines: reading that again gives an equal one.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

use super::layers::dialect_of;
use super::options::{GivenOption, check};
use super::registry::Registry;
use super::{BAD_NESTING, BAD_OPTION, On, PIPELINE_SYNTAX, Pass, PassDef, UNKNOWN_PASS};
use crate::context::Context;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::location::Loc;
use crate::op::Traits;

/// Deepest nesting of brackets that is read.
const MAX_NESTING: usize = 64;
/// Deepest nesting of named pipelines in each other.
const MAX_ALIASES: usize = 16;

/// What `pest` makes of the grammar.
mod grammar {
    #![allow(missing_docs)] // The rules are described where they stand.

    #[derive(pest_derive::Parser)]
    #[grammar = "pass/pipeline.pest"]
    pub(super) struct Grammar;
}

use grammar::{Grammar, Rule};

/// Passes to run on a module, in order.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Pipeline {
    /// What is run, one after another.
    pub items: Vec<Item>,
}

/// A piece of a pipeline.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// A pass.
    Pass(PassUse),
    /// Passes for some of the bodies inside the current one.
    Nest(Anchor, Vec<Item>),
    /// `lower-to{layer=..}`: lowerings to a layer, as far as they are needed.
    LowerTo(String),
}

/// Which bodies nested passes run on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// All.
    Any,
    /// Those whose root is an op of this name.
    Op(String),
}

/// A pass with its options.
#[derive(Clone)]
pub struct PassUse {
    /// Its declaration.
    pub def: &'static PassDef,
    /// Its options as they were given.
    pub given: Vec<GivenOption>,
    /// The pass, made from the options.
    pub pass: Arc<dyn Pass>,
}

impl PassUse {
    /// A pass with the options that were given; what is wrong with them otherwise, and where.
    fn new(def: &'static PassDef, given: Vec<GivenOption>, span: &Range<usize>) -> Result<PassUse, PipelineError> {
        let values = check(def, &given).map_err(|e| PipelineError {
            code: &BAD_OPTION,
            span: e.span,
            message: e.message,
            suggestion: e.suggestion,
        })?;
        match (def.create)(&values) {
            Ok(pass) => Ok(PassUse { def, given, pass: Arc::from(pass) }),
            Err(reason) => {
                Err(PipelineError::new(&BAD_OPTION, span.clone(), format!("the pass '{}': {reason}", def.name)))
            }
        }
    }

    /// A pass with all options at their defaults.
    pub(crate) fn plain(def: &'static PassDef) -> Result<PassUse, String> {
        PassUse::new(def, Vec::new(), &(0..0)).map_err(|error| error.message)
    }
}

impl PartialEq for PassUse {
    fn eq(&self, other: &PassUse) -> bool {
        std::ptr::eq(self.def, other.def) && self.given == other.given
    }
}

impl fmt::Debug for PassUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What is wrong with the text of a pipeline.
#[derive(Clone, Debug)]
pub struct PipelineError {
    /// The kind of mistake.
    pub code: &'static Code,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// In words.
    pub message: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

impl PipelineError {
    fn new(code: &'static Code, span: Range<usize>, message: impl Into<String>) -> Self {
        PipelineError { code, span, message: message.into(), suggestion: None }
    }
}

impl Pipeline {
    /// Reads a pipeline. Every mistake in it is found, except that the first one of syntax hides all others.
    pub fn parse(registry: &Registry, text: &str) -> Result<Pipeline, Vec<PipelineError>> {
        Pipeline::parse_with(Reader { registry, ops: None, errors: Vec::new(), aliases: 0 }, text)
    }

    fn parse_with(mut reader: Reader<'_>, text: &str) -> Result<Pipeline, Vec<PipelineError>> {
        let items = reader.text(text, None);
        if reader.errors.is_empty() { Ok(Pipeline { items }) } else { Err(reader.errors) }
    }

    /// Reads a pipeline, and reports mistakes with the text of it as their source. The ops that it names must be known
    /// and have bodies; those of unknown dialects are taken where `allow_unregistered` says so.
    pub fn parse_reporting(
        registry: &Registry,
        ctx: &Context,
        (source, text): (&str, &str),
        allow_unregistered: bool,
        diags: &Diagnostics,
    ) -> Option<Pipeline> {
        let ops = Some((ctx, allow_unregistered));
        match Pipeline::parse_with(Reader { registry, ops, errors: Vec::new(), aliases: 0 }, text) {
            Ok(pipeline) => Some(pipeline),
            Err(errors) => {
                let file = ctx.sources.add(source, text.to_string());
                for error in errors {
                    let at = |file: &crate::location::SourceFile| Loc::source(file.base() + error.span.start as u32);
                    let loc = file.as_deref().map_or(Loc::UNKNOWN, at);
                    let diagnostic = Diagnostic::error(error.code, loc, error.message).spanning(error.span.len());
                    diags.emit(diagnostic.suggest_if(error.suggestion));
                }
                None
            }
        }
    }

    /// Whether nothing is run.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

struct Reader<'a> {
    registry: &'a Registry,
    /// What knows the ops, and whether those of unknown dialects are taken. Without it all are.
    ops: Option<(&'a Context, bool)>,
    errors: Vec<PipelineError>,
    /// How many named pipelines are open.
    aliases: usize,
}

impl Reader<'_> {
    /// `alias` is the named pipeline whose text this is, and where it was used.
    fn text(&mut self, text: &str, alias: Option<(&str, Range<usize>)>) -> Vec<Item> {
        let before = self.errors.len();
        let items = match read(text) {
            Ok(items) => self.top(items),
            Err(error) => {
                self.errors.push(error);
                Vec::new()
            }
        };
        if let Some((name, span)) = alias {
            for error in &mut self.errors[before..] {
                error.span = span.clone();
                error.message = format!("in the pipeline '{name}': {}", error.message);
            }
        }
        items
    }

    fn top(&mut self, items: Pair<'_, Rule>) -> Vec<Item> {
        let mut list = items.clone().into_inner();
        if let (Some(only), None) = (list.next(), list.next()) {
            let mut parts = only.into_inner();
            let name = parts.next().map_or("", |name| name.as_str());
            if let (ROOT, Some(nested)) = (name, parts.next().filter(|p| p.as_rule() == Rule::nested)) {
                return nested.into_inner().next().map_or(Vec::new(), |inner| self.items(inner, false));
            }
        }
        self.items(items, false)
    }

    fn items(&mut self, items: Pair<'_, Rule>, nested: bool) -> Vec<Item> {
        let mut list = Vec::new();
        for item in items.into_inner() {
            self.item(item, nested, &mut list);
        }
        list
    }

    fn item(&mut self, item: Pair<'_, Rule>, is_nested: bool, list: &mut Vec<Item>) {
        let (mut name, mut given, mut nested) = (None, None, None);
        for part in item.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(part),
                Rule::options => given = Some(options(part)),
                _ => nested = part.into_inner().next(),
            }
        }
        let Some(name) = name else { return };
        let span = name.as_span().start()..name.as_span().end();
        let name = name.as_str();
        if let Some(nested) = nested {
            if let Some(message) = self.not_an_anchor(name, given.is_some()) {
                self.errors.push(PipelineError::new(&BAD_NESTING, span, message));
            } else if let Some((message, suggestion)) = self.without_body(name) {
                self.errors.push(PipelineError { suggestion, ..PipelineError::new(&BAD_NESTING, span, message) });
            }
            let anchor = if name == "any" { Anchor::Any } else { Anchor::Op(name.to_string()) };
            let items = self.items(nested, true);
            return list.push(Item::Nest(anchor, items));
        }
        let given = given.unwrap_or_default();
        if name == LOWER_TO {
            return match given.as_slice() {
                [GivenOption { name, value: Some(layer), .. }] if name == "layer" && !is_nested => {
                    list.push(Item::LowerTo(layer.clone()));
                }
                _ => {
                    let message = "'lower-to' takes one option, 'layer', and is not nested";
                    self.errors.push(PipelineError::new(&BAD_OPTION, span, message));
                }
            };
        }
        if let Some(def) = self.registry.pass(name) {
            if is_nested && def.on == On::Module {
                let message = format!("the pass '{name}' runs on the whole module, it cannot be nested in an op");
                return self.errors.push(PipelineError::new(&BAD_NESTING, span, message));
            }
            match PassUse::new(def, given, &span) {
                Ok(pass) => list.push(Item::Pass(pass)),
                Err(error) => self.errors.push(error),
            }
        } else if let Some(def) = self.registry.pipeline(name) {
            self.alias(def.name, def.text, &given, span, is_nested, list);
        } else {
            let message = format!("no pass or pipeline of the name '{name}' is registered");
            let suggestion = self.registry.nearest(name);
            self.errors.push(PipelineError { suggestion, ..PipelineError::new(&UNKNOWN_PASS, span, message) });
        }
    }

    fn alias(
        &mut self,
        name: &str,
        text: &str,
        given: &[GivenOption],
        span: Range<usize>,
        is_nested: bool,
        list: &mut Vec<Item>,
    ) {
        if self.aliases == MAX_ALIASES {
            let message = format!("the named pipeline '{name}' contains itself, or is nested too deeply");
            return self.errors.push(PipelineError::new(&BAD_NESTING, span, message));
        }
        self.aliases += 1;
        let mut items = self.text(text, Some((name, span.clone())));
        self.aliases -= 1;
        for option in given {
            match give(&mut items, option) {
                Ok(true) => {}
                Ok(false) => {
                    let message = format!("no pass of the named pipeline '{name}' has the option '{}'", option.name);
                    let suggestion = did_you_mean(&option.name, options_of(&items));
                    let error = PipelineError::new(&BAD_OPTION, option.span.clone(), message);
                    self.errors.push(PipelineError { suggestion, ..error });
                }
                Err(error) => self.errors.push(error),
            }
        }
        let whole = |item: &Item| match item {
            Item::Pass(pass) => pass.def.on == On::Module,
            Item::LowerTo(_) => true,
            Item::Nest(..) => false,
        };
        if is_nested && items.iter().any(whole) {
            let message = format!("the named pipeline '{name}' has passes on the whole module, it cannot be nested");
            return self.errors.push(PipelineError::new(&BAD_NESTING, span, message));
        }
        list.extend(items);
    }

    fn not_an_anchor(&self, name: &str, has_options: bool) -> Option<String> {
        if has_options {
            Some(format!("'{name}' has both options and nested passes; ops take no options, passes nest nothing"))
        } else if self.registry.pass(name).is_some() || self.registry.pipeline(name).is_some() {
            Some(format!("'{name}' is a pass; only ops have passes nested in them"))
        } else if name != "any" && !name.contains('.') {
            Some(format!("'{name}' must be the full name of an op, like 'sample.func', or 'any'"))
        } else {
            None
        }
    }

    /// Why no body has this op as its root, and what was probably meant.
    fn without_body(&self, name: &str) -> Option<(String, Option<String>)> {
        let (ctx, allow_unregistered) = self.ops?;
        let dialect = ctx.dialect(dialect_of(name));
        if name == "any" || (dialect.is_none() && allow_unregistered) {
            return None;
        }
        match dialect.and_then(|dialect| dialect.ops.iter().find(|op| op.name == name)) {
            Some(op) if op.traits.has(Traits::ISOLATED_FROM_ABOVE) => None,
            Some(_) => Some((format!("'{name}' is not isolated, so passes cannot run on it for itself"), None)),
            None => {
                let ops = ctx.dialects().iter().flat_map(|dialect| dialect.ops);
                let isolated = ops.filter(|op| op.traits.has(Traits::ISOLATED_FROM_ABOVE));
                let near = did_you_mean(name, isolated.map(|op| op.name));
                Some((format!("no dialect registers the op '{name}'"), near))
            }
        }
    }
}

/// The op whose body everything else is in.
const ROOT: &str = "builtin.module";
const LOWER_TO: &str = "lower-to";

/// Sets an option of all passes that have one of its name, in place of what the pipeline says. Whether there is one.
fn give(items: &mut [Item], option: &GivenOption) -> Result<bool, PipelineError> {
    let mut is_known = false;
    for item in items {
        match item {
            Item::Pass(pass) if pass.def.options.iter().any(|known| known.name == option.name) => {
                let mut given = pass.given.clone();
                given.retain(|own| own.name != option.name);
                given.push(option.clone());
                *pass = PassUse::new(pass.def, given, &option.span)?;
                is_known = true;
            }
            Item::Nest(_, inner) => is_known |= give(inner, option)?,
            _ => {}
        }
    }
    Ok(is_known)
}

/// The names of the options of some passes.
fn options_of(items: &[Item]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for item in items {
        match item {
            Item::Pass(pass) => names.extend(pass.def.options.iter().map(|option| option.name)),
            Item::Nest(_, inner) => names.extend(options_of(inner)),
            Item::LowerTo(_) => {}
        }
    }
    names
}

/// The items of a text.
fn read(text: &str) -> Result<Pair<'_, Rule>, PipelineError> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            let message = format!("passes are nested more than {MAX_NESTING} deep");
            return Err(PipelineError::new(&PIPELINE_SYNTAX, at..at + 1, message));
        }
    }
    let mut pairs = Grammar::parse(Rule::pipeline, text).map_err(|error| syntax_error(text, &error))?;
    let pipeline = pairs.next().expect("the grammar gives one pipeline");
    Ok(pipeline.into_inner().next().expect("a pipeline has items"))
}

fn syntax_error(text: &str, error: &pest::error::Error<Rule>) -> PipelineError {
    let start = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let len = text[start..].chars().next().map_or(0, char::len_utf8);
    let found = text[start..].chars().next().map_or("the end".to_string(), |c| format!("'{c}'"));
    let wanted = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => {
            let mut words: Vec<&str> = positives.iter().filter_map(word).collect();
            words.sort_unstable();
            words.dedup();
            words.join(" or ")
        }
        ErrorVariant::CustomError { message } => message.clone(),
    };
    let message = if wanted.is_empty() {
        format!("{found} cannot stand here in a pipeline")
    } else {
        format!("expected {wanted}, found {found}")
    };
    PipelineError::new(&PIPELINE_SYNTAX, start..start + len, message)
}

fn word(rule: &Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::item | Rule::items => "a pass",
        Rule::name => "a name",
        Rule::option => "an option",
        Rule::value | Rule::bare | Rule::string | Rule::list => "a value",
        Rule::close => "')'",
        Rule::close_brace => "'}'",
        Rule::EOI => "the end",
        _ => return None,
    })
}

fn options(options: Pair<'_, Rule>) -> Vec<GivenOption> {
    let pairs = options.into_inner().filter(|pair| pair.as_rule() == Rule::option);
    let given = pairs.map(|option| {
        let span = option.as_span().start()..option.as_span().end();
        let mut parts = option.into_inner();
        let name = parts.next().map_or(String::new(), |name| name.as_str().to_string());
        let value = parts.next().and_then(|value| value.into_inner().next()).map(|value| match value.as_rule() {
            Rule::string => unquote(value.as_str()),
            _ => value.as_str().to_string(),
        });
        GivenOption { name, value, span }
    });
    given.collect()
}

fn unquote(quoted: &str) -> String {
    let mut text = String::new();
    let mut chars = quoted[1..quoted.len() - 1].chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                other => text.extend(other),
            },
            c => text.push(c),
        }
    }
    text
}

/// A value as it is read back.
pub fn quote(value: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !",{}()[]\"=".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_string();
    }
    let inner = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
    if inner.is_some_and(|inner| !inner.contains(['[', ']'])) {
        return value.to_string();
    }
    let mut quoted = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nest(f, ROOT, &self.items)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Pass(pass) => write!(f, "{pass}"),
            Item::Nest(anchor, items) => write_nest(f, &anchor.to_string(), items),
            Item::LowerTo(layer) => write!(f, "{LOWER_TO}{{layer={}}}", quote(layer)),
        }
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Anchor::Any => f.write_str("any"),
            Anchor::Op(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for PassUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.def.name)?;
        if self.given.is_empty() {
            return Ok(());
        }
        f.write_str("{")?;
        for (index, option) in self.given.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            f.write_str(&option.name)?;
            if let Some(value) = &option.value {
                write!(f, "={}", quote(value))?;
            }
        }
        f.write_str("}")
    }
}

fn write_nest(f: &mut fmt::Formatter<'_>, name: &str, items: &[Item]) -> fmt::Result {
    write!(f, "{name}(")?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(",")?;
        }
        write!(f, "{item}")?;
    }
    f.write_str(")")
}

#[cfg(test)]
mod tests;
