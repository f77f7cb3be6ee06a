//! Shared layouts: at which byte of shared memory each element of a tile lies.

use super::linear::{Dim, Linear};

/// A shared layout, as it is spelled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shared {
    /// `row_major`, `row_major pitch 72`: the last axis is contiguous; the pitch is the elements from one row to the
    /// next, by default those of a row.
    RowMajor {
        /// The pitch in elements.
        pitch: Option<u32>,
    },
    /// `col_major`, `col_major pitch 72`: the first of two axes is contiguous; the pitch is the elements from one
    /// column to the next.
    ColMajor {
        /// The pitch in elements.
        pitch: Option<u32>,
    },
    /// `swizzle 128`, `swizzle 64 rows 128`, `interleaved`: panels along the second of two axes, each a stack of rows
    /// of so many bytes, in which the 16-byte units are exchanged as the hardware does.
    Panels {
        /// The bytes of a row of a panel: 128, 64 or 32, or 16, where nothing is left to exchange (`interleaved`).
        span: u32,
        /// The rows of a panel, by default those of the tile; more where the tile is part of a larger one.
        rows: Option<u32>,
    },
}

/// A shared layout for a shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedTile {
    shape: Vec<u32>,
    elem_bytes: u32,
    layout: Shared,
    /// Whether the axes are those of the layout, exchanged.
    transposed: bool,
    bytes: u32,
}

/// The most bytes of a tile: what the address of a matrix descriptor reaches.
pub const MAX_BYTES: u32 = 1 << 18;

impl Shared {
    /// What can be said of the numbers without a shape.
    pub fn check(&self) -> Result<(), String> {
        match *self {
            Shared::RowMajor { pitch: Some(0) } | Shared::ColMajor { pitch: Some(0) } => Err("the pitch is 0".into()),
            Shared::Panels { span, .. } if !matches!(span, 16 | 32 | 64 | 128) => {
                Err(format!("a swizzle has rows of 32, 64 or 128 bytes, not {span}"))
            }
            Shared::Panels { rows: Some(0), .. } => Err("a panel has 0 rows".into()),
            _ => Ok(()),
        }
    }

    /// The bytes of a row of a panel; 0 where rows lie one after another.
    pub fn span(&self) -> u32 {
        match *self {
            Shared::Panels { span, .. } => span,
            Shared::RowMajor { .. } | Shared::ColMajor { .. } => 0,
        }
    }

    /// The layout of a tile that TMA moves, with rows of so many bytes in its panels.
    pub fn of_span(span: u32) -> Shared {
        match span {
            0 => Shared::RowMajor { pitch: None },
            _ => Shared::Panels { span, rows: None },
        }
    }

    /// The alignment in bytes that a tile needs: so that a swizzle starts with its pattern, and bulk copies can write
    /// it.
    pub fn alignment(&self) -> u32 {
        match *self {
            Shared::Panels { span, .. } => (8 * span).max(128),
            _ => 128,
        }
    }

    /// The layout for a tile of this shape, with elements of this many bits. An error names the number that does not
    /// fit.
    pub fn place(&self, shape: &[u32], elem_bits: u32) -> Result<SharedTile, String> {
        self.check()?;
        if !matches!(elem_bits, 8 | 16 | 32 | 64) {
            return Err(format!("elements in shared memory have 8, 16, 32 or 64 bits, not {elem_bits}"));
        }
        if let Some(axis) = shape.iter().position(|&size| size == 0 || size > MAX_BYTES) {
            return Err(format!("a tile has 1 to {MAX_BYTES} elements along axis {axis}, not {}", shape[axis]));
        }
        let elem_bytes = elem_bits / 8;
        let mut tile = SharedTile { shape: shape.to_vec(), elem_bytes, layout: *self, transposed: false, bytes: 0 };
        let count = |sizes: &[u32]| sizes.iter().fold(1u64, |count, &size| count.saturating_mul(u64::from(size)));
        let elements = match (*self, shape) {
            (Shared::RowMajor { pitch }, [rows @ .., last]) => {
                (count(rows) - 1).saturating_mul(u64::from(pitch_of(pitch, *last, "row")?)) + u64::from(*last)
            }
            (Shared::RowMajor { .. }, []) => 1,
            (Shared::ColMajor { pitch }, &[rows, columns]) => {
                u64::from(columns - 1) * u64::from(pitch_of(pitch, rows, "column")?) + u64::from(rows)
            }
            (Shared::Panels { span, rows }, &[height, width]) => {
                let rows = rows.unwrap_or(height);
                if rows < height {
                    return Err(format!("panels of {rows} rows are too small for {height} rows"));
                }
                let per_panel = span / elem_bytes;
                let panels = u64::from(width.div_ceil(per_panel));
                ((panels - 1) * u64::from(rows) + u64::from(height)) * u64::from(per_panel)
            }
            _ => return Err(format!("the layout is for tiles of rank 2, not {}", shape.len())),
        };
        let bytes = elements.saturating_mul(u64::from(elem_bytes));
        if bytes > u64::from(MAX_BYTES) {
            return Err(format!("the tile has {bytes} bytes, at most {MAX_BYTES}"));
        }
        tile.bytes = bytes as u32;
        Ok(tile)
    }
}

fn pitch_of(pitch: Option<u32>, size: u32, what: &str) -> Result<u32, String> {
    match pitch {
        Some(pitch) if pitch < size => Err(format!("a pitch of {pitch} is too small for a {what} of {size} elements")),
        pitch => Ok(pitch.unwrap_or(size)),
    }
}

