//! Products of matrices, and how their parts come into registers.

use dlc_ir::types::FloatKind;

use super::execute::{address, aligned, one, place};
use super::flight::Reading;
use super::machine::{Cluster, Fault, Machine, Wait, Warp, in_lane, lanes};
use super::memory::Reader;
use super::number::{Exact, Mode, Ty, integer, value};
use super::program::{Code, Kind, Operand, Space};
use super::tensor::swizzle;

/// The number of bits as an element of a matrix.
fn element(bits: u64, ty: Ty) -> f64 {
    match ty {
        Ty::Float(kind) | Ty::Pair(kind) => value(bits, kind),
        Ty::Int { bits: width, signed } => integer(bits, width, signed) as f64,
        Ty::Pred => 0.0,
    }
}

/// The row and the column (along the sum) of an element of the left matrix in a register of a lane; `count` of them are
/// in a register.
fn left(register: usize, element: usize, count: usize, lane: usize) -> (usize, usize) {
    let row = lane / 4 + 8 * (register & 1);
    (row, count * (lane % 4) + element + 4 * count * (register >> 1))
}

/// Where a lane has the elements of the sum: row and column.
fn sum(register: usize, lane: usize) -> (usize, usize) {
    (lane / 4 + 8 * (register >> 1 & 1), 8 * (register >> 2) + 2 * (lane % 4) + (register & 1))
}

/// The left matrix of 16 rows from the registers of a warp.
fn gather_left(warp: &Warp, args: &[Operand], ty: Ty, k: usize, rows: &mut [f64]) -> Result<(), Fault> {
    let bits = ty.bits();
    let count = 32 / bits as usize;
    for (register, &arg) in args.iter().enumerate() {
        let values = warp.read(arg)?;
        for (lane, &packed) in values.iter().enumerate() {
            for index in 0..count {
                let (row, column) = left(register, index, count, lane);
                rows[row * k + column] = element(packed >> (index as u32 * bits) & super::number::mask(bits), ty);
            }
        }
    }
    Ok(())
}

fn all_there(here: u32) -> Result<(), Fault> {
    match here {
        u32::MAX => Ok(()),
        _ => Err("all lanes of a warp do this together, and some have ended".into()),
    }
}

/// A product in the registers of a warp.
pub fn mma(warp: &mut Warp, code: &Code, here: u32, (a, b, acc): (Ty, Ty, Ty), k: usize) -> Result<(), Fault> {
    all_there(here)?;
    let bits = a.bits();
    let count = 32 / bits as usize;
    let of_a = 16 * k / count / 32;
    let of_b = of_a / 2;
    let mut rows = vec![0.0; 16 * k];
    gather_left(warp, &code.args[..of_a], a, k, &mut rows)?;
    let mut columns = vec![0.0; 8 * k];
    for (register, &arg) in code.args[of_a..of_a + of_b].iter().enumerate() {
        let values = warp.read(arg)?;
        for (lane, &packed) in values.iter().enumerate() {
            for index in 0..count {
                let at = count * (lane % 4) + index + 4 * count * register;
                let bits = packed >> (index as u32 * bits) & super::number::mask(bits);
                columns[lane / 4 * k + at] = element(bits, b);
            }
        }
    }
    let begins = code.args[of_a + of_b..].iter().map(|&arg| warp.read(arg)).collect::<Result<Vec<_>, _>>()?;
    let dot = |row: usize, column: usize| -> f64 {
        let (row, column) = (&rows[row * k..][..k], &columns[column * k..][..k]);
        row.iter().zip(column).map(|(a, b)| a * b).sum()
    };
    for (register, &out) in code.outs.iter().enumerate() {
        let values = std::array::from_fn(|lane| {
            let begin = begins[register][lane];
            let one = |index: usize, begin: f64| {
                let (row, column) = sum(index, lane);
                begin + dot(row, column)
            };
            match acc {
                Ty::Float(FloatKind::F16) => {
                    let half = |at: usize| {
                        let begin = value(begin >> (16 * at) & 0xFFFF, FloatKind::F16);
                        Exact::from(one(2 * register + at, begin)).round(FloatKind::F16, Mode::Nearest)
                    };
                    half(0) | half(1) << 16
                }
                Ty::Float(kind) => Exact::from(one(register, value(begin, kind))).round(kind, Mode::Nearest),
                _ => one(register, integer(begin, 32, true) as f64) as i64 as u64 & 0xFFFF_FFFF,
            }
        });
        warp.set(out, here, &values);
    }
    Ok(())
}

