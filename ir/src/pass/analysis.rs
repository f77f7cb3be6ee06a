//! Analyses: facts about a body that several passes want.
//!
//! A pass asks with [`PassCx::analysis`](super::PassCx::analysis). What it gets was computed for the body as it is: an
//! analysis is dropped when the body has changed since, unless every pass that changed it declares that it preserves the
//! analysis. Analyses live while a body goes through the passes of one sweep;
//! a pass that requires, adds or removes layers, or reads symbols, begins a new one.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::rc::Rc;

use crate::body::Body;
use crate::context::Context;
use crate::dominance::Dominance;

/// A fact about a body.
pub trait Analysis: Any {
    /// The name by which passes declare that they preserve it.
    const NAME: &'static str;

    /// Computes it.
    fn of(ctx: &Context, body: &Body) -> Self;
}

impl Analysis for Dominance {
    const NAME: &'static str = "dominance";

    fn of(_: &Context, _: &Body) -> Self {
        Dominance::new()
    }
}

/// The analyses of one body.
#[derive(Default)]
pub struct AnalysisCache {
    /// Few at a time: a list beats a map.
    entries: Vec<Entry>,
    /// The stamp of the body when the pass that runs was started.
    started: u64,
}

struct Entry {
    key: TypeId,
    name: &'static str,
    /// The stamp of the body that it holds for.
    stamp: u64,
    analysis: Rc<dyn Any>,
}

impl AnalysisCache {
    /// The analysis of a body, computed if there is none that holds.
    pub(crate) fn get<A: Analysis>(&mut self, ctx: &Context, body: &Body, preserves: &[&str]) -> Rc<RefCell<A>> {
        let preserved = preserves.contains(&A::NAME);
        let started = self.started;
        let holds = |entry: &Entry| entry.stamp == body.edits() || (preserved && entry.stamp >= started);
        let key = TypeId::of::<A>();
        let place = self.entries.iter().position(|entry| entry.key == key);
        if let Some(found) = place.map(|place| &self.entries[place]).filter(|entry| holds(entry)) {
            return Rc::clone(&found.analysis).downcast().expect("the key is the type");
        }
        let analysis = Rc::new(RefCell::new(A::of(ctx, body)));
        let entry = Entry { key, name: A::NAME, stamp: body.edits(), analysis: Rc::clone(&analysis) as Rc<dyn Any> };
        match place {
            Some(place) => self.entries[place] = entry,
            None => self.entries.push(entry),
        }
        analysis
    }

    /// A pass starts on the body.
    pub(crate) fn start(&mut self, body: &Body) {
        self.started = body.edits();
    }

    /// The pass has ended: drops what no longer holds.
    pub(crate) fn end(&mut self, body: &Body, preserves: &[&str]) {
        let (started, now) = (self.started, body.edits());
        if started == now {
            return;
        }
        self.entries.retain_mut(|entry| {
            if preserves.contains(&entry.name) && entry.stamp >= started {
                entry.stamp = now;
            }
            entry.stamp == now
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::Loc;

    struct Count(usize);

    impl Analysis for Count {
        const NAME: &'static str = "count";
        fn of(_: &Context, body: &Body) -> Self {
            Count(body.num_ops())
        }
    }

    fn change(body: &mut Body) {
        body.set_loc(body.root(), Loc::UNKNOWN);
    }

    #[test]
    fn kept_while_the_body_is_unchanged() {
        let ctx = Context::new([]);
        let body = Body::module(&ctx);
        let mut cache = AnalysisCache::default();
        cache.start(&body);
        let first = cache.get::<Count>(&ctx, &body, &[]);
        cache.end(&body, &[]);
        cache.start(&body);
        assert!(Rc::ptr_eq(&first, &cache.get::<Count>(&ctx, &body, &[])));
        assert_eq!(first.borrow().0, 1);
    }

    #[test]
    fn dropped_by_a_change_unless_preserved() {
        let ctx = Context::new([]);
        let mut body = Body::module(&ctx);
        let mut cache = AnalysisCache::default();
        cache.start(&body);
        let first = cache.get::<Count>(&ctx, &body, &["count"]);
        change(&mut body);
        // Inside the pass that preserves it, too.
        assert!(Rc::ptr_eq(&first, &cache.get::<Count>(&ctx, &body, &["count"])));
        cache.end(&body, &["count"]);
        cache.start(&body);
        assert!(Rc::ptr_eq(&first, &cache.get::<Count>(&ctx, &body, &[])));
        change(&mut body);
        assert!(!Rc::ptr_eq(&first, &cache.get::<Count>(&ctx, &body, &[])));
        cache.end(&body, &[]);
        let second = cache.get::<Count>(&ctx, &body, &[]);
        change(&mut body);
        cache.end(&body, &["dominance"]);
        assert!(!Rc::ptr_eq(&second, &cache.get::<Count>(&ctx, &body, &[])));
    }
}
