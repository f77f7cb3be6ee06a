//! Expressions.

use dlc_core::broadcast::promote;
use dlc_core::guard::Guard;
use dlc_core::json::names::dtype_name;
use dlc_core::json::{Kind as JsonKind, Node, Read, Record, Scalar};
use dlc_core::scalar::{Binary, Combiner, ScanCombiner, Unary};
use dlc_core::sizes::{Exprs, Sizes};
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::{AttrData, integer_fits};
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::diag::did_you_mean;
use dlc_ir::op::BrokenRule;
use dlc_ir::text::TYPE_MISMATCH;
use dlc_ir::{Attr, Context, Type, ValueId, float};

use super::read::Build;
use super::sizes::distinct_axes;
use super::{AXIS_UNKNOWN, MAX_DEPTH, UNKNOWN_EXPR, position};
use crate::ops;
use crate::syntax::element;

/// What is no function of numbers.
const FORMS: [&str; 11] =
    ["read", "select", "reduce", "scan", "sort", "BroadcastInDim", "transpose", "const", "index", "cast", "bitcast"];

/// Other spellings: those of the specification, and of other layers.
const ALIASES: [(&str, &str); 3] =
    [("div", "fdiv"), ("broadcast_in_dim", "BroadcastInDim"), ("Transpose", "transpose")];

/// How a binary function is written.
pub(super) fn word_of(function: Binary) -> &'static str {
    match function {
        Binary::Fdiv => "div",
        other => other.word(),
    }
}

/// An expression of one key, with what else its object says.
struct Form<'a> {
    word: String,
    key: Node<'a>,
    args: Node<'a>,
    axes: Option<Node<'a>>,
    widen: Option<Node<'a>>,
}

impl<'a> Form<'a> {
    fn of(node: &Node<'a>) -> Read<Form<'a>> {
        let wanted = "an expression, such as {\"add\": [\"x\", \"y\"]}";
        let (mut found, mut axes, mut widen) = (None, None, None);
        for (word, key, args) in node.entries(wanted)? {
            match &*word {
                "axes" => axes = Some(args),
                "widen" => widen = Some(args),
                _ if found.is_some() => return Err(node.not("an expression: an object with one key")),
                _ => found = Some((word.to_string(), key, args)),
            }
        }
        let (word, key, args) = found.ok_or_else(|| node.not(wanted))?;
        let alias = ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, word)| word.to_string());
        Ok(Form { word: alias.unwrap_or(word), key, args, axes, widen })
    }
}

/// What a number means where a type is wanted.
pub(super) fn number(ctx: &Context, node: &Node<'_>, elem: Type) -> Read<Attr> {
    let infinite = match node.kind() {
        JsonKind::String => match node.string("a number")?.to_ascii_lowercase().as_str() {
            "-inf" => Some(f64::NEG_INFINITY),
            "inf" => Some(f64::INFINITY),
            "nan" => Some(f64::NAN),
            _ => None,
        },
        _ => None,
    };
    let scalar = infinite.map_or_else(|| node.scalar(), |value| Ok(Scalar::Float(value)))?;
    let attr = match (elem.float_kind(ctx), scalar) {
        (Some(kind), Scalar::Float(value)) => Some(AttrData::Float { ty: elem, bits: float::encode(value, kind) }),
        (Some(kind), Scalar::Int(value)) => Some(AttrData::Float { ty: elem, bits: float::encode(value as f64, kind) }),
        (None, Scalar::Bool(value)) if elem == Type::I1 => return Ok(ctx.bool_attr(value)),
        (None, Scalar::Int(value)) if integer_fits(value, ctx.type_data(elem)) => return Ok(ctx.int_attr(value, elem)),
        _ => None,
    };
    let name = dtype_name(ctx, elem).map_or_else(|| elem.display(ctx), str::to_string);
    attr.map(|attr| ctx.attr(attr)).ok_or_else(|| node.not(&format!("a number of type {name}")))
}

fn is_number(node: &Node<'_>) -> bool {
    matches!(node.kind(), JsonKind::Number | JsonKind::Bool)
}

