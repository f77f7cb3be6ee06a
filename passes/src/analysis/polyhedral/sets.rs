//! The axes of one block as dimensions, and its sets and maps as text.

use std::sync::Arc;

use dlc_core::access::Access;
use dlc_core::guard::{Condition, Guard};
use dlc_core::space::Space;
use dlc_ir::affine::{AffineExpr, BinaryOp, Constraint, Domain, IntegerSet, Interval, Ranges, SizeExpr};
use dlc_poly::isl::{Names, is_name, name_like};
use rustc_hash::FxHashSet;

/// The most pieces of a domain; with more it is the box of its axes.
pub const MAX_PIECES: usize = 5;

const TOO_LARGE: &str = "its positions go beyond 64 bits";

/// The names of symbols in sets and maps.
#[derive(Debug)]
pub struct Params {
    /// Those of the function.
    declared: Vec<String>,
    /// Those of other sizes.
    pub sizes: Vec<(String, SizeExpr)>,
    /// The names of axes, which sizes may not have.
    axes: FxHashSet<String>,
}

impl Params {
    /// The symbols of a function.
    pub fn new(declared: &[String]) -> Params {
        Params { declared: declared.to_vec(), sizes: Vec::new(), axes: FxHashSet::default() }
    }

    /// Whether there is a symbol of this name.
    pub fn is_taken(&self, name: &str) -> bool {
        self.declared.iter().any(|known| known == name) || self.sizes.iter().any(|(known, _)| known == name)
    }

    /// The name of a size.
    fn size(&mut self, size: SizeExpr) -> String {
        if let Some((name, _)) = self.sizes.iter().find(|(_, known)| *known == size) {
            return name.clone();
        }
        let words = size.to_string().replace('*', "_").replace([' ', '(', ')'], "");
        let name = name_like(&words, &|name| self.is_taken(name) || self.axes.contains(name));
        self.sizes.push((name.clone(), size));
        name
    }

    /// The name of a symbol that was met.
    fn symbol(&mut self, symbol: &str) -> String {
        match SizeExpr::symbol(symbol) {
            Ok(size) if !is_name(symbol) => self.size(size),
            _ => symbol.into(),
        }
    }

    /// An expression that is linear but for quotients by numbers: other sizes in it become symbols.
    fn linear(&mut self, space: &mut Space, expr: &AffineExpr) -> Result<AffineExpr, String> {
        let AffineExpr::Binary(node) = expr else { return Ok(expr.clone()) };
        let (op, lhs, rhs) = (node.op(), node.lhs(), node.rhs());
        let made = match (op, rhs.as_constant()) {
            (BinaryOp::Add, _) => {
                let rhs = self.linear(space, rhs)?;
                AffineExpr::binary(op, &self.linear(space, lhs)?, &rhs)
            }
            (_, Some(_)) => AffineExpr::binary(op, &self.linear(space, lhs)?, rhs),
            _ if expr.is_symbolic_or_constant() => {
                let size = space.to_size(expr, &|_| None).ok_or(TOO_LARGE)?;
                return Ok(space.symbol(&Arc::from(self.size(size))));
            }
            // The verifier of book admits no axis that is multiplied or divided by a symbol.
            _ => return Err(TOO_LARGE.into()),
        };
        made.map_err(|_| TOO_LARGE.into())
    }
}

/// The axes of a block.
#[derive(Debug)]
pub struct Sets {
    /// The names of the dimensions.
    pub dims: Vec<String>,
    space: Space,
    /// The points of the axes.
    bounds: Vec<Constraint>,
}

impl Sets {
    /// Axes of these sizes. An error says why they are not affine.
    pub fn new(params: &mut Params, sizes: &[SizeExpr]) -> Result<Sets, String> {
        let space = Space::of(&[]).ok_or(TOO_LARGE)?;
        let mut sets = Sets { dims: Vec::new(), space, bounds: Vec::new() };
        for (axis, size) in sizes.iter().enumerate() {
            sets.dims.push(axis_name(params, &sets.dims, axis, size));
            let dim = AffineExpr::Dim(axis as u32);
            let size = sets.expr(params, size, 0)?;
            let last = size.sub(&1.into()).map_err(|_| TOO_LARGE)?;
            let bounds = [Constraint::at_least(&dim, &0.into()), Constraint::at_least(&last, &dim)];
            for bound in bounds {
                sets.bounds.push(bound.map_err(|_| TOO_LARGE)?);
            }
        }
        Ok(sets)
    }

    /// An expression in which the first axes may be named.
    fn expr(&mut self, params: &mut Params, expr: &SizeExpr, axes: usize) -> Result<AffineExpr, String> {
        let axis = |name: &str| {
            let number = name.strip_prefix('i')?.parse::<u32>().ok()?;
            (number < axes as u32).then_some(number)
        };
        let expr = self.space.read(expr, &axis).ok_or_else(|| format!("'{expr}' is not affine"))?;
        params.linear(&mut self.space, &expr)
    }

    /// The positions of an access.
    pub fn positions(&mut self, params: &mut Params, access: &Access) -> Result<Vec<AffineExpr>, String> {
        let axes = self.dims.len();
        access.at.iter().map(|at| self.expr(params, at, axes)).collect()
    }

