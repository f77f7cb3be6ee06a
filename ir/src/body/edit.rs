//! Changing a body: creating, moving and erasing records, with the use lists kept right.

use smallvec::SmallVec;

use super::*;

impl Body {
    /// Makes an op that is not put anywhere yet.
    pub fn create_op(&mut self, parts: OpParts<'_>) -> OpId {
        self.edits += 1;
        let has_ext = !parts.regions.is_empty() || !parts.successors.is_empty() || parts.nested.is_some();
        let ext = if has_ext {
            let ext = OpExt {
                regions: SmallVec::from_slice(parts.regions),
                successors: SmallVec::from_slice(parts.successors),
                nested: parts.nested,
            };
            self.alloc_ext(ext)
        } else {
            NIL
        };
        let op = self.ops.alloc(OpRec {
            name: parts.name,
            loc: parts.loc,
            props: parts.props,
            attrs: parts.attrs,
            block: None,
            prev: None,
            next: None,
            order: 0,
            first_use: 0,
            operands: 0,
            first_result: 0,
            results: 0,
            ext,
        });
        let first_use = self.link_operands(op, parts.operands);
        let first_result = self.create_results(op, parts.results);
        let rec = &mut self.ops[op];
        rec.first_use = first_use;
        rec.operands = parts.operands.len() as u32;
        rec.first_result = first_result;
        rec.results = parts.results.len() as u32;
        for &region in parts.regions {
            debug_assert!(self.regions[region].parent.is_none(), "a region belongs to one op");
            self.regions[region].parent = Some(op);
        }
        op
    }

    fn alloc_ext(&mut self, ext: OpExt) -> u32 {
        match self.free_exts.pop() {
            Some(slot) => {
                self.exts[slot as usize] = ext;
                slot
            }
            None => {
                self.exts.push(ext);
                (self.exts.len() - 1) as u32
            }
        }
    }

    fn create_results(&mut self, op: OpId, types: &[Type]) -> u32 {
        let owner = op.index() as u32;
        let rec = |ty, slot: usize| ValueRec { ty, owner, slot: slot as u32, first_use: NIL };
        match *types {
            [] => 0,
            // A single result may take a free slot; several lie side by side, so they go to the end.
            [ty] => {
                let value = self.values.alloc(rec(ty, 0));
                self.forget_name(value);
                value.index() as u32
            }
            _ => {
                let first = self.values.slots();
                for (slot, &ty) in types.iter().enumerate() {
                    self.values.push(rec(ty, slot));
                }
                first as u32
            }
        }
    }

    /// Puts an op that is not put anywhere at a place.
    pub fn insert(&mut self, op: OpId, at: InsertPoint) {
        debug_assert!(self.ops[op].block.is_none(), "an op stands in one place");
        self.edits += 1;
        let (block, prev, next) = match at {
            InsertPoint::Before(next) => (self.placed(next), self.ops[next].prev, Some(next)),
            InsertPoint::After(prev) => (self.placed(prev), Some(prev), self.ops[prev].next),
            InsertPoint::StartOf(block) => (block, None, self.blocks[block].first),
            InsertPoint::EndOf(block) => (block, self.blocks[block].last, None),
        };
        let rec = &mut self.ops[op];
        rec.block = Some(block);
        rec.prev = prev;
        rec.next = next;
        match prev {
            Some(prev) => self.ops[prev].next = Some(op),
            None => self.blocks[block].first = Some(op),
        }
        match next {
            Some(next) => self.ops[next].prev = Some(op),
            None => self.blocks[block].last = Some(op),
        }
        self.number(op, prev, next);
    }

    fn placed(&self, op: OpId) -> BlockId {
        self.ops[op].block.expect("the op that marks a place stands in a block")
    }