impl<'c> Build<'c> {
    /// The values of an expression; several of a reduction.
    pub fn values_of(&mut self, node: &Node<'_>, depth: usize) -> Read<Vec<ValueId>> {
        if node.kind() == JsonKind::Object {
            let form = Form::of(node)?;
            if form.word == "reduce" {
                return self.reduce(&form.args, depth);
            }
        }
        Ok(vec![self.expr(node, depth, None)?])
    }

    /// The value of an expression. A number that stands alone is of the type `wanted`.
    pub fn expr(&mut self, node: &Node<'_>, depth: usize, wanted: Option<Type>) -> Read<ValueId> {
        match node.kind() {
            JsonKind::String => return self.value(node),
            JsonKind::Number | JsonKind::Bool => {
                let usual = match node.scalar()? {
                    Scalar::Bool(_) => Type::I1,
                    Scalar::Int(_) => Type::I32,
                    Scalar::Float(_) => Type::F32,
                };
                return self.constant(node, wanted.unwrap_or(usual), node);
            }
            JsonKind::Object => {}
            _ => return Err(node.not("a name, a number or an expression")),
        }
        if depth >= MAX_DEPTH {
            return Err(node.not(&format!("nested at most {MAX_DEPTH} deep")));
        }
        let form = Form::of(node)?;
        let (args, depth) = (&form.args, depth + 1);
        match &*form.word {
            "read" => self.read(args, None, depth),
            "select" => self.select(&form, depth),
            "reduce" => match self.reduce(args, depth - 1)?[..] {
                [value] => Ok(value),
                _ => Err(node.not("a reduction with one accumulator: several have names")),
            },
            "BroadcastInDim" => self.broadcast(args, depth),
            "transpose" => self.transpose(args, depth),
            "scan" => self.scan(args, depth),
            "sort" => self.sort(args, depth),
            "const" => {
                let record = Record::new(args, "a constant", &["value", "dtype"])?;
                let elem = record.need("dtype")?.dtype(self.ctx)?;
                self.constant(record.need("value")?, elem, node)
            }
            "index" => {
                let record = Record::new(args, "an index", &["value", "dtype", "axes"])?;
                let value = position::expr(record.need("value")?, 0)?;
                let elem = record.get("dtype").map_or(Ok(Type::I32), |node| node.dtype(self.ctx))?;
                let axes = self.ordered(self.named([&value].into_iter()), record.get("axes"))?;
                Ok(self.one(ops::Index::NAME, &[], &[("value", Exprs::make(self.ctx, vec![value]))], elem, &axes, node))
            }
            "cast" | "bitcast" => {
                let record = Record::new(args, "a cast", &["operand", "dtype"])?;
                let elem = record.need("dtype")?.dtype(self.ctx)?;
                let input = self.expr(record.need("operand")?, depth, None)?;
                let props: &[_] = if form.word == "cast" { &[] } else { &[("bits", Attr::UNIT)] };
                Ok(self.one(ops::Cast::NAME, &[input], props, elem, &self.ty(input).1, node))
            }
            "exp" => self.exp(&form, node, depth),
            word => {
                if let Some(function) = Unary::of(word) {
                    let [arg] = &args.list("a list of one operand")?[..] else {
                        return Err(args.not("a list of one operand"));
                    };
                    let input = self.expr(arg, depth, None)?;
                    return Ok(self.unary(function, input, node));
                }
                if let Some(function) = Binary::of(word) {
                    return self.binary(function, &form, node, depth);
                }
                Err(unknown(&form))
            }
        }
    }

    /// Makes an op with one result.
    fn one(
        &mut self,
        name: &str,
        operands: &[ValueId],
        props: &[(&str, Attr)],
        elem: Type,
        axes: &[String],
        node: &Node<'_>,
    ) -> ValueId {
        let ty = self.value_type(elem, axes);
        self.op(name, operands, props, &[ty], node.loc())[0]
    }

    fn constant(&mut self, node: &Node<'_>, elem: Type, at: &Node<'_>) -> Read<ValueId> {
        let value = number(self.ctx, node, elem)?;
        Ok(self.one(ops::Const::NAME, &[], &[("value", value)], elem, &[], at))
    }

    fn unary(&mut self, function: Unary, input: ValueId, node: &Node<'_>) -> ValueId {
        let (elem, axes) = self.ty(input);
        let elem = function.elem(self.ctx, elem);
        self.one(ops::Unary::NAME, &[input], &[("function", self.ctx.str_attr(function.word()))], elem, &axes, node)
    }

