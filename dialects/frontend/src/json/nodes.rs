//! What nodes are called, and their attributes.

use dlc_core::json::names::{dtype_name, sizes_item};
use dlc_core::json::{Item, Kind as JsonKind, Node, Read, Scalar};
use dlc_core::sizes::Exprs;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::diag::did_you_mean;
use dlc_ir::op::{AttrSpec, OpDef};
use dlc_ir::{Attr, Context, Str, Type, float};

use super::{UNKNOWN_NODE, aliases};
use crate::ops;

/// The ops that are written under a name that they share, with their own as `fn`.
const GROUPS: [(&str, &[&OpDef]); 2] = [
    (
        "Elementwise",
        &[
            ops::Exp::DEF,
            ops::Exp2::DEF,
            ops::Log::DEF,
            ops::Log2::DEF,
            ops::Log10::DEF,
            ops::Sqrt::DEF,
            ops::Rsqrt::DEF,
            ops::Reciprocal::DEF,
            ops::Sin::DEF,
            ops::Cos::DEF,
            ops::Tan::DEF,
            ops::Asin::DEF,
            ops::Acos::DEF,
            ops::Atan::DEF,
            ops::Sinh::DEF,
            ops::Cosh::DEF,
            ops::Tanh::DEF,
            ops::Asinh::DEF,
            ops::Acosh::DEF,
            ops::Atanh::DEF,
            ops::Erf::DEF,
            ops::Sigmoid::DEF,
            ops::Logsigmoid::DEF,
            ops::Silu::DEF,
            ops::QuickGelu::DEF,
            ops::Hardswish::DEF,
            ops::Mish::DEF,
            ops::Softsign::DEF,
            ops::Neg::DEF,
            ops::Abs::DEF,
            ops::Square::DEF,
            ops::Sign::DEF,
            ops::Relu::DEF,
            ops::Relu6::DEF,
            ops::Floor::DEF,
            ops::Ceil::DEF,
            ops::Trunc::DEF,
            ops::Round::DEF,
            ops::Isnan::DEF,
            ops::Isinf::DEF,
            ops::Isfinite::DEF,
            ops::LogicalNot::DEF,
            ops::BitwiseNot::DEF,
            ops::LeakyRelu::DEF,
            ops::Elu::DEF,
            ops::Celu::DEF,
            ops::Selu::DEF,
            ops::Softplus::DEF,
            ops::Hardsigmoid::DEF,
            ops::Hardtanh::DEF,
            ops::Clamp::DEF,
            ops::Gelu::DEF,
            ops::Add::DEF,
            ops::Sub::DEF,
            ops::Mul::DEF,
            ops::Div::DEF,
            ops::Floordiv::DEF,
            ops::Truncdiv::DEF,
            ops::Mod::DEF,
            ops::Fmod::DEF,
            ops::Pow::DEF,
            ops::Maximum::DEF,
            ops::Minimum::DEF,
            ops::Copysign::DEF,
            ops::Logaddexp::DEF,
            ops::BitwiseAnd::DEF,
            ops::BitwiseOr::DEF,
            ops::BitwiseXor::DEF,
            ops::Lshift::DEF,
            ops::Rshift::DEF,
            ops::Eq::DEF,
            ops::Ne::DEF,
            ops::Lt::DEF,
            ops::Le::DEF,
            ops::Gt::DEF,
            ops::Ge::DEF,
            ops::Isclose::DEF,
            ops::Where::DEF,
            ops::Lerp::DEF,
        ],
    ),
    (
        "Reduce",
        &[
            ops::Sum::DEF,
            ops::Prod::DEF,
            ops::Max::DEF,
            ops::Min::DEF,
            ops::Mean::DEF,
            ops::Var::DEF,
            ops::Std::DEF,
            ops::Logsumexp::DEF,
            ops::Any::DEF,
            ops::All::DEF,
            ops::Argmax::DEF,
            ops::Argmin::DEF,
        ],
    ),
];

/// Names that are not those of the ops in CamelCase.
const NAMES: [(&str, &OpDef); 1] = [("GEMM", ops::Gemm::DEF)];

/// Ops that are no nodes.
const FRAME: [&OpDef; 2] = [ops::Graph::DEF, ops::Output::DEF];

/// What an op is written as: its `op`, and its `fn` when it has one.
pub(super) fn name(def: &OpDef) -> (String, Option<&'static str>) {
    if let Some((group, _)) = GROUPS.iter().find(|(_, ops)| ops.iter().any(|op| op.name == def.name)) {
        return (group.to_string(), Some(def.mnemonic()));
    }
    if let Some((name, _)) = NAMES.iter().find(|(_, op)| op.name == def.name) {
        return (name.to_string(), None);
    }
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    (def.mnemonic().split('_').map(word).collect(), None)
}

/// How an op is written that a node calls as others do, or as the text of the IR does: `MatMul` is `GEMM`, and `Relu` a
/// function of each element. Within a group of functions its own are named alone.
fn by_other_name(name: &str, group: Option<&str>) -> Option<String> {
    let dialect = &crate::DIALECT;
    let synonym = || dialect.synonym(name).map(|own| dialect.op(own.split(' ').next().unwrap_or(own)).ok_or(own));
    let is_node = |def: &&OpDef| FRAME.iter().all(|frame| frame.name != def.name);
    match dialect.op_spelled(name).filter(is_node).map(Ok).or_else(synonym)? {
        Ok(def) => match self::name(def) {
            (op, Some(function)) if group == Some(&op) => Some(format!("did you mean '{function}'?")),
            (op, Some(function)) => Some(format!("did you mean \"op\": \"{op}\", \"fn\": \"{function}\"?")),
            (op, None) => Some(format!("did you mean '{op}'?")),
        },
        Err(answer) => Some(answer.into()),
    }
}