    /// Gives a new op an order number between its neighbours, at most one stride above the one before it: ops are often put
    /// one after another. Where there is no room, those after it make some.
    fn number(&mut self, op: OpId, prev: Option<OpId>, next: Option<OpId>) {
        let low = prev.map_or(0, |prev| self.ops[prev].order);
        let high = match next {
            Some(next) => self.ops[next].order,
            None => low.saturating_add(2 * ORDER_STRIDE),
        };
        if high == u32::MAX {
            return self.renumber(op);
        }
        if high - low >= 2 {
            self.ops[op].order = low + ((high - low) / 2).min(ORDER_STRIDE);
            return;
        }
        if !self.make_room(op, low) {
            self.renumber(op);
        }
    }

    /// Numbers an op for which there is no number, and those around it, afresh: evenly within half of the smallest range of a
    /// power of two numbers, on a multiple of its size, that is sparse enough. The other half is left after the op, as ops are
    /// often put one after another. The more numbers a range has, the larger the part of them that must be free, so each op is
    /// numbered again a logarithmic number of times on average, wherever ops are put (Bender, Cole, Demaine, Farach-Colton and
    /// Zito, Two simplified algorithms for maintaining order in a list, 2002). Whether 32 bits suffice.
    fn make_room(&mut self, op: OpId, low: u32) -> bool {
        let (mut first, mut last, mut count) = (op, op, 1_u64);
        for bits in ORDER_STRIDE.ilog2()..u32::BITS {
            let base = low & !((1 << bits) - 1);
            let end = u64::from(base) + (1 << bits);
            while let Some(prev) = self.ops[first].prev.filter(|&prev| self.ops[prev].order >= base) {
                (first, count) = (prev, count + 1);
            }
            while let Some(next) = self.ops[last].next.filter(|&next| u64::from(self.ops[next].order) < end) {
                (last, count) = (next, count + 1);
            }
            // Of 2^b numbers at most 2^(3b/4) are taken, which leaves room for some 16 million ops in a block.
            if count > 1 << (3 * bits / 4) || 4 * count > 1 << bits {
                continue;
            }
            let half = (1 << bits) / 2;
            let step = half / (count + 1);
            let (mut at, mut order) = (first, u64::from(base));
            loop {
                order += step;
                self.ops[at].order = order as u32;
                if at == op {
                    order += half;
                }
                match self.ops[at].next.filter(|_| at != last) {
                    Some(next) => at = next,
                    None => return true,
                }
            }
        }
        false
    }

    /// Numbers the whole block of an op afresh: only when the 32 bits have run out at its end.
    #[cold]
    fn renumber(&mut self, op: OpId) {
        let mut cursor = self.blocks[self.placed(op)].first;
        let mut order = 0;
        while let Some(op) = cursor {
            order += ORDER_STRIDE;
            self.ops[op].order = order;
            cursor = self.ops[op].next;
        }
    }

    /// Takes an op out of its block. It keeps operands, results and regions.
    pub fn detach(&mut self, op: OpId) {
        self.edits += 1;
        let rec = &mut self.ops[op];
        let (Some(block), prev, next) = (rec.block.take(), rec.prev.take(), rec.next.take()) else { return };
        match prev {
            Some(prev) => self.ops[prev].next = next,
            None => self.blocks[block].first = next,
        }
        match next {
            Some(next) => self.ops[next].prev = prev,
            None => self.blocks[block].last = prev,
        }
    }

    /// Moves an op to another place of the same body.
    pub fn move_op(&mut self, op: OpId, to: InsertPoint) {
        if to == InsertPoint::Before(op) || to == InsertPoint::After(op) {
            return;
        }
        self.detach(op);
        self.insert(op, to);
    }

    /// Erases an op with everything in its regions.
    ///
    /// # Panics
    /// If a result is still used, or the op is the root.
    pub fn erase_op(&mut self, op: OpId) {
        assert!(op != self.root, "the root of a body cannot be erased");
        assert!(self.is_unused(op), "an op is erased whose result is still used");
        self.detach(op);
        self.free_op(op);
    }

