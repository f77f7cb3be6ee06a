//! Where the elements of a tensor lie in memory.

mod said;

use dlc_ir::affine::{AffineError, SizeExpr};
use dlc_ir::attrs::AttrData;
use dlc_ir::define::Kind;
use dlc_ir::op::AttrKind;
use dlc_ir::text::{ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, Context, Str};

use crate::sizes::{self, Exprs};

/// Where the element at an index lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// The last axis is contiguous, `row_major`.
    RowMajor,
    /// The first axis is contiguous, `col_major`.
    ColMajor,
    /// `strided [K, 1] offset 4`: the element at an index is number `offset + index[0] * strides[0] + ..`.
    Strided {
        /// In elements, one for each axis.
        strides: Vec<SizeExpr>,
        /// The number of the element at index 0.
        offset: SizeExpr,
    },
    /// `swizzled 128 vec 16`: row-major, and within each run of eight rows of `bytes` the units of `vector` bytes are
    /// exchanged by exclusive or with the number of the row.
    Swizzled {
        /// The bytes of a row: 32, 64 or 128.
        bytes: i64,
        /// The bytes of a unit: a power of two, at most `bytes`.
        vector: i64,
    },
    /// `blocked [32, 32]`: in blocks of these sizes, one after another, the blocks and each of them row-major. A block
    /// at the end of an axis is whole, and what of it is beyond the axis is not used.
    Blocked {
        /// The elements of a block along each axis.
        block: Vec<i64>,
    },
}

/// The rows after which a swizzle repeats.
pub(crate) const SWIZZLE_ROWS: i64 = 8;

/// The words that a layout begins with.
pub(crate) const WORDS: &[&str] = &["row_major", "col_major", "strided", "swizzled", "blocked"];

/// A sum of positions times strides, and the number at which it begins, in elements.
pub struct Linear {
    /// The positions.
    pub at: Vec<SizeExpr>,
    /// What each of them is multiplied with.
    pub strides: Vec<SizeExpr>,
    /// The number of the first element.
    pub offset: SizeExpr,
}

impl Layout {
    /// How many elements lie from one index to the next along each axis, and the number of the first element. `None` for
    /// layouts without strides, and beyond 64 bits.
    pub fn strides(&self, dims: &[SizeExpr]) -> Option<(Vec<SizeExpr>, SizeExpr)> {
        self.steps(dims).ok().flatten()
    }

    fn steps(&self, dims: &[SizeExpr]) -> Result<Option<(Vec<SizeExpr>, SizeExpr)>, AffineError> {
        let zero = SizeExpr::from(0);
        Ok(match self {
            Layout::RowMajor => Some((row_major(dims)?, zero)),
            Layout::ColMajor => {
                let reversed: Vec<SizeExpr> = dims.iter().rev().cloned().collect();
                let mut all = row_major(&reversed)?;
                all.reverse();
                Some((all, zero))
            }
            Layout::Strided { strides, offset } => Some((strides.clone(), offset.clone())),
            Layout::Swizzled { .. } | Layout::Blocked { .. } => None,
        })
    }

    /// The number of the element at an index as a sum of products: with strides the positions themselves, of blocks
    /// those of the block and those in it, of a swizzle the number alone. `bytes` are those of an element.
    ///
    /// An error beyond 64 bits.
    pub fn linear(&self, dims: &[SizeExpr], bytes: i64, at: &[SizeExpr]) -> Result<Linear, AffineError> {
        match self {
            Layout::Blocked { block } => {
                let mut sizes = blocks(dims, block)?;
                sizes.extend(block.iter().map(|&size| SizeExpr::from(size)));
                let sized = |(at, &size): (&SizeExpr, &i64)| (at.clone(), SizeExpr::from(size));
                let pairs: Vec<(SizeExpr, SizeExpr)> = at.iter().zip(block).map(sized).collect();
                let outer = pairs.iter().map(|(at, size)| at.floordiv(size));
                let inner = pairs.iter().map(|(at, size)| at.modulo(size));
                let at = outer.chain(inner).collect::<Result<_, _>>()?;
                Ok(Linear { at, strides: row_major(&sizes)?, offset: SizeExpr::from(0) })
            }
            Layout::Swizzled { bytes: row, vector } => {
                let number = sum(at, &row_major(dims)?)?;
                let place = swizzled(&number, (row / bytes).max(1), (vector / bytes).max(1))?;
                Ok(Linear { at: vec![place], strides: vec![SizeExpr::from(1)], offset: SizeExpr::from(0) })
            }
            Layout::RowMajor | Layout::ColMajor | Layout::Strided { .. } => {
                let (strides, offset) = self.steps(dims)?.expect("all other layouts have strides");
                Ok(Linear { at: at.to_vec(), strides, offset })
            }
        }
    }

