//! Placeholder.

use dlc_ir::OpRef;

use super::Refused;
use super::lower::Lower;

impl<'a, 'c: 'a> Lower<'a, 'c> {
    pub fn engines(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        let _ = op;
        Ok(false)
    }
}
