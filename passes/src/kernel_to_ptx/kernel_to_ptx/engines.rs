//! What is begun and not waited for: TMA, and products on tensor cores that read shared memory.

use dlc_core::scalar::Combiner;
use dlc_ir::{OpRef, Type, ValueId};
use dlc_kernel::layout::{Distributed, Major, Shared, SharedTile};
use dlc_kernel::ops::{self as kernel, Hint};
use dlc_kernel::types::{TensorMap, Work, elem_of};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::Cond;
use super::lower::Lower;
use super::values::{Lowered, TileAt};
use crate::analysis::index_ranges::is_narrow;

/// Cache hints for what is read once, and for what is read again: the policies that `createpolicy` makes for all of the
/// data.
const EVICT_FIRST: i64 = 0x12F0_0000_0000_0000;
const EVICT_LAST: i64 = 0x14F0_0000_0000_0000;

/// The rows of a `wgmma`, and the most columns.
const ROWS: u32 = 64;
const MOST_COLUMNS: u32 = 256;

/// A box that is moved in pieces: TMA exchanges units within rows of a panel, so a panel is a piece.
struct Piece {
    /// What is added to the last coordinate.
    along: i64,
    /// The byte of the tile at which it begins.
    byte: u32,
}

/// The pieces of a box.
fn pieces(ctx: &dlc_ir::Context, map: TensorMap, tile: &SharedTile) -> Vec<Piece> {
    let shape = map.shape(ctx);
    let inner = shape.last().copied().unwrap_or(1);
    let bytes = i64::from(tile.elem_bytes());
    let per = panel(map.layout(ctx), inner, bytes);
    let columns = tile.shape().len() - 1;
    (0..(inner + per - 1) / per)
        .map(|piece| {
            let mut place = vec![0; columns + 1];
            place[columns] = (piece * per) as u32;
            Piece { along: piece * per, byte: tile.offset(&place) }
        })
        .collect()
}

/// The elements of a row of a piece of a box.
pub fn panel(layout: Shared, inner: i64, bytes: i64) -> i64 {
    match layout {
        Shared::Panels { span, .. } => inner.min(i64::from(span) / bytes),
        _ => inner,
    }
}

/// The left matrix of a product: a tile, or registers.
enum Left {
    Tile(Matrix),
    Registers(std::rc::Rc<Vec<Arg>>, std::sync::Arc<dlc_kernel::layout::Fragment>),
}

/// A matrix in shared memory as descriptors say it.
struct Matrix {
    /// The first half of the descriptor of its first element.
    low: Arg,
    /// The second half.
    high: i64,
    /// What the start of each step of K adds to the first half.
    starts: Vec<i64>,
    /// What a block of so many rows or columns adds to it.
    tile: SharedTile,
    /// The axis of those.
    axis: usize,
    transposes: bool,
}

impl Matrix {
    /// What a row or column adds to the first half.
    fn row(&self, row: u32) -> i64 {
        let mut place = [0, 0];
        place[self.axis] = row;
        i64::from(self.tile.offset(&place) / 16)
    }
}

