//! The loops of sums of products, and the sizes that follow.

use dlc_core::broadcast::{broadcast, promote, show};
use dlc_core::infer::{accumulator, attr, operand, tensor};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Text;
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

dlc_ir::codes! {
    /// The axes of the operands of a sum of products do not go together.
    CONTRACTION_MISMATCH = "E1204" "ContractionMismatch";
    /// The equation of an einsum is not one, or not one of these operands.
    BAD_EQUATION = "E1205" "BadEquation";
}

/// What a sum of products of any number of operands loops over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loops {
    /// The name and size of each index.
    pub indices: Vec<(String, SizeExpr)>,
    /// For each axis of each operand the index that it has; none where a size of 1 is repeated.
    pub operands: Vec<Vec<Option<usize>>>,
    /// The index of each axis of the result.
    pub out: Vec<usize>,
}

/// One step of a sum of products: two operands become one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The index of each axis of what the steps before gave; in the first one, of the first operand.
    pub lhs: Vec<Option<usize>>,
    /// The index of each axis of the next operand; `None` when there is only one operand: then it is a product with 1.
    pub rhs: Option<Vec<Option<usize>>>,
    /// The indices of the result.
    pub out: Vec<usize>,
}

impl Loops {
    /// The loops of operands, each with its sizes and the names of its axes.
    fn new(operands: &[(&[SizeExpr], Vec<String>)], out: &[String]) -> Result<Loops, BrokenRule> {
        let mut indices: Vec<(String, SizeExpr)> = Vec::new();
        for (dims, names) in operands {
            for (dim, name) in dims.iter().zip(names) {
                match indices.iter_mut().find(|(known, _)| known == name) {
                    None => indices.push((name.clone(), dim.clone())),
                    Some((_, size)) if size == dim || dim.as_constant() == Some(1) => {}
                    Some((_, size)) if size.as_constant() == Some(1) => *size = dim.clone(),
                    Some((_, size)) => {
                        let shapes: Vec<String> = operands.iter().map(|(dims, _)| show(dims)).collect();
                        let message = format!(
                            "the index {name} has the size {size} and the size {dim} in {}",
                            shapes.join(" and ")
                        );
                        return Err(BrokenRule::new(&CONTRACTION_MISMATCH, message));
                    }
                }
            }
        }
        let place = |name: &String| indices.iter().position(|(known, _)| known == name);
        let axes = |(dims, names): &(&[SizeExpr], Vec<String>)| {
            let axis = |(dim, name): (&SizeExpr, &String)| place(name).filter(|&at| indices[at].1 == *dim);
            dims.iter().zip(names).map(axis).collect()
        };
        let operands = operands.iter().map(axes).collect();
        let out = out.iter().map(|name| place(name).ok_or_else(|| format!("no operand has the index {name}")));
        let out = out.collect::<Result<_, _>>()?;
        Ok(Loops { indices, operands, out })
    }

    /// The sizes of the result.
    pub fn dims(&self) -> Vec<SizeExpr> {
        self.out.iter().map(|&at| self.indices[at].1.clone()).collect()
    }

