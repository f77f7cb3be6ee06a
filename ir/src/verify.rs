//! The rules that all IR keeps. Every broken one is reported, not only the first.
//!
//! For each op, registered or not:
//! - operands are defined, and dominate the op (inside one block of a graph region, and of a region of an unregistered
//!   op, order does not matter);
//! - successors are blocks of the op's own region, and not its entry;
//! - an op with successors stands at the end of its block;
//! - in a region with several blocks each ends with a terminator, or with an op that nothing knows.
//!
//! For a registered op, from its declaration:
//! - the number of operands, results, regions and successors, and the sizes of their groups;
//! - the types of operands and results; each inherent attribute is there, and of its kind; no unknown one is;
//! - values given to a successor match the arguments of the block;
//! - traits: `Terminator` (and that a block of a region that needs one ends with one), `SameType`,
//!   `SameOperandTypes`, `SingleBlock`, `Symbol`, `SymbolTable`, `ConstantLike`, `Callable`, `ReturnLike`, `Call`;
//! - inferred result types equal the written ones;
//! - the op's own rules.
//!
//! For a module: names of symbols are unique in their table (whatever the op), calls name a callable with fitting
//! types, and ops keep the rules of their own about symbols ([`SymbolUser`]).

mod symbols;

use smallvec::SmallVec;

use crate::attrs::Attr;
use crate::body::{Body, OpRef, ValueDef};
use crate::context::{Context, Str};
use crate::diag::{Diagnostic, Diagnostics};
use crate::dominance::Dominance;
use crate::entity::{OpId, RegionId};
use crate::location::Loc;
use crate::op::{Arity, OpDef, Traits, TypeConstraint};
use crate::pass::layers::dialect_of;
use crate::types::{Type, TypeData};

pub use symbols::{Beside, Scope, SymbolInfo, SymbolTable, SymbolUser, verify_symbols};

crate::codes! {
    /// An op breaks a rule of its own.
    OP_RULE = "E0201" "OpRule";
    /// A value does not dominate its use.
    DOMINANCE = "E0202" "Dominance";
    /// An op has the wrong number of operands, results, regions or successors.
    WRONG_COUNT = "E0203" "WrongCount";
    /// An operand or result has a type that the op does not admit.
    WRONG_TYPE = "E0204" "WrongType";
    /// An inherent attribute is missing, unknown, or not of its kind.
    WRONG_ATTR = "E0205" "WrongAttr";
    /// A block does not end as its region demands, or a terminator stands inside a block.
    TERMINATOR = "E0206" "Terminator";
    /// A successor is no block of the region, or takes other values than it is given.
    SUCCESSOR = "E0207" "Successor";
    /// A region has more or fewer blocks than the op admits.
    REGION_SHAPE = "E0208" "RegionShape";
    /// An op with a trait does not keep its rule.
    TRAIT_RULE = "E0209" "TraitRule";
    /// A function gives other results than its type says.
    RETURN_MISMATCH = "E0210" "ReturnMismatch";
    /// Two symbols of a table have one name.
    DUPLICATE_SYMBOL = "E0301" "DuplicateSymbol";
    /// A symbol is referred to that its table does not have, or that is not what it must be.
    UNKNOWN_SYMBOL = "E0302" "UnknownSymbol";
}

/// Checks a body with all nested ones, symbols included. Whether it is right; if not, every error was emitted.
pub fn verify(ctx: &Context, body: &Body, diags: &Diagnostics) -> bool {
    let before = diags.errors();
    verify_tree(ctx, body, diags);
    verify_symbols(ctx, body, diags);
    diags.errors() == before
}

fn verify_tree(ctx: &Context, body: &Body, diags: &Diagnostics) {
    verify_body(ctx, body, diags);
    for op in body.nested_ops() {
        if let Some(nested) = body.nested(op) {
            verify_tree(ctx, nested, diags);
        }
    }
}