    /// Frees the records of an op that is detached. Uses inside its regions go first, so that order does not matter.
    fn free_op(&mut self, op: OpId) {
        if !self.regions(op).is_empty() {
            let mut inner = Vec::new();
            self.walk_regions(op, &mut inner);
            for &inner in &inner {
                self.unlink_operands(inner);
            }
            // Inner ops come after the ops that hold them: the reverse frees regions that are empty already.
            for &inner in inner.iter().rev() {
                self.free_records(inner);
            }
        }
        self.unlink_operands(op);
        self.free_records(op);
    }

    fn free_records(&mut self, op: OpId) {
        for region in SmallVec::<[RegionId; 2]>::from_slice(self.regions(op)) {
            let mut cursor = self.regions[region].first;
            while let Some(block) = cursor {
                cursor = self.blocks[block].next;
                self.free_block(block);
            }
            self.regions.erase(region);
        }
        let rec = self.ops[op].clone();
        for index in rec.first_result..rec.first_result + rec.results {
            let value = self.values.id_at(index as usize);
            debug_assert!(!self.has_uses(value), "a value is erased that is still used");
            self.values.erase(value);
        }
        if rec.ext != NIL {
            self.exts[rec.ext as usize] = OpExt::default();
            self.free_exts.push(rec.ext);
        }
        self.ops.erase(op);
    }

    fn free_block(&mut self, block: BlockId) {
        for arg in std::mem::take(&mut self.blocks[block].args) {
            debug_assert!(!self.has_uses(arg), "a block is erased whose argument is still used");
            self.values.erase(arg);
        }
        self.blocks.erase(block);
    }

    // Operands and uses.

    fn link_operands(&mut self, op: OpId, operands: &[ValueId]) -> u32 {
        let len = operands.len();
        if len == 0 {
            return 0;
        }
        let free = self.free_uses.get_mut(len).and_then(Vec::pop);
        let first = free.unwrap_or(self.uses.len() as u32);
        for (index, &value) in operands.iter().enumerate() {
            let at = first + index as u32;
            let head = std::mem::replace(&mut self.values[value].first_use, at);
            let rec = UseRec { value, owner: op, next: head, prev: NIL };
            match free {
                Some(_) => self.uses[at as usize] = rec,
                None => self.uses.push(rec),
            }
            if head != NIL {
                self.uses[head as usize].prev = at;
            }
        }
        first
    }

    fn unlink_operands(&mut self, op: OpId) {
        let (first, len) = (self.ops[op].first_use, self.ops[op].operands);
        for at in first..first + len {
            self.unlink_use(at);
        }
        if len > 0 {
            let len = len as usize;
            if self.free_uses.len() <= len {
                self.free_uses.resize(len + 1, Vec::new());
            }
            self.free_uses[len].push(first);
        }
        self.ops[op].operands = 0;
    }

    #[inline]
    fn unlink_use(&mut self, at: u32) {
        let UseRec { value, next, prev, .. } = self.uses[at as usize];
        match prev {
            NIL => self.values[value].first_use = next,
            prev => self.uses[prev as usize].next = next,
        }
        if next != NIL {
            self.uses[next as usize].prev = prev;
        }
    }

    /// Replaces one operand.
    pub fn set_operand(&mut self, op: OpId, index: usize, value: ValueId) {
        assert!(index < self.num_operands(op), "operand {index} of an op with {}", self.num_operands(op));
        self.edits += 1;
        let at = self.ops[op].first_use + index as u32;
        self.unlink_use(at);
        let head = std::mem::replace(&mut self.values[value].first_use, at);
        self.uses[at as usize] = UseRec { value, owner: op, next: head, prev: NIL };
        if head != NIL {
            self.uses[head as usize].prev = at;
        }
    }

    /// Replaces all operands, whose number may change.
    pub fn set_operands(&mut self, op: OpId, operands: &[ValueId]) {
        self.edits += 1;
        self.unlink_operands(op);
        let first = self.link_operands(op, operands);
        self.ops[op].first_use = first;
        self.ops[op].operands = operands.len() as u32;
    }