/// What the hardware does to an address in shared memory in the mode for rows of `span` bytes: bits 7 and up are added
/// to bits 4 and up, by exclusive or; three bits of them for 128, two for 64, one for 32, none for 16.
pub fn swizzle(address: u32, span: u32) -> u32 {
    address ^ (((address >> 7) & (span / 16).saturating_sub(1)) << 4)
}

impl SharedTile {
    /// The sizes.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// The bytes of an element.
    pub fn elem_bytes(&self) -> u32 {
        self.elem_bytes
    }

    /// The layout, which is that of the tile or, if the tile is [transposed](SharedTile::transposed), of the
    /// transposed.
    pub fn layout(&self) -> Shared {
        self.layout
    }

    /// The same bytes as a tile whose two axes are exchanged. `None` for another rank.
    pub fn transposed(&self) -> Option<SharedTile> {
        let &[rows, columns] = self.shape.as_slice() else { return None };
        Some(SharedTile { shape: vec![columns, rows], transposed: !self.transposed, ..self.clone() })
    }

    /// The bytes from the first of the tile to its last.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The alignment that it needs, in bytes.
    pub fn alignment(&self) -> u32 {
        self.layout.alignment()
    }

    /// The bytes from one tile to the next where several lie in a row: its bytes, aligned.
    pub fn stride(&self) -> u32 {
        self.bytes.next_multiple_of(self.alignment())
    }

    /// The axis along which elements are contiguous; `None` for a tile without axes.
    pub fn contiguous_axis(&self) -> Option<usize> {
        match matches!(self.layout, Shared::ColMajor { .. }) != self.transposed {
            true => Some(0),
            false => self.shape.len().checked_sub(1),
        }
    }

    /// The bytes of a row in which 16-byte units are exchanged, 16 where none are.
    pub fn span(&self) -> u32 {
        match self.layout {
            Shared::Panels { span, .. } => span,
            _ => 16,
        }
    }

    /// The byte of an element before units are exchanged, from the first byte of the tile. Missing coordinates are 0, and
    /// those far beyond the tile, which no check has let through, wrap around as 32-bit addresses do.
    pub fn offset(&self, coords: &[u32]) -> u32 {
        let axis_of = |axis: usize| if self.transposed { 1 - axis } else { axis };
        let at = |axis: usize| coords.get(axis_of(axis)).copied().unwrap_or(0);
        let size = |axis: usize| self.shape[axis_of(axis)];
        let add = |count: u32, unit: u32, rest: u32| count.wrapping_mul(unit).wrapping_add(rest);
        match self.layout {
            Shared::RowMajor { pitch } => {
                let Some(last) = self.shape.len().checked_sub(1) else { return 0 };
                let row = (0..last).fold(0, |row, axis| add(row, size(axis), at(axis)));
                add(row, pitch.unwrap_or(size(last)), at(last)).wrapping_mul(self.elem_bytes)
            }
            Shared::ColMajor { pitch } => add(at(1), pitch.unwrap_or(size(0)), at(0)).wrapping_mul(self.elem_bytes),
            Shared::Panels { span, rows } => {
                let byte = at(1).wrapping_mul(self.elem_bytes);
                add(add(byte / span, rows.unwrap_or(size(0)), at(0)), span, byte % span)
            }
        }
    }

    /// The byte of an element of a tile whose first byte is at `base`. The units are exchanged by bits of the address
    /// itself, as the hardware does it, so `base` may also be that of a part of an aligned tile.
    pub fn address(&self, base: u32, coords: &[u32]) -> u32 {
        swizzle(base.wrapping_add(self.offset(coords)), self.span())
    }

    /// The bytes, up to 16, that divide the distance of rows where it is more than a row: a part of a tile, which has the
    /// pitch of the whole, may begin at any row, even if it has only one.
    pub fn row_alignment(&self) -> u32 {
        match self.layout {
            Shared::RowMajor { pitch: Some(pitch) } | Shared::ColMajor { pitch: Some(pitch) } => {
                1 << (pitch * self.elem_bytes).trailing_zeros().min(4)
            }
            _ => 16,
        }
    }

    /// Whether 16-byte units along the contiguous axis are whole and aligned in all rows.
    pub fn has_whole_units(&self) -> bool {
        let Some(contiguous) = self.contiguous_axis() else { return false };
        let per_unit = 16 / self.elem_bytes;
        let mut second = vec![0; self.shape.len()];
        second[contiguous] = per_unit;
        let whole = second[contiguous] >= self.shape[contiguous] || self.offset(&second).is_multiple_of(16);
        self.shape[contiguous].is_multiple_of(per_unit) && whole && self.row_alignment() == 16
    }

    /// Whether addresses are linear over F2, so that a step of the coordinates changes all of them alike.
    pub(super) fn is_even(&self, base: u32) -> bool {
        base.is_multiple_of(self.alignment()) && self.map().is_some()
    }

    /// The map from the number of an element in memory to its coordinates. `None` where sizes are no powers of two, or
    /// there are elements between rows.
    pub fn map(&self) -> Option<Linear> {
        let whole = self.shape.iter().all(|size| size.is_power_of_two());
        let elements: u64 = self.shape.iter().map(|&size| u64::from(size)).product();
        if !whole || u64::from(self.bytes) != elements * u64::from(self.elem_bytes) {
            return None;
        }
        let mut inputs = Vec::new();
        for (axis, &size) in self.shape.iter().enumerate() {
            let column = |bit: u32| {
                let coords: Vec<u32> = (0..self.shape.len()).map(|at| if at == axis { 1 << bit } else { 0 }).collect();
                vec![self.address(0, &coords) / self.elem_bytes]
            };
            inputs.push((Dim::Axis(axis as u8), (0..size.ilog2()).map(column).collect()));
        }
        Linear::new(&inputs, &[(Dim::Offset, elements.ilog2())]).ok()?.inverse()
    }
}
