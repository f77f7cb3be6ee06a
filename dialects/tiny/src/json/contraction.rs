//! The indices of `CONTRACT`: lists of names in JSON, sums of names where an operand is seen through a window.

use dlc_core::broadcast::promote;
use dlc_core::json::{Node, Read, Record, WRONG_VALUE};
use dlc_core::sizes::Exprs;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind, TypeAttr};
use dlc_ir::{Context, Type};

use super::build::{Operand, Props};
use super::{Spelling, number};

/// The keys of the `arg`.
pub(super) const KEYS: [&str; 8] =
    ["pattern", "lhs_idx", "rhs_idx", "out_idx", "reduce_idx", "strides", "product_dtype", "acc_dtype"];

/// The indices of a contraction.
pub(super) struct Indices {
    /// For each axis of the left operand, its index.
    pub lhs: Vec<SizeExpr>,
    /// The same of the right operand.
    pub rhs: Vec<SizeExpr>,
    /// The index of each axis of the result.
    pub out: Vec<SizeExpr>,
}

impl Indices {
    /// Reads the lists of an `arg`. Where there are `strides`, one operand has more indices than axes: its last axes are
    /// windows, with the places of the result first and those in the window after them.
    pub fn read(arg: &Record<'_>) -> Read<Indices> {
        let list = |key: &str| arg.need(key)?.list_of("a list of indices, such as [\"m\", \"k\"]", Node::expr);
        let (lhs, rhs, out, reduce) = (list("lhs_idx")?, list("rhs_idx")?, list("out_idx")?, list("reduce_idx")?);
        let mut indices = Indices { lhs, rhs, out };
        if let Some(strides) = arg.get("strides") {
            indices.open_windows(strides)?;
        }
        let expected = indices.reduced();
        let place = arg.need("reduce_idx")?;
        if !same_elements(&reduce, &expected) {
            let names: Vec<String> = expected.iter().map(|index| format!("\"{index}\"")).collect();
            let message = format!("'{}' must name the indices that the result lacks", place.path());
            let error = place.error(&WRONG_VALUE, message);
            return Err(place.report(error.suggest(format!("these are [{}]", names.join(", ")))));
        }
        Ok(indices)
    }

    /// The indices that the result lacks, in the order in which they come.
    pub fn reduced(&self) -> Vec<SizeExpr> {
        let mut reduced = Vec::new();
        for name in self.lhs.iter().chain(&self.rhs).flat_map(names) {
            if !self.out.contains(&name) && !reduced.contains(&name) {
                reduced.push(name);
            }
        }
        reduced
    }

    fn open_windows(&mut self, strides: &Node<'_>) -> Read<()> {
        let factors = strides.list_of("a list of strides, such as [2, 2]", |node| match node.int()? {
            stride if stride > 0 => Ok(stride),
            _ => Err(node.not("positive")),
        })?;
        let count = factors.len();
        // The places of the result stand among its indices, those in the window are summed over.
        let is_windowed = |side: &[SizeExpr]| {
            let windows = side.len().checked_sub(2 * count).map(|start| side[start..].split_at(count));
            windows.is_some_and(|(outer, inner)| {
                outer.iter().all(|index| self.out.contains(index))
                    && inner.iter().all(|index| !self.out.contains(index))
            })
        };
        let side = match (is_windowed(&self.lhs), is_windowed(&self.rhs)) {
            (true, false) => &mut self.lhs,
            (false, true) => &mut self.rhs,
            (both, _) => {
                let which = if both { "both operands end" } else { "no operand ends" };
                let message = format!(
                    "'{}': {which} with {count} indices of the result and {count} others, so the windows are not known",
                    strides.path()
                );
                let error = strides.error(&WRONG_VALUE, message);
                return Err(strides.report(error.suggest("write the index of a window itself, such as \"2*ho + kh\"")));
            }
        };
        let inner = side.split_off(side.len() - count);
        let outer = side.split_off(side.len() - count);
        for ((outer, inner), factor) in outer.iter().zip(&inner).zip(factors) {
            let window = outer.mul(&SizeExpr::from(factor)).and_then(|outer| outer.add(inner));
            side.push(window.map_err(|error| strides.not(&format!("smaller: {}", error.message)))?);
        }
        Ok(())
    }