    /// Makes every use of `old` a use of `new`.
    pub fn replace_all_uses(&mut self, old: ValueId, new: ValueId) {
        if old == new {
            return;
        }
        self.edits += 1;
        let first = std::mem::replace(&mut self.values[old].first_use, NIL);
        if first == NIL {
            return;
        }
        let mut last = first;
        loop {
            let rec = &mut self.uses[last as usize];
            rec.value = new;
            match rec.next {
                NIL => break,
                next => last = next,
            }
        }
        let head = std::mem::replace(&mut self.values[new].first_use, first);
        self.uses[last as usize].next = head;
        if head != NIL {
            self.uses[head as usize].prev = last;
        }
    }

    // Values.

    /// Gives a value a name to be printed under; [`Str::EMPTY`] takes it away.
    pub fn set_value_name(&mut self, value: ValueId, name: Str) {
        let index = value.index();
        if self.names.len() <= index {
            if name == Str::EMPTY {
                return;
            }
            self.names.resize(index + 1, Str::EMPTY);
        }
        self.names[index] = name;
    }

    fn forget_name(&mut self, value: ValueId) {
        if let Some(name) = self.names.get_mut(value.index()) {
            *name = Str::EMPTY;
        }
    }

    /// Changes the type of a value.
    pub fn set_value_type(&mut self, value: ValueId, ty: Type) {
        self.edits += 1;
        self.values[value].ty = ty;
    }

    /// A value that is used before its definition is met; [`replace_all_uses`](Self::replace_all_uses) and
    /// [`erase_placeholder`](Self::erase_placeholder) when it is.
    pub(crate) fn create_placeholder(&mut self, ty: Type) -> ValueId {
        let value = self.values.alloc(ValueRec { ty, owner: 0, slot: PLACEHOLDER, first_use: NIL });
        self.forget_name(value);
        value
    }

    /// Erases a placeholder that is no longer used.
    pub(crate) fn erase_placeholder(&mut self, value: ValueId) {
        debug_assert!(!self.has_uses(value) && self.value_def(value) == ValueDef::Placeholder);
        self.values.erase(value);
    }

    // Attributes and names of ops.

    /// Replaces the inherent attributes, a dictionary. Equal ones are no edit.
    pub fn set_props(&mut self, op: OpId, props: Attr) {
        if self.props(op) == props {
            return;
        }
        self.edits += 1;
        match self.nested_mut(op) {
            Some(nested) => nested.set_props(nested.root, props),
            None => self.ops[op].props = props,
        }
    }

    /// Replaces the discardable attributes, a dictionary. Equal ones are no edit.
    pub fn set_attrs(&mut self, op: OpId, attrs: Attr) {
        if self.attrs(op) == attrs {
            return;
        }
        self.edits += 1;
        match self.nested_mut(op) {
            Some(nested) => nested.set_attrs(nested.root, attrs),
            None => self.ops[op].attrs = attrs,
        }
    }

    /// Sets or takes out one inherent attribute.
    pub fn set_prop(&mut self, ctx: &Context, op: OpId, key: Str, attr: Option<Attr>) {
        let props = ctx.dict_with(self.props(op), key, attr);
        self.set_props(op, props);
    }

    /// Sets or takes out one discardable attribute.
    pub fn set_attr(&mut self, ctx: &Context, op: OpId, key: Str, attr: Option<Attr>) {
        let attrs = ctx.dict_with(self.attrs(op), key, attr);
        self.set_attrs(op, attrs);
    }

    /// Changes where an op came from.
    pub fn set_loc(&mut self, op: OpId, loc: Loc) {
        self.edits += 1;
        self.ops[op].loc = loc;
        if let Some(nested) = self.nested_mut(op) {
            nested.set_loc(nested.root, loc);
        }
    }

    /// Turns an op into another with the same operands, results and regions. How a lowering changes the root of its
    /// body; the pass manager brings the record in the parent body into line.
    pub fn set_op_name(&mut self, op: OpId, name: OpName) {
        self.edits += 1;
        self.ops[op].name = name;
        if let Some(nested) = self.nested_mut(op) {
            nested.set_op_name(nested.root, name);
        }
    }

