//! What a view must be: text that is read as sets and maps, over what the view declares, and patterns that are there.

use dlc_core::bounds::MISSING_DIV_GUARD;
use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::diag::{Code, Diagnostic};
use dlc_ir::op::op_error;
use dlc_ir::verify::keeps_declaration;
use dlc_ir::{Diagnostics, OpRef, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::Access;
use crate::isl::{self, Image, IslError, IslErrorKind, Names, Piece, Relation};
use crate::ops::{Block, Edge, Excluded, Pattern, View};
use crate::pattern::{Contraction, contraction};

dlc_ir::codes! {
    /// A set or map of a view is not in the notation that is read, or not affine.
    BAD_ISL = "E1211" "BadIsl";
    /// A set or map of a view names a symbol that the view does not declare.
    FOREIGN_SYMBOL = "E1212" "ForeignSymbol";
    /// An access of a view goes to a tensor that the view does not declare.
    UNKNOWN_TENSOR = "E1213" "UnknownTensor";
    /// Two things of a view do not have as many axes, or the same, as they must.
    INDEX_MISMATCH = "E1214" "IndexMismatch";
    /// A contraction of a view is not what its accesses say.
    PATTERN_MISMATCH = "E1215" "PatternMismatch";
    /// An edge of a view joins what does not use its tensor.
    BAD_EDGE = "E1216" "BadEdge";
}

/// What a view declares.
struct Declared<'a> {
    symbols: FxHashSet<&'a str>,
    ranks: FxHashMap<&'a str, usize>,
}

fn error(op: OpRef<'_>, code: &'static Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, op.loc(), message.into()).at(op.name())
}

/// A view declares symbols and tensors, each once; everything in it is one of its ops and keeps to these.
pub fn view(op: OpRef<'_>, diags: &Diagnostics) {
    let view = View(op);
    // What is wrong with an op by itself is said when it is verified, which is later.
    if !op.body.walk().into_iter().all(|id| keeps_declaration(OpRef { id, ..op })) {
        return;
    }
    let Some(declared) = declared(view, diags) else { return };
    let mut blocks: FxHashMap<&str, Block<'_>> = FxHashMap::default();
    let mut edges = Vec::new();
    for id in op.body.walk() {
        let inner = OpRef { id, ..op };
        if let Some(found) = Block::of(inner) {
            blocks.insert(found.sym_name(), found);
            if let Err(broken) = block(found, &declared) {
                diags.emit(*broken);
            }
        } else if let Some(edge) = Edge::of(inner) {
            edges.push(edge);
        } else if Excluded::of(inner).is_none() {
            diags.emit(op_error(inner, "a view has blocks, edges and what is excluded, and nothing else"));
        }
    }
    for found in edges {
        if let Err(broken) = edge(found, &blocks, &declared) {
            diags.emit(*broken);
        }
    }
}

fn declared<'a>(view: View<'a>, diags: &Diagnostics) -> Option<Declared<'a>> {
    let op = view.0;
    let fail = |message: String| {
        diags.emit(op_error(op, message));
        None
    };
    let (sizes, values) = (view.sizes(), view.size_values());
    if sizes.len() != values.len() {
        return fail(format!("{} sizes have names, and {} are given", sizes.len(), values.len()));
    }
    // A symbol of the function may have a name that isl does not read; then one of the sizes stands for it.
    let function: FxHashSet<&str> = view.symbols().into_iter().collect();
    let named = |name: &&str| isl::is_name(name);
    let mut symbols: FxHashSet<&str> = function.iter().copied().filter(named).collect();
    for size in &sizes {
        if !isl::is_name(size) || !symbols.insert(size) {
            return fail(format!("'{size}' is no name for a size, or there is another symbol of that name"));
        }
    }
    let foreign = |size: &SizeExpr| size.symbols().into_iter().find(|name| !function.contains(&**name));
    if let Some(name) = values.iter().find_map(foreign) {
        return fail(format!("the symbol '{name}' is not declared by the view"));
    }
    let (tensors, types) = (view.tensors(), view.types());
    if tensors.len() != types.len() {
        return fail(format!("{} tensors have names, and {} types are given", tensors.len(), types.len()));
    }
    let mut ranks = FxHashMap::default();
    for (name, ty) in tensors.into_iter().zip(types) {
        let Some(dims) = dims(op, ty) else {
            return fail(format!("'{name}' must be a tensor, but is {}", ty.display(op.ctx)));
        };
        if let Some(symbol) = dims.iter().find_map(foreign) {
            return fail(format!("the symbol '{symbol}' is not declared by the view"));
        }
        if !isl::is_name(name) || ranks.insert(name, dims.len()).is_some() {
            return fail(format!("'{name}' is no name for a tensor, or there is another of that name"));
        }
    }
    Some(Declared { symbols, ranks })
}

fn dims(op: OpRef<'_>, ty: Type) -> Option<Vec<SizeExpr>> {
    Tensor::of(op.ctx, ty).map(|ty| ty.dims(op.ctx))
}

