//! What the tool and its child copy say to each other: one line of JSON each, and the module as text after it.
//!
//! The child writes its answer between two marks that the parent has made up, so what a plugin prints itself is neither
//! taken for an answer nor a mistake.

use dlc_ir::Context;
use dlc_ir::diag::{Code, Diagnostic, Note, RemarkKind, Severity, line_column};
use dlc_ir::location::Loc;
use dlc_ir::op::{Arity, Dialect, OpDef, TypeDef};
use dlc_ir::pass::outside::place_of;
use dlc_ir::pass::registry::PipelineDef;
use dlc_ir::pass::{On, OptionKind, PassDef};
use dlc_ir::plugin::Plugin;
use dlc_ir::text::format::Directive;
use serde::{Deserialize, Serialize};

/// What the parent wants. The module is after the line.
#[derive(Serialize, Deserialize)]
pub struct Request {
    /// Stands before and after the answer.
    pub mark: String,
    /// The libraries to load.
    pub libraries: Vec<String>,
    /// What to run; without it the child says what the libraries have.
    pub run: Option<RunRequest>,
}

/// A pipeline to run.
#[derive(Clone, Serialize, Deserialize)]
pub struct RunRequest {
    /// The pipeline.
    pub pipeline: String,
    /// Whether ops that no dialect registers are taken.
    pub allow_unregistered: bool,
    /// Whether remarks are wanted.
    pub remarks: bool,
}

/// What the child answers. The module is after the line, when a pipeline was run to its end.
#[derive(Serialize, Deserialize)]
pub enum Reply {
    /// A library was not loaded.
    Refused(Refusal),
    /// What each library has.
    Plugins(Vec<PluginInfo>),
    /// A pipeline was run.
    Ran {
        /// What was said on the way.
        diagnostics: Vec<WireDiagnostic>,
        /// What passes counted: pass, statistic, amount.
        statistics: Vec<(String, String, u64)>,
        /// Whether it came to its end.
        ok: bool,
        /// Whether a pass made a mistake, as distinct from refusing its input.
        mistake: bool,
    },
}

/// The answer between the marks: the line and the text after it.
pub fn find_reply<'a>(stdout: &'a str, mark: &str) -> Result<(Reply, &'a str), &'static str> {
    let (start, end) = marks(mark);
    let inside = match stdout.find(&start) {
        Some(at) => &stdout[at + start.len()..],
        None if stdout.trim().is_empty() => return Err("ended without an answer"),
        None => return Err("printed something else than an answer, and ended"),
    };
    let inside = inside.rfind(&end).map(|at| &inside[..at]).ok_or("ended in the middle of its answer")?;
    let (line, text) = inside.split_once('\n').ok_or("gave half an answer")?;
    let reply = serde_json::from_str(line).map_err(|_| "gave an answer that cannot be read")?;
    Ok((reply, text))
}

/// What stands before and after an answer.
pub fn marks(mark: &str) -> (String, String) {
    (format!("\n{mark} answers\n"), format!("\n{mark} is done\n"))
}

/// Why a library was not loaded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// Which kind of diagnostic it is.
    pub kind: RefusalKind,
    /// In words.
    pub message: String,
    /// What differs.
    pub notes: Vec<String>,
    /// What to do.
    pub suggestion: Option<String>,
}

/// The kind of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RefusalKind {
    /// There is no such library, or it is no plugin.
    NotLoaded,
    /// It was built against another dlc.
    Refused,
}

impl Refusal {
    /// A refusal without notes.
    pub fn new(kind: RefusalKind, message: String) -> Refusal {
        Refusal { kind, message, notes: Vec::new(), suggestion: None }
    }

    /// With a way out.
    #[must_use]
    pub fn suggest(self, suggestion: &str) -> Refusal {
        Refusal { suggestion: Some(suggestion.into()), ..self }
    }
}

/// A diagnostic on its way.
#[derive(Serialize, Deserialize)]
pub struct WireDiagnostic {
    severity: String,
    code: String,
    kind: String,
    summary: String,
    place: Place,
    message: String,
    at: Option<String>,
    suggestion: Option<String>,
    notes: Vec<(Place, String)>,
    remark: Option<(String, String)>,
}

/// File, line and column.
type Place = Option<(String, u32, u32)>;

impl WireDiagnostic {
    /// Of a diagnostic.
    pub fn of(ctx: &Context, diagnostic: &Diagnostic) -> WireDiagnostic {
        let Diagnostic { severity, code, loc, message, at, suggestion, notes, remark, .. } = diagnostic;
        let kind = |kind: &RemarkKind| match kind {
            RemarkKind::Passed => "passed",
            RemarkKind::Missed => "missed",
            RemarkKind::Analysis => "analysis",
        };
        WireDiagnostic {
            severity: severity.word().into(),
            code: code.code.into(),
            kind: code.kind.into(),
            summary: code.summary.into(),
            place: line_column(ctx, *loc),
            message: message.clone(),
            at: at.clone(),
            suggestion: suggestion.clone(),
            notes: notes.iter().map(|note| (line_column(ctx, note.loc), note.message.clone())).collect(),
            remark: remark.as_ref().map(|(pass, k)| ((*pass).to_string(), kind(k).to_string())),
        }
    }