/// A matrix in shared memory, as 64 bits describe it.
struct Described {
    start: u32,
    leading: u32,
    stride: u32,
    span: u32,
    /// Whether it is contiguous along the axis that is no sum.
    transposed: bool,
    width: u32,
}

impl Described {
    fn of(bits: u64, transposed: bool, width: u32) -> Result<Described, String> {
        let field = |at: u32| ((bits >> at) as u32 & 0x3FFF) << 4;
        if bits >> 49 & 7 != 0 {
            return Err("a matrix descriptor with a base offset is not known here".into());
        }
        if bits & !(0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 7 << 49 | 3 << 62) != 0 {
            return Err(format!("{bits:#018x} is no matrix descriptor: bits that must be zero are set"));
        }
        let span = [16, 128, 64, 32][(bits >> 62) as usize];
        Ok(Described { start: field(0), leading: field(16), stride: field(32), span, transposed, width })
    }

    /// The address of an element: along the axis that is no sum, and along the sum.
    fn address(&self, mn: u32, k: u32) -> u32 {
        let span = self.span;
        let offset = match self.transposed {
            false => {
                let byte = k * self.width;
                let along = if span == 16 { byte / 16 * self.leading + byte % 16 } else { byte };
                mn / 8 * self.stride + mn % 8 * span + along
            }
            true => {
                let byte = mn * self.width;
                let (along_mn, along_k) = match span {
                    16 => (self.stride, self.leading),
                    _ => (self.leading, self.stride),
                };
                byte / span * along_mn + byte % span + k / 8 * along_k + k % 8 * span
            }
        };
        swizzle(self.start + offset, span)
    }
}

impl Described {
    /// The addresses of the 16-byte units that elements are in, line by line.
    fn units(&self, mn: std::ops::Range<usize>, k: usize) -> Vec<u32> {
        let unit = 16 / self.width as usize;
        let (lines, along) = if self.transposed { (k, mn.len()) } else { (mn.len(), k) };
        let place = |line: usize, first: usize| match self.transposed {
            true => self.address((mn.start + first) as u32, line as u32),
            false => self.address((mn.start + line) as u32, first as u32),
        };
        (0..lines)
            .flat_map(|line| (0..along).step_by(unit).map(move |first| (line, first)))
            .map(|(line, first)| place(line, first))
            .collect()
    }
}