    /// The windows of an operand as strides, with its indices as a list of names: the opposite of `open_windows`.
    /// Nothing unless the windows are the last axes, each `stride*outer + inner`, and the lists say which they are.
    pub fn close_windows(&self) -> Option<(Vec<SizeExpr>, Vec<SizeExpr>, Vec<i64>)> {
        let close = |side: &[SizeExpr]| {
            let start = side.iter().position(|index| index.as_symbol().is_none())?;
            let (mut outers, mut inners, mut strides) = (Vec::new(), Vec::new(), Vec::new());
            for index in &side[start..] {
                let (terms, constant) = index.as_linear()?;
                let [(a, a_factor), (b, b_factor)] = &terms[..] else { return None };
                let (a_name, b_name) = (SizeExpr::symbol(a).ok()?, SizeExpr::symbol(b).ok()?);
                let (outer, stride, inner, one) = match self.out.contains(&a_name) {
                    true => (a_name, *a_factor, b_name, *b_factor),
                    false => (b_name, *b_factor, a_name, *a_factor),
                };
                let plain = constant == 0 && one == 1 && stride > 0;
                if !plain || !self.out.contains(&outer) || self.out.contains(&inner) {
                    return None;
                }
                outers.push(outer);
                inners.push(inner);
                strides.push(stride);
            }
            let names = side[..start].iter().cloned().chain(outers).chain(inners).collect::<Vec<_>>();
            Some((names, strides))
        };
        let is_plain = |side: &[SizeExpr]| side.iter().all(|index| index.as_symbol().is_some());
        let (lhs, rhs, strides) = match (is_plain(&self.lhs), is_plain(&self.rhs)) {
            (true, false) => {
                let (names, strides) = close(&self.rhs)?;
                (self.lhs.clone(), names, strides)
            }
            (false, true) => {
                let (names, strides) = close(&self.lhs)?;
                (names, self.rhs.clone(), strides)
            }
            _ => return None,
        };
        // It must read back: the other operand must not look like the one with the windows.
        let count = strides.len();
        let looks = |side: &[SizeExpr]| {
            side.len().checked_sub(2 * count).is_some_and(|start| {
                side[start..start + count].iter().all(|index| self.out.contains(index))
                    && side[start + count..].iter().all(|index| !self.out.contains(index))
            })
        };
        (looks(&lhs) != looks(&rhs)).then_some((lhs, rhs, strides))
    }
}

/// The names in an index, in the order in which they are written.
fn names(index: &SizeExpr) -> Vec<SizeExpr> {
    match index.as_symbol() {
        Some(_) => vec![index.clone()],
        None => index.symbols().iter().filter_map(|name| SizeExpr::symbol(name).ok()).collect(),
    }
}

fn same_elements(a: &[SizeExpr], b: &[SizeExpr]) -> bool {
    a.len() == b.len() && a.iter().all(|index| b.contains(index))
}

/// The attributes of a contraction.
pub(super) fn props(
    ctx: &Context,
    arg: &Record<'_>,
    operands: &[Operand],
    declared: Option<Type>,
    spelling: Spelling,
) -> Read<(Props, Props)> {
    let indices = Indices::read(arg)?;
    let mut props = vec![
        ("lhs_idx", Exprs::make(ctx, indices.lhs)),
        ("rhs_idx", Exprs::make(ctx, indices.rhs)),
        ("out_idx", Exprs::make(ctx, indices.out)),
    ];
    let products = promoted(ctx, operands);
    let acc = match (arg.get("acc_dtype"), spelling) {
        (Some(acc), _) => Some(acc.dtype(ctx)?),
        (None, Spelling::Typed) => declared,
        (None, Spelling::Dump) => products.map(|elem| accumulator(ctx, elem)),
    };
    let product = arg.get("product_dtype").map(|product| product.dtype(ctx)).transpose()?;
    if let Some(acc) = acc.filter(|acc| Some(*acc) != product.or(products)) {
        props.push(("acc", TypeAttr::make(ctx, acc)));
    }
    props.extend(product.map(|product| ("product", TypeAttr::make(ctx, product))));
    let mut attrs = Vec::new();
    if let Some(pattern) = arg.get("pattern") {
        attrs.push(("pattern", ctx.str_attr(&pattern.string("a name")?)));
    }
    Ok((props, attrs))
}

/// The type of the products.
fn promoted(ctx: &Context, operands: &[Operand]) -> Option<Type> {
    match operands {
        [lhs, rhs] => promote(ctx, lhs.elem, rhs.elem).ok(),
        _ => None,
    }
}

/// The type in which a dump sums products when it does not say: floats of fewer than 32 bits in 32.
pub(super) fn accumulator(ctx: &Context, elem: Type) -> Type {
    match elem.float_kind(ctx) {
        Some(kind) if kind.bits() < 32 => Type::F32,
        _ => elem,
    }
}

/// The name of the accumulator, where a dump has to say it.
pub(super) fn shown_accumulator(ctx: &Context, lhs: Type, rhs: Type, result: Type) -> Option<String> {
    let usual = promote(ctx, lhs, rhs).ok().map(|elem| accumulator(ctx, elem));
    (usual != Some(result)).then(|| number::name(ctx, result))
}
