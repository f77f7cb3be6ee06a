//! Which values can be seen from where.

use rustc_hash::FxHashMap;

use crate::body::{Body, ValueDef};
use crate::entity::{BlockId, OpId, RegionId, ValueId};

/// The dominator trees of the regions of a body, made when they are first asked for.
///
/// Built by the iterative algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
#[derive(Default)]
pub struct Dominance {
    regions: FxHashMap<RegionId, Tree>,
}

/// The immediate dominators of the reachable blocks of a region.
struct Tree {
    /// The place of a block in reverse post-order.
    place: FxHashMap<BlockId, u32>,
    /// The immediate dominator of the block at a place; the entry's is itself.
    idom: Vec<u32>,
    /// For the block at each place: where the blocks that it dominates begin and end, itself first, in an order in which
    /// they stand together.
    dominated: Vec<(u32, u32)>,
}

impl Dominance {
    /// An analysis that has looked at nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether `value` can be used by `user`: it is defined before on every way there, in the same region or one
    /// around it. A use in unreachable code may use what it likes.
    pub fn reaches(&mut self, body: &Body, value: ValueId, user: OpId) -> bool {
        let def_block = match body.value_def(value) {
            ValueDef::Arg(block, _) => block,
            ValueDef::Result(op, _) => match body.block_of(op) {
                Some(block) => {
                    // The common case, without climbing: both in one block.
                    if body.block_of(user) == Some(block) {
                        return op != user && body.is_before(op, user);
                    }
                    block
                }
                None => return false,
            },
            ValueDef::Placeholder => return false,
        };
        let Some(region) = body.region_of(def_block) else { return false };
        // Climb from the user to its ancestor in the region of the definition.
        let mut ancestor = user;
        let block = loop {
            let Some(block) = body.block_of(ancestor) else { return false };
            match body.region_of(block) {
                Some(r) if r == region => break block,
                Some(r) => match body.region_parent(r) {
                    Some(parent) => ancestor = parent,
                    None => return false,
                },
                None => return false,
            }
        };
        if block == def_block {
            return match body.value_def(value) {
                ValueDef::Result(op, _) => op != ancestor && body.is_before(op, ancestor),
                _ => true,
            };
        }
        self.dominates(body, def_block, block)
    }

    /// Whether every way from the entry to `b` goes through `a`; both in one region. Every block dominates unreachable
    /// ones.
    pub fn dominates(&mut self, body: &Body, a: BlockId, b: BlockId) -> bool {
        if a == b {
            return true;
        }
        let Some(region) = body.region_of(a).filter(|_| body.region_of(a) == body.region_of(b)) else { return false };
        let tree = self.regions.entry(region).or_insert_with(|| Tree::new(body, region));
        let Some(&b) = tree.place.get(&b) else { return true };
        let Some(&a) = tree.place.get(&a) else { return false };
        let (start, end) = tree.dominated[a as usize];
        (start..end).contains(&tree.dominated[b as usize].0)
    }

    /// Whether a block can be reached from the entry of its region.
    pub fn is_reachable(&mut self, body: &Body, block: BlockId) -> bool {
        let Some(region) = body.region_of(block) else { return false };
        let tree = self.regions.entry(region).or_insert_with(|| Tree::new(body, region));
        tree.place.contains_key(&block)
    }
}

impl Tree {
    fn new(body: &Body, region: RegionId) -> Tree {
        let order = reverse_post_order(body, region);
        let place: FxHashMap<BlockId, u32> = order.iter().enumerate().map(|(i, &b)| (b, i as u32)).collect();
        let mut preds: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
        for (index, &block) in order.iter().enumerate() {
            for succ in successors(body, block) {
                if let Some(&succ) = place.get(&succ) {
                    preds[succ as usize].push(index as u32);
                }
            }
        }
        const NONE: u32 = u32::MAX;
        let mut idom = vec![NONE; order.len()];
        if !idom.is_empty() {
            idom[0] = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in 1..order.len() {
                let mut new = NONE;
                for &pred in preds[block].iter().filter(|&&p| idom[p as usize] != NONE) {
                    new = if new == NONE { pred } else { meet(&idom, new, pred) };
                }
                if new != NONE && idom[block] != new {
                    idom[block] = new;
                    changed = true;
                }
            }
        }
        Tree { place, dominated: dominated(&idom), idom }
    }
}

/// The intervals of the blocks that each block dominates. An immediate dominator has the lower place.
fn dominated(idom: &[u32]) -> Vec<(u32, u32)> {
    let mut sizes = vec![1u32; idom.len()];
    for block in (1..idom.len()).rev() {
        sizes[idom[block] as usize] += sizes[block];
    }
    let mut intervals: Vec<(u32, u32)> = vec![(0, 0); idom.len()];
    // Where the next child of each block begins.
    let mut next = vec![0u32; idom.len()];
    for block in 0..idom.len() {
        let parent = idom[block] as usize;
        let start = if block == 0 { 0 } else { next[parent] };
        next[parent] = start + sizes[block];
        next[block] = start + 1;
        intervals[block] = (start, start + sizes[block]);
    }
    intervals
}

fn meet(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize];
        }
        while b > a {
            b = idom[b as usize];
        }
    }
    a
}

/// The reachable blocks of a region in reverse post-order, each with the index of its immediate dominator; the entry
/// comes first and has its own.
pub fn dominator_tree(body: &Body, region: RegionId) -> Vec<(BlockId, usize)> {
    let tree = Tree::new(body, region);
    let order = reverse_post_order(body, region);
    order.into_iter().zip(tree.idom.into_iter().map(|index| index as usize)).collect()
}

/// The blocks that control may go to from a block.
pub fn successors(body: &Body, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
    body.last_op(block).into_iter().flat_map(|op| body.successors(op).iter().copied())
}

/// The reachable blocks of a region, each before those it dominates.
pub fn reverse_post_order(body: &Body, region: RegionId) -> Vec<BlockId> {
    let Some(entry) = body.first_block(region) else { return Vec::new() };
    let mut post = Vec::new();
    let mut seen: FxHashMap<BlockId, ()> = FxHashMap::default();
    seen.insert(entry, ());
    let succs = |block| successors(body, block).collect::<smallvec::SmallVec<[BlockId; 2]>>();
    let mut stack = vec![(entry, succs(entry), 0)];
    while let Some((block, next, at)) = stack.last_mut() {
        match next.get(*at).copied() {
            Some(succ) => {
                *at += 1;
                if seen.insert(succ, ()).is_none() {
                    stack.push((succ, succs(succ), 0));
                }
            }
            None => {
                post.push(*block);
                stack.pop();
            }
        }
    }
    post.reverse();
    post
}