    /// The diagnostic, in this process.
    pub fn into_diagnostic(self, ctx: &Context) -> Diagnostic {
        let loc = |place: Place| match place {
            Some((file, line, column)) => place_of(ctx, &file, line, column),
            None => Loc::UNKNOWN,
        };
        let kind = |kind: &str| match kind {
            "passed" => RemarkKind::Passed,
            "missed" => RemarkKind::Missed,
            _ => RemarkKind::Analysis,
        };
        let severity = match self.severity.as_str() {
            "remark" => Severity::Remark,
            "warning" => Severity::Warning,
            _ => Severity::Error,
        };
        let known = dlc_ir::inventory::iter::<&'static Code>().find(|code| code.code == self.code).copied();
        let code = known.unwrap_or_else(|| {
            Box::leak(Box::new(Code { code: leak(self.code), kind: leak(self.kind), summary: leak(self.summary) }))
        });
        Diagnostic {
            severity,
            at: self.at,
            suggestion: self.suggestion,
            notes: self.notes.into_iter().map(|(place, message)| Note { loc: loc(place), message }).collect(),
            remark: self.remark.map(|(pass, word)| (leak(pass), kind(&word))),
            ..Diagnostic::error(code, loc(self.place), self.message)
        }
    }
}

/// A text that stays: declarations are `&'static`, those of plugins too. There are a few of them in a process.
pub fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// What a plugin has, as its declarations say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PluginInfo {
    /// Its name.
    pub name: String,
    /// Its dialects.
    pub dialects: Vec<DialectInfo>,
    /// Its passes.
    pub passes: Vec<PassInfo>,
    /// Its named pipelines: name, summary, text, layer.
    pub pipelines: Vec<[String; 4]>,
}

/// A dialect.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DialectInfo {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub summary: String,
    /// Its ops.
    pub ops: Vec<OpInfo>,
    /// Its types: name, documentation, example, parameters.
    pub types: Vec<(String, String, String, Vec<String>)>,
    /// Its attributes, in the same way.
    pub attrs: Vec<(String, String, String, Vec<String>)>,
}

/// An op.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpInfo {
    /// Its full name.
    pub name: String,
    /// Its documentation.
    pub doc: String,
    /// One line of IR.
    pub example: String,
    /// Its traits.
    pub traits: u32,
    /// Its effects.
    pub effects: Option<u8>,
    /// Its operands: name, how many, the successor that they go to.
    pub operands: Vec<(String, u8, Option<u8>)>,
    /// Its results: name, how many.
    pub results: Vec<(String, u8)>,
    /// Its attributes: name, whether it may be absent.
    pub attrs: Vec<(String, bool)>,
    /// Its regions: name, how many.
    pub regions: Vec<(String, u8)>,
    /// Its successors: name, how many.
    pub successors: Vec<(String, u8)>,
    /// Its assembly format, as it was declared.
    pub format_text: String,
    /// Its assembly format, where code of the plugin is not needed to read and write it.
    pub format: Vec<Piece>,
}

/// A piece of an assembly format.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // The pieces of `Directive`, which says what they mean.
pub enum Piece {
    Word(String),
    Mark(String),
    Operand(u8),
    Attr(u8),
    Region(u8),
    Successor(u8),
    ResultTypes,
    AttrDict,
    Optional(Vec<Piece>),
}

/// A pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PassInfo {
    /// Its name.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// Which bodies it runs on: `module`, `each`, or the name of an op.
    pub on: String,
    /// Its options: name, kind, default, documentation.
    pub options: Vec<(String, KindInfo, String, String)>,
    /// What it counts: name, documentation.
    pub statistics: Vec<(String, String)>,
    /// The layers that it needs.
    pub requires: Vec<String>,
    /// The layers that it gives.
    pub adds: Vec<String>,
    /// The layers that are gone afterwards.
    pub removes: Vec<String>,
}

/// The kind of an option.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // The kinds of `OptionKind`, which says what they mean.
pub enum KindInfo {
    Bool,
    Int,
    Text,
    Choice(Vec<String>),
    List,
}

impl PluginInfo {
    /// What a plugin has.
    pub fn of(name: String, plugin: &Plugin) -> PluginInfo {
        let pipeline = |def: &&PipelineDef| [def.name, def.summary, def.text, def.to_layer].map(str::to_string);
        PluginInfo {
            name,
            dialects: plugin.dialects.iter().map(|dialect| dialect_info(dialect)).collect(),
            passes: plugin.passes.iter().map(|def| pass_info(def)).collect(),
            pipelines: plugin.pipelines.iter().map(pipeline).collect(),
        }
    }
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_string()).collect()
}