impl<'a, 'c: 'a> Lower<'a, 'c> {
    pub fn engines(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        if let Some(op) = kernel::TmaLoad::of(op) {
            self.tma_load(op)?;
        } else if let Some(op) = kernel::TmaStore::of(op) {
            self.tma_store(op)?;
        } else if let Some(op) = kernel::Wgmma::of(op) {
            self.wgmma(op)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn map(&self, value: ValueId) -> Result<(Arg, TensorMap), Refused> {
        let ty = TensorMap::of(self.ctx(), self.kernel.value_type(value));
        match (self.value(value)?, ty) {
            (&Lowered::Map(at), Some(ty)) => Ok((at.into(), ty)),
            _ => Err(Refused::new("a tensor map is wanted")),
        }
    }

    /// One thread does what follows: `Known(true)` where only one is here.
    fn one_thread(&mut self) -> Cond {
        self.first_thread()
    }

    fn tma_load(&mut self, op: kernel::TmaLoad<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let (map, ty) = self.map(op.map())?;
        let at = self.stage(op.tile(), op.stage())?;
        let tile = self.tile_type(op.tile())?.place(ctx).map_err(Refused::new)?;
        let (barrier, offset) = self.mbarrier(op.barrier(), op.barrier_stage())?;
        let args: Vec<ValueId> = op.args().collect();
        let coords = self.coordinates(&op.at(), &args)?;
        let offsets = match op.offsets() {
            Some(offsets) => Some(self.coordinates(&offsets, &args)?),
            None => None,
        };
        let one = self.one_thread();
        for piece in pieces(ctx, ty, &tile) {
            let mut all = self.piece_args(at, &piece, map, &coords)?;
            all.extend([barrier, Arg::Int(offset)]);
            let mut modifiers = format!("{}d.shared::cluster.global.", coords.len());
            modifiers.push_str(if offsets.is_some() { "im2col" } else { "tile" });
            modifiers.push_str(".mbarrier::complete_tx::bytes");
            for &offset in offsets.iter().flatten().rev() {
                let offset = Arg::Value(self.code.register(offset, Type::I32));
                all.push(self.code.inst(&table::CVT, "u16.u32", &[offset]).into());
            }
            if let Some(mask) = op.multicast() {
                modifiers.push_str(".multicast::cluster");
                all.push(Arg::Value(self.code.register(Arg::Int(mask), Type::I16)));
            }
            if let Some(hint) = op.hint() {
                modifiers.push_str(".L2::cache_hint");
                let policy = if hint == Hint::EvictFirst { EVICT_FIRST } else { EVICT_LAST };
                all.push(Arg::Value(self.code.register(Arg::Int(policy), Type::I64)));
            }
            self.code.guarded(one, &table::BULK_TENSOR, &modifiers, &all, &[]);
        }
        Ok(())
    }

    fn coordinates(&mut self, exprs: &[dlc_ir::affine::SizeExpr], args: &[ValueId]) -> Result<Vec<Arg>, Refused> {
        // Where a box begins has 32 bits; what is beyond those is outside of any tensor.
        let mut coords = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let (at, _) = self.expr(expr, args)?;
            let is_small = is_narrow(self.ranges.expr(expr, args));
            coords.push(if is_small { self.code.in32(at) } else { self.code.saturated(at) });
        }
        Ok(coords)
    }

    /// The place in shared memory of a piece, its map and its coordinates, the fastest first.
    fn piece_args(&mut self, at: TileAt, piece: &Piece, map: Arg, coords: &[Arg]) -> Result<Vec<Arg>, Refused> {
        let base = Arg::Value(self.code.register(at.base, Type::I32));
        let mut all = vec![base, Arg::Int(i64::from(piece.byte + at.low)), map];
        for (number, &coord) in coords.iter().rev().enumerate() {
            let coord = if number == 0 { self.code.add(coord, Arg::Int(piece.along)) } else { coord };
            all.push(Arg::Value(self.code.register(coord, Type::I32)));
        }
        Ok(all)
    }

    fn tma_store(&mut self, op: kernel::TmaStore<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        let (map, ty) = self.map(op.map())?;
        let at = self.stage(op.tile(), op.stage())?;
        let tile = self.tile_type(op.tile())?.place(ctx).map_err(Refused::new)?;
        let args: Vec<ValueId> = op.args().collect();
        let coords = self.coordinates(&op.at(), &args)?;
        let one = self.one_thread();
        for piece in pieces(ctx, ty, &tile) {
            let mut all = self.piece_args(at, &piece, map, &coords)?;
            // The map and its coordinates come first.
            all.rotate_left(2);
            let rank = coords.len();
            let (row, modifiers) = match op.combine() {
                None => (&table::BULK_TENSOR, format!("{rank}d.global.shared::cta.tile.bulk_group")),
                Some(combiner) => {
                    let is_float = !ty.elem(ctx).is_integer(ctx);
                    let word = match combiner {
                        Combiner::Sum => "add",
                        // In memory NaN wins, as in a reduction.
                        Combiner::Max | Combiner::Min if is_float => {
                            return Err(Refused::new("it is not known what TMA makes of NaN")
                                .suggest("let threads combine it ('store combine')"));
                        }
                        Combiner::Max => "max",
                        Combiner::Min => "min",
                        Combiner::Prod => return Err(Refused::new("TMA does not multiply")),
                    };
                    (&table::BULK_REDUCE, format!("{rank}d.global.shared::cta.{word}.tile.bulk_group"))
                }
            };
            self.code.guarded(one, row, &modifiers, &all, &[]);
        }
        self.code.guarded(one, &table::BULK_COMMIT, "", &[], &[]);
        let token = self.begin(Work::Epilogue);
        self.set(op.token(), token);
        Ok(())
    }

    /// A tile as an operand of `wgmma`.
    fn matrix(&mut self, tile: ValueId, stage: Option<ValueId>, k_axis: usize) -> Result<Matrix, Refused> {
        let at = self.stage(tile, stage)?;
        let tile = self.tile_type(tile)?.place(self.ctx()).map_err(Refused::new)?;
        let descriptor = tile.descriptor(k_axis).map_err(Refused::new)?;
        // In a cluster the upper bits of an address say which block it is in: in a descriptor they would be others.
        let within = if self.cluster > 1 { self.code.and(at.base, 0x3FFFF) } else { at.base };
        let address = self.code.shr(within, 4);
        let constant = i64::from(at.low / 16) + (i64::from((descriptor.leading & 0x3FFFF) >> 4) << 16);
        let low = self.code.add(address, Arg::Int(constant));
        let high = i64::from((descriptor.stride & 0x3FFFF) >> 4) | i64::from(descriptor.swizzle) << 30;
        Ok(Matrix {
            low,
            // A 32-bit register.
            high: i64::from(high as u32 as i32),
            starts: descriptor.starts.iter().map(|&start| i64::from(start / 16)).collect(),
            transposes: descriptor.major == Major::Mn,
            axis: 1 - k_axis,
            tile,
        })
    }

    /// The descriptor of a step of K and a block of rows or columns.
    fn descriptor(&mut self, matrix: &Matrix, step: usize, row: u32) -> Arg {
        let low = self.code.add(matrix.low, Arg::Int(matrix.starts[step] + matrix.row(row)));
        let low = Arg::Value(self.code.register(low, Type::I32));
        let high = Arg::Value(self.code.register(Arg::Int(matrix.high), Type::I32));
        self.code.inst(&table::PACK, "b64", &[low, high]).into()
    }

    /// The operands of the left matrix for a step of K and a block of rows.
    fn left_operands(&mut self, lhs: &Left, step: usize, row: u32, k: u32) -> Result<Vec<Arg>, Refused> {
        Ok(match lhs {
            Left::Tile(matrix) => vec![self.descriptor(matrix, step, row)],
            Left::Registers(registers, fragment) => {
                let piece = Distributed::WgmmaA.place_once(self.ctx(), &[ROWS, k], 16, 4).map_err(Refused::new)?;
                let from = fragment.extract(&piece, &[row, step as u32 * k]).map_err(Refused::new)?;
                let words = from.chunks(2).map(|pair| {
                    let (low, high) = (registers[pair[0] as usize], registers[pair[1] as usize]);
                    // Operands in registers are no constants.
                    let word = self.code.pack_halves(low, high);
                    Arg::Value(self.code.register(word, Type::I32))
                });
                words.collect()
            }
        })
    }

    fn wgmma(&mut self, op: kernel::Wgmma<'a>) -> Result<(), Refused> {
        let ctx = self.ctx();
        if self.thread_group.warps != 4 {
            return Err(Refused::new(format!("four warps do a wgmma, not {}", self.thread_group.warps)));
        }
        let ty = self.kernel.value_type(op.out());
        let acc = self.fragment(ty)?;
        if elem_of(ctx, ty) != Type::F32 {
            return Err(Refused::new(format!("wgmma sums in f32 here, not in {}", elem_of(ctx, ty).display(ctx))));
        }
        let &[rows, columns] = acc.shape() else { return Err(Refused::new("a product has rows and columns")) };
        let rhs = self.matrix(op.rhs(), op.rhs_stage(), if op.rhs_transposed().is_some() { 1 } else { 0 })?;
        let elem = self.tile_type(op.rhs())?.elem(ctx);
        let (word, k) = match elem {
            Type::F16 => ("f16", 16),
            Type::BF16 => ("bf16", 16),
            Type::F32 => ("tf32", 8),
            Type::F8E4M3FN => ("e4m3", 32),
            Type::F8E5M2 => ("e5m2", 32),
            other => return Err(Refused::new(format!("wgmma of {} is not made here", other.display(ctx)))),
        };
        let lhs_ty = self.kernel.value_type(op.lhs());
        let lhs = match self.value(op.lhs())? {
            Lowered::Fragment(registers) => {
                let registers = registers.clone();
                if elem_of(ctx, lhs_ty).bits(ctx) != Some(16) {
                    return Err(Refused::new("the left matrix of a wgmma has 16-bit floats, if it is in registers"));
                }
                Left::Registers(registers, self.fragment(lhs_ty)?)
            }
            _ => {
                Left::Tile(self.matrix(op.lhs(), op.lhs_stage(), if op.lhs_transposed().is_some() { 0 } else { 1 })?)
            }
        };
        let width = (1..=columns.div_ceil(8))
            .map(|n| columns / n)
            .find(|&width| width <= MOST_COLUMNS && width % 8 == 0 && columns % width == 0);
        let width = width.ok_or_else(|| Refused::new(format!("{columns} columns are no multiple of 8")))?;
        let part = Distributed::Wgmma.place_once(self.ctx(), &[ROWS, width], 32, 4).map_err(Refused::new)?;
        // Whether what is there is added to, in the first step.
        let (mut sums, counts) = match self.value(op.acc())? {
            Lowered::Sums(registers, predicate) => (registers.to_vec(), Arg::Value(*predicate)),
            Lowered::Fragment(registers) => {
                let fresh = registers.iter().all(|&sum| sum == Arg::F32(0));
                (registers.to_vec(), Arg::Int((!fresh).into()))
            }
            _ => return Err(Refused::new("a fragment is wanted")),
        };
        let fresh = counts == Arg::Int(0);
        // Everything that is read is there before the fence: what is written after it is not seen.
        let mut products = Vec::new();
        for step in 0..rhs.starts.len() {
            for row in (0..rows).step_by(ROWS as usize) {
                for column in (0..columns).step_by(width as usize) {
                    let which = acc.extract(&part, &[row, column]).map_err(Refused::new)?;
                    let mut args = self.left_operands(&lhs, step, row, k)?;
                    args.push(self.descriptor(&rhs, step, column));
                    args.push(if step == 0 { counts } else { Arg::Int(1) });
                    args.extend([Arg::Int(1), Arg::Int(1)]);
                    if k == 16 {
                        if let Left::Tile(matrix) = &lhs {
                            args.push(Arg::Int(matrix.transposes.into()));
                        }
                        args.push(Arg::Int(rhs.transposes.into()));
                    }
                    products.push((which, args, step));
                }
            }
        }
        if !fresh {
            sums = sums.into_iter().map(|sum| Arg::Value(self.code.register(sum, Type::F32))).collect();
        }
        self.code.act(&table::WGMMA_FENCE, "sync.aligned", &[]);
        let modifiers = format!("sync.aligned.m64n{width}k{k}.f32.{word}.{word}");
        for (which, operands, step) in products {
            let begins = fresh && step == 0;
            let mut args: Vec<Arg> =
                which.iter().map(|&register| if begins { Arg::F32(0) } else { sums[register as usize] }).collect();
            args.extend(operands);
            let results = self.code.insts(&table::WGMMA, &modifiers, &args);
            for (&register, result) in which.iter().zip(results) {
                sums[register as usize] = result.into();
            }
        }
        self.code.act(&table::WGMMA_COMMIT, "sync.aligned", &[]);
        let token = self.begin(Work::Compute);
        self.set(op.out(), Lowered::Fragment(sums.into()));
        self.set(op.token(), token);
        Ok(())
    }
}
