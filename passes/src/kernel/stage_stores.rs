//! Stores results through shared memory: with TMA while the threads go on, or by threads in whole rows.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. A result in the layout of `wgmma`, stored to a box of a memref whose rows are aligned, is stored by
//! TMA, from `panels` buffers in turn for each group of four warps. One in the layout of `mma`, stored along rows that are
//! aligned, is stored by threads in 16-byte units, as many rows at a time as there is room for.
//!
//! **Before**
//! ```mlir before
//! kernel.func @rows<N>(%x: memref<[N], f32>) -> memref<[64, N], f16, row_major, align 16> attributes {target = "sm90"} {
//!   require (N mod 8 == 0)
//!   %D = output : memref<[64, N], f16, row_major, align 16>
//!   grid (2) threads 128 {
//!     %b = block_id 0
//!     for %n = %b to N ceildiv 16 step 2 {
//!       %v = load %x[16*%n + i0] where (16*%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
//!       %w = broadcast %v along 0 : frag<[64, 16], f32, wgmma>
//!       %h = cast %w : frag<[64, 16], f16, wgmma>
//!       store %h to %D[i0, 16*%n + i1] where (16*%n + i1 < N)
//!     }
//!   }
//!   return %D
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @rows<N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[64, N], f16, row_major, align 16> attributes {target = "sm90"} {
//!   require (N mod 8 == 0)
//!   %D = output : memref<[64, N], f16, row_major, align 16>
//!   %map_D = tensor_map %D : tensormap<[64, 16], f16, swizzle 32>
//!   grid (2) threads 128 {
//!     %panels = shared : tile<[64, 16], f16, swizzle 32>
//!     %b = block_id 0
//!     %0 = done : token<epilogue>
//!     %1 = for %n = %b to N ceildiv 16 step 2 carry (%stored = %0) : token<epilogue> {
//!       %v = load %x[16*%n + i0] where (16*%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
//!       %w = broadcast %v along 0 : frag<[64, 16], f32, wgmma>
//!       %h = cast %w : frag<[64, 16], f16, wgmma>
//!       elect {
//!         await_read %stored
//!       }
//!       barrier
//!       store_shared %h to %panels
//!       fence_async
//!       barrier
//!       %2 = elect : token<epilogue> {
//!         %3 = tma_store %panels to %map_D[0, 16*%n] : token<epilogue>
//!         yield %3
//!       }
//!       yield %2
//!     }
//!     elect {
//!       await_read %1
//!     }
//!   }
//!   return %D
//! }
//! ```
//!
//! **Does not** change stores that add to memory, or of other layouts; nor those whose rows are not known to be a
//! multiple of 16 bytes (`require` says so), or for which there is no room; for TMA, nor those whose guard is another one
//! than that of the memref, or that stand in a condition; for rows of `mma`, nor where fewer blocks would fit on a
//! SM. A remark says why.
//!
//! The plan gives the route. `store tma panels 2 together 1`: each group has room for so many sub-tiles with rows of 128
//! bytes, of which so many are stored at once; of narrower ones there are more. `store rows`: threads store the sub-tiles,
//! neighbouring lanes neighbouring elements, of results of `wgmma` with unaligned rows. Where such a result is computed
//! from others that are read sub-tile by sub-tile, a bias is read for each of them as well: besides those there is no room for
//! all of it. Results of `mma` take this route also where `vectors` or `vectorize` are said and no route is.
//!
//! What an epilogue of `wgmma` reads for whole rows or columns, such as a bias, is loaded before the loop that sums products,
//! where the sums and it take half of the registers at most.
//!
//! Phases, for each store: (1) the sub-tiles: of `wgmma` 64 rows and up to 128 bytes, swizzled; of `mma` whole
//! rows, a unit of 16 bytes longer than they need be, so that those of a warp are in different banks; for TMA also the box, of
//! axes taken as one where a run goes on from row to row; (2) for each sub-tile: wait until its buffer has been read, write
//! it, and store it. With TMA the loops around carry the token of the last store of each buffer. After the epilogues of
//! CUTLASS (`sm90_epilogue_tma_warpspecialized.hpp`, `epilogue/threadblock/epilogue.h`). Rules of the debug counters:
//! `ahead`, `store`, `rows`.

mod ahead;
mod parts;
mod rows;
mod sub_tiles;
mod tma;

use dlc_ir::Context;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_kernel::layout::Distributed;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of};
use dlc_plan::Schedule;
use dlc_plan::clause::{Kind, StoreMethod};

