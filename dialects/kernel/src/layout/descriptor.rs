//! Descriptors of `wgmma`: how it reads an operand in shared memory.
//!
//! An instruction reads 32 bytes of K. Its operand lies in atoms of eight rows of 16 bytes (without swizzle) or of 32,
//! 64 or 128 bytes (with it), the rows along K or along M and N, whichever is contiguous. The descriptor gives the
//! distances between atoms. Source: PTX ISA, "Matrix Descriptor Format" and "Strides" of the asynchronous warpgroup
//! instructions.

use super::shared::{Shared, SharedTile};

/// Which of the axes of an operand is contiguous.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Major {
    /// K.
    K,
    /// M or N. For 16-bit elements only.
    Mn,
}

/// What is the same in all descriptors of a tile, and where the operand of each instruction starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// Which axis is contiguous; for [`Major::Mn`] the instruction transposes.
    pub major: Major,
    /// The code of the swizzle: 0 none, 1 for rows of 128 bytes, 2 for 64, 3 for 32.
    pub swizzle: u32,
    /// The leading dimension byte offset (LBO); 16 where it is not used.
    pub leading: u32,
    /// The stride dimension byte offset (SBO).
    pub stride: u32,
    /// The elements of K of an instruction.
    pub k: u32,
    /// The byte where the K of each instruction starts, from the first of the tile.
    pub starts: Vec<u32>,
}

impl Descriptor {
    /// The 64 bits for an operand that starts at an address in shared memory.
    pub fn bits(&self, address: u32) -> u64 {
        let field = |bytes: u32| u64::from((bytes & 0x3FFFF) >> 4);
        field(address) | field(self.leading) << 16 | field(self.stride) << 32 | u64::from(self.swizzle) << 62
    }

    /// What each step of K adds to the descriptor, if it is always the same: the bytes in units of 16.
    pub fn advance(&self) -> Option<u32> {
        let mut steps = self.starts.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
        let first = steps.next()?;
        steps.all(|step| step == first).then_some(first / 16)
    }
}

impl SharedTile {
    /// The descriptor of a tile that is an operand: `k_axis` is the axis of K, 1 for tiles [M, K] and [N, K], 0 for
    /// [K, M] and [K, N]. An error says why `wgmma` cannot read it. The tile must begin at a multiple of its
    /// alignment.
    pub fn descriptor(&self, k_axis: usize) -> Result<Descriptor, String> {
        let &[_, _] = self.shape() else {
            return Err(format!("an operand of wgmma has rank 2, not {}", self.shape().len()));
        };
        if k_axis > 1 || !matches!(self.elem_bytes(), 1 | 2 | 4) {
            let bits = 8 * self.elem_bytes();
            return Err(format!(
                "operands of wgmma have 8, 16 or 32 bits and K on axis 0 or 1, not {bits} and {k_axis}"
            ));
        }
        let operand = Operand { tile: self, k_axis, k: 32 / self.elem_bytes(), per_unit: 16 / self.elem_bytes() };
        let (k, mn) = (self.shape()[k_axis], self.shape()[1 - k_axis]);
        if !k.is_multiple_of(operand.k) {
            return Err(format!("K of {k} is no multiple of {}, what one wgmma takes", operand.k));
        }
        if !mn.is_multiple_of(8) {
            return Err(format!("{mn} rows or columns are no multiple of 8"));
        }
        let found = match self.contiguous_axis() == Some(k_axis) {
            true => operand.k_major(k, mn),
            false if self.elem_bytes() == 2 => operand.mn_major(k, mn),
            false => return Err(format!("wgmma reads {}-bit elements along K only", 8 * self.elem_bytes())),
        };
        let reason = match self.layout() {
            Shared::Panels { rows, span } if span > 16 => {
                let rows = rows.unwrap_or(self.shape()[0]);
                format!("panels of {rows} rows are not whole patterns of the swizzle, of 8 rows")
            }
            Shared::Panels { .. } => "its 16-byte units do not lie in rows of eight".into(),
            _ => {
                format!("it reads `swizzle 128`, `swizzle 64`, `swizzle 32` or `interleaved`, not `{}`", self.layout())
            }
        };
        let descriptor = found.ok_or(format!("wgmma cannot read the tile: {reason}"))?;
        match descriptor.leading.max(descriptor.stride) >> 18 {
            0 => Ok(descriptor),
            _ => Err(format!(
                "the distance of {} bytes is beyond a descriptor",
                descriptor.leading.max(descriptor.stride)
            )),
        }
    }
}