impl Machine<'_> {
    /// Elements of a matrix in shared memory, `along` the axis that is no sum and up to `k`: those of each k in a row, or
    /// the other way round.
    fn described(
        &self,
        cluster: &Cluster,
        warp: &Warp,
        matrix: &Described,
        ty: Ty,
        (mn, k): (std::ops::Range<usize>, usize),
        by_k: bool,
    ) -> Result<Vec<f64>, String> {
        let shared = &cluster.blocks[warp.block].shared;
        let reader = Reader::Engine { thread: cluster.thread(warp, 0), fenced: &cluster.fenced };
        let width = matrix.width as usize;
        // What lies in a unit of 16 bytes stays together.
        let unit = 16 / width;
        let count = mn.len();
        let mut out = vec![0.0; count * k];
        let along = if matrix.transposed { count } else { k };
        for (number, at) in matrix.units(mn, k).into_iter().enumerate() {
            let per_line = along.div_ceil(unit);
            let (line, first) = (number / per_line, number % per_line * unit);
            let bytes = shared.read(at, 16, reader)?;
            for (index, bytes) in bytes.chunks_exact(width).enumerate().take(along - first) {
                let mut all = [0; 8];
                all[..width].copy_from_slice(bytes);
                let number = element(u64::from_le_bytes(all), ty);
                let (mn, at) = if matrix.transposed { (first + index, line) } else { (line, first + index) };
                out[if by_k { at * count + mn } else { mn * k + at }] = number;
            }
        }
        Ok(out)
    }

    /// A product of four warps. The last of them that comes does it for all.
    pub(super) fn wgmma(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        number: usize,
        code: &Code,
        pc: u32,
    ) -> Result<(), Fault> {
        all_there(warp.live)?;
        if warp.index / 4 * 4 + 4 > self.launch.threads / 32 {
            return Err("four warps do this together, and the block has no more".into());
        }
        let first = number - (warp.index % 4) as usize;
        let others: Vec<usize> = (first..first + 4).filter(|&other| other != number).collect();
        if let Some(gone) = others.iter().find(|&&other| cluster.warps[other].live != u32::MAX) {
            let gone = cluster.warps[*gone].index;
            return Err(format!("four warps do this together, and warp {gone} has ended").into());
        }
        if others.iter().any(|&other| cluster.warps[other].wait != Wait::Group(pc)) {
            warp.wait = Wait::Group(pc);
            return Ok(());
        }
        let right = self.right(cluster, warp, code)?;
        let reading = reading(warp, code)?;
        cluster.blocks[warp.block].shared.hold(&reading.units, true);
        cluster.readings.push(reading);
        self.product(cluster, warp, code, &right)?;
        for other in others {
            let mut taken = std::mem::take(&mut cluster.warps[other]);
            let done = self.product(cluster, &mut taken, code, &right);
            taken.wait = Wait::Nothing;
            cluster.warps[other] = taken;
            done?;
        }
        Ok(())
    }

    /// The right matrix, the columns of each k, and its descriptor.
    fn right(&self, cluster: &Cluster, warp: &Warp, code: &Code) -> Result<(u64, Vec<f64>), Fault> {
        let Kind::Wgmma { b, n, k, .. } = code.kind else { return Err("no product".into()) };
        let (bits, matrix) = right_of(warp, code)?;
        Ok((bits, self.described(cluster, warp, &matrix, b, (0..n, k), true).map_err(in_lane(0))?))
    }

    /// The rows of a product that a warp has.
    fn product(
        &mut self,
        cluster: &Cluster,
        warp: &mut Warp,
        code: &Code,
        (descriptor, right): &(u64, Vec<f64>),
    ) -> Result<(), Fault> {
        let Kind::Wgmma { a, n, k, .. } = code.kind else { return Ok(()) };
        let registers = in_registers(code, n, a);
        let place = n / 2 + if registers { 4 } else { 1 };
        for lane in 0..32 {
            if one(warp, code, place, lane)? != *descriptor {
                let message = "the descriptor of the right matrix is another one than in other lanes";
                return Err(in_lane(lane)(message.into()));
            }
        }
        let mut rows = vec![0.0; 16 * k];
        if registers {
            gather_left(warp, &code.args[n / 2..n / 2 + 4], a, k, &mut rows)?;
        } else {
            let matrix = left_of(warp, code)?;
            let first = 16 * (warp.index % 4) as usize;
            rows = self.described(cluster, warp, &matrix, a, (first..first + 16, k), false).map_err(in_lane(0))?;
        }
        let negate = |index: usize| Ok::<f64, Fault>(if one(warp, code, index, 0)? as i64 == -1 { -1.0 } else { 1.0 });
        let sign = negate(place + 2)? * negate(place + 3)?;
        let adds = warp.read(code.args[place + 1])?;
        let group = warp.groups.0 + 1;
        warp.busy.resize(warp.regs.len(), 0);
        let mut sums = vec![0.0; 16 * n];
        for row in 0..16 {
            let sums = &mut sums[row * n..][..n];
            for (at, &factor) in rows[row * k..][..k].iter().enumerate() {
                sums.iter_mut().zip(&right[at * n..][..n]).for_each(|(sum, &b)| *sum += factor * b);
            }
        }
        for (register, &out) in code.outs.iter().enumerate() {
            // A product before it that runs adds to the same registers, so these are not waited for.
            let begins = match code.args[register] {
                Operand::Reg(begin) => warp.regs[begin as usize],
                Operand::Const(_) if adds.iter().all(|&adds| adds & 1 == 0) => [0; 32],
                Operand::Const(_) => return Err("adds to registers that nothing was put into".into()),
            };
            let mut values = [0; 32];
            for (lane, value) in values.iter_mut().enumerate() {
                let (row, column) = sum(register, lane);
                let begin = if adds[lane] & 1 == 1 { f32::from_bits(begins[lane] as u32).into() } else { 0.0 };
                *value = u64::from(((begin + sign * sums[row * n + column]) as f32).to_bits());
            }
            warp.set(out, u32::MAX, &values);
            warp.busy[out as usize] = group;
        }
        warp.advance(u32::MAX);
        self.events += 1;
        Ok(())
    }

    /// Rows of matrices of 8 by 8 at the addresses of lanes.
    pub(super) fn ldmatrix(
        &mut self,
        cluster: &Cluster,
        warp: &mut Warp,
        code: &Code,
        here: u32,
        trans: bool,
    ) -> Result<(), Fault> {
        all_there(here)?;
        let shared = &cluster.blocks[warp.block].shared;
        let reader = Reader::Warp { thread: cluster.thread(warp, 0), met: warp.met };
        for (number, &out) in code.outs.iter().enumerate() {
            let mut matrix = [[0u64; 8]; 8];
            for (row, matrix) in matrix.iter_mut().enumerate() {
                let lane = 8 * number + row;
                let at = address(warp, code, 0, lane)?;
                aligned(at, 16).map_err(in_lane(lane))?;
                let (_, at) = place(cluster, warp, Space::Shared, at as u32).map_err(in_lane(lane))?;
                let bytes = shared.read(at, 16, reader).map_err(in_lane(lane))?;
                let halves = bytes.chunks_exact(2).map(|half| u64::from(u16::from_le_bytes([half[0], half[1]])));
                matrix.iter_mut().zip(halves).for_each(|(to, half)| *to = half);
            }
            let values = std::array::from_fn(|lane| {
                let (row, column) = (lane / 4, 2 * (lane % 4));
                match trans {
                    false => matrix[row][column] | matrix[row][column + 1] << 16,
                    true => matrix[column][row] | matrix[column + 1][row] << 16,
                }
            });
            warp.set(out, here, &values);
        }
        Ok(())
    }

    /// The other way.
    pub(super) fn stmatrix(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        code: &Code,
        here: u32,
        trans: bool,
    ) -> Result<(), Fault> {
        all_there(here)?;
        cluster.clock += 1;
        self.events += 1;
        for (number, &arg) in code.args[2..].iter().enumerate() {
            let values = warp.read(arg)?;
            let mut matrix = [[0u16; 8]; 8];
            for lane in lanes(here) {
                let (row, column) = (lane / 4, 2 * (lane % 4));
                let (low, high) = (values[lane] as u16, (values[lane] >> 16) as u16);
                match trans {
                    false => (matrix[row][column], matrix[row][column + 1]) = (low, high),
                    true => (matrix[column][row], matrix[column + 1][row]) = (low, high),
                }
            }
            for (row, matrix) in matrix.iter().enumerate() {
                let lane = 8 * number + row;
                let at = address(warp, code, 0, lane)?;
                let bytes: Vec<u8> = matrix.iter().flat_map(|half| half.to_le_bytes()).collect();
                let by = (cluster.clock, cluster.thread(warp, lane));
                aligned(at, 16).map_err(in_lane(lane))?;
                let (block, at) = place(cluster, warp, Space::Shared, at as u32).map_err(in_lane(lane))?;
                cluster.blocks[block].shared.write(at, &bytes, by, false).map_err(in_lane(lane))?;
            }
        }
        Ok(())
    }
}

