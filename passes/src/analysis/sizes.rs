//! The sizes that a program is going to run with, as options of passes that compare costs.

use std::collections::BTreeMap;

use dlc_ir::affine::SizeExpr;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues};

/// Fewer rows than this leave most SMs without work.
pub const FEW_ROWS: i64 = 64;
/// Rows longer than this are worth splitting: one SM takes longer for them than kernels take to begin.
pub const LONG_ROW: i64 = 65536;
/// The same of columns, of which memory gives a sector for each element.
pub const LONG_COLUMN: i64 = 8192;
/// The bytes that memory gives at once.
pub const SECTOR: i64 = 32;

/// The option that gives all other symbols a size.
pub const ASSUME: OptionDef = OptionDef {
    name: "assume",
    kind: OptionKind::Int,
    default: "128",
    doc: "The size that a symbol is taken to have where kernels are compared.",
};

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

/// The sizes that symbols are taken to have.
#[derive(Clone, Debug)]
pub struct AssumedSizes {
    /// The size of a symbol that is not named.
    pub assume: i64,
    /// The sizes of some symbols, by their names.
    pub symbols: BTreeMap<String, i64>,
}

impl AssumedSizes {
    /// What the options `assume` and `symbols` say. An error says what is wrong with them.
    pub fn of(options: &OptionValues) -> Result<AssumedSizes, String> {
        let assume = match options.int(ASSUME.name) {
            value @ 1.. => value,
            value => return Err(format!("'{}' must be at least 1, but is {value}", ASSUME.name)),
        };
        let symbols = options.list(SYMBOLS.name).into_iter().map(assumed_symbol).collect::<Result<_, _>>()?;
        Ok(AssumedSizes { assume, symbols })
    }

    /// A size as a number.
    pub fn size(&self, size: &SizeExpr) -> i64 {
        size.eval(&|name| Some(self.symbol(name))).unwrap_or(i64::MAX)
    }

    /// A size as a number, if each of its symbols is named.
    pub fn named(&self, size: &SizeExpr) -> Option<i64> {
        size.eval(&|name| self.symbols.get(name).copied()).ok()
    }

    /// The number of elements.
    pub fn elements(&self, sizes: &[SizeExpr]) -> i64 {
        sizes.iter().fold(1i64, |count, size| count.saturating_mul(self.size(size)))
    }

    /// The size of a symbol.
    pub fn symbol(&self, name: &str) -> i64 {
        self.symbols.get(name).copied().unwrap_or(self.assume)
    }
}
