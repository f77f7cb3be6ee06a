//! The loops that branches make: natural loops of the blocks of a region.
//!
//! A branch goes back where it leads to a block that dominates its own; what reaches it without going through that block
//! is the loop. Two loops are one in the other, or have no block in common. What goes round and is entered in several
//! places has no such block, and is no loop here. After Aho, Lam, Sethi, Ullman, Compilers (2nd edition), 9.6.

use dlc_ir::dominance::{dominator_tree, successors};
use dlc_ir::{BlockId, Body, RegionId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A natural loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NaturalLoop {
    /// The block by which it is entered, and to which it goes back.
    pub head: BlockId,
    /// Its blocks, those of loops inside of it too, in reverse post-order: the head first.
    pub blocks: Vec<BlockId>,
    /// Those of them that every iteration goes through, if it ends.
    pub always: Vec<BlockId>,
    /// The next loop around it, by its place among the loops.
    pub around: Option<usize>,
}

/// The natural loops of a region, inner ones before those around them.
pub fn natural_loops(body: &Body, region: RegionId) -> Vec<NaturalLoop> {
    if body.has_single_block(region) {
        return Vec::new();
    }
    let tree = dominator_tree(body, region);
    let place: FxHashMap<BlockId, usize> = tree.iter().enumerate().map(|(at, &(block, _))| (block, at)).collect();
    let dominates = |a: usize, mut b: usize| {
        while b > a {
            b = tree[b].1;
        }
        a == b
    };
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); tree.len()];
    let mut back: Vec<(usize, usize)> = Vec::new();
    for (at, &(block, _)) in tree.iter().enumerate() {
        for to in successors(body, block).filter_map(|to| place.get(&to).copied()) {
            before[to].push(at);
            if dominates(to, at) {
                back.push((to, at));
            }
        }
    }
    // All branches back to one block make one loop.
    back.sort();
    let mut found: Vec<(usize, FxHashSet<usize>)> = Vec::new();
    for (head, last) in back {
        if found.last().is_none_or(|&(known, _)| known != head) {
            found.push((head, FxHashSet::from_iter([head])));
        }
        let Some((_, inside)) = found.last_mut() else { continue };
        let mut open = vec![last];
        while let Some(at) = open.pop() {
            if inside.insert(at) {
                open.extend(&before[at]);
            }
        }
    }
    // A loop around another one has a head that comes before.
    found.reverse();
    let leaves = |at: usize, head: usize, inside: &FxHashSet<usize>| {
        let mut next = successors(body, tree[at].0).filter_map(|to| place.get(&to));
        next.any(|to| *to == head || !inside.contains(to))
    };
    let loops = found.iter().enumerate().map(|(number, (head, inside))| {
        let mut blocks: Vec<usize> = inside.iter().copied().collect();
        blocks.sort();
        // An iteration ends where the loop goes back or is left.
        let ends: Vec<usize> = blocks.iter().copied().filter(|&at| leaves(at, *head, inside)).collect();
        let always = blocks.iter().filter(|&&at| ends.iter().all(|&end| dominates(at, end)));
        NaturalLoop {
            always: always.map(|&at| tree[at].0).collect(),
            head: tree[*head].0,
            blocks: blocks.into_iter().map(|at| tree[at].0).collect(),
            around: (number + 1..found.len()).find(|&other| found[other].1.contains(head)),
        }
    });
    loops.collect()
}
