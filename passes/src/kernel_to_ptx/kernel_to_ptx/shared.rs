//! Tiles in shared memory: where they are, and how fragments come from there and go there.

use dlc_ir::{OpRef, Type};
use dlc_kernel::layout::{Dim, Fragment, MatrixAccess, Shared, SharedTile, swizzle};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::Cond;
use super::lower::Lower;
use super::values::{Coords, Lowered, TileAt, columns, coords, elem_bytes, exists, spread};
use super::words::Place;
use crate::analysis::expressions::divisor;

/// The addresses of the registers of a thread: a register, and a number that is added.
pub type Addresses = Vec<(Arg, i64)>;

impl<'a, 'c: 'a> Lower<'a, 'c> {
    pub fn shared(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        if let Some(op) = kernel::Shared::of(op) {
            let Some(&place) = self.places.tiles.get(&op.id) else { return Err(Refused::new("the tile has no place")) };
            let tile = self.tile_type(op.out())?.place(self.ctx()).map_err(Refused::new)?;
            let base = self.code.add(self.smem, Arg::Int(place.into()));
            self.set(op.out(), Lowered::Tile(TileAt { base, low: 0, stride: tile.stride() }));
        } else if let Some(op) = kernel::Slice::of(op) {
            self.slice(op)?;
        } else if let Some(op) = kernel::LoadShared::of(op) {
            let at = self.stage(op.tile(), op.stage())?;
            let tile = self.tile_type(op.tile())?.place(self.ctx()).map_err(Refused::new)?;
            let tile = transposed_if(tile, op.transposed().is_some())?;
            let registers = self.load_from_tile(self.kernel.value_type(op.out()), at, &tile)?;
            self.set(op.out(), Lowered::Fragment(registers.into()));
        } else if let Some(op) = kernel::StoreShared::of(op) {
            let at = self.stage(op.tile(), op.stage())?;
            let tile = self.tile_type(op.tile())?.place(self.ctx()).map_err(Refused::new)?;
            let tile = transposed_if(tile, op.transposed().is_some())?;
            let registers = self.registers(op.value())?;
            self.store_to_tile(&registers, self.kernel.value_type(op.value()), at, &tile)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// A part of a tile: what is known of its place goes to `low`, what is not to the base, if it is whole patterns.
    fn slice(&mut self, op: kernel::Slice<'a>) -> Result<(), Refused> {
        let at = self.stage(op.tile(), op.stage())?;
        let whole = self.tile_type(op.tile())?.place(self.ctx()).map_err(Refused::new)?;
        let args: Vec<_> = op.args().collect();
        let span = whole.span();
        let pattern = if span > 16 { 8 * span } else { 16 };
        let (mut base, mut low) = (at.base, at.low);
        for (axis, expr) in op.at().iter().enumerate() {
            let unit = |by: u32| {
                let mut place = vec![0; whole.shape().len()];
                place[axis] = by;
                whole.offset(&place)
            };
            let place = self.expr32(expr, &args)?;
            match place {
                Arg::Int(place) => {
                    let bytes = unit(u32::try_from(place).map_err(|_| Refused::new("a part begins before its tile"))?);
                    low += bytes;
                }
                _ => {
                    // The steps are known to be multiples of some number: bytes are linear in those.
                    let step = divisor(self.ctx(), self.kernel, expr, &args);
                    let step: u32 = 1 << step.trailing_zeros().min(whole.shape()[axis].next_power_of_two().ilog2());
                    let bytes = unit(step);
                    let linear = (2..).map_while(|n| (n * step < whole.shape()[axis]).then_some(n)).take(64);
                    let is_linear = linear.into_iter().all(|n| unit(n * step) == n * bytes);
                    if !is_linear || (span > 16 && bytes % pattern != 0) {
                        return Err(Refused::new(
                            "a part begins within a pattern of the swizzle, at a place that is not known",
                        )
                        .suggest("let parts begin at multiples of 8 rows and of whole panels"));
                    }
                    let steps = self.code.floordiv(place, Arg::Int(step.into()), true);
                    let offset = self.code.mul(steps, Arg::Int(bytes.into()));
                    base = self.code.add(base, offset);
                }
            }
        }
        // Whole patterns belong to the base.
        let patterns = low / pattern * pattern;
        base = self.code.add(base, Arg::Int(patterns.into()));
        low -= patterns;
        self.set(op.out(), Lowered::Tile(TileAt { base, low, stride: 0 }));
        Ok(())
    }

    /// The address of the element of a tile at given coordinates.
    pub fn element_address(&mut self, tile: &SharedTile, at: TileAt, coords: &[Arg]) -> Arg {
        let mut offset = Arg::Int(at.low.into());
        for (axis, &coord) in coords.iter().enumerate() {
            let unit = |by: u32| {
                let mut place = vec![0; coords.len()];
                place[axis] = by;
                tile.offset(&place)
            };
            // Along an axis bytes are linear, but from panel to panel.
            let per = match tile.span() {
                16 => tile.shape()[axis],
                span => match Some(axis) == tile.contiguous_axis() {
                    true => span / tile.elem_bytes(),
                    false => tile.shape()[axis],
                },
            };
            let bytes = if tile.shape()[axis] > 1 { unit(1) } else { 0 };
            let part = if per >= tile.shape()[axis] {
                self.code.mul(coord, Arg::Int(bytes.into()))
            } else {
                let panel = self.code.floordiv(coord, Arg::Int(per.into()), true);
                let within = self.code.floormod(coord, Arg::Int(per.into()), true);
                let panels = self.code.mul(panel, Arg::Int(unit(per).into()));
                let within = self.code.mul(within, Arg::Int(bytes.into()));
                self.code.add(panels, within)
            };
            offset = self.code.add(offset, part);
        }
        let address = self.code.add(at.base, offset);
        self.swizzled(address, tile.span())
    }

    /// An address with its units exchanged.
    fn swizzled(&mut self, address: Arg, span: u32) -> Arg {
        if span <= 16 {
            return address;
        }
        let rows = self.code.shr(address, 3);
        let rows = self.code.and(rows, i64::from((span / 16 - 1) << 4));
        self.code.xor(address, rows)
    }

    /// The addresses of the registers of a fragment, or of rows for `ldmatrix`: `thread` has the columns of lanes and of
    /// warps by axis, `places` the coordinates that each register adds.
    fn addresses(&mut self, tile: &SharedTile, at: TileAt, thread: &[Columns], places: &[Vec<u32>]) -> Addresses {
        let rank = tile.shape().len();
        let apart = places.iter().all(|place| thread.iter().zip(place).all(|(columns, at)| columns.bits() & at == 0));
        let unit = |axis: usize, by: u32| {
            let mut place = vec![0; rank];
            place[axis] = by;
            tile.offset(&place)
        };
        let is_panels = matches!(tile.layout(), Shared::Panels { .. });
        if apart && !is_panels {
            // Bytes are linear in the coordinates.
            let mut own = at.base;
            for (axis, columns) in thread.iter().enumerate() {
                let (place, _) = self.of_thread(columns);
                let bytes = self.code.mul(place, Arg::Int(unit(axis, 1).into()));
                own = self.code.add(own, bytes);
            }
            return places.iter().map(|place| (own, i64::from(tile.offset(place) + at.low))).collect();
        }
        // Bits of the thread that reach different bits of the address, which those of the register leave alone: the
        // pattern of the swizzle is linear in bits, so both meet by exclusive or.
        let column = |of: &dyn Fn(&Columns) -> u32| tile.offset(&thread.iter().map(of).collect::<Vec<u32>>());
        let lanes: Vec<u32> = (0..thread[0].lanes.len()).map(|bit| column(&|columns| columns.lanes[bit])).collect();
        let warps: Vec<u32> = (0..thread[0].warps.len()).map(|bit| column(&|columns| columns.warps[bit])).collect();
        let all = || lanes.iter().chain(&warps).copied();
        let bits = all().fold(0, |bits, column| bits | column);
        let alone = all().all(|column| column.count_ones() <= 1) && all().sum::<u32>() == bits;
        let mask = 8 * tile.span() - 1;
        let offsets: Vec<u32> = places.iter().map(|place| tile.offset(place) + at.low).collect();
        if apart && alone && offsets.iter().all(|offset| offset & bits & mask == 0) {
            let exchange = |columns: &[u32]| columns.iter().map(|&column| swizzle(column, tile.span())).collect();
            let (own, _) = spread(
                &mut self.code,
                &[(self.thread_group.lane, exchange(&lanes)), (self.thread_group.warp, exchange(&warps))],
            );
            let own = self.code.add(at.base, own);
            let own = Arg::Value(self.code.register(own, Type::I32));
            let each = offsets.into_iter().map(|offset| {
                let exchanged = swizzle(offset, tile.span());
                (self.code.xor(own, Arg::Int((exchanged & mask).into())), i64::from(exchanged & !mask))
            });
            return each.collect();
        }
        let own = thread.iter().map(|columns| self.of_thread(columns)).collect();
        let coords = Coords::new(own, places.to_vec());
        let each = (0..places.len()).map(|register| {
            let place = coords.of(&mut self.code, register);
            (self.element_address(tile, at, &place), 0)
        });
        each.collect()
    }

    /// What bits of the lane and of the warp make, and the bits that it may have.
    fn of_thread(&mut self, columns: &Columns) -> (Arg, u32) {
        let (lane, warp) = (self.thread_group.lane, self.thread_group.warp);
        spread(&mut self.code, &[(lane, columns.lanes.clone()), (warp, columns.warps.clone())])
    }

    /// The addresses in a tile of the first register of each vector.
    pub fn register_addresses(
        &mut self,
        fragment: &Fragment,
        groups: &[Vec<u32>],
        at: TileAt,
        tile: &SharedTile,
    ) -> Addresses {
        let places: Vec<Vec<u32>> = groups.iter().map(|group| register_place(fragment, group[0])).collect();
        self.addresses(tile, at, &columns_of(fragment), &places)
    }

    /// The registers of a fragment from a tile.
    pub fn load_from_tile(&mut self, ty: Type, at: TileAt, tile: &SharedTile) -> Result<Vec<Arg>, Refused> {
        let fragment = self.fragment(ty)?;
        let elem = elem_of(self.ctx(), ty);
        let access = fragment.shared_access(tile, 16).map_err(Refused::new)?;
        let layout = Frag::of(self.ctx(), ty).map(|frag| frag.layout(self.ctx()));
        if let Some(way) = layout.and_then(|layout| fragment.load_by_matrices(&layout, &access, tile)) {
            return self.load_matrices(&fragment, &way, at, tile);
        }
        let groups = grouped(&access.groups, widest(elem_bytes(&self.code, elem), access.vector));
        let addresses = self.register_addresses(&fragment, &groups, at, tile);
        let coords = coords(&mut self.code, &fragment, &self.thread_group);
        let mut registers = vec![Arg::Int(0); fragment.registers() as usize];
        for (group, (base, offset)) in groups.iter().zip(addresses) {
            let there = exists(&mut self.code, &fragment, &coords, group[0] as usize);
            let base = Arg::Value(self.code.register(base, Type::I32));
            let place = Place { space: "shared", base, offset };
            let zero = self.zero(elem);
            let loaded = self.load_vector(place, elem, group.len(), there, zero)?;
            group.iter().zip(loaded).for_each(|(&register, value)| registers[register as usize] = value);
        }
        Ok(registers)
    }

    /// Puts the registers of a fragment into a tile.
    pub fn store_to_tile(&mut self, registers: &[Arg], ty: Type, at: TileAt, tile: &SharedTile) -> Result<(), Refused> {
        let fragment = self.fragment(ty)?;
        let elem = elem_of(self.ctx(), ty);
        let access = fragment.shared_access(tile, 16).map_err(Refused::new)?;
        if self.is_sm90
            && let Some(way) = fragment.store_by_matrices(&access, tile)
        {
            return self.store_matrices(registers, &fragment, &way, at, tile);
        }
        let groups = grouped(&access.groups, widest(elem_bytes(&self.code, elem), access.vector));
        let addresses = self.register_addresses(&fragment, &groups, at, tile);
        let coords = coords(&mut self.code, &fragment, &self.thread_group);
        let first = self.is_first(&fragment);
        for (group, (base, offset)) in groups.iter().zip(addresses) {
            let there = exists(&mut self.code, &fragment, &coords, group[0] as usize);
            let cond = self.code.both(first, there);
            let base = Arg::Value(self.code.register(base, Type::I32));
            let values: Vec<Arg> = group.iter().map(|&register| registers[register as usize]).collect();
            self.store_vector(Place { space: "shared", base, offset }, elem, &values, cond)?;
        }
        Ok(())
    }

    /// Whether the thread has the first copy of what it holds.
    pub fn is_first(&mut self, fragment: &Fragment) -> Cond {
        let free = fragment.free();
        let mut cond = Cond::Known(true);
        for (number, mask) in [(self.thread_group.lane, free.lanes), (self.thread_group.warp, free.warps)] {
            if mask != 0 {
                let copy = self.code.and(number, mask.into());
                let first = self.code.compare("eq", copy, Arg::Int(0));
                cond = self.code.both(cond, first);
            }
        }
        cond
    }

    /// For each instruction of a way with matrices the address of the lane's row.
    fn rows(&mut self, way: &MatrixAccess, at: TileAt, tile: &SharedTile) -> Addresses {
        let rank = tile.shape().len();
        let thread: Vec<Columns> = (0..rank)
            .map(|axis| {
                let of = |dim: Dim| {
                    let bits = way.lanes.input_bits(dim);
                    (0..bits).map(|bit| way.lanes.basis(dim, bit).map_or(0, |column| column[axis])).collect()
                };
                Columns { lanes: of(Dim::Lane), warps: of(Dim::Warp) }
            })
            .collect();
        let places: Vec<Vec<u32>> = way.groups.iter().map(|group| group.at.to_vec()).collect();
        self.addresses(tile, at, &thread, &places)
    }

    fn load_matrices(
        &mut self,
        fragment: &Fragment,
        way: &MatrixAccess,
        at: TileAt,
        tile: &SharedTile,
    ) -> Result<Vec<Arg>, Refused> {
        let addresses = self.rows(way, at, tile);
        let modifiers = matrix_modifiers(way);
        let mut registers = vec![Arg::Int(0); fragment.registers() as usize];
        for (group, (base, offset)) in way.groups.iter().zip(addresses) {
            let base = Arg::Value(self.code.register(base, Type::I32));
            let words = self.code.insts(&table::LDMATRIX, &modifiers, &[base, Arg::Int(offset)]);
            for (word, halves) in words.into_iter().zip(&group.registers) {
                let parts = match halves.len() {
                    1 => vec![self.code.bits(word, Type::F32)],
                    _ => self.code.insts(&table::UNPACK, "b32", &[word.into()]),
                };
                halves.iter().zip(parts).for_each(|(&register, part)| registers[register as usize] = part.into());
            }
        }
        Ok(registers)
    }

    fn store_matrices(
        &mut self,
        registers: &[Arg],
        _: &Fragment,
        way: &MatrixAccess,
        at: TileAt,
        tile: &SharedTile,
    ) -> Result<(), Refused> {
        let addresses = self.rows(way, at, tile);
        let modifiers = matrix_modifiers(way);
        for (group, (base, offset)) in way.groups.iter().zip(addresses) {
            let base = Arg::Value(self.code.register(base, Type::I32));
            let mut args = vec![base, Arg::Int(offset)];
            for halves in &group.registers {
                let (low, high) = (registers[halves[0] as usize], registers[halves[1] as usize]);
                let word = self.code.pack_halves(low, high);
                // The instruction takes a vector of registers, and constants are none.
                args.push(Arg::Value(self.code.register(word, Type::I32)));
            }
            self.code.act(&table::STMATRIX, &modifiers, &args);
        }
        Ok(())
    }
}

/// What bits of the lane and of the warp add to a coordinate.
struct Columns {
    lanes: Vec<u32>,
    warps: Vec<u32>,
}

impl Columns {
    fn bits(&self) -> u32 {
        self.lanes.iter().chain(&self.warps).fold(0, |bits, column| bits | column)
    }
}

fn columns_of(fragment: &Fragment) -> Vec<Columns> {
    let axes = 0..fragment.shape().len();
    let columns = axes.map(|axis| {
        let (lanes, warps) = columns(fragment, axis);
        Columns { lanes, warps }
    });
    columns.collect()
}

/// The coordinates that a register adds.
fn register_place(fragment: &Fragment, register: u32) -> Vec<u32> {
    let slot = fragment.slot(register).unwrap_or(0);
    fragment.map().apply(&[(Dim::Register, slot)])
}

fn matrix_modifiers(way: &MatrixAccess) -> String {
    let trans = if way.trans { "trans." } else { "" };
    format!("sync.aligned.m8n8.x{}.{trans}shared.b16", way.matrices)
}

/// A tile with its axes exchanged, where that is wanted.
fn transposed_if(tile: SharedTile, transposed: bool) -> Result<SharedTile, Refused> {
    match transposed {
        true => tile.transposed().ok_or_else(|| Refused::new("only a tile with two axes can be transposed")),
        false => Ok(tile),
    }
}

/// Vectors of at most so many elements.
pub fn grouped(groups: &[Vec<u32>], most: u32) -> Vec<Vec<u32>> {
    groups.iter().flat_map(|group| group.chunks(most.max(1) as usize).map(<[u32]>::to_vec)).collect()
}

/// How many elements of so many bytes an access may have.
pub fn widest(bytes: u32, vector: u32) -> u32 {
    // Bytes are accessed one by one: registers hold them one by one.
    if bytes < 2 { 1 } else { vector.min(16 / bytes) }
}