    /// The products two by two, from the left; each step keeps the indices that are still needed.
    pub fn steps(&self) -> Vec<Step> {
        let Some((first, rest)) = self.operands.split_first() else { return Vec::new() };
        if rest.is_empty() {
            return vec![Step { lhs: first.clone(), rhs: None, out: self.out.clone() }];
        }
        let mut steps = Vec::new();
        let mut lhs = first.clone();
        for (at, rhs) in rest.iter().enumerate() {
            let later = &rest[at + 1..];
            let mut out = self.out.clone();
            if !later.is_empty() {
                let needed =
                    |index: &usize| self.out.contains(index) || later.iter().flatten().any(|o| *o == Some(*index));
                out = Vec::new();
                for index in lhs.iter().chain(rhs).flatten().copied().filter(needed) {
                    if !out.contains(&index) {
                        out.push(index);
                    }
                }
            }
            steps.push(Step { lhs, rhs: Some(rhs.clone()), out: out.clone() });
            lhs = out.into_iter().map(Some).collect();
        }
        steps
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

/// Names for the batch axes of an operand, aligned at the right with those of others: `b` when there is one in all.
fn batch_names(own: usize, most: usize) -> Vec<String> {
    match most {
        0 | 1 => vec!["b".to_string(); own],
        _ => (most - own..most).map(|axis| format!("b{axis}")).collect(),
    }
}

/// The loops of [`Gemm`](crate::ops::Gemm).
pub fn gemm_loops(lhs: &[SizeExpr], rhs: &[SizeExpr], trans_a: bool, trans_b: bool) -> Result<Loops, BrokenRule> {
    if let Some(dims) = [lhs, rhs].into_iter().find(|dims| dims.len() < 2) {
        let message = format!("a matrix has at least two axes, not those of {}", show(dims));
        return Err(BrokenRule::new(&CONTRACTION_MISMATCH, message).suggest("write the product as an 'einsum'"));
    }
    let most = lhs.len().max(rhs.len()) - 2;
    let side = |dims: &[SizeExpr], matrix: [&str; 2], transposed: bool| {
        let [row, column] = matrix;
        let mut all = batch_names(dims.len() - 2, most);
        all.extend(names(&if transposed { [column, row] } else { [row, column] }));
        all
    };
    let (left, right) = (side(lhs, ["m", "k"], trans_a), side(rhs, ["k", "n"], trans_b));
    let mut out = batch_names(most, most);
    out.extend(names(&["m", "n"]));
    // The summed axis is not broadcast.
    let (inner, other) = (lhs.len() - 1 - usize::from(trans_a), rhs.len() - 2 + usize::from(trans_b));
    let swap = |word: &str, given: bool| if given { format!("leave out '{word}'") } else { format!("add '{word}'") };
    let how = |swapped: bool, a: &str, b: &str| if swapped { format!("[{b}, {a}]") } else { format!("[{a}, {b}]") };
    // The other axis of each matrix.
    let (outer, opposite) = (2 * lhs.len() - 3 - inner, 2 * rhs.len() - 3 - other);
    let fix = match () {
        () if lhs[inner] == rhs[opposite] => {
            Some(format!("{}: the second operand is {}", swap("trans_b", trans_b), how(!trans_b, "k", "n")))
        }
        () if lhs[outer] == rhs[other] => {
            Some(format!("{}: the first operand is {}", swap("trans_a", trans_a), how(!trans_a, "m", "k")))
        }
        () => None,
    };
    same_size("k", &lhs[inner], &rhs[other], lhs, rhs).map_err(|broken| BrokenRule { suggestion: fix, ..broken })?;
    Loops::new(&[(lhs, left), (rhs, right)], &out)
}

fn same_size(name: &str, a: &SizeExpr, b: &SizeExpr, lhs: &[SizeExpr], rhs: &[SizeExpr]) -> Result<(), BrokenRule> {
    if a == b {
        return Ok(());
    }
    let message = format!("the index {name} has the size {a} in {} and the size {b} in {}", show(lhs), show(rhs));
    Err(BrokenRule::new(&CONTRACTION_MISMATCH, message))
}

/// The loops of [`Linear`](crate::ops::Linear).
pub fn linear_loops(input: &[SizeExpr], weight: &[SizeExpr], transposed: bool) -> Result<Loops, BrokenRule> {
    let (Some(inner), [_, _]) = (input.last(), weight) else {
        let message = format!("an input of {} and weights of {} are no layer", show(input), show(weight));
        let fix = "the input has at least one axis, the weights have two";
        return Err(BrokenRule::new(&CONTRACTION_MISMATCH, message).suggest(fix));
    };
    let fix = (*inner == weight[usize::from(transposed)]).then(|| match transposed {
        true => "the weights are [out, in]: leave out 'transposed'".to_string(),
        false => "the weights are [in, out]: add 'transposed'".to_string(),
    });
    same_size("k", inner, &weight[usize::from(!transposed)], input, weight)
        .map_err(|broken| BrokenRule { suggestion: fix, ..broken })?;
    let mut left = match input.len() {
        2 => names(&["m"]),
        rank => batch_names(rank - 1, rank - 1),
    };
    let mut out = left.clone();
    left.extend(names(&["k"]));
    out.extend(names(&["n"]));
    Loops::new(&[(input, left), (weight, names(&if transposed { ["k", "n"] } else { ["n", "k"] }))], &out)
}

/// The loops of [`Einsum`](crate::ops::Einsum).
pub fn einsum_loops(equation: &str, operands: &[&[SizeExpr]]) -> Result<Loops, BrokenRule> {
    let bad = |message: String| BrokenRule::new(&BAD_EQUATION, message);
    let text: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (left, right) = match text.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (text.as_str(), None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != operands.len() {
        return Err(bad(format!("'{equation}' is about {} operands, and there are {}", terms.len(), operands.len())));
    }
    let (mut sides, mut most) = (Vec::new(), 0);
    for (number, (term, dims)) in terms.iter().zip(operands).enumerate() {
        let (letters, dots) = letters(term).map_err(bad)?;
        let further = dims.len().checked_sub(letters.len()).filter(|&further| further == 0 || dots.is_some());
        let Some(further) = further else {
            let message = format!("'{term}' names the axes of operand {number}, which is {}", show(dims));
            return Err(bad(message).suggest("a letter for each axis, or '...' for several"));
        };
        most = most.max(further);
        sides.push((letters, dots, further));
    }
    let expand = |letters: &[String], dots: Option<usize>, further: usize| {
        let mut all = letters.to_vec();
        if let Some(at) = dots {
            // No letter is two letters long.
            all.splice(at..at, (most - further..most).map(|axis| format!("e{axis}")));
        }
        all
    };
    let out = match right {
        Some(right) => {
            let (letters, dots) = letters(right).map_err(bad)?;
            if let Some(twice) = letters.iter().enumerate().find(|(at, letter)| letters[..*at].contains(letter)) {
                return Err(bad(format!("the result of '{equation}' has the letter {} twice", twice.1)));
            }
            if let Some(new) = letters.iter().find(|letter| !sides.iter().any(|(own, ..)| own.contains(letter))) {
                return Err(bad(format!("no operand of '{equation}' has the letter {new}")));
            }
            if most > 0 && dots.is_none() {
                return Err(
                    bad(format!("the result of '{equation}' has no '...'")).suggest("write '...' after the arrow too")
                );
            }
            expand(&letters, dots, most)
        }
        None => {
            let all: Vec<&String> = sides.iter().flat_map(|(letters, ..)| letters).collect();
            let mut once: Vec<String> = all
                .iter()
                .filter(|letter| all.iter().filter(|other| other == letter).count() == 1)
                .map(|l| l.to_string())
                .collect();
            once.sort();
            expand(&once, Some(0), most)
        }
    };
    let named: Vec<(&[SizeExpr], Vec<String>)> = sides
        .iter()
        .zip(operands)
        .map(|((letters, dots, further), dims)| (*dims, expand(letters, *dots, *further)))
        .collect();
    Loops::new(&named, &out)
}

/// The letters of a term, and where among them the dots stand.
fn letters(term: &str) -> Result<(Vec<String>, Option<usize>), String> {
    let (before, after) = term.split_once("...").map_or((term, None), |(before, after)| (before, Some(after)));
    let all = || before.chars().chain(after.unwrap_or("").chars());
    if let Some(odd) = all().find(|c| !c.is_ascii_alphabetic()) {
        return Err(format!("'{odd}' in '{term}' is no letter"));
    }
    Ok((all().map(String::from).collect(), after.map(|_| before.len())))
}

/// The type that products are summed in, and that the bias is added in.
fn with_bias(cx: &InferCx<'_>, loops: &Loops) -> Inferred {
    let ((_, a), (_, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    let mut elem = accumulator(cx, promote(cx.ctx, a, b)?)?;
    let mut dims = loops.dims();
    if cx.operands.len() > 2 {
        let (bias, bias_elem) = operand(cx, 2)?;
        elem = promote(cx.ctx, elem, bias_elem)?;
        let sum = broadcast(&dims, &bias)?;
        if sum != dims {
            let message = format!("a bias of {} makes {} larger", show(&bias), show(&dims));
            return Err(BrokenRule::new(&CONTRACTION_MISMATCH, message));
        }
        dims = sum;
    }
    tensor(cx.ctx, dims, elem)
}

/// The rows of the left matrices and the columns of the right ones.
pub fn gemm(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, _), (rhs, _)) = (operand(cx, 0)?, operand(cx, 1)?);
    let loops = gemm_loops(&lhs, &rhs, cx.prop("trans_a").is_some(), cx.prop("trans_b").is_some())?;
    with_bias(cx, &loops)
}

/// The axes of the input, the last one replaced.
pub fn linear(cx: &InferCx<'_>) -> Inferred {
    let ((input, _), (weight, _)) = (operand(cx, 0)?, operand(cx, 1)?);
    let loops = linear_loops(&input, &weight, cx.prop("transposed").is_some())?;
    with_bias(cx, &loops)
}

/// The axes that the equation says.
pub fn einsum(cx: &InferCx<'_>) -> Inferred {
    let operands = (0..cx.operands.len()).map(|index| operand(cx, index)).collect::<Result<Vec<_>, _>>()?;
    let dims: Vec<&[SizeExpr]> = operands.iter().map(|(dims, _)| dims.as_slice()).collect();
    let loops = einsum_loops(attr::<Text>(cx, "equation")?, &dims)?;
    let mut elems = operands.iter().map(|&(_, elem)| elem);
    let first = elems.next().ok_or("there must be an operand")?;
    let elem = elems.try_fold(first, |all, elem| promote(cx.ctx, all, elem))?;
    tensor(cx.ctx, loops.dims(), accumulator(cx, elem)?)
}
