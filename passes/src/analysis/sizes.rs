//! The sizes that a program is going to run with, as options of passes that compare costs.

use dlc_ir::pass::{OptionDef, OptionKind};

/// The option that gives some symbols a size.
pub const SYMBOLS: OptionDef = OptionDef {
    name: "symbols",
    kind: OptionKind::List,
    default: "[]",
    doc: "What some symbols are taken to be by their names, as in 'M:16' or 'M=16': the program is going to run with these.",
};

/// A symbol and its size, `M:16` or `M=16`.
///
/// An error says what is wrong with the text.
pub fn assumed_symbol(text: &str) -> Result<(String, i64), String> {
    let wrong = || format!("'{text}' is no symbol with its number, as in 'M:16'");
    let (name, number) = text.split_once([':', '=']).ok_or_else(wrong)?;
    let number = number.trim().parse().ok().filter(|number| *number > 0);
    Ok((name.trim().to_string(), number.ok_or_else(wrong)?))
}