    /// The exponential function, of which there is the one to the base of two.
    fn exp(&mut self, form: &Form<'_>, node: &Node<'_>, depth: usize) -> Read<ValueId> {
        let [arg] = &form.args.list("a list of one operand")?[..] else {
            return Err(form.args.not("a list of one operand"));
        };
        let input = self.expr(arg, depth, None)?;
        let (elem, axes) = self.ty(input);
        let elem = Unary::Exp2.elem(self.ctx, elem);
        let kind = elem.float_kind(self.ctx).ok_or_else(|| arg.not("a number"))?;
        let bits = float::encode(std::f64::consts::LOG2_E, kind);
        let value = self.ctx.attr(AttrData::Float { ty: elem, bits });
        let factor = self.one(ops::Const::NAME, &[], &[("value", value)], elem, &[], node);
        let mul = [("function", self.ctx.str_attr(Binary::Mul.word()))];
        let scaled = self.one(ops::Binary::NAME, &[input, factor], &mul, elem, &axes, node);
        Ok(self.unary(Unary::Exp2, scaled, node))
    }

    fn binary(&mut self, function: Binary, form: &Form<'_>, node: &Node<'_>, depth: usize) -> Read<ValueId> {
        let list = form.args.list("a list of two operands")?;
        let [lhs, rhs] = &list[..] else { return Err(form.args.not("a list of two operands")) };
        // A number has the type of what it meets.
        let (lhs, rhs) = if is_number(lhs) && !is_number(rhs) {
            let rhs = self.expr(rhs, depth, None)?;
            (self.expr(lhs, depth, Some(self.ty(rhs).0))?, rhs)
        } else {
            let lhs = self.expr(lhs, depth, None)?;
            (lhs, self.expr(rhs, depth, Some(self.ty(lhs).0))?)
        };
        let ((a, a_axes), (b, b_axes)) = (self.ty(lhs), self.ty(rhs));
        let elem = function.elem(self.ctx, a, b).map_err(|broken| mismatch(node, broken))?;
        let axes = self.joined(&[a_axes, b_axes], Vec::new(), form.axes.as_ref())?;
        let mut props = vec![("function", self.ctx.str_attr(function.word()))];
        let wide = match &form.widen {
            Some(node) if node.text() == "false" => None,
            Some(node) => Some(node.dtype(self.ctx)?),
            None => None,
        };
        if wide.is_some() {
            props.push(("widen", Attr::UNIT));
        }
        Ok(self.one(ops::Binary::NAME, &[lhs, rhs], &props, wide.unwrap_or(elem), &axes, node))
    }

    /// An expression that a reduction sums: products are not rounded before, unless it says so.
    pub fn summed(&mut self, node: &Node<'_>, combiner: Option<Combiner>, acc: Type, depth: usize) -> Read<ValueId> {
        let value = self.expr(node, depth, Some(acc))?;
        let body = &self.body;
        let Some(op) = body.defining_op(value).filter(|_| node.kind() == JsonKind::Object) else { return Ok(value) };
        let view = dlc_ir::OpRef::new(self.ctx, body, op);
        let product = ops::Binary::of(view).is_some_and(|op| op.function() == Binary::Mul && op.widen().is_none());
        let said = Form::of(node)?.widen.is_some();
        let (elem, axes) = self.ty(value);
        let wider = promote(self.ctx, elem, acc).is_ok_and(|wide| wide == acc);
        if combiner != Some(Combiner::Sum) || !product || said || !wider {
            return Ok(value);
        }
        let operands: Vec<ValueId> = self.body.operands(op).collect();
        self.body.erase_op(op);
        let props = [("function", self.ctx.str_attr(Binary::Mul.word())), ("widen", Attr::UNIT)];
        Ok(self.one(ops::Binary::NAME, &operands, &props, acc, &axes, node))
    }