use crate::analysis::boxes::ALIGNMENT;
use crate::analysis::conditions::stores_by_engine;
use crate::analysis::plans::{PLANNED, given, kernel_pass, plan_of};
use crate::plan::defaults;
use crate::plan::report::not_followed;
use sub_tiles::SubTiles;

static DEF: PassDef = PassDef {
    formerly: &["overlap-epilogue", "coalesce-stores"],
    options: &[
        OptionDef {
            name: "panels",
            kind: OptionKind::Text,
            default: "auto",
            doc: "How many panels each group has in shared memory, 1 to 8; 'auto' for what the plan says, or 2.",
        },
        PLANNED,
    ],
    statistics: &[
        StatDef { name: "stores", doc: "Stores by TMA." },
        StatDef { name: "rows", doc: "Stores of whole rows by threads." },
        StatDef { name: "loads", doc: "Loads of epilogues that are begun before the sum." },
    ],
    ..kernel_pass("stage-stores", "Stores results through shared memory, by TMA or in whole rows.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let panels = given(options, "panels")?;
    match panels.filter(|panels| !(1..=8).contains(panels)) {
        Some(panels) => Err(format!("a group has 1 to 8 panels, not {panels}")),
        None => Ok(Box::new(StageStores { panels, planned: options.flag("planned") })),
    }
}

struct StageStores {
    panels: Option<i64>,
    planned: bool,
}

/// How results of a layout are stored, the schedule that asks for it, and its clauses: what cannot be done is a warning.
struct Route<'a> {
    method: StoreMethod,
    asked: Option<&'a Schedule>,
    clauses: &'static [&'static str],
}

/// How all results are stored.
struct Routes<'a> {
    wgmma: Option<Route<'a>>,
    mma: Option<Route<'a>>,
    /// How many panels each group has, and how many are stored at once.
    panels: [i64; 2],
    /// The schedule that may let an access take fewer elements than rows of `mma` do.
    widths: Option<&'a Schedule>,
}

/// A store that becomes others.
enum Staged {
    Tma(tma::TmaStores),
    Rows(SubTiles),
}

impl Pass for StageStores {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let plan = plan_of(cx, body);
        let routes = self.routes(plan.as_deref());
        if routes.wgmma.is_some() {
            cx.count("loads", ahead::load_ahead(body, cx));
        }
        stage_stores(body, &routes, cx);
        Ok(())
    }
}

impl StageStores {
    fn routes<'a>(&self, plan: Option<&'a Schedule>) -> Routes<'a> {
        let store = plan.and_then(|plan| plan.store.as_ref());
        let method = store.map(|store| store.way);
        let panels = self.panels.or(store.and_then(|store| store.panels)).unwrap_or(defaults::SUB_TILES).clamp(1, 8);
        let by_tma = match self.planned {
            true => plan.is_some_and(stores_by_engine),
            false => method.is_none_or(|method| method == StoreMethod::Tma),
        };
        let by_rows = method == Some(StoreMethod::Rows);
        let wgmma = if by_tma { Some((StoreMethod::Tma, &["store", "async"][..])) } else { None };
        let wgmma = wgmma.or(by_rows.then_some((StoreMethod::Rows, &["store"])));
        let mma = plan.filter(|plan| {
            let is_mma = plan.instruction.as_ref().is_none_or(|it| it.kind == Kind::Mma);
            is_mma && if store.is_some() { by_rows } else { plan.vectors.is_some() || vectorized(plan).is_some() }
        });
        Routes {
            wgmma: wgmma.map(|(method, clauses)| Route { method, asked: plan.filter(|_| self.planned), clauses }),
            mma: (!self.planned || mma.is_some()).then(|| Route {
                method: StoreMethod::Rows,
                // 'vectors' lets accesses be wide; the other clauses say that they are.
                asked: mma.filter(|plan| store.is_some() || vectorized(plan).is_some()),
                clauses: &["store", "vectors", "vectorize"],
            }),
            panels: [panels, store.and_then(|store| store.together).unwrap_or(1).clamp(1, panels)],
            widths: mma.filter(|_| self.planned),
        }
    }
}