/// The op of a node: what `op` and `fn` say.
pub(super) fn op_of(op: &Node<'_>, function: Option<&Node<'_>>) -> Read<&'static OpDef> {
    let unknown = |node: &Node<'_>, (what, group): (&str, Option<&str>), name: &str, known: Vec<String>| {
        let error = node.error(&UNKNOWN_NODE, format!("'{}': there is no {what} '{name}'", node.path()));
        let near = by_other_name(name, group).or_else(|| did_you_mean(name, known.iter().map(String::as_str)));
        Err(node.report(error.suggest(near.unwrap_or_else(|| format!("there are {}", known.join(", "))))))
    };
    let written = op.string("the name of an op, such as \"GEMM\"")?;
    if let Some((group, ops)) = GROUPS.iter().find(|(group, _)| **group == *written) {
        let Some(function) = function else {
            return Err(op.report(op.wrong("with a 'fn' next to it").suggest(format!("'{group}' says which function"))));
        };
        let own = function.string("the name of a function, such as \"add\"")?;
        let known = || ops.iter().map(|op| op.mnemonic().to_string()).collect();
        return match ops.iter().find(|op| op.mnemonic() == own) {
            Some(op) => Ok(op),
            None => unknown(function, ("function", Some(group)), &own, known()),
        };
    }
    if let Some(function) = function {
        return Err(function.not(&format!("left out: '{written}' is no group of functions")));
    }
    let written = aliases::spatial(&written).map_or(written.clone(), |(name, _)| name.into());
    let nodes = || crate::DIALECT.ops.iter().filter(|op| FRAME.iter().all(|frame| frame.name != op.name));
    match nodes().find(|op| name(op) == (written.to_string(), None)) {
        Some(op) => Ok(op),
        None => {
            let mut known: Vec<String> = nodes().map(|op| name(op).0).collect();
            known.dedup();
            unknown(op, ("op", None), &written, known)
        }
    }
}

/// The key of an attribute.
pub(super) fn key(spec: &AttrSpec) -> &'static str {
    if spec.name == "acc" { "acc_dtype" } else { spec.name }
}

/// The attribute that a value says.
pub(super) fn attr(ctx: &Context, spec: &AttrSpec, node: &Node<'_>) -> Read<Attr> {
    let admits = |attr: &Attr| (spec.kind.admits)(ctx, *attr);
    let candidates: Vec<Attr> = match node.kind() {
        JsonKind::Bool if node.text() == "true" => vec![Attr::UNIT, Attr::TRUE],
        JsonKind::Bool => vec![Attr::FALSE],
        JsonKind::Number => match node.scalar()? {
            Scalar::Int(value) => {
                let whole = i64::try_from(value).map(|value| ctx.i64_attr(value));
                whole.into_iter().chain([real(ctx, value as f64)]).collect()
            }
            Scalar::Float(value) => vec![real(ctx, value)],
            Scalar::Bool(_) => vec![],
        },
        JsonKind::String => {
            let text = ctx.str_attr(&node.string("a word")?);
            // A word, the name of a type, or a number that JSON has not.
            match (admits(&text), node.text()) {
                (true, _) => vec![text],
                (false, "\"inf\"" | "\"-inf\"" | "\"nan\"") => match node.scalar()? {
                    Scalar::Float(value) => vec![real(ctx, value)],
                    _ => vec![],
                },
                (false, _) if admits(&ctx.type_attr(Type::F32)) => vec![ctx.type_attr(node.dtype(ctx)?)],
                (false, _) => vec![],
            }
        }
        JsonKind::List => {
            let items = node.list("a list")?;
            let whole = items.iter().all(|item| item.kind() == JsonKind::Number);
            let numbers = if whole { Some(node.list_of("a list of integers", Node::int)?) } else { None };
            let numbers = numbers.map(|numbers| IntArray::make(ctx, numbers)).filter(admits);
            match numbers {
                Some(numbers) => vec![numbers],
                None => vec![Exprs::make(ctx, node.list_of("a list of sizes", Node::size)?)],
            }
        }
        JsonKind::Null | JsonKind::Object => vec![],
    };
    candidates.into_iter().find(admits).ok_or_else(|| node.not(spec.kind.name))
}

fn real(ctx: &Context, value: f64) -> Attr {
    ctx.attr(AttrData::Float { ty: Type::F64, bits: value.to_bits() })
}

/// What an attribute says as JSON; `None` for one that JSON cannot say.
pub(super) fn item(ctx: &Context, attr: Attr) -> Option<Item> {
    Some(match ctx.attr_data(attr) {
        AttrData::Unit => Item::Bool(true),
        AttrData::String(text) => ctx.str(*text).into(),
        AttrData::Integer { ty: Type::I1, value } => Item::Bool(*value != 0),
        AttrData::Integer { value, .. } => Item::Int(*value),
        AttrData::Float { ty, bits } => Scalar::Float(float::decode(*bits, ty.float_kind(ctx)?)).item(),
        AttrData::Type(ty) => dtype_name(ctx, *ty)?.into(),
        AttrData::DenseArray { .. } => Item::list(IntArray::get(ctx, attr)?),
        AttrData::Array(_) => sizes_item(&Exprs::get(ctx, attr)?),
        _ => return None,
    })
}

/// The entries of a dictionary with their keys as text.
pub(super) fn entries(ctx: &Context, dict: Attr) -> impl Iterator<Item = (&str, Attr)> {
    dict.as_dict(ctx).unwrap_or_default().iter().map(|&(key, value): &(Str, Attr)| (ctx.str(key), value))
}
