//! Analyses: facts about a body that several passes want.
//!
//! A pass asks with [`PassCx::analysis`](super::PassCx::analysis). What it gets was computed for the body as it is: an
//! analysis is dropped when the body has changed since, unless every pass that changed it declares that it preserves the
//! analysis. The body holds its analyses itself: they go with it from pass to pass and from pass group to pass group, past passes
//! that lead from one layer to another. A body that is put in its place, a copy too, begins with none.
//!
//! An analysis reads one body. Bodies inside that one change without it, so the analyses of a body that has others inside
//! are forgotten at the end of each pass group.

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::body::Body;
use crate::context::Context;
use crate::dominance::Dominance;

/// A fact about a body.
pub trait Analysis: Any + Send {
    /// The name by which passes declare that they preserve it.
    const NAME: &'static str;

    /// Computes it from the body alone: what a symbol of it stands for may change without the body.
    fn of(ctx: &Context, body: &Body) -> Self;
}

impl Analysis for Dominance {
    const NAME: &'static str = "dominance";

    fn of(_: &Context, _: &Body) -> Self {
        Dominance::new()
    }
}

/// An analysis that a pass was given. Others may be given it later, so what it determines on the way is kept.
pub struct Shared<A>(Arc<Mutex<A>>);

impl<A> Shared<A> {
    /// The analysis. It must not be asked for twice at a time.
    pub fn get(&self) -> MutexGuard<'_, A> {
        // Who panics with an analysis in hand loses the body with it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The analyses of one body. Few at a time: a list beats a map.
#[derive(Default)]
pub struct AnalysisCache(Mutex<Vec<Entry>>);

struct Entry {
    key: TypeId,
    name: &'static str,
    /// The stamp of the body that it holds for.
    stamp: u64,
    analysis: Arc<dyn Any + Send + Sync>,
}

/// A copy of a body goes its own way, with stamps that mean something else.
impl Clone for AnalysisCache {
    fn clone(&self) -> Self {
        AnalysisCache::default()
    }
}

impl AnalysisCache {
    /// The analysis of the body that this is of, and whether it had to be computed. One that is preserved holds if it
    /// was computed for a stamp from `preserved` on.
    pub(crate) fn get<A: Analysis>(&self, ctx: &Context, body: &Body, preserved: Option<u64>) -> (Shared<A>, bool) {
        let now = body.edits();
        let holds = |entry: &Entry| entry.stamp == now || preserved.is_some_and(|since| entry.stamp >= since);
        let key = TypeId::of::<A>();
        let found =
            self.entries().iter().find(|entry| entry.key == key && holds(entry)).map(|e| Arc::clone(&e.analysis));
        if let Some(analysis) = found {
            return (Shared(analysis.downcast().expect("the key is the type")), false);
        }
        let analysis = Arc::new(Mutex::new(A::of(ctx, body)));
        let mut entries = self.entries();
        entries.retain(|entry| entry.key != key);
        entries.push(Entry { key, name: A::NAME, stamp: now, analysis: Arc::clone(&analysis) as _ });
        (Shared(analysis), true)
    }

    /// A pass is about to run on the body, which has this stamp: drops what does not hold.
    pub(crate) fn start(&mut self, now: u64) {
        self.entries_mut().retain(|entry| entry.stamp == now);
    }

    /// A pass that began at the stamp `started` has ended at `now`: drops what no longer holds.
    pub(crate) fn end(&mut self, started: u64, now: u64, preserves: &[&str]) {
        if started == now {
            return;
        }
        self.entries_mut().retain_mut(|entry| {
            if preserves.contains(&entry.name) && entry.stamp >= started {
                entry.stamp = now;
            }
            entry.stamp == now
        });
    }

    /// Drops all.
    pub(crate) fn clear(&mut self) {
        self.entries_mut().clear();
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries_mut(&mut self) -> &mut Vec<Entry> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
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

    /// Whether it had to be computed.
    fn made(ctx: &Context, body: &Body, preserved: Option<u64>) -> bool {
        let (count, made) = body.analyses().get::<Count>(ctx, body, preserved);
        assert_eq!(count.get().0, body.num_ops());
        made
    }

    #[test]
    fn kept_while_the_body_is_unchanged() {
        let ctx = Context::new([]);
        let mut body = Body::module(&ctx);
        assert!(made(&ctx, &body, None));
        let stamp = body.edits();
        body.analyses_mut().end(stamp, stamp, &[]);
        body.analyses_mut().start(stamp);
        assert!(!made(&ctx, &body, None));
        body.analyses_mut().clear();
        assert!(made(&ctx, &body, None));
    }

    #[test]
    fn dropped_by_a_change_unless_preserved() {
        let ctx = Context::new([]);
        let mut body = Body::module(&ctx);
        let first = body.edits();
        assert!(made(&ctx, &body, Some(first)));
        change(&mut body);
        // Inside the pass that preserves it, too.
        assert!(!made(&ctx, &body, Some(first)));
        let second = body.edits();
        body.analyses_mut().end(first, second, &["count"]);
        body.analyses_mut().start(second);
        assert!(!made(&ctx, &body, None));
        change(&mut body);
        assert!(made(&ctx, &body, None));
        change(&mut body);
        let third = body.edits();
        body.analyses_mut().end(second, third, &["dominance"]);
        assert!(made(&ctx, &body, None));
        // Somebody changes it between two passes: what the second preserves did not hold before it.
        change(&mut body);
        let fourth = body.edits();
        body.analyses_mut().start(fourth);
        assert!(made(&ctx, &body, Some(fourth)));
    }

    #[test]
    fn equal_attributes_are_no_change() {
        let ctx = Context::new([]);
        let mut body = Body::module(&ctx);
        let (root, key) = (body.root(), ctx.intern_str("key"));
        let first = body.edits();
        body.set_attrs(root, body.attrs(root));
        body.set_props(root, body.props(root));
        body.set_prop(&ctx, root, key, None);
        assert_eq!(body.edits(), first);
        body.set_attr(&ctx, root, key, Some(ctx.str_attr("value")));
        let second = body.edits();
        assert_ne!(second, first);
        body.set_attr(&ctx, root, key, Some(ctx.str_attr("value")));
        assert_eq!(body.edits(), second);
    }

    #[test]
    fn gone_with_the_body() {
        let ctx = Context::new([]);
        let mut body = Body::module(&ctx);
        assert!(made(&ctx, &body, None));
        let mut other = body.clone();
        assert!(made(&ctx, &other, None));
        change(&mut other);
        change(&mut body);
        assert!(made(&ctx, &body, None));
        // The stamps are equal by chance.
        assert_eq!(body.edits(), other.edits());
        body = other;
        assert!(made(&ctx, &body, None));
    }
}
