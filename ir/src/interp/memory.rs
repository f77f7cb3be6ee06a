//! Memory for layers whose ops allocate, load and store single values.

use super::Datum;

/// Buffers of values. A buffer is named by its number, which is what a program passes around.
#[derive(Clone, Default, Debug)]
pub struct Memory {
    buffers: Vec<Vec<Option<Datum>>>,
    cells: u64,
}

impl Memory {
    /// The most cells that all buffers have together.
    pub const MAX_CELLS: u64 = 1 << 26;

    /// A new buffer, whose cells hold nothing.
    pub fn alloc(&mut self, cells: i128) -> Result<Datum, String> {
        let fits = u64::try_from(cells).ok().filter(|&n| n <= Memory::MAX_CELLS - self.cells);
        let Some(cells) = fits else {
            return Err(format!("a buffer of {cells} cells goes beyond the {} that there are", Memory::MAX_CELLS));
        };
        // An empty buffer takes room too, so it counts as one cell.
        self.cells = (self.cells + cells.max(1)).min(Memory::MAX_CELLS);
        self.buffers.push(vec![None; cells as usize]);
        Ok(Datum::Int(self.buffers.len() as i128 - 1))
    }

    /// The value in a cell.
    pub fn load(&self, buffer: i128, index: i128) -> Result<Datum, String> {
        let cells = self.buffers.get(at(buffer)).ok_or_else(|| no_buffer(buffer))?;
        let cell = cells.get(at(index)).ok_or_else(|| out_of_bounds(index, cells.len()))?;
        cell.clone().ok_or_else(|| format!("the cell at {index} is read before anything is stored there"))
    }

    /// Puts a value into a cell.
    pub fn store(&mut self, buffer: i128, index: i128, value: Datum) -> Result<(), String> {
        let cells = self.buffers.get_mut(at(buffer)).ok_or_else(|| no_buffer(buffer))?;
        let len = cells.len();
        let cell = cells.get_mut(at(index)).ok_or_else(|| out_of_bounds(index, len))?;
        *cell = Some(value);
        Ok(())
    }
}

fn at(index: i128) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

fn no_buffer(buffer: i128) -> String {
    format!("there is no buffer {buffer}")
}

fn out_of_bounds(index: i128, len: usize) -> String {
    format!("the index {index} is outside of a buffer of {len} cells")
}