fn pass_info(def: &PassDef) -> PassInfo {
    let kind = |kind: OptionKind| match kind {
        OptionKind::Bool => KindInfo::Bool,
        OptionKind::Int => KindInfo::Int,
        OptionKind::Text => KindInfo::Text,
        OptionKind::Choice(words) => KindInfo::Choice(texts(words)),
        OptionKind::List => KindInfo::List,
    };
    let options = def.options.iter().map(|o| (o.name.into(), kind(o.kind), o.default.into(), o.doc.into()));
    PassInfo {
        name: def.name.into(),
        summary: def.summary.into(),
        on: match def.on {
            On::Module => "module".into(),
            On::EachBody => "each".into(),
            On::Op(name) => name.into(),
        },
        options: options.collect(),
        statistics: def.statistics.iter().map(|s| (s.name.into(), s.doc.into())).collect(),
        requires: texts(def.requires),
        adds: texts(def.adds),
        removes: texts(def.removes),
    }
}

fn dialect_info(dialect: &Dialect) -> DialectInfo {
    let params = |def: &&TypeDef| {
        let names = def.params.iter().map(|param| param.name.to_string()).collect();
        (def.name.to_string(), def.doc.to_string(), def.example.to_string(), names)
    };
    DialectInfo {
        name: dialect.name.into(),
        summary: dialect.summary.into(),
        ops: dialect.ops.iter().map(|def| op_info(def)).collect(),
        types: dialect.types.iter().map(params).collect(),
        attrs: dialect.attrs.iter().map(params).collect(),
    }
}

fn op_info(def: &OpDef) -> OpInfo {
    let arity = |arity: Arity| match arity {
        Arity::One => 0,
        Arity::Optional => 1,
        Arity::Variadic => 2,
    };
    OpInfo {
        name: def.name.into(),
        doc: def.doc.into(),
        example: def.example.into(),
        traits: def.traits.0,
        effects: def.effects.map(|effects| effects.0),
        operands: def.operands.iter().map(|o| (o.name.into(), arity(o.arity), o.successor)).collect(),
        results: def.results.iter().map(|r| (r.name.into(), arity(r.arity))).collect(),
        attrs: def.attrs.iter().map(|a| (a.name.into(), a.optional)).collect(),
        regions: def.regions.iter().map(|r| (r.name.into(), arity(r.arity))).collect(),
        successors: def.successors.iter().map(|s| (s.name.into(), arity(s.arity))).collect(),
        format_text: def.format_text.into(),
        format: pieces(def, def.format).unwrap_or_default(),
    }
}

/// A format as data; `None` when an attribute in it is spelled by code.
fn pieces(def: &OpDef, format: &[Directive]) -> Option<Vec<Piece>> {
    let piece = |directive: &Directive| {
        Some(match *directive {
            Directive::Word(word) => Piece::Word(word.into()),
            Directive::Mark(mark) => Piece::Mark(mark.into()),
            Directive::Operand(index) => Piece::Operand(index),
            Directive::Attr(index) => {
                let kind = def.attrs.get(usize::from(index))?.kind;
                if kind.parse.is_some() || kind.print.is_some() {
                    return None;
                }
                Piece::Attr(index)
            }
            Directive::Region(index) => Piece::Region(index),
            Directive::Successor(index) => Piece::Successor(index),
            Directive::ResultTypes => Piece::ResultTypes,
            Directive::AttrDict => Piece::AttrDict,
            Directive::Optional(group) => Piece::Optional(pieces(def, group)?),
        })
    };
    format.iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stdout: &str, expected: Result<&str, &str>) {
        let found = find_reply(stdout, "M").map(|(reply, text)| {
            assert!(matches!(reply, Reply::Plugins(list) if list.is_empty()));
            text
        });
        assert_eq!(found, expected, "{stdout:?}");
    }

    #[test]
    fn an_answer_is_whole_or_none() {
        let (start, end) = marks("M");
        let line = serde_json::to_string(&Reply::Plugins(Vec::new())).expect("it is JSON");
        check(&format!("{start}{line}\nmodule\n{end}"), Ok("module\n"));
        // What a plugin prints around it is not part of it.
        check(&format!("hello{start}{line}\nmodule\n{end}bye"), Ok("module\n"));
        check("", Err("ended without an answer"));
        check("hello", Err("printed something else than an answer, and ended"));
        check(&format!("{start}{line}\nmod"), Err("ended in the middle of its answer"));
        check(&format!("{start}{line}{end}"), Err("gave half an answer"));
        check(&format!("{start}?\n{end}"), Err("gave an answer that cannot be read"));
    }
}
