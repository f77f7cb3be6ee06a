//! Tables as the tools print them.

use comfy_table::{CellAlignment, Table, presets};

/// A table without lines, some of its columns aligned at the right.
pub fn table<const N: usize>(header: [&str; N], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 2 } else { 1 }, 1));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The lines of a table, without blanks at their ends.
pub fn lines(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
