//! Flags and counters in global memory: one thread reads or writes them, between meetings of all that are here.

use dlc_ir::{OpRef, Type, ValueId};
use dlc_kernel::ops::{self as kernel, Flag};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::Cond;
use super::lower::Lower;
use super::values::Lowered;

impl<'a, 'c: 'a> Lower<'a, 'c> {
    pub fn flags(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        let Some(flag) = Flag::of(op) else { return Ok(false) };
        let site = self.site(flag.memory, flag.at, None, flag.args, &[])?;
        let base = self.element(&site, &[], 0)?;
        let base = Arg::Value(self.code.register(base, Type::I64));
        let word = if kernel::Release::of(op).is_some() { None } else { Some(self.word()?) };
        // What was written before is released for all, and what was told by the word before is read.
        self.meet();
        let (inside, following) = (self.code.new_block(&[]), self.code.new_block(&[]));
        let first = self.first_thread();
        self.code.bra_if(first, (inside, &[]), (following, &[]));
        self.code.start(inside);
        self.code.open();
        if let Some(op) = kernel::Release::of(op) {
            self.code.act(&table::ST, "release.gpu.global.u32", &[base, Arg::Int(0), Arg::Int(op.value())]);
        } else if kernel::Ticket::of(op).is_some() {
            let old = self.code.inst(&table::ATOM, "acq_rel.gpu.global.add.u32", &[base, Arg::Int(0), Arg::Int(1)]);
            self.tell(word, old);
        } else if let Some(op) = kernel::Acquire::of(op) {
            let (again, there) = (self.code.new_block(&[]), self.code.new_block(&[]));
            self.code.bra(again, &[]);
            self.code.start(again);
            let seen = self.code.inst(&table::LD, "acquire.gpu.global.u32", &[base, Arg::Int(0)]);
            let is_there = self.code.inst(&table::SETP, "ge.u32", &[seen.into(), Arg::Int(op.value())]);
            self.code.bra_if(Cond::If(is_there), (there, &[]), (again, &[]));
            self.code.start(there);
            self.tell(word, seen);
        }
        self.code.close();
        self.code.bra(following, &[]);
        self.code.start(following);
        if let (Some((at, offset)), Some(out)) = (word, op.results().next()) {
            self.meet();
            let value = self.code.inst(&table::LD, "shared.u32", &[at, Arg::Int(offset)]);
            self.set(out, Lowered::Index(value.into(), true));
        }
        Ok(true)
    }

    fn tell(&mut self, word: Option<(Arg, i64)>, value: ValueId) {
        if let Some((at, offset)) = word {
            self.code.act(&table::ST, "shared.u32", &[at, Arg::Int(offset), value.into()]);
        }
    }

    /// The word through which the threads that are here get a number: that of their first warp.
    fn word(&mut self) -> Result<(Arg, i64), Refused> {
        let Some(words) = self.places.words else { return Err(Refused::new("the words of flags have no place")) };
        if i64::from(self.thread_group.warps) * 32 == i64::from(self.threads) {
            return Ok((Arg::Value(self.code.register(self.smem, Type::I32)), words.into()));
        }
        // The number of the warp in its block, less that in its group.
        let thread: Arg = self.code.inst(&table::SREG, "tid.x", &[]).into();
        let start = self.code.sub(thread, self.thread_group.thread);
        let warp = self.code.shr(start, 5);
        let offset = self.code.mul(warp, Arg::Int(4));
        let at = self.code.add(self.smem, offset);
        Ok((Arg::Value(self.code.register(at, Type::I32)), words.into()))
    }
}
