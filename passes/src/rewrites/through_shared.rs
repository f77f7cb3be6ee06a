//! Parts of results that leave through shared memory: put there as the threads have them, stored from there as memory likes it.

use dlc_core::guard::Guard;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Builder, Loc, Type, ValueId};
use dlc_kernel::ops as kernel;

/// Where elements are stored, by their places in a fragment.
pub struct Places {
    /// The values that positions name.
    pub args: Vec<ValueId>,
    /// The positions.
    pub at: Vec<SizeExpr>,
    /// Which of them are stored.
    pub guard: Option<Guard>,
}

impl Places {
    /// Those of a store.
    pub fn of(store: kernel::Store<'_>) -> Places {
        Places { args: store.args().collect(), at: store.at(), guard: store.guard() }
    }

    /// Those of a fragment whose elements are elsewhere in that of the store: `moved` says where, for the name of each axis.
    /// `None` where positions go beyond 64 bits.
    pub fn moved(&self, moved: &dyn Fn(&str) -> Option<SizeExpr>) -> Option<Places> {
        let put = |expr: &SizeExpr| expr.substitute(moved).ok();
        let at = self.at.iter().map(put).collect::<Option<Vec<_>>>()?;
        let guard = match &self.guard {
            Some(guard) => Some(guard.map(&put)?),
            None => None,
        };
        Some(Places { args: self.args.clone(), at, guard })
    }
}

/// A tile in shared memory that parts go through.
pub struct Through {
    /// The tile.
    pub tile: ValueId,
    /// The buffer of a ring.
    pub slot: Option<ValueId>,
    /// Whether the part is turned on its way into the tile.
    pub turned: bool,
    /// What threads read from it.
    pub read: Type,
}

/// Stores a part of a result through a tile that nobody reads any more.
pub fn store(builder: &mut Builder<'_>, loc: Loc, part: ValueId, through: &Through, memory: ValueId, places: Places) {
    let Through { tile, slot, turned, read } = *through;
    kernel::StoreShared::build(builder, loc, part, tile, slot, turned.then_some(()));
    kernel::Barrier::build(builder, loc, None, None);
    let load = kernel::LoadShared::build(builder, loc, tile, slot, None, read);
    let load = builder.result(load);
    kernel::NewStore {
        value: load,
        target: memory,
        args: &places.args,
        at: places.at,
        guard: places.guard,
        combine: None,
        vector: None,
    }
    .build(builder, loc);
}