type Checked<T> = Result<T, Box<Diagnostic>>;

/// A text as a set or map over symbols of the view.
fn relation(op: OpRef<'_>, what: &str, text: &str, declared: &Declared<'_>) -> Checked<Relation> {
    let relation = isl::read(text).map_err(|IslError { kind, message }| {
        let said = |code| error(op, code, format!("{what}: {message}"));
        Box::new(match kind {
            IslErrorKind::Modulo => said(&MISSING_DIV_GUARD)
                .suggest("write the remainder 'e - q*floor((e)/q)', as a reshape is linearized and taken apart again"),
            IslErrorKind::UnknownName => said(&FOREIGN_SYMBOL),
            IslErrorKind::Syntax | IslErrorKind::NonAffine => said(&BAD_ISL),
        })
    })?;
    match relation.symbols.iter().find(|name| !declared.symbols.contains(name.as_str())) {
        None => Ok(relation),
        Some(name) => {
            let message = format!("{what}: the symbol '{name}' is not declared by the view");
            Err(Box::new(error(op, &FOREIGN_SYMBOL, message)))
        }
    }
}

/// The dimensions of the domain, which all its pieces have.
fn domain(op: Block<'_>, declared: &Declared<'_>) -> Checked<Vec<String>> {
    let domain = relation(*op, "the domain", op.domain(), declared)?;
    if domain.pieces.iter().any(|piece| piece.image.is_some()) {
        return Err(Box::new(error(*op, &BAD_ISL, "the domain: a set is wanted, and this is a map")));
    }
    // A domain without points still says what its axes are called, by its groups.
    let own: Vec<String> = op.out().into_iter().chain(op.reduce()).map(String::from).collect();
    let other = domain.pieces.iter().find(|piece| piece.dims != own);
    match other {
        None => Ok(own),
        Some(piece) => {
            let (own, dims) = (own.join(", "), piece.dims.join(", "));
            let message = format!("the domain is over [{dims}], and 'out' and 'reduce' together are [{own}]");
            Err(Box::new(error(*op, &INDEX_MISMATCH, message)))
        }
    }
}

/// The pieces of an access, and the symbols in them.
fn access(op: Block<'_>, access: Access<'_>, dims: &[String], declared: &Declared<'_>) -> Checked<Relation> {
    let Some(&rank) = declared.ranks.get(access.tensor) else {
        let message = format!("the tensor '{}' is not declared by the view", access.tensor);
        return Err(Box::new(error(*op, &UNKNOWN_TENSOR, message)));
    };
    let what = format!("the access to '{}'", access.tensor);
    let map = relation(*op, &what, access.map, declared)?;
    for Piece { dims: own, image, .. } in &map.pieces {
        let Some(Image { tensor, at }) = image else {
            return Err(Box::new(error(*op, &BAD_ISL, format!("{what}: a map is wanted, and this is a set"))));
        };
        if tensor != access.tensor {
            let message = format!("{what}: the map goes to '{tensor}'");
            return Err(Box::new(error(*op, &UNKNOWN_TENSOR, message)));
        }
        if at.len() != rank {
            let message = format!("{what}: it has {rank} axes, and the map gives {} positions", at.len());
            return Err(Box::new(error(*op, &INDEX_MISMATCH, message)));
        }
        if own != dims {
            let (own, dims) = (own.join(", "), dims.join(", "));
            let message = format!("{what}: the map is over [{own}], and the domain over [{dims}]");
            return Err(Box::new(error(*op, &INDEX_MISMATCH, message)));
        }
    }
    Ok(map)
}

fn block(op: Block<'_>, declared: &Declared<'_>) -> Checked<()> {
    let dims = domain(op, declared)?;
    let maps = op.accesses().map(|found| access(op, found, &dims, declared)).collect::<Checked<Vec<Relation>>>()?;
    let reads = op.reads().len();
    if op.writes().is_empty() {
        return Err(Box::new(error(*op, &INDEX_MISMATCH, "a block writes what it computes")));
    }
    let out = op.out().len();
    let positions = |map: &Relation| map.pieces.first()?.image.as_ref().map(|image| image.at.clone());
    for map in &maps[reads..] {
        let reduced = |at: &AffineExpr| (out..dims.len()).any(|dim| at.is_function_of_dim(dim as u32));
        if positions(map).is_some_and(|at| at.iter().any(reduced)) {
            let message = "what is written is the same along the axes that are reduced";
            return Err(Box::new(error(*op, &INDEX_MISMATCH, message)));
        }
    }
    let Some(pattern) = op.pattern() else { return no_groups(op) };
    let said = "which is no contraction";
    let wrong = |found: String| Box::new(error(*op, &PATTERN_MISMATCH, format!("the accesses are those of {found}")));
    let [lhs, rhs] = &maps[..reads] else { return Err(wrong(format!("a block of {reads} reads, {said}"))) };
    let (Some(first), Some(second)) = (positions(lhs), positions(rhs)) else { return Ok(()) };
    let Some(found) = contraction(&first, &second, dims.len(), dims.len() - out).filter(|found| !found.swapped) else {
        return Err(wrong(format!("a block {said}")));
    };
    let names = Names { dims: &dims, symbols: &lhs.symbols };
    let (own, found) = (Groups::said(op, pattern), Groups::of_contraction(&found, names));
    if own == found { Ok(()) } else { Err(wrong(format!("'{}', not '{}'", found.text(), own.text()))) }
}