    /// Takes the name and location of the nested root over to the record that stands in its place.
    pub(crate) fn sync_nested(&mut self, op: OpId) {
        let Some(nested) = self.nested(op) else { return };
        let (name, loc) = (nested.op_name(nested.root), nested.loc(nested.root));
        let rec = &mut self.ops[op];
        if rec.name != name || rec.loc != loc {
            rec.name = name;
            rec.loc = loc;
            self.edits += 1;
        }
    }

    /// Takes a nested body out, to be worked on elsewhere; [`put_nested`](Self::put_nested) brings it back.
    pub(crate) fn take_nested(&mut self, op: OpId) -> Option<Box<Body>> {
        let ext = self.ops[op].ext;
        self.exts.get_mut(ext as usize)?.nested.take()
    }

    /// Puts a nested body into the record that stands for it. What was not `changed` since it was taken is not looked
    /// at: of many bodies, most are not in the cache any more.
    pub(crate) fn put_nested(&mut self, op: OpId, nested: Box<Body>, changed: bool) {
        let ext = self.ops[op].ext;
        self.exts[ext as usize].nested = Some(nested);
        if changed {
            self.sync_nested(op);
        }
    }

    /// Replaces the successor at an index.
    pub fn set_successor(&mut self, op: OpId, index: usize, block: BlockId) {
        self.edits += 1;
        let ext = self.ops[op].ext as usize;
        self.exts[ext].successors[index] = block;
    }

    // Blocks and regions.

    /// Makes an empty region that belongs to no op yet.
    pub fn create_region(&mut self) -> RegionId {
        self.regions.alloc(RegionRec { parent: None, first: None, last: None })
    }

    /// Adds an empty region after the regions of an op.
    pub fn add_region(&mut self, op: OpId) -> RegionId {
        self.edits += 1;
        let region = self.create_region();
        self.regions[region].parent = Some(op);
        if self.ops[op].ext == NIL {
            self.ops[op].ext = self.alloc_ext(OpExt::default());
        }
        let ext = self.ops[op].ext as usize;
        self.exts[ext].regions.push(region);
        region
    }

    /// Makes a block that is not put anywhere yet.
    pub fn create_block(&mut self) -> BlockId {
        self.blocks.alloc(BlockRec {
            region: None,
            prev: None,
            next: None,
            first: None,
            last: None,
            args: SmallVec::new(),
            arg_locs: Vec::new(),
            label: Str::EMPTY,
        })
    }

    /// Makes a block at the end of a region.
    pub fn append_block(&mut self, region: RegionId) -> BlockId {
        let block = self.create_block();
        self.insert_block(block, region, None);
        block
    }

    /// Puts a block into a region, before another or at the end.
    pub fn insert_block(&mut self, block: BlockId, region: RegionId, before: Option<BlockId>) {
        self.edits += 1;
        let prev = match before {
            Some(before) => self.blocks[before].prev,
            None => self.regions[region].last,
        };
        let rec = &mut self.blocks[block];
        debug_assert!(rec.region.is_none(), "a block stands in one region");
        rec.region = Some(region);
        rec.prev = prev;
        rec.next = before;
        match prev {
            Some(prev) => self.blocks[prev].next = Some(block),
            None => self.regions[region].first = Some(block),
        }
        match before {
            Some(before) => self.blocks[before].prev = Some(block),
            None => self.regions[region].last = Some(block),
        }
    }

    /// Takes a block out of its region.
    pub fn detach_block(&mut self, block: BlockId) {
        self.edits += 1;
        let rec = &mut self.blocks[block];
        let (Some(region), prev, next) = (rec.region.take(), rec.prev.take(), rec.next.take()) else { return };
        match prev {
            Some(prev) => self.blocks[prev].next = next,
            None => self.regions[region].first = next,
        }
        match next {
            Some(next) => self.blocks[next].prev = prev,
            None => self.regions[region].last = prev,
        }
    }