/// A tile as an operand. Distances are taken from the layout, then every unit of 16 bytes is compared with what the
/// hardware reads.
struct Operand<'t> {
    tile: &'t SharedTile,
    k_axis: usize,
    /// The elements of K of an instruction.
    k: u32,
    /// The elements of 16 bytes.
    per_unit: u32,
}

impl Operand<'_> {
    /// The byte of an element before units are exchanged.
    fn offset(&self, mn: u32, k: u32) -> u32 {
        self.tile.offset(&if self.k_axis == 0 { [k, mn] } else { [mn, k] })
    }

    fn code(&self) -> u32 {
        match self.tile.span() {
            128 => 1,
            64 => 2,
            32 => 3,
            _ => 0,
        }
    }

    fn made(&self, major: Major, leading: u32, stride: u32, k: u32) -> Descriptor {
        let starts = (0..k).step_by(self.k as usize).map(|k| self.offset(0, k)).collect();
        Descriptor { major, swizzle: self.code(), leading, stride, k: self.k, starts }
    }

    /// Whether atoms start where the pattern of the swizzle does, so that the base offset is 0.
    fn is_pattern(&self, bytes: u32) -> bool {
        self.tile.span() == 16 || bytes.is_multiple_of(8 * self.tile.span())
    }

    /// Rows along K. With swizzle an instruction lies within one row of an atom, and the distance along K is not used.
    fn k_major(&self, k: u32, mn: u32) -> Option<Descriptor> {
        let span = self.tile.span();
        let stride = if mn > 8 { self.offset(8, 0) } else { 8 * span };
        let leading = if span == 16 { self.offset(0, self.per_unit) } else { 16 };
        let found = self.made(Major::K, leading, stride, k);
        for (step, &start) in found.starts.iter().enumerate() {
            let first = step as u32 * self.k;
            let in_row = (first * self.tile.elem_bytes()) % span;
            if !self.is_pattern(start - in_row.min(start)) || !self.is_pattern(stride) {
                return None;
            }
            for row in 0..mn {
                for unit in 0..2 {
                    let read =
                        start + row / 8 * stride + row % 8 * span + if span == 16 { unit * leading } else { 16 * unit };
                    if read != self.offset(row, first + unit * self.per_unit) {
                        return None;
                    }
                }
            }
        }
        Some(found)
    }

    /// Rows along M or N, eight of them along K an atom. Without swizzle the two distances change their roles.
    fn mn_major(&self, k: u32, mn: u32) -> Option<Descriptor> {
        let span = self.tile.span();
        let per_row = span / self.tile.elem_bytes();
        let along_k = self.offset(0, 8);
        let along_mn = if mn > per_row { self.offset(per_row, 0) } else { k * span };
        let (leading, stride) = if span == 16 { (along_k, along_mn) } else { (along_mn, along_k) };
        if !self.is_pattern(along_k) || !self.is_pattern(along_mn) {
            return None;
        }
        let found = self.made(Major::Mn, leading, stride, k);
        for (step, &start) in found.starts.iter().enumerate() {
            for row in 0..self.k {
                for at in (0..mn).step_by(self.per_unit as usize) {
                    let (atom, in_row) = (at / per_row, at % per_row * self.tile.elem_bytes());
                    let read = start + atom * along_mn + row / 8 * along_k + row % 8 * span + in_row;
                    if read != self.offset(at, step as u32 * self.k + row) {
                        return None;
                    }
                }
            }
        }
        Some(found)
    }
}
