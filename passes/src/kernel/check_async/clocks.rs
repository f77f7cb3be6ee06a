//! What a model thread knows of the others: vector clocks (Fidge and Mattern 1988), with more than one component for each.
//!
//! Of every thread group: until when all of its warps are known to have come, until when its elected thread, and until when
//! what its threads wrote has passed a fence. Of every barrier: how many of its phases are known to have completed. And
//! whether the grids before are known to have ended.

/// A list of numbers that only grow.
pub type Clock = Vec<u32>;

/// Components of a thread group.
pub const ALL: usize = 0;
/// Of the elected thread of a thread group.
pub const ONE: usize = 1;
/// Of what has passed a fence.
pub const FENCED: usize = 2;

/// Where the components are.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The mbarriers after the thread groups.
    pub mbarriers: usize,
    /// The numbered barriers after those.
    pub named: usize,
    /// The barrier of the cluster.
    pub cluster: usize,
    /// Whether the grids before this one have ended: 1, else 0. The last component.
    pub grid: usize,
}

impl Plan {
    /// The components for so many thread groups, mbarriers and numbered barriers.
    pub fn new(thread_groups: usize, mbarriers: usize, named: usize) -> Plan {
        let cluster = 3 * thread_groups + mbarriers + named;
        Plan { mbarriers: 3 * thread_groups, named: 3 * thread_groups + mbarriers, cluster, grid: cluster + 1 }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.grid + 1
    }

    /// Of a thread group.
    pub fn thread_group(thread_group: usize, part: usize) -> usize {
        3 * thread_group + part
    }
}

/// Adds what another one knows.
#[inline]
pub fn join(into: &mut [u32], from: &[u32]) {
    let length = into.len().min(from.len());
    let (into, from) = (&mut into[..length], &from[..length]);
    // Compared as numbers with a sign, which they are far from: many at once on any processor.
    for (into, from) in into.iter_mut().zip(from) {
        *into = (*into as i32).max(*from as i32) as u32;
    }
}

/// At least so much.
#[inline]
pub fn raise(into: &mut [u32], at: usize, value: u32) {
    into[at] = into[at].max(value);
}