/// The right matrix of a product, and its descriptor.
fn right_of(warp: &Warp, code: &Code) -> Result<(u64, Described), Fault> {
    let Kind::Wgmma { a, b, n, .. } = code.kind else { return Err("no product".into()) };
    let place = n / 2 + if in_registers(code, n, a) { 4 } else { 1 };
    let bits = one(warp, code, place, 0)?;
    // After the descriptor: the predicate, two signs, and which matrices are transposed.
    let transposed = code.args.len() > place + 4 && one(warp, code, code.args.len() - 1, 0)? == 1;
    Ok((bits, Described::of(bits, transposed, b.bits() / 8).map_err(in_lane(0))?))
}

/// The left matrix, if it is in shared memory.
fn left_of(warp: &Warp, code: &Code) -> Result<Described, Fault> {
    let Kind::Wgmma { a, n, .. } = code.kind else { return Err("no product".into()) };
    let transposed = code.args.len() > n / 2 + 5 && one(warp, code, n / 2 + 5, 0)? == 1;
    Described::of(one(warp, code, n / 2, 0)?, transposed, a.bits() / 8).map_err(in_lane(0))
}

/// What a product of four warps reads of shared memory.
fn reading(warp: &Warp, code: &Code) -> Result<Reading, Fault> {
    let Kind::Wgmma { a, n, k, .. } = code.kind else { return Err("no product".into()) };
    let mut units = right_of(warp, code)?.1.units(0..n, k);
    if !in_registers(code, n, a) {
        units.extend(left_of(warp, code)?.units(0..64, k));
    }
    Ok(Reading { block: warp.block, quad: warp.index / 4, group: warp.groups.0 + 1, units })
}

/// Whether the left matrix of a product is in registers.
fn in_registers(code: &Code, n: usize, a: Ty) -> bool {
    let following = code.args.len() - n / 2;
    match a.bits() {
        // A descriptor and what goes with it are seven places; four registers instead, and one number fewer, nine.
        16 => following == 9,
        _ => following == 8,
    }
}