    fn read(&mut self, node: &Node<'_>, guard: Option<(Guard, Option<&Node<'_>>)>, depth: usize) -> Read<ValueId> {
        let record = Record::new(node, "a read", &["tensor", "map", "else", "axes"])?;
        let (tensor, memref) = self.tensor(record.need("tensor")?)?;
        let elem = memref.elem(self.ctx);
        let (mut at, mut operands) = (Vec::new(), vec![tensor]);
        for place in record.need("map")?.list("a list of positions")? {
            let is_value = place.kind() == JsonKind::Object
                && place.entries("a position").is_ok_and(|entries| entries.iter().any(|(key, ..)| key == "value"));
            if is_value {
                let inner = Record::new(&place, "a position", &["value"])?;
                at.push(element(operands.len() - 1));
                operands.push(self.expr(inner.need("value")?, depth, Some(Type::I32))?);
            } else {
                at.push(position::expr(&place, 0)?);
            }
        }
        let mut named = self.named(at.iter());
        let mut props = vec![];
        let fill = guard.as_ref().and_then(|(_, fill)| *fill).or_else(|| record.get("else"));
        if let Some((guard, _)) = guard {
            named.extend(self.named(guard.exprs()));
            props.push(("guard", Guard::make(self.ctx, guard)));
        }
        if let Some(fill) = fill {
            props.push(("fill", number(self.ctx, fill, elem)?));
        }
        for &index in &operands[1..] {
            named.extend(self.ty(index).1);
        }
        props.push(("at", Exprs::make(self.ctx, at)));
        let axes = self.ordered(named, record.get("axes"))?;
        Ok(self.one(ops::Read::NAME, &operands, &props, elem, &axes, node))
    }

    fn select(&mut self, form: &Form<'_>, depth: usize) -> Read<ValueId> {
        let node = &form.args;
        let record = Record::new(node, "a choice", &["pred", "then", "else", "axes"])?;
        let (pred, then) = (record.need("pred")?, record.need("then")?);
        if !position::is_condition(pred, &|name| self.is_value(name), 0) {
            let condition = self.expr(pred, depth, Some(Type::I1))?;
            let then = self.expr(then, depth, None)?;
            let other = self.expr(record.need("else")?, depth, Some(self.ty(then).0))?;
            return self.chosen(&[condition, then, other], None, &record, node);
        }
        let guard = position::guard(pred)?;
        // A read of which nothing is known outside of the condition is a read with a guard.
        let other = record.get("else");
        let bare =
            other.is_none_or(|other| is_number(other) || other.kind() == JsonKind::String && !self.is_name(other));
        if let Some(read) = plain_read(then).filter(|_| bare) {
            return self.read(&read, Some((guard, other)), depth);
        }
        let then = self.expr(then, depth, None)?;
        let other = self.expr(record.need("else")?, depth, Some(self.ty(then).0))?;
        self.chosen(&[then, other], Some(guard), &record, node)
    }

    fn is_name(&self, node: &Node<'_>) -> bool {
        node.string("a name").is_ok_and(|name| self.is_value(&name))
    }

    fn chosen(
        &mut self,
        operands: &[ValueId],
        guard: Option<Guard>,
        record: &Record<'_>,
        node: &Node<'_>,
    ) -> Read<ValueId> {
        let [.., then, other] = *operands else { return Err(node.not("a choice of two")) };
        let elem = promote(self.ctx, self.ty(then).0, self.ty(other).0).map_err(|broken| mismatch(node, broken))?;
        let more = guard.as_ref().map_or_else(Vec::new, |guard| self.named(guard.exprs()));
        let axes: Vec<Vec<String>> = operands.iter().map(|&operand| self.ty(operand).1).collect();
        let axes = self.joined(&axes, more, record.get("axes"))?;
        let props: Vec<_> = guard.map(|guard| ("guard", Guard::make(self.ctx, guard))).into_iter().collect();
        Ok(self.one(ops::Select::NAME, operands, &props, elem, &axes, node))
    }

    fn broadcast(&mut self, node: &Node<'_>, depth: usize) -> Read<ValueId> {
        let record = Record::new(node, "a broadcast", &["operand", "result_shape", "broadcast_dimensions", "axes"])?;
        let input = self.expr(record.need("operand")?, depth, None)?;
        let place = record.need("result_shape")?;
        let shape = place.sizes()?;
        let dims = record.need("broadcast_dimensions")?.list_of("a list of numbers of axes", Node::int)?;
        let (elem, from) = self.ty(input);
        let axes = match record.get("axes") {
            Some(axes) => self.ordered(Vec::new(), Some(axes))?,
            None => self.placed(&from, &shape, &dims, place)?,
        };
        let props = [("shape", Sizes::make(self.ctx, shape)), ("dims", IntArray::make(self.ctx, dims))];
        Ok(self.one(ops::BroadcastInDim::NAME, &[input], &props, elem, &axes, node))
    }

    /// The axes of a broadcast: those of the operand at their places, and between them the next ones of the kernel that
    /// have the size.
    fn placed(&self, from: &[String], shape: &[SizeExpr], dims: &[i64], node: &Node<'_>) -> Read<Vec<String>> {
        place_axes(&self.axes.list, from, shape, dims).map_err(|at| {
            let message = format!("which axis of the kernel is axis {at} of the result, of the size {}?", shape[at]);
            node.report(node.error(&AXIS_UNKNOWN, message).suggest("name all of them: \"axes\": [..]"))
        })
    }

    fn transpose(&mut self, node: &Node<'_>, depth: usize) -> Read<ValueId> {
        let record = Record::new(node, "a transpose", &["operand", "permutation"])?;
        let input = self.expr(record.need("operand")?, depth, None)?;
        let (place, (elem, from)) = (record.need("permutation")?, self.ty(input));
        let by = place.list_of("a list of numbers of axes", Node::int)?;
        let axis = |&axis: &i64| usize::try_from(axis).ok().and_then(|axis| from.get(axis).cloned());
        let axes: Option<Vec<String>> = by.iter().map(axis).collect();
        let axes = axes.filter(|axes| axes.len() == from.len() && from.iter().all(|axis| axes.contains(axis)));
        let axes = axes.ok_or_else(|| place.not(&format!("the numbers of the {} axes, each once", from.len())))?;
        Ok(self.one(ops::Transpose::NAME, &[input], &[("by", IntArray::make(self.ctx, by))], elem, &axes, node))
    }

    /// `{"op": "sum", "operand": .., "along": "n", "dtype": "fp32", "every": 64, "exclusive": true, "reverse": true}`; a
    /// recurrence has `"operands": [.., ..]`.
    fn scan(&mut self, node: &Node<'_>, depth: usize) -> Read<ValueId> {
        const KEYS: [&str; 8] = ["op", "operand", "operands", "along", "dtype", "every", "exclusive", "reverse"];
        let record = Record::new(node, "a scan", &KEYS)?;
        let place = record.need("op")?;
        let word = place.string("a combiner")?;
        let wanted = format!("one of {}", ScanCombiner::WORDS.join(", "));
        let combiner = ScanCombiner::of(&word).ok_or_else(|| place.not(&wanted))?;
        let mut inputs = Vec::new();
        match combiner.operands().len() {
            1 => inputs.push(self.expr(record.need("operand")?, depth, None)?),
            count => {
                let list = record.need("operands")?;
                let given = list.list("a list of operands")?;
                if given.len() != count {
                    return Err(list.not(&format!("a list of {count} operands")));
                }
                for operand in given {
                    inputs.push(self.expr(&operand, depth, None)?);
                }
            }
        }
        let axes = self.ty(inputs[0]).1;
        let elems = inputs.iter().map(|&input| self.ty(input).0);
        // What has no common type the verifier refuses.
        let elem = elems.reduce(|a, b| promote(self.ctx, a, b).unwrap_or(a)).unwrap_or(Type::F32);
        let along = record.need("along")?.name()?;
        let elem = record.get("dtype").map_or(Ok(elem), |node| node.dtype(self.ctx))?;
        let mut props = vec![("combiner", self.ctx.str_attr(combiner.word())), ("along", self.ctx.str_attr(&along))];
        if let Some(every) = record.get("every") {
            props.push(("every", self.ctx.i64_attr(every.int()?)));
        }
        for key in ["exclusive", "reverse"] {
            match record.get(key) {
                Some(node) if node.text() == "true" => props.push((key, Attr::UNIT)),
                Some(node) if node.text() != "false" => return Err(node.not("true or false")),
                _ => {}
            }
        }
        Ok(self.one(ops::Scan::NAME, &inputs, &props, elem, &axes, node))
    }

    /// `{"operand": .., "along": "n", "every": 64}`
    fn sort(&mut self, node: &Node<'_>, depth: usize) -> Read<ValueId> {
        let record = Record::new(node, "a sort", &["operand", "along", "every"])?;
        let input = self.expr(record.need("operand")?, depth, None)?;
        let (elem, axes) = self.ty(input);
        let mut props = vec![("along", self.ctx.str_attr(&record.need("along")?.name()?))];
        if let Some(every) = record.get("every") {
            props.push(("every", self.ctx.i64_attr(every.int()?)));
        }
        Ok(self.one(ops::Sort::NAME, &[input], &props, elem, &axes, node))
    }

    /// The axes that expressions name.
    fn named<'e>(&self, exprs: impl Iterator<Item = &'e SizeExpr>) -> Vec<String> {
        let names = exprs.flat_map(|expr| expr.symbols());
        names.map(|name| name.to_string()).filter(|name| self.axes.position(name).is_some()).collect()
    }

    /// Axes in the order of the kernel, or in the order that is given.
    fn ordered(&self, named: Vec<String>, given: Option<&Node<'_>>) -> Read<Vec<String>> {
        match given {
            Some(node) => distinct_axes(node),
            None => Ok(self.axes.in_order(&named)),
        }
    }

    fn joined(&self, operands: &[Vec<String>], more: Vec<String>, given: Option<&Node<'_>>) -> Read<Vec<String>> {
        match given {
            Some(_) => self.ordered(Vec::new(), given),
            None => Ok(join_axes(&|all| self.axes.in_order(all), operands, more)),
        }
    }
}

