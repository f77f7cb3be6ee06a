//! Placeholder.

use dlc_ir::OpRef;
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::lower::Lower;

impl<'a, 'c: 'a> Lower<'a, 'c> {
    pub fn compute(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        let _ = op;
        Ok(false)
    }
}

impl Lower<'_, '_> {
    pub fn pack_halves(&mut self, lo: Arg, hi: Arg) -> Arg {
        self.code.inst(&table::PACK, "b32", &[lo, hi]).into()
    }
}