    /// Erases a block with its ops.
    ///
    /// # Panics
    /// If a value defined in it is still used outside of it.
    pub fn erase_block(&mut self, block: BlockId) {
        self.erase_blocks(&[block]);
    }

    /// Erases blocks that may use each other's values.
    ///
    /// # Panics
    /// If a value defined in one of them is still used outside of them.
    pub fn erase_blocks(&mut self, blocks: &[BlockId]) {
        let mut ops: Vec<OpId> = Vec::new();
        for &block in blocks {
            self.detach_block(block);
            for op in self.ops(block).collect::<Vec<_>>() {
                ops.push(op);
                let mut inner = Vec::new();
                self.walk_regions(op, &mut inner);
                ops.extend(inner);
            }
        }
        for &op in &ops {
            self.unlink_operands(op);
        }
        for &op in ops.iter().rev() {
            assert!(self.is_unused(op), "a block is erased whose value is still used outside");
            self.free_records(op);
        }
        for &block in blocks {
            self.free_block(block);
        }
    }

    /// Adds an argument at the end of the arguments of a block.
    pub fn add_arg(&mut self, block: BlockId, ty: Type, loc: Loc) -> ValueId {
        self.edits += 1;
        let slot = ARG | self.blocks[block].args.len() as u32;
        let value = self.values.alloc(ValueRec { ty, owner: block.index() as u32, slot, first_use: NIL });
        self.forget_name(value);
        let rec = &mut self.blocks[block];
        rec.args.push(value);
        if loc != Loc::UNKNOWN || !rec.arg_locs.is_empty() {
            rec.arg_locs.resize(rec.args.len(), Loc::UNKNOWN);
            rec.arg_locs[rec.args.len() - 1] = loc;
        }
        value
    }

    /// Erases an argument of a block that is not used.
    ///
    /// # Panics
    /// If it is used.
    pub fn erase_arg(&mut self, block: BlockId, index: usize) {
        self.edits += 1;
        let value = self.blocks[block].args.remove(index);
        assert!(!self.has_uses(value), "an argument is erased that is still used");
        self.values.erase(value);
        let rec = &mut self.blocks[block];
        if index < rec.arg_locs.len() {
            rec.arg_locs.remove(index);
        }
        for (index, arg) in rec.args.iter().enumerate().skip(index) {
            self.values[*arg].slot = ARG | index as u32;
        }
    }

    /// Changes where an argument of a block came from.
    pub fn set_arg_loc(&mut self, block: BlockId, index: usize, loc: Loc) {
        self.edits += 1;
        let rec = &mut self.blocks[block];
        rec.arg_locs.resize(rec.args.len(), Loc::UNKNOWN);
        rec.arg_locs[index] = loc;
    }

    /// Gives a block a label to be printed under.
    pub fn set_label(&mut self, block: BlockId, label: Str) {
        self.blocks[block].label = label;
    }

    /// Moves all ops of `from` to a place in another block. Arguments of `from` must have been replaced before.
    pub fn splice(&mut self, from: BlockId, to: InsertPoint) {
        let ops: Vec<OpId> = self.ops(from).collect();
        let mut at = to;
        for op in ops {
            self.move_op(op, at);
            at = InsertPoint::After(op);
        }
    }

    /// Splits a block before an op: the op and those after it move to a new block that follows.
    pub fn split_block(&mut self, before: OpId) -> BlockId {
        let block = self.placed(before);
        let region = self.blocks[block].region.expect("the block that is split stands in a region");
        let new = self.create_block();
        self.insert_block(new, region, self.blocks[block].next);
        let mut cursor = Some(before);
        while let Some(op) = cursor {
            cursor = self.ops[op].next;
            self.move_op(op, InsertPoint::EndOf(new));
        }
        new
    }

    /// Moves all blocks of a region to the end of another region of the same body.
    pub fn take_blocks(&mut self, from: RegionId, to: RegionId) {
        while let Some(block) = self.regions[from].first {
            self.detach_block(block);
            self.insert_block(block, to, None);
        }
    }
}