/// The width that `vectorize` says of results: along the last of their axes.
fn vectorized(plan: &Schedule) -> Option<i64> {
    let wide = plan.vectorize.as_ref()?;
    let axis = wide.axis.split('.').next();
    plan.out_tile().last().filter(|(last, _)| axis == Some(last)).map(|_| wide.width)
}

/// Puts stores through shared memory in place of those from fragments.
fn stage_stores(body: &mut Body, routes: &Routes<'_>, cx: &PassCx<'_>) {
    let ctx = cx.ctx;
    for op in body.walk() {
        let Some(store) = kernel::Store::of(OpRef::new(ctx, body, op)) else { continue };
        let Some(frag) = Frag::of(ctx, store.type_of(store.value())) else { continue };
        let (route, staged) = match (frag.layout(ctx), &routes.wgmma, &routes.mma) {
            (Distributed::Wgmma, Some(route), _) if route.method == StoreMethod::Tma => {
                (route, tma::find(ctx, body, store, routes.panels).map(Staged::Tma))
            }
            (Distributed::Wgmma, Some(route), _) => {
                (route, rows::of_wgmma(ctx, body, store, routes.panels[0]).map(Staged::Rows))
            }
            (Distributed::Mma(warps), _, Some(route)) => {
                let rows = rows::of_mma(ctx, body, store, warps);
                (route, rows.and_then(|rows| is_wide(ctx, body, store, routes.widths).map(|()| Staged::Rows(rows))))
            }
            _ => continue,
        };
        let loc = body.loc(op);
        let (by, statistic, sub_tiles, rewritten) = match &staged {
            Ok(Staged::Tma(found)) if cx.allows_rule("store") => {
                ("TMA stores this", "stores", &found.sub_tiles, tma::rewrite(ctx, body, op, found))
            }
            Ok(Staged::Rows(rows)) if cx.allows_rule("rows") => {
                ("threads store rows of this", "rows", rows, rows::rewrite(ctx, body, op, rows))
            }
            Ok(_) => continue,
            Err(why) => {
                let method = route.method.word();
                let message = format!("'store {method}': the threads store this result from their fragments: {why}");
                not_followed(cx, body, route.asked, route.clauses, (loc, kernel::Store::DEF.name), message);
                continue;
            }
        };
        if rewritten.is_some() {
            let (count, buffers) = (sub_tiles.firsts.len(), sub_tiles.buffers);
            let shape = Frag::of(ctx, sub_tiles.read).map_or_else(Vec::new, |frag| frag.shape(ctx));
            let shape: Vec<String> = shape.iter().map(i64::to_string).collect();
            let message = format!("{by} in {count} panels of {}, from {buffers} buffers", shape.join(" x "));
            cx.count(statistic, 1);
            cx.remark(RemarkKind::Passed, loc, message);
        }
    }
}

/// Whether accesses may be as wide as a unit of 16 bytes.
fn is_wide(ctx: &Context, body: &Body, store: kernel::Store<'_>, widths: Option<&Schedule>) -> Result<(), String> {
    let name = ctx.str(body.value_name(store.target()));
    let most = widths.and_then(|plan| {
        let said = plan.vectors.as_ref().and_then(|vectors| vectors.get(name)).copied();
        said.or_else(|| vectorized(plan))
    });
    let bits = elem_of(ctx, store.type_of(store.value())).bits(ctx).map_or(8, i64::from);
    match most.filter(|most| most.saturating_mul(bits) < 8 * ALIGNMENT as i64) {
        Some(most) => Err(format!("'vectors' lets an access take {most} of its elements, and rows take 16 bytes")),
        None => Ok(()),
    }
}
