//! Where the tile of a number is.

use dlc_kernel::ops::Order;

use super::exprs::UNKNOWN;

/// The row and the column of a tile by its number. `None` where there are not that many.
pub fn place(order: Order, group: i64, tile: i64, rows: i64, columns: i64) -> Option<(i64, i64)> {
    if [tile, rows, columns].contains(&UNKNOWN) || tile < 0 || rows < 1 || columns < 1 {
        return None;
    }
    if tile >= rows.checked_mul(columns)? {
        return None;
    }
    match order {
        Order::Rows => Some((tile / columns, tile % columns)),
        Order::Columns => Some((tile % rows, tile / rows)),
        Order::Grouped => {
            let size = group.checked_mul(columns)?;
            let (first, within) = (tile / size * group, tile % size);
            let height = group.min(rows - first);
            Some((first + within % height, within / height))
        }
        Order::Hilbert => {
            let side = i64::from(u32::try_from(rows.max(columns)).ok()?.checked_next_power_of_two()?);
            let inside = |&(row, column): &(i64, i64)| row < rows && column < columns;
            (0..side.checked_mul(side)?).map(|at| hilbert(side, at)).filter(inside).nth(usize::try_from(tile).ok()?)
        }
    }
}

/// A point of Hilbert's curve over a square, by its distance from the beginning: two bits at a time say in which quarter
/// it is, from the whole square down.
fn hilbert(side: i64, distance: i64) -> (i64, i64) {
    let (mut row, mut column) = (0, 0);
    let (mut rest, mut size) = (distance, 1);
    while size < side {
        let (half, odd) = (rest / 2 % 2, (rest ^ (rest / 2)) % 2);
        if odd == 0 {
            if half == 1 {
                (row, column) = (size - 1 - row, size - 1 - column);
            }
            (row, column) = (column, row);
        }
        (row, column) = (row + size * half, column + size * odd);
        (rest, size) = (rest / 4, 2 * size);
    }
    (row, column)
}
