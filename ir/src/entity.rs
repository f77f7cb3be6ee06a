//! Typed 32-bit ids, and the arena and side tables that they index.
//!
//! An id names a record of one [`Body`](crate::Body). Ids are `Copy + Send`, carry no lifetime, and print as they
//! appear in debug output (`op7`, `v12`). Erased ids are used again; in debug builds each id carries the generation of
//! its slot, so that a use of an erased one is caught where it happens.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

/// A typed 32-bit id. Implemented by the `entity!` types only.
pub trait EntityId: Copy + Eq + std::hash::Hash + fmt::Debug + Send + Sync + 'static {
    /// The id of the record at `index` (and, in debug builds, of that generation of its slot).
    fn new(index: usize, generation: u8) -> Self;
    /// Where the record lies in its arena: dense, starting at 0.
    fn index(self) -> usize;
    /// The generation that a debug build checks; 0 in release builds.
    fn generation(self) -> u8;
}

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name {
            raw: NonZeroU32,
            #[cfg(debug_assertions)]
            generation: u8,
        }

        impl EntityId for $name {
            #[inline]
            fn new(index: usize, generation: u8) -> Self {
                let _ = generation;
                // Bodies are bounded well below 2^32 records by the parser and the arena.
                let raw = NonZeroU32::new(index as u32 + 1).expect("fewer than 2^32 records in a body");
                Self { raw, #[cfg(debug_assertions)] generation }
            }
            #[inline]
            fn index(self) -> usize {
                (self.raw.get() - 1) as usize
            }
            #[inline]
            fn generation(self) -> u8 {
                #[cfg(debug_assertions)]
                return self.generation;
                #[cfg(not(debug_assertions))]
                return 0;
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.index())
            }
        }
    };
}

entity!(
    /// An operation of a body.
    OpId, "op");
entity!(
    /// An SSA value of a body: a result of an op, or an argument of a block.
    ValueId, "v");
entity!(
    /// A block of a body.
    BlockId, "bb");
entity!(
    /// A region of a body.
    RegionId, "region");

#[cfg(debug_assertions)]
thread_local! {
    static VISITS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// How many records of bodies this thread has read and written: a measure of work that is the same on every machine.
///
/// It is counted in debug builds only. Lists outside of bodies are not part of it.
pub fn visits() -> Option<u64> {
    #[cfg(debug_assertions)]
    return Some(VISITS.with(std::cell::Cell::get));
    #[cfg(not(debug_assertions))]
    return None;
}

/// Records of one kind, named by ids, with reuse of erased slots.
#[derive(Clone)]
pub(crate) struct Arena<I, T> {
    items: Vec<T>,
    free: Vec<u32>,
    #[cfg(debug_assertions)]
    generations: Vec<u8>,
    ids: PhantomData<fn() -> I>,
}

impl<I: EntityId, T> Arena<I, T> {
    pub(crate) fn new() -> Self {
        Arena {
            items: Vec::new(),
            free: Vec::new(),
            #[cfg(debug_assertions)]
            generations: Vec::new(),
            ids: PhantomData,
        }
    }

    /// Adds a record in a free slot or at the end.
    #[inline]
    pub(crate) fn alloc(&mut self, item: T) -> I {
        match self.free.pop() {
            None => self.push(item),
            Some(slot) => {
                self.items[slot as usize] = item;
                self.id_at(slot as usize)
            }
        }
    }

    /// Adds a record at the end, whatever slots are free: for runs of records that lie side by side.
    #[inline]
    pub(crate) fn push(&mut self, item: T) -> I {
        let index = self.items.len();
        self.items.push(item);
        #[cfg(debug_assertions)]
        self.generations.push(0);
        self.id_at(index)
    }

    /// Marks the record as erased. Its slot is used again by [`alloc`](Self::alloc).
    pub(crate) fn erase(&mut self, id: I) {
        self.check(id);
        #[cfg(debug_assertions)]
        {
            let generation = &mut self.generations[id.index()];
            *generation = generation.wrapping_add(1);
        }
        self.free.push(id.index() as u32);
    }

    /// The current id of the slot at `index`.
    #[inline]
    pub(crate) fn id_at(&self, index: usize) -> I {
        #[cfg(debug_assertions)]
        return I::new(index, self.generations[index]);
        #[cfg(not(debug_assertions))]
        return I::new(index, 0);
    }

    /// The number of slots, erased ones included: the length of a dense side table.
    pub(crate) fn slots(&self) -> usize {
        self.items.len()
    }

    /// The number of live records.
    pub(crate) fn live(&self) -> usize {
        self.items.len() - self.free.len()
    }

    /// Gives back spare capacity.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
        self.free.shrink_to_fit();
        #[cfg(debug_assertions)]
        self.generations.shrink_to_fit();
    }

    /// The bytes held, spare capacity included.
    pub(crate) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.free.capacity() * 4
    }

    #[inline]
    fn check(&self, id: I) {
        #[cfg(debug_assertions)]
        VISITS.with(|visits| visits.set(visits.get() + 1));
        #[cfg(debug_assertions)]
        assert!(
            self.generations.get(id.index()) == Some(&id.generation()),
            "{id:?} was erased (or belongs to another body): a handle outlived its record"
        );
        let _ = id;
    }
}

impl<I: EntityId, T> Index<I> for Arena<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        self.check(id);
        &self.items[id.index()]
    }
}

impl<I: EntityId, T> IndexMut<I> for Arena<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        self.check(id);
        &mut self.items[id.index()]
    }
}

/// A dense table next to an arena: one `T` an id, grown on demand with a default.
///
/// It is not cleared when ids are reused; a table lives no longer than the analysis that fills it.
#[derive(Clone, Debug)]
pub struct SideTable<I, T> {
    items: Vec<T>,
    default: T,
    ids: PhantomData<fn() -> I>,
}

impl<I: EntityId, T: Clone> SideTable<I, T> {
    /// A table in which every id has `default`.
    pub fn new(default: T) -> Self {
        SideTable { items: Vec::new(), default, ids: PhantomData }
    }

    /// The entry of `id`.
    #[inline]
    pub fn get(&self, id: I) -> &T {
        self.items.get(id.index()).unwrap_or(&self.default)
    }

    /// The entry of `id`, to be changed.
    #[inline]
    pub fn get_mut(&mut self, id: I) -> &mut T {
        if id.index() >= self.items.len() {
            self.items.resize(id.index() + 1, self.default.clone());
        }
        &mut self.items[id.index()]
    }

    /// Sets the entry of `id`.
    #[inline]
    pub fn set(&mut self, id: I, item: T) {
        *self.get_mut(id) = item;
    }
}