    /// How many elements there are from the beginning of the memory to the end of the last one: where strides are not
    /// positive, of the axes that have others. An error beyond 64 bits.
    pub fn extent(&self, dims: &[SizeExpr], bytes: i64) -> Result<SizeExpr, AffineError> {
        let one = SizeExpr::from(1);
        let count = |dims: &[SizeExpr]| dims.iter().try_fold(one.clone(), |count, dim| count.mul(dim));
        match self {
            Layout::RowMajor | Layout::ColMajor => count(dims),
            Layout::Strided { strides, offset } => {
                let mut end = offset.add(&one)?;
                for (dim, stride) in dims.iter().zip(strides) {
                    if stride.as_constant().is_none_or(|stride| stride > 0) {
                        end = end.add(&dim.sub(&one)?.mul(stride)?)?;
                    }
                }
                Ok(end)
            }
            Layout::Swizzled { bytes: row, .. } => {
                let row = SizeExpr::from((row / bytes).max(1));
                count(dims)?.ceildiv(&row)?.mul(&row)
            }
            Layout::Blocked { block } => {
                let whole = blocks(dims, block)?;
                let of = |(count, &size): (&SizeExpr, &i64)| count.mul(&SizeExpr::from(size));
                count(&whole.iter().zip(block).map(of).collect::<Result<Vec<_>, _>>()?)
            }
        }
    }

    /// Whether it is one for a tensor of so many axes; otherwise why not.
    pub fn fits(&self, rank: usize) -> Result<(), String> {
        match self {
            Layout::Strided { strides, .. } if strides.len() != rank => {
                Err(format!("{} strides are given for {rank} sizes", strides.len()))
            }
            Layout::Swizzled { bytes, vector } => {
                let fits = matches!(bytes, 32 | 64 | 128) && *vector > 0 && vector <= bytes;
                match fits && vector.unsigned_abs().is_power_of_two() {
                    true => Ok(()),
                    false => Err(format!("rows of {bytes} bytes in units of {vector} are not swizzled")),
                }
            }
            Layout::Blocked { block } if block.len() != rank => {
                Err(format!("blocks of {} axes are given for {rank} sizes", block.len()))
            }
            Layout::Blocked { block } if block.iter().any(|&size| size <= 0) => {
                Err(format!("the sizes of a block are positive, not {block:?}"))
            }
            _ => Ok(()),
        }
    }

    /// Reads what stands after the word that a layout begins with.
    pub(crate) fn parse(p: &mut Parser<'_>, word: &str) -> ParseResult<Layout> {
        Ok(match word {
            "col_major" => Layout::ColMajor,
            "strided" => {
                let strides = sizes::parse_exprs(p)?;
                let offset = match p.eat_word("offset") {
                    true => sizes::parse_expr(p, &[Token::Comma, Token::Greater])?,
                    false => SizeExpr::from(0),
                };
                Layout::Strided { strides: Exprs::get(p.ctx, strides).unwrap_or_default(), offset }
            }
            "swizzled" => {
                let bytes = p.integer()?;
                let vector = if p.eat_word("vec") { p.integer()? } else { 16 };
                Layout::Swizzled { bytes, vector }
            }
            "blocked" => {
                p.expect(Token::LBracket)?;
                let mut block = Vec::new();
                while !p.eat(Token::RBracket) {
                    if !block.is_empty() {
                        p.expect(Token::Comma)?;
                    }
                    block.push(p.integer()?);
                }
                Layout::Blocked { block }
            }
            _ => Layout::RowMajor,
        })
    }

    /// Writes it as [`Layout::parse`] reads it.
    pub(crate) fn print(&self, p: &mut Printer<'_>) {
        match self {
            Layout::RowMajor => p.write("row_major"),
            Layout::ColMajor => p.write("col_major"),
            Layout::Strided { strides, offset } => {
                p.write("strided ");
                sizes::print(p, Exprs::make(p.ctx, strides.clone()));
                if offset.as_constant() != Some(0) {
                    p.write(&format!(" offset {offset}"));
                }
            }
            Layout::Swizzled { bytes, vector } => p.write(&format!("swizzled {bytes} vec {vector}")),
            Layout::Blocked { block } => p.write(&format!("blocked {block:?}")),
        }
    }
}