/// The axes of a result: those of the operand that has them all, else all in the order of the kernel.
pub(super) fn join_axes(
    in_order: &dyn Fn(&[String]) -> Vec<String>,
    operands: &[Vec<String>],
    more: Vec<String>,
) -> Vec<String> {
    let all: Vec<String> = operands.iter().flatten().cloned().chain(more).collect();
    let whole = operands.iter().find(|axes| all.iter().all(|axis| axes.contains(axis)));
    whole.cloned().unwrap_or_else(|| in_order(&all))
}

/// The axes of a broadcast as they follow from its sizes; the place of the first that does not.
pub(super) fn place_axes(
    known: &[(String, Option<SizeExpr>)],
    from: &[String],
    shape: &[SizeExpr],
    dims: &[i64],
) -> Result<Vec<String>, usize> {
    let mut axes: Vec<String> = Vec::new();
    for (at, size) in shape.iter().enumerate() {
        let own = dims.iter().position(|&dim| usize::try_from(dim) == Ok(at)).and_then(|at| from.get(at));
        let free = |(name, is): &&(String, Option<SizeExpr>)| {
            is.as_ref() == Some(size) && !from.contains(name) && !axes.contains(name)
        };
        let axis = own.or_else(|| known.iter().find(free).map(|(name, _)| name));
        axes.push(axis.ok_or(at)?.clone());
    }
    Ok(axes)
}