/// A statement has no groups but those of its result and of what it reduces.
fn no_groups(op: Block<'_>) -> Checked<()> {
    let lists = [op.lhs(), op.rhs(), op.batch()].iter().any(Option::is_some);
    let numbers = op.strides().is_some() || op.dilations().is_some() || op.offsets().is_some();
    if lists || numbers {
        let message = "a statement has no operands and no windows: only a contraction has";
        return Err(Box::new(error(*op, &PATTERN_MISMATCH, message)));
    }
    Ok(())
}

/// What is said of a contraction.
#[derive(PartialEq, Eq)]
pub struct Groups {
    pattern: Pattern,
    /// The left operand, the right one, the batch.
    pub axes: [Vec<String>; 3],
    /// The strides of windows.
    pub strides: Vec<i64>,
    /// Their dilations.
    pub dilations: Vec<i64>,
    /// What is added to them.
    pub offsets: Vec<SizeExpr>,
}

impl Groups {
    fn said(op: Block<'_>, pattern: Pattern) -> Groups {
        let words = |words: Option<Vec<&str>>| words.unwrap_or_default().into_iter().map(String::from).collect();
        Groups {
            pattern,
            axes: [words(op.lhs()), words(op.rhs()), words(op.batch())],
            strides: op.strides().unwrap_or_default(),
            dilations: op.dilations().unwrap_or_default(),
            offsets: op.offsets().unwrap_or_default(),
        }
    }

    /// What is to be said of a contraction.
    pub fn of_contraction(found: &Contraction, names: Names<'_>) -> Groups {
        let words = |axes: &[usize]| axes.iter().filter_map(|&axis| names.dims.get(axis).cloned()).collect();
        Groups {
            pattern: found.pattern,
            axes: [words(&found.lhs), words(&found.rhs), words(&found.batch)],
            strides: found.windows.iter().map(|window| window.stride).collect(),
            dilations: found.windows.iter().map(|window| window.dilation).collect(),
            offsets: found.windows.iter().filter_map(|window| names.size(&window.offset)).collect(),
        }
    }

    fn text(&self) -> String {
        let [lhs, rhs, batch] = self.axes.each_ref().map(|axes| axes.join(", "));
        let mut text = format!("{} lhs [{lhs}] rhs [{rhs}]", self.pattern.word());
        if !batch.is_empty() {
            text += &format!(" batch [{batch}]");
        }
        let numbers = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        if !self.strides.is_empty() || !self.dilations.is_empty() || !self.offsets.is_empty() {
            let offsets: Vec<String> = self.offsets.iter().map(SizeExpr::to_string).collect();
            let (strides, dilations) = (numbers(&self.strides), numbers(&self.dilations));
            text += &format!(" strides [{strides}] dilations [{dilations}] offsets [{}]", offsets.join(", "));
        }
        text
    }
}

/// An edge joins two blocks that use its tensor as its kind says, with a distance for each axis.
fn edge(op: Edge<'_>, blocks: &FxHashMap<&str, Block<'_>>, declared: &Declared<'_>) -> Checked<()> {
    use crate::ops::Dependence;
    let wrong = |message: String| Err(Box::new(error(*op, &BAD_EDGE, message)));
    let find = |path: &[dlc_ir::Str]| path.first().and_then(|&name| blocks.get(op.ctx.str(name)).copied());
    let (Some(from), Some(to)) = (find(op.source()), find(op.target())) else {
        return wrong("it joins two blocks of the view, and there is none of this name".into());
    };
    let Some(&rank) = declared.ranks.get(op.tensor()) else {
        let message = format!("the tensor '{}' is not declared by the view", op.tensor());
        return Err(Box::new(error(*op, &UNKNOWN_TENSOR, message)));
    };
    let among = |accesses: Vec<Access<'_>>| accesses.iter().any(|access| access.tensor == op.tensor());
    let (before, after) = match op.kind() {
        Dependence::True => (("write", among(from.writes())), ("read", among(to.reads()))),
        Dependence::Anti => (("read", among(from.reads())), ("write", among(to.writes()))),
        Dependence::Output => (("write", among(from.writes())), ("write", among(to.writes()))),
    };
    for (block, (does, there)) in [(from, before), (to, after)] {
        if !there {
            return wrong(format!("the block '@{}' does not {does} '{}'", block.sym_name(), op.tensor()));
        }
    }
    match op.distance().len() {
        found if found == rank => Ok(()),
        found => {
            let message = format!("'{}' has {rank} axes, and {found} distances are given", op.tensor());
            Err(Box::new(error(*op, &INDEX_MISMATCH, message)))
        }
    }
}
