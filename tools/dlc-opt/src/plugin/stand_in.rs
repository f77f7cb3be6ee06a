//! What the tool registers for a plugin that runs in a child: declarations made from what the child told, in place of
//! the plugin's own, whose code is never called here.

use dlc_ir::define::{AnyType, Constraint};
use dlc_ir::op::{
    Arity, AttrKind, AttrSpec, Dialect, Effects, OpDef, OperandDef, ParamDef, RegionDef, ResultDef, SuccessorDef,
    Traits, TypeDef,
};
use dlc_ir::pass::registry::PipelineDef;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::text::format::Directive;
use dlc_ir::{Body, Diagnostic};

use super::PLUGIN_NOT_LOADED;
use super::protocol::{DialectInfo, KindInfo, OpInfo, PassInfo, Piece, leak};

fn leak_all<T>(items: impl IntoIterator<Item = T>) -> &'static [T] {
    Box::leak(items.into_iter().collect::<Vec<_>>().into_boxed_slice())
}

fn leak_texts(texts: &[String]) -> &'static [&'static str] {
    leak_all(texts.iter().map(|text| leak(text.clone())))
}

/// The declaration of a pass. The pass that it makes does not run: the tool puts a
/// [`delegate`](super::delegate) in its place when it has read the pipeline.
pub fn pass(info: &PassInfo) -> &'static PassDef {
    let option = |(name, kind, default, doc): &(String, KindInfo, String, String)| OptionDef {
        name: leak(name.clone()),
        kind: match kind {
            KindInfo::Bool => OptionKind::Bool,
            KindInfo::Int => OptionKind::Int,
            KindInfo::Text => OptionKind::Text,
            KindInfo::Choice(words) => OptionKind::Choice(leak_texts(words)),
            KindInfo::List => OptionKind::List,
        },
        default: leak(default.clone()),
        doc: leak(doc.clone()),
    };
    let statistic = |(name, doc): &(String, String)| StatDef { name: leak(name.clone()), doc: leak(doc.clone()) };
    Box::leak(Box::new(PassDef {
        on: match info.on.as_str() {
            "module" => On::Module,
            "each" => On::EachBody,
            name => On::Op(leak(name.to_string())),
        },
        options: leak_all(info.options.iter().map(option)),
        statistics: leak_all(info.statistics.iter().map(statistic)),
        requires: leak_texts(&info.requires),
        adds: leak_texts(&info.adds),
        removes: leak_texts(&info.removes),
        ..PassDef::base(leak(info.name.clone()), leak(info.summary.clone()), not_run)
    }))
}

fn not_run(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(NotRun))
}

struct NotRun;

impl Pass for NotRun {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let message = format!("the pass '{}' of a plugin is not put in by itself", cx.def.name);
        let error = Diagnostic::error(&PLUGIN_NOT_LOADED, body.loc(body.root()), message);
        Err(cx.fail(error.suggest("name it in the pipeline")))
    }
}

/// The declaration of a named pipeline.
pub fn pipeline(info: &[String; 4]) -> &'static PipelineDef {
    let [name, summary, text, to_layer] = info.clone().map(leak);
    Box::leak(Box::new(PipelineDef { name, summary, text, to_layer, lowering: "" }))
}

static ATTRIBUTE: AttrKind = AttrKind { name: "an attribute", admits: |_, _| true, parse: None, print: None };

fn arity(code: u8) -> Arity {
    match code {
        0 => Arity::One,
        1 => Arity::Optional,
        _ => Arity::Variadic,
    }
}

/// The declaration of a dialect: the shape of its ops, without the rules that only the plugin's code knows. The child
/// checks those.
pub fn dialect(info: &DialectInfo) -> &'static Dialect {
    let types = |list: &[(String, String, String, Vec<String>)]| {
        leak_all(list.iter().map(|(name, doc, example, params)| {
            let params = params.iter().map(|name| ParamDef { name: leak(name.clone()), kind: &ATTRIBUTE });
            let def = TypeDef {
                name: leak(name.clone()),
                doc: leak(doc.clone()),
                example: leak(example.clone()),
                params: leak_all(params),
                short: "",
                infix: "",
                parse: None,
                print: None,
                verify: None,
            };
            &*Box::leak(Box::new(def))
        }))
    };
    Box::leak(Box::new(Dialect {
        name: leak(info.name.clone()),
        summary: leak(info.summary.clone()),
        ops: leak_all(info.ops.iter().map(op)),
        types: types(&info.types),
        attrs: types(&info.attrs),
        materialize: None,
        synonyms: &[],
    }))
}

fn op(info: &OpInfo) -> &'static OpDef {
    let name = |name: &String| leak(name.clone());
    let ty = AnyType::CONSTRAINT;
    let operands = info.operands.iter();
    let operands =
        operands.map(|(n, a, successor)| OperandDef { name: name(n), ty, arity: arity(*a), successor: *successor });
    let results = info.results.iter().map(|(n, a)| ResultDef { name: name(n), ty, arity: arity(*a) });
    let attrs =
        info.attrs.iter().map(|(n, optional)| AttrSpec { name: name(n), kind: &ATTRIBUTE, optional: *optional });
    Box::leak(Box::new(OpDef {
        doc: name(&info.doc),
        example: name(&info.example),
        traits: Traits(info.traits),
        effects: info.effects.map(Effects),
        operands: leak_all(operands),
        results: leak_all(results),
        attrs: leak_all(attrs),
        regions: leak_all(info.regions.iter().map(|(n, a)| RegionDef { name: name(n), arity: arity(*a) })),
        successors: leak_all(info.successors.iter().map(|(n, a)| SuccessorDef { name: name(n), arity: arity(*a) })),
        format_text: name(&info.format_text),
        format: format(&info.format),
        ..OpDef::bare(name(&info.name))
    }))
}

fn format(pieces: &[Piece]) -> &'static [Directive] {
    leak_all(pieces.iter().map(|piece| match piece {
        Piece::Word(word) => Directive::Word(leak(word.clone())),
        Piece::Mark(mark) => Directive::Mark(leak(mark.clone())),
        Piece::Operand(index) => Directive::Operand(*index),
        Piece::Attr(index) => Directive::Attr(*index),
        Piece::Region(index) => Directive::Region(*index),
        Piece::Successor(index) => Directive::Successor(*index),
        Piece::ResultTypes => Directive::ResultTypes,
        Piece::AttrDict => Directive::AttrDict,
        Piece::Optional(group) => Directive::Optional(format(group)),
    }))
}
