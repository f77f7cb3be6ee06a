//! The tile and what divides it; loops, places and roles by their names.

use super::{BAD_TILE, CONFLICT, Checked, UNKNOWN_LOOP};
use crate::clause::Cache;
use crate::schedule::Schedule;
use crate::value::Table;

/// The largest extent: products of those of an op stay well inside of 64 bits.
const MAX_EXTENT: i64 = 1 << 24;
/// The most tiles of a ring.
const MAX_RING: i64 = 16;

/// The part of a loop's name that says its axis.
fn axis_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Whether what is after the axis says a loop: `.o`, `.i.o`, ..
fn is_loop(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').skip(1).collect();
    parts.iter().all(|part| matches!(*part, "o" | "i")) && !parts[..parts.len().saturating_sub(1)].contains(&"o")
}

impl Checked<'_> {
    pub(super) fn tiles(&mut self) {
        let plan = self.plan;
        let tables = [
            ("tile", &plan.tile),
            ("warp_tile", &plan.warp_tile),
            ("thread_tile", &plan.thread_tile),
            ("lanes", &plan.lanes),
            ("warps", &plan.warps),
            ("threads", &plan.threads),
            ("unroll", &plan.unroll),
            ("cluster", &plan.cluster),
            ("assume", &plan.assume),
        ];
        for (word, table) in tables {
            let Some(table) = table else { continue };
            if let Some(name) = table.twice() {
                let message = format!("'{word}' has '{name}' twice");
                self.error_with_fix(&[word], &BAD_TILE, message, move |plan| {
                    if let Some(table) = table_of(plan, word) {
                        let all = std::mem::take(&mut table.0);
                        for entry in all {
                            if table.get(&entry.0).is_none() {
                                table.0.push(entry);
                            }
                        }
                    }
                });
            }
            for (name, extent) in &table.0 {
                if !(1..=MAX_EXTENT).contains(extent) {
                    let message = format!("'{word}' of '{name}' is {extent}, which is not from 1 to {MAX_EXTENT}");
                    let (name, right) = (name.clone(), (*extent).clamp(1, MAX_EXTENT));
                    self.error_with_fix(&[word], &BAD_TILE, message, move |plan| {
                        if let Some(entry) = table_of(plan, word).and_then(|table| table.get_mut(&name)) {
                            *entry = right;
                        }
                    });
                }
            }
        }
        for (symbol, value) in plan.fix.iter().flat_map(|fix| &fix.0) {
            if *value < 0 {
                self.fail(&["fix"], &BAD_TILE, format!("'{symbol}' is fixed to {value}, and sizes are not negative"));
            }
        }
        // No pass makes longer rings.
        let counts = [("stages", plan.stages, MAX_RING), ("blocks_per_sm", plan.blocks_per_sm, 64)];
        for (word, count, most) in counts {
            if count.is_some_and(|count| !(1..=most).contains(&count)) {
                let shown = count.unwrap_or_default();
                let message = format!("'{word}' is {shown}, which is not from 1 to {most}");
                self.error_with_fix(&[word], &BAD_TILE, message, |plan| {
                    plan.stages = plan.stages.map(|count| count.clamp(1, MAX_RING));
                    plan.blocks_per_sm = plan.blocks_per_sm.map(|count| count.clamp(1, 64));
                });
            }
        }
        let consumers = plan.roles.as_ref().map(|roles| roles.consumers);
        if let Some(consumers) = consumers.filter(|count| !(1..=7).contains(count)) {
            let message = format!("there are {consumers} consumers, and a block has from 1 to 7 besides the producer");
            self.error_with_fix(&["roles"], &BAD_TILE, message, |plan| {
                if let Some(roles) = &mut plan.roles {
                    roles.consumers = roles.consumers.clamp(1, 7);
                }
            });
        }
        let counted = plan.caches.iter().filter_map(|cache| Some((&cache.tensor, cache.buffers?)));
        if let Some((tensor, buffers)) = counted.into_iter().find(|(_, count)| !(1..=64).contains(count)) {
            let message = format!("'{tensor}' has {buffers} buffers, and there are from 1 to 64");
            self.error_with_fix(&[&format!("cache {tensor}")], &BAD_TILE, message, |plan| {
                for cache in &mut plan.caches {
                    cache.buffers = cache.buffers.map(|count| count.clamp(1, 64));
                }
            });
        }
        self.lists();
        let panels = plan.store.as_ref().and_then(|store| store.panels);
        if let Some(panels) = panels.filter(|count| !(0..=64).contains(count)) {
            let message = format!("'store' has {panels} panels, which is not from 0 to 64");
            self.error_with_fix(&["store"], &BAD_TILE, message, |plan| {
                if let Some(store) = &mut plan.store {
                    store.panels = store.panels.map(|count| count.clamp(0, 64));
                }
            });
        }
        if self.broken.is_empty() {
            self.divides();
            self.names();
        }
    }

    /// No tensor is kept twice in the same way, and groups of tiles have rows.
    fn lists(&mut self) {
        let plan = self.plan;
        let is_same = |(at, cache): &(usize, &Cache)| {
            let others = plan.caches[..*at].iter().filter(|other| other.tensor == cache.tensor);
            others.into_iter().any(|other| other.axes.is_none() || cache.axes.is_none() || other.axes == cache.axes)
        };
        if let Some((at, cache)) = plan.caches.iter().enumerate().find(is_same) {
            let message = format!("'{}' has two 'cache' clauses for the same axes", cache.tensor);
            self.error_with_fix(&[&format!("cache {}", cache.tensor)], &CONFLICT, message, move |plan| {
                if at < plan.caches.len() {
                    plan.caches.remove(at);
                }
            });
        }
        if let Some(size) = plan.order.as_ref().and_then(|order| order.size).filter(|&size| size < 1) {
            let message = format!("'order' has groups of {size}, and a group has one row at least");
            self.error_with_fix(&["order"], &BAD_TILE, message, |plan| {
                if let Some(order) = &mut plan.order {
                    order.size = None;
                }
            });
        }
    }

    /// Each tile consists of whole tiles of the next smaller kind.
    fn divides(&mut self) {
        let plan = self.plan;
        let Some(tile) = &plan.tile else { return };
        let tables = [
            ("warp_tile", &plan.warp_tile),
            ("thread_tile", &plan.thread_tile),
            ("lanes", &plan.lanes),
            ("warps", &plan.warps),
            ("threads", &plan.threads),
            ("cluster", &plan.cluster),
            ("unroll", &plan.unroll),
        ];
        for (word, table) in tables {
            for name in table.iter().flat_map(Table::names) {
                if tile.get(name).is_none() {
                    let axes = tile.names().collect::<Vec<_>>().join(", ");
                    self.fail(&[word], &BAD_TILE, format!("'{word}' has the axis '{name}', and the tile has {axes}"));
                    return;
                }
            }
        }
        if let Some(name) = plan.reduced.iter().flatten().find(|name| tile.get(name).is_none()) {
            let axes = tile.names().collect::<Vec<_>>().join(", ");
            self.fail(&["reduced"], &BAD_TILE, format!("'reduced' has the axis '{name}', and the tile has {axes}"));
        }
        let out = plan.out_tile();
        for (axis, extent) in out {
            for (word, inner) in [("warp_tile", &plan.warp_tile), ("thread_tile", &plan.thread_tile)] {
                let Some(inner) = inner.as_ref().and_then(|table| table.get(&axis)).copied() else { continue };
                if extent % inner != 0 {
                    let message = format!("the tile of '{axis}' is {extent}, and '{word}' {inner} does not divide it");
                    // The tile grows to whole ones of warps; what a thread has next to each other is the smaller change.
                    let whole = (extent + inner - 1) / inner * inner;
                    let part = (1..=inner).rev().find(|part| extent % part == 0).unwrap_or(1);
                    let axis = axis.clone();
                    self.error_with_fix(&[word, "tile"], &BAD_TILE, message, move |plan: &mut Schedule| match word {
                        "thread_tile" => set(&mut plan.thread_tile, &axis, part),
                        _ => set(&mut plan.tile, &axis, whole),
                    });
                }
            }
            let (warps, inner) = (plan.warps.as_ref(), plan.warp_tile.as_ref());
            if let (Some(warps), Some(inner)) = (warps, inner)
                && let Some(&inner) = inner.get(&axis)
                && warps.along(&axis) * inner != extent
            {
                let count = warps.along(&axis);
                let message =
                    format!("{count} warps of {inner} along '{axis}' are {}, and the tile is {extent}", count * inner);
                let (axis, whole) = (axis.clone(), count * inner);
                self.error_with_fix(&["warps"], &BAD_TILE, message, move |plan| set(&mut plan.tile, &axis, whole));
            }
        }
        if let Some((warp, thread)) = plan.warp_tile.as_ref().zip(plan.thread_tile.as_ref()) {
            for (axis, extent) in &warp.0 {
                let inner = thread.along(axis) * plan.lanes.as_ref().map_or(1, |lanes| lanes.along(axis));
                if extent % inner != 0 {
                    let message =
                        format!("the tile of a warp along '{axis}' is {extent}, and its threads take {inner} at once");
                    let (axis, whole) = (axis.clone(), (extent + inner - 1) / inner * inner);
                    self.error_with_fix(&["thread_tile"], &BAD_TILE, message, move |plan| {
                        set(&mut plan.warp_tile, &axis, whole)
                    });
                }
            }
        }
        if let Some(lanes) = plan.lanes.as_ref().and_then(Table::product).filter(|&lanes| lanes != 32) {
            self.fail(&["lanes"], &BAD_TILE, format!("'lanes' is a grid of {lanes} threads, and a warp has 32"));
        }
    }

    /// Loops are those of axes of the tile, each place is taken once, roles are those that there are.
    fn names(&mut self) {
        let plan = self.plan;
        if let Some(tile) = &plan.tile {
            let bound = plan.bind.iter().flat_map(|bind| bind.names().map(|name| ("bind", name)));
            let tails = plan.predicate_tail.iter().flatten().map(|name| ("predicate_tail", name.as_str()));
            let wide = plan.vectorize.iter().map(|wide| ("vectorize", wide.axis.as_str()));
            let at =
                plan.caches.iter().filter_map(|cache| Some((format!("cache {}", cache.tensor), cache.at.as_deref()?)));
            let named = bound.chain(tails).chain(wide).map(|(word, name)| (word.to_string(), name));
            let loops: Vec<(String, &str)> = named.chain(at).collect();
            for (clause, name) in loops {
                if tile.get(axis_of(name)).is_none() || !is_loop(name) {
                    let axes = tile.names().collect::<Vec<_>>().join(", ");
                    let word = clause.split(' ').next().unwrap_or_default();
                    let message = format!(
                        "'{word}' has the loop '{name}', and loops are axes of the tile ({axes}) with '.o' and '.i'"
                    );
                    self.fail(&[&clause], &UNKNOWN_LOOP, message);
                }
            }
        }
        let mut taken: Vec<&str> = Vec::new();
        for (name, place) in plan.bind.iter().flat_map(|bind| &bind.0) {
            let known = place.split_once('.').is_some_and(|(part, dim)| {
                matches!(part, "cluster" | "block" | "warp" | "thread" | "lane") && matches!(dim, "x" | "y" | "z")
            });
            if !known {
                let message = format!(
                    "'{name}' is bound to '{place}', and places are cluster, block, warp, thread and lane, each .x, .y or .z"
                );
                self.fail(&["bind"], &UNKNOWN_LOOP, message);
            } else if taken.contains(&place.as_str()) {
                self.fail(&["bind"], &UNKNOWN_LOOP, format!("two loops are bound to '{place}'"));
            }
            taken.push(place);
        }
        for role in plan.registers.iter().flat_map(Table::names) {
            if !matches!(role, "producer" | "consumer" | "thread") {
                let message = format!("'registers' has the role '{role}', and there are producer, consumer and thread");
                self.fail(&["registers"], &UNKNOWN_LOOP, message);
            }
        }
    }
}

/// The table of extents of a word.
fn table_of<'a>(plan: &'a mut Schedule, word: &str) -> Option<&'a mut Table<i64>> {
    let table = match word {
        "tile" => &mut plan.tile,
        "warp_tile" => &mut plan.warp_tile,
        "thread_tile" => &mut plan.thread_tile,
        "lanes" => &mut plan.lanes,
        "warps" => &mut plan.warps,
        "threads" => &mut plan.threads,
        "unroll" => &mut plan.unroll,
        "cluster" => &mut plan.cluster,
        "assume" => &mut plan.assume,
        _ => return None,
    };
    table.as_mut()
}

/// Sets an entry that is there.
pub(super) fn set(table: &mut Option<Table<i64>>, name: &str, value: i64) {
    if let Some(entry) = table.as_mut().and_then(|table| table.get_mut(name)) {
        *entry = value;
    }
}