    /// The pieces of a guard.
    fn guard(&mut self, params: &mut Params, guard: &Guard) -> Result<Vec<Vec<Constraint>>, String> {
        let axes = self.dims.len();
        let mut pieces = Vec::new();
        for piece in &guard.pieces {
            let mut constraints = Vec::new();
            for expr in piece.iter().map(Condition::not_negative) {
                for expr in expr? {
                    let expr = self.expr(params, &expr, axes)?;
                    constraints.push(Constraint::at_least(&expr, &0.into()).map_err(|_| TOO_LARGE)?);
                }
            }
            pieces.push(constraints);
        }
        Ok(pieces)
    }

    /// The names of the symbols `s0, s1, ..`.
    pub fn symbols(&self, params: &mut Params) -> Vec<String> {
        self.space.symbols().iter().map(|symbol| params.symbol(symbol)).collect()
    }

    fn set(&self, constraints: Vec<Constraint>) -> Result<IntegerSet, String> {
        let symbols = self.space.symbols().len() as u32;
        IntegerSet::new(self.dims.len() as u32, symbols, constraints).map_err(|_| TOO_LARGE.into())
    }

    fn union(&self, pieces: Vec<IntegerSet>) -> Result<Domain, String> {
        let symbols = self.space.symbols().len() as u32;
        Domain::new(self.dims.len() as u32, symbols, pieces).map_err(|_| TOO_LARGE.into())
    }

    /// What is known besides the bounds of axes: sizes are not negative.
    fn ranges(&self) -> Ranges {
        let symbols = vec![Interval::NOT_NEGATIVE; self.space.symbols().len()];
        Ranges { symbols, ..Ranges::default() }
    }

    /// The points of the axes in pieces, in each of which every guard holds everywhere or nowhere; and how many these are.
    pub fn domain(&mut self, params: &mut Params, guards: &[&Guard]) -> Result<(String, usize), String> {
        let mut distinct: Vec<Vec<Vec<Constraint>>> = Vec::new();
        for guard in guards {
            let pieces = self.guard(params, guard)?;
            if !distinct.contains(&pieces) {
                distinct.push(pieces);
            }
        }
        let ranges = self.ranges();
        let whole = self.set(self.bounds.clone())?;
        let mut parts = vec![self.union(vec![whole.clone()])?];
        for guard in distinct {
            let mut cut = Vec::new();
            for part in parts {
                let sets = guard.iter().map(|piece| self.set(piece.clone())).collect::<Result<Vec<_>, _>>()?;
                let inside = part.intersect(&self.union(sets.clone())?).map_err(|_| TOO_LARGE)?;
                let outside = sets.iter().try_fold(part, |rest, set| rest.subtract(set, &ranges));
                cut.extend([inside.coalesce(&ranges), outside.map_err(|_| TOO_LARGE)?.coalesce(&ranges)]);
            }
            cut.retain(|part| !part.pieces().is_empty());
            parts = cut;
        }
        let mut pieces: Vec<IntegerSet> = parts.iter().flat_map(|part| part.pieces().to_vec()).collect();
        if pieces.len() > MAX_PIECES {
            pieces = vec![whole];
        }
        let symbols = self.symbols(params);
        let names = Names { dims: &self.dims, symbols: &symbols };
        let mut texts = Vec::new();
        for piece in &pieces {
            texts.push(names.piece(None, piece.constraints()).ok_or(TOO_LARGE)?);
        }
        Ok((names.relation(&texts), texts.len()))
    }

    /// The map of an access, within its guard.
    pub fn map(
        &mut self,
        params: &mut Params,
        tensor: &str,
        access: &Access,
        at: &[AffineExpr],
    ) -> Result<String, String> {
        let pieces = match &access.guard {
            Some(guard) => self.guard(params, guard)?,
            None => vec![Vec::new()],
        };
        let (ranges, bounds) = (self.ranges(), self.set(self.bounds.clone())?);
        let guard = self.union(pieces.into_iter().map(|piece| self.set(piece)).collect::<Result<_, _>>()?)?;
        let symbols = self.symbols(params);
        let names = Names { dims: &self.dims, symbols: &symbols };
        let mut texts = Vec::new();
        for piece in guard.pieces() {
            let piece = piece.gist(&bounds, &ranges);
            texts.push(names.piece(Some((tensor, at)), piece.constraints()).ok_or(TOO_LARGE)?);
        }
        Ok(names.relation(&texts))
    }
}

/// What an axis is called: like its size, in small letters, or `i` with its number.
fn axis_name(params: &mut Params, others: &[String], axis: usize, size: &SizeExpr) -> String {
    let taken = |name: &str| !is_name(name) || others.iter().any(|known| known == name) || params.is_taken(name);
    let symbol = size.as_symbol().map(str::to_lowercase).filter(|name| is_name(name) && !name.starts_with('_'));
    let numbered = |name: &str| (1..).map(|number| format!("{name}{number}")).find(|name| !taken(name));
    let name = match symbol {
        Some(name) if !taken(&name) => name,
        Some(name) => numbered(&name).unwrap_or(name),
        None => {
            let mut name = format!("i{axis}");
            while taken(&name) {
                name.push('_');
            }
            name
        }
    };
    params.axes.insert(name.clone());
    name
}