/// How many elements lie from one index to the next along each axis of a row-major tensor.
fn row_major(dims: &[SizeExpr]) -> Result<Vec<SizeExpr>, AffineError> {
    let mut next = SizeExpr::from(1);
    let mut all = Vec::with_capacity(dims.len());
    for size in dims.iter().rev() {
        let after = next.mul(size)?;
        all.push(std::mem::replace(&mut next, after));
    }
    all.reverse();
    Ok(all)
}

/// The number of blocks along each axis.
fn blocks(dims: &[SizeExpr], block: &[i64]) -> Result<Vec<SizeExpr>, AffineError> {
    dims.iter().zip(block).map(|(dim, &size)| dim.ceildiv(&SizeExpr::from(size))).collect()
}

fn sum(at: &[SizeExpr], strides: &[SizeExpr]) -> Result<SizeExpr, AffineError> {
    at.iter().zip(strides).try_fold(SizeExpr::from(0), |sum, (at, stride)| sum.add(&at.mul(stride)?))
}

/// Where number `n` lies: its unit of `unit` elements within its row of `row` by exclusive or with the number of the row,
/// bit by bit, as sums without carries have them.
fn swizzled(n: &SizeExpr, row: i64, unit: i64) -> Result<SizeExpr, AffineError> {
    let number = SizeExpr::from;
    let mut place = n.floordiv(&number(row))?.mul(&number(row))?.add(&n.modulo(&number(unit))?)?;
    let mut bit = 1;
    while bit < row / unit {
        let mut own = n.floordiv(&number(unit * bit))?;
        if bit < SWIZZLE_ROWS {
            own = own.add(&n.floordiv(&number(row * bit))?)?;
        }
        place = place.add(&own.modulo(&number(2))?.mul(&number(unit * bit))?)?;
        bit *= 2;
    }
    Ok(place)
}

impl Kind for Layout {
    type Value<'a> = Layout;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a layout: \"row_major\", \"col_major\", {strides = [..], offset = ..}, {swizzle = 128, vector = 16} \
               or {blocked = [32, 32]}",
        admits: |ctx, attr| layout(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Layout> {
        layout(ctx, attr)
    }
    fn make(ctx: &Context, layout: Layout) -> Attr {
        let dict = |entries: &[(&str, Attr)]| {
            let entries: Vec<(Str, Attr)> = entries.iter().map(|&(key, value)| (ctx.intern_str(key), value)).collect();
            ctx.dict_attr(&entries)
        };
        match layout {
            Layout::RowMajor => ctx.str_attr("row_major"),
            Layout::ColMajor => ctx.str_attr("col_major"),
            Layout::Strided { strides, offset } => {
                dict(&[("strides", Exprs::make(ctx, strides)), ("offset", sizes::expr_attr(ctx, &offset))])
            }
            Layout::Swizzled { bytes, vector } => {
                dict(&[("swizzle", ctx.i64_attr(bytes)), ("vector", ctx.i64_attr(vector))])
            }
            Layout::Blocked { block } => {
                let block: Vec<Attr> = block.into_iter().map(|size| ctx.i64_attr(size)).collect();
                dict(&[("blocked", ctx.array_attr(&block))])
            }
        }
    }
}

fn layout(ctx: &Context, attr: Attr) -> Option<Layout> {
    match attr.as_str(ctx) {
        Some("row_major") => return Some(Layout::RowMajor),
        Some("col_major") => return Some(Layout::ColMajor),
        Some(_) => return None,
        None => {}
    }
    let AttrData::Dict(entries) = ctx.attr_data(attr) else { return None };
    let get = |key: &str| ctx.dict_get(attr, ctx.intern_str(key));
    if let (Some(block), 1) = (get("blocked"), entries.len()) {
        let block = block.as_array(ctx)?.iter().map(|size| size.as_int(ctx)).collect::<Option<Vec<i64>>>()?;
        return Some(Layout::Blocked { block });
    }
    if entries.len() != 2 {
        return None;
    }
    if let (Some(strides), Some(offset)) = (get("strides"), get("offset")) {
        let (strides, offset) = (Exprs::get(ctx, strides)?, sizes::expr(ctx, offset)?);
        return Some(Layout::Strided { strides, offset });
    }
    let (bytes, vector) = (get("swizzle")?.as_int(ctx)?, get("vector")?.as_int(ctx)?);
    Some(Layout::Swizzled { bytes, vector })
}