/// The read that an expression is, if it says nothing of what is outside.
fn plain_read<'a>(node: &Node<'a>) -> Option<Node<'a>> {
    if node.kind() != JsonKind::Object {
        return None;
    }
    let form = Form::of(node).ok().filter(|form| form.word == "read" && form.args.kind() == JsonKind::Object)?;
    let said = form.args.entries("a read").is_ok_and(|entries| entries.iter().any(|(key, ..)| key == "else"));
    (!said).then_some(form.args)
}

fn mismatch(node: &Node<'_>, broken: BrokenRule) -> dlc_core::json::Reported {
    node.report(broken.diagnostic(&TYPE_MISMATCH, node.loc()))
}

fn unknown(form: &Form<'_>) -> dlc_core::json::Reported {
    let (word, key) = (&form.word, &form.key);
    if matches!(&**word, "reshape" | "view" | "permute" | "expand") {
        let error = key.error(&UNKNOWN_EXPR, format!("there is no '{word}' in a region: values have named axes"));
        let fix = "read at the positions that it leaves, as its map; an axis of size 1 is none, and 'BroadcastInDim' adds axes";
        return key.report(error.suggest(fix));
    }
    let words = FORMS.iter().copied().chain(Unary::WORDS.iter().copied()).chain(Binary::WORDS.iter().copied());
    let error = key.error(&UNKNOWN_EXPR, format!("there is no expression '{word}'"));
    key.report(error.suggest_if(did_you_mean(word, words)))
}