/// Checks one body, without nested ones and without symbols: what depends on nothing outside of it.
pub fn verify_body(ctx: &Context, body: &Body, diags: &Diagnostics) -> bool {
    let before = diags.errors();
    let mut verifier = Verifier { ctx, body, diags, dominance: Dominance::new() };
    verifier.op(body.root());
    for &region in body.regions(body.root()) {
        verifier.region(body.root(), region);
    }
    diags.errors() == before
}

/// Whether an op has what its declaration says: counts, types, attributes and regions. For rules that look at the ops
/// inside of one, which are verified after it. An op that nothing knows has.
pub fn keeps_declaration(op: OpRef<'_>) -> bool {
    if !op.ctx.is_registered(op.op_name()) || op.body.nested(op.id).is_some() {
        return true;
    }
    let diags = Diagnostics::new();
    let verifier = Verifier { ctx: op.ctx, body: op.body, diags: &diags, dominance: Dominance::new() };
    verifier.operand_types(op, op.def());
    verifier.attrs(op, op.def());
    verifier.regions(op, op.def());
    diags.errors() == 0
}

struct Verifier<'a> {
    ctx: &'a Context,
    body: &'a Body,
    diags: &'a Diagnostics,
    dominance: Dominance,
}

impl<'a> Verifier<'a> {
    fn at(&self, op: OpId) -> OpRef<'a> {
        OpRef::new(self.ctx, self.body, op)
    }

    fn error(&self, op: OpRef<'_>, code: &'static crate::diag::Code, message: impl Into<String>) {
        self.diags.emit(Diagnostic::error(code, op.loc(), message).at(op.name()));
    }

    fn region(&mut self, parent: OpId, region: RegionId) {
        let body = self.body;
        let def = self.at(parent).def();
        let known = self.ctx.is_registered(body.op_name(parent));
        let unordered = !known || def.traits.has(Traits::GRAPH_REGION);
        let graph = unordered && body.has_single_block(region);
        for block in body.blocks(region) {
            let last = body.last_op(block);
            for op in body.ops(block) {
                self.op(op);
                self.operands(op, graph);
                for &inner in body.regions(op) {
                    self.region(op, inner);
                }
                if Some(op) != last {
                    let view = self.at(op);
                    if view.has(Traits::TERMINATOR) || !view.successors().is_empty() {
                        self.error(view, &TERMINATOR, "a terminator must be the last op of its block");
                    }
                }
            }
            // Of several blocks each says where control goes on, whatever the op around them is; MLIR holds it so too.
            let several = !body.has_single_block(region);
            let wants_terminator = several || (known && !def.traits.has(Traits::NO_TERMINATOR));
            if wants_terminator {
                let ends = last.is_some_and(|op| {
                    let view = self.at(op);
                    view.has(Traits::TERMINATOR) || !self.ctx.is_registered(view.op_name())
                });
                if !ends {
                    self.no_terminator(parent, last);
                }
            }
        }
    }

    /// A block of an op ends with another op than a terminator, or is empty.
    fn no_terminator(&mut self, parent: OpId, last: Option<OpId>) {
        let view = self.at(last.unwrap_or(parent));
        let message = match last {
            Some(_) => {
                let name = self.ctx.op_name_str(self.body.op_name(parent));
                format!("a block of '{name}' must end with a terminator, not with this op")
            }
            None => "a block of the op is empty; it must end with a terminator".into(),
        };
        let error = Diagnostic::error(&TERMINATOR, view.loc(), message).at(view.name());
        self.diags.emit(error.suggest_if(self.terminators_of(parent)));
    }

    /// Which ops may end a block of an op: those of its dialect that return, where it is a function that returns, and the
    /// others of its dialect elsewhere.
    fn terminators_of(&self, parent: OpId) -> Option<String> {
        let name = self.ctx.op_name_str(self.body.op_name(parent));
        let ops = || self.ctx.dialect(dialect_of(name)).into_iter().flat_map(|dialect| dialect.ops);
        let terminators = |returns: bool| -> Vec<String> {
            let is_one = |def: &&&OpDef| {
                def.traits.has(Traits::TERMINATOR)
                    && def.successors.is_empty()
                    && def.traits.has(Traits::RETURN_LIKE) == returns
            };
            ops().filter(is_one).map(|def| format!("'{}'", def.mnemonic())).collect()
        };
        let own = terminators(self.at(parent).has(Traits::CALLABLE));
        let all = if own.is_empty() { terminators(false) } else { own };
        (!all.is_empty()).then(|| format!("'{name}' ends with {}", all.join(" or ")))
    }

    fn operands(&mut self, op: OpId, graph: bool) {
        let body = self.body;
        for (index, value) in body.operands(op).enumerate() {
            if self.dominance.reaches(body, value, op) {
                continue;
            }
            if graph && body.defining_block(value).is_some() && body.defining_block(value) == body.block_of(op) {
                continue;
            }
            if self.in_graph_ancestor(value, op) {
                continue;
            }
            let view = self.at(op);
            let error =
                Diagnostic::error(&DOMINANCE, view.loc(), format!("operand {index} does not dominate this use"));
            let from = match body.value_def(value) {
                ValueDef::Result(def, _) => body.loc(def),
                ValueDef::Arg(block, index) => body.arg_loc(block, index),
                ValueDef::Placeholder => Loc::UNKNOWN,
            };
            let error = if from == Loc::UNKNOWN { error } else { error.note(from, "it is defined here") };
            self.diags.emit(error.at(view.name()));
        }
    }

    /// Whether a value is defined in a single-block graph region around the user, where order does not matter.
    #[cold]
    fn in_graph_ancestor(&self, value: crate::entity::ValueId, user: OpId) -> bool {
        let body = self.body;
        let Some(def_block) = body.defining_block(value) else { return false };
        let Some(region) = body.region_of(def_block).filter(|&r| body.has_single_block(r)) else { return false };
        let Some(holder) = body.region_parent(region) else { return false };
        let view = self.at(holder);
        let unordered = !self.ctx.is_registered(view.op_name()) || view.has(Traits::GRAPH_REGION);
        let mut ancestor = Some(user);
        while let Some(op) = ancestor {
            if body.block_of(op) == Some(def_block) {
                return unordered && body.defining_op(value) != Some(op);
            }
            ancestor = body.parent_op(op);
        }
        false
    }

    fn op(&mut self, op: OpId) {
        let view = self.at(op);
        self.successors(view);
        if !self.ctx.is_registered(view.op_name()) {
            return;
        }
        if self.body.nested(op).is_some() {
            // The nested body checks what belongs to its root; operands and results belong here.
            self.operand_types(view, view.def());
            return;
        }
        let def = view.def();
        let before = self.diags.errors();
        let is_nested_root = op == self.body.root();
        if !is_nested_root {
            self.operand_types(view, def);
        }
        self.attrs(view, def);
        self.regions(view, def);
        self.traits(view, def);
        // An op's own rules and its inference rely on what the declaration promises.
        if self.diags.errors() == before {
            if let Some(infer) = def.infer.filter(|_| !is_nested_root) {
                self.inferred(view, infer);
            }
            if let Some(verify) = def.verify {
                verify(view, self.diags);
            }
        }
    }

    fn operand_types(&self, view: OpRef<'a>, def: &'static OpDef) {
        let body = self.body;
        let operands = def.operands.iter().map(|o| (o.name, o.ty, o.arity));
        let types: SmallVec<[Type; 4]> = view.operands().map(|v| body.value_type(v)).collect();
        self.group_types(view, "operand", operands, &types, Str::OPERAND_SEGMENTS, |i| view.operand_group(i));
        let results = def.results.iter().map(|r| (r.name, r.ty, r.arity));
        let types: SmallVec<[Type; 4]> = view.result_types().collect();
        self.group_types(view, "result", results, &types, Str::RESULT_SEGMENTS, |i| view.result_group(i));
    }

    fn group_types(
        &self,
        view: OpRef<'a>,
        what: &str,
        groups: impl ExactSizeIterator<Item = (&'static str, TypeConstraint, Arity)> + Clone,
        types: &[Type],
        segments: Str,
        range: impl Fn(usize) -> std::ops::Range<usize>,
    ) {
        let flexible = groups.clone().filter(|g| g.2 != Arity::One).count();
        let fixed = groups.len() - flexible;
        let most = groups.clone().map(|g| if g.2 == Arity::Variadic { usize::MAX } else { 1 });
        let most = most.fold(0usize, usize::saturating_add);
        let plural = |n: usize| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
        if types.len() < fixed || types.len() > most {
            let wanted = match most {
                _ if most == fixed => plural(fixed),
                usize::MAX => format!("at least {}", plural(fixed)),
                _ => format!("{fixed} to {}", plural(most)),
            };
            return self.error(view, &WRONG_COUNT, format!("has {}, must have {wanted}", plural(types.len())));
        }
        if flexible > 1 {
            let sizes = view.segment_sizes(segments);
            let fits = sizes.as_ref().is_some_and(|sizes| {
                sizes.len() == groups.len()
                    && sizes.iter().sum::<usize>() == types.len()
                    && sizes.iter().zip(groups.clone()).all(|(&size, (_, _, arity))| match arity {
                        Arity::One => size == 1,
                        Arity::Optional => size <= 1,
                        Arity::Variadic => true,
                    })
            });
            if !fits {
                let key = self.ctx.str(segments);
                let message = format!("'{key}' must be an array<i32> with the size of each group of {what}s");
                return self.error(view, &WRONG_COUNT, message);
            }
        }
        for (index, (name, constraint, _)) in groups.enumerate() {
            for &ty in &types[range(index)] {
                if !(constraint.admits)(self.ctx, ty) {
                    let shown = ty.display(self.ctx);
                    let message = format!("the {what} '{name}' must be {}, but is {shown}", constraint.name);
                    self.error(view, &WRONG_TYPE, message);
                }
            }
        }
    }

    fn attrs(&self, view: OpRef<'a>, def: &'static OpDef) {
        let ctx = self.ctx;
        let props = self.body.props(view.id).as_dict(ctx).unwrap_or(&[]);
        if props.is_empty() && def.attrs.iter().all(|spec| spec.optional) {
            return;
        }
        let mut known = 0;
        for spec in def.attrs {
            match props.iter().find(|(key, _)| ctx.str(*key) == spec.name) {
                None if spec.optional => {}
                None => self.error(view, &WRONG_ATTR, format!("the attribute '{}' is missing", spec.name)),
                Some((_, attr)) if !(spec.kind.admits)(ctx, *attr) => {
                    known += 1;
                    let shown = attr.display(ctx);
                    let message = format!("the attribute '{}' must be {}, but is {shown}", spec.name, spec.kind.name);
                    self.error(view, &WRONG_ATTR, message);
                }
                Some(_) => known += 1,
            }
        }
        if known == props.len() {
            return;
        }
        for (key, _) in props {
            let key = ctx.str(*key);
            if !def.declares_attr(key) {
                let near = crate::diag::did_you_mean(key, def.attrs.iter().map(|spec| spec.name));
                let error = Diagnostic::error(&WRONG_ATTR, view.loc(), format!("the op has no attribute '{key}'"));
                self.diags.emit(error.at(view.name()).suggest_if(near));
            }
        }
    }

    fn regions(&self, view: OpRef<'a>, def: &'static OpDef) {
        let regions = view.regions();
        let variadic = def.regions.iter().any(|region| region.arity != Arity::One);
        let wanted = def.regions.len();
        if (variadic && regions.len() + 1 < wanted) || (!variadic && regions.len() != wanted) {
            let message = format!("has {} regions, must have {wanted}", regions.len());
            return self.error(view, &WRONG_COUNT, message);
        }
        if def.traits.has(Traits::SINGLE_BLOCK) {
            for &region in regions {
                if !self.body.has_single_block(region) {
                    self.error(view, &REGION_SHAPE, "each region of the op must have exactly one block");
                }
            }
        }
    }

    fn successors(&self, view: OpRef<'a>) {
        let body = self.body;
        let own = body.block_of(view.id).and_then(|block| body.region_of(block));
        for (index, &block) in view.successors().iter().enumerate() {
            if own.is_none() || body.region_of(block) != own {
                self.error(view, &SUCCESSOR, format!("successor {index} is no block of the region that the op is in"));
                continue;
            }
            if own.and_then(|region| body.first_block(region)) == Some(block) {
                self.error(view, &SUCCESSOR, format!("successor {index} is the entry block of the region"));
            }
        }
        if !self.ctx.is_registered(view.op_name()) {
            return;
        }
        let def = view.def();
        let variadic = def.successors.iter().any(|successor| successor.arity != Arity::One);
        if !variadic && view.successors().len() != def.successors.len() {
            let message = format!("has {} successors, must have {}", view.successors().len(), def.successors.len());
            return self.error(view, &WRONG_COUNT, message);
        }
        for (index, &block) in view.successors().iter().enumerate().take(def.successors.len()) {
            let given: SmallVec<[Type; 4]> =
                view.successor_operands(index).map(|i| view.type_of(view.operand(i))).collect();
            let wanted: SmallVec<[Type; 4]> = body.args(block).iter().map(|&v| body.value_type(v)).collect();
            if given != wanted {
                let show = |types: &[Type]| types.iter().map(|t| t.display(self.ctx)).collect::<Vec<_>>().join(", ");
                let message =
                    format!("successor {index} is given ({}), but the block takes ({})", show(&given), show(&wanted));
                self.error(view, &SUCCESSOR, message);
            }
        }
    }

    fn traits(&self, view: OpRef<'a>, def: &'static OpDef) {
        let body = self.body;
        let traits = def.traits;
        if traits.has(Traits::SAME_TYPE) || traits.has(Traits::SAME_OPERAND_TYPES) {
            let results = traits.has(Traits::SAME_TYPE);
            let all = view.operands().chain(view.results().filter(|_| results));
            let mut types = all.map(|v| body.value_type(v));
            if let Some(first) = types.next()
                && let Some(other) = types.find(|&ty| ty != first)
            {
                let what = if results { "operands and results" } else { "operands" };
                let (first, other) = (first.display(self.ctx), other.display(self.ctx));
                self.error(
                    view,
                    &TRAIT_RULE,
                    format!("all {what} must have one type, but here are {first} and {other}"),
                );
            }
        }
        if traits.has(Traits::SYMBOL) && view.symbol_name().is_none_or(str::is_empty) {
            self.error(view, &TRAIT_RULE, "a symbol must have a name in 'sym_name'");
        }
        if traits.has(Traits::CONSTANT_LIKE) {
            let fits = view.prop(Str::VALUE).is_some_and(|attr| {
                let ty = attr.value_type(self.ctx);
                // What a number stands for in a type that is none of numbers, its dialect says.
                let number = |result: Type| result.bits(self.ctx).is_some();
                let fits = |result: Type| !number(result) || ty.is_none_or(|ty| ty == result);
                body.num_results(view.id) == 1 && fits(view.type_of(view.result(0)))
            });
            if !fits {
                self.error(view, &TRAIT_RULE, "the type of the constant must be the type of the result");
            }
        }
        if traits.has(Traits::CALLABLE) {
            self.callable(view);
        }
        if traits.has(Traits::RETURN_LIKE) {
            self.return_like(view);
        }
    }

    /// The entry block of a function takes the arguments of its type. A function without blocks is a declaration.
    fn callable(&self, view: OpRef<'a>) {
        let Some((inputs, _)) = function_type(self.ctx, view.prop(Str::FUNCTION_TYPE)) else {
            return self.error(view, &TRAIT_RULE, "a function must have its type in 'function_type'");
        };
        let Some(entry) = view.regions().first().and_then(|&region| self.body.first_block(region)) else { return };
        let args: SmallVec<[Type; 8]> = self.body.args(entry).iter().map(|&v| self.body.value_type(v)).collect();
        if args[..] != *inputs {
            let ty = view.prop(Str::FUNCTION_TYPE).map(|attr| attr.display(self.ctx)).unwrap_or_default();
            let message = format!("the entry block takes {} arguments of other number or type than {ty}", args.len());
            self.error(view, &TRAIT_RULE, message);
        }
    }

    /// What is returned has the types that the function says.
    fn return_like(&self, view: OpRef<'a>) {
        let mut holder = self.body.parent_op(view.id);
        while let Some(op) = holder {
            let function = self.at(op);
            if function.has(Traits::CALLABLE) {
                let Some((_, results)) = function_type(self.ctx, function.prop(Str::FUNCTION_TYPE)) else { return };
                let given: SmallVec<[Type; 4]> = view.operands().map(|v| view.type_of(v)).collect();
                if given[..] != *results {
                    let show =
                        |types: &[Type]| types.iter().map(|t| t.display(self.ctx)).collect::<Vec<_>>().join(", ");
                    let message = format!("returns ({}), but the function returns ({})", show(&given), show(results));
                    let mut error = Diagnostic::error(&RETURN_MISMATCH, view.loc(), message).at(view.name());
                    let pairs = given.iter().zip(results).enumerate();
                    let wrong = pairs.filter(|_| given.len() == results.len()).find(|(_, (from, to))| from != to);
                    if let Some((place, (&from, &to))) = wrong {
                        let fix = self.cast_between(function, from, to);
                        let fix = fix.map(|fix| format!("value {place} differs in its elements alone: {fix}"));
                        let made = self.body.defining_op(view.operand(place)).filter(|_| fix.is_none());
                        error = error.suggest_if(fix);
                        if let Some(made) = made {
                            error = error.note(self.body.loc(made), format!("value {place} comes from here"));
                        }
                    }
                    self.diags.emit(error);
                }
                return;
            }
            holder = self.body.parent_op(op);
        }
    }

    /// How a type becomes another that differs from it in the type of the elements alone, where the dialect of the
    /// function has an op for that.
    fn cast_between(&self, function: OpRef<'a>, from: Type, to: Type) -> Option<String> {
        let ctx = self.ctx;
        let (TypeData::Dialect { def, params }, TypeData::Dialect { def: other, params: others }) =
            (ctx.type_data(from), ctx.type_data(to))
        else {
            return None;
        };
        let mut differing = params.iter().zip(*others).filter(|(a, b)| a != b);
        let (_, elem) = differing.next().filter(|_| def == other && params.len() == others.len())?;
        let elem = elem.as_type(ctx).filter(|_| differing.next().is_none())?;
        let cast = ctx.dialect(function.def().dialect())?.ops.iter().find(|op| op.traits.has(Traits::CAST))?;
        Some(format!("'{}' makes {} of them, as in '{}'", cast.mnemonic(), elem.display(ctx), cast.example))
    }

    fn inferred(&self, view: OpRef<'a>, infer: fn(&crate::op::InferCx<'_>) -> crate::op::Inferred) {
        let operands: SmallVec<[crate::entity::ValueId; 4]> = view.operands().collect();
        let cx = crate::op::InferCx {
            ctx: self.ctx,
            body: self.body,
            operands: &operands,
            props: self.body.props(view.id).as_dict(self.ctx).unwrap_or(&[]),
        };
        match infer(&cx) {
            Ok(types) => {
                if !view.result_types().eq(types.iter().copied()) {
                    let show =
                        |types: &[Type]| types.iter().map(|t| t.display(self.ctx)).collect::<Vec<_>>().join(", ");
                    let has: SmallVec<[Type; 2]> = view.result_types().collect();
                    let message = format!("the result is of type {}, must be {}", show(&has), show(&types));
                    self.error(view, &WRONG_TYPE, message);
                }
            }
            Err(broken) => self.diags.emit(broken.diagnostic(&WRONG_TYPE, view.loc()).at(view.name())),
        }
    }
}

/// The inputs and results of a function type in an attribute.
pub(crate) fn function_type(ctx: &Context, attr: Option<Attr>) -> Option<(&[Type], &[Type])> {
    match ctx.type_data(attr?.as_type(ctx)?) {
        TypeData::Function { inputs, results } => Some((inputs, results)),
        _ => None,
    }
}
