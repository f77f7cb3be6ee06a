//! Interning: equal data gets equal ids, from any thread, and lives as long as the interner.
//!
//! Tables are sharded by hash and locked while an entry is looked for; reading an entry by its id takes no lock.
//! The variable-length parts (slices, strings) lie in one `bumpalo` arena a shard.
//!
//! This is the only file of `dlc-ir` with unsafe code: one lifetime is stretched, see the SAFETY comment.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bumpalo::Bump;
use hashbrown::HashTable;
use rustc_hash::FxHasher;

const SHARDS: usize = 8;
/// The first chunk holds this many entries, each later one twice as many as the one before.
const FIRST_CHUNK: usize = 64;
const CHUNKS: usize = 26;

struct Shard {
    ids: HashTable<u32>,
    bump: Bump,
}

/// Interned entries of type `S`, whose borrowed parts lie in the interner's own arenas.
///
/// `S` is written with the lifetime `'static` inside. It leaves this module's users only as `&'s S` shortened to the
/// interner's own lifetime, which the covariance of the data types does for free.
pub(crate) struct Interner<S> {
    // Declared before `shards`, so dropped first: entries never outlive the arenas they borrow from.
    chunks: [OnceLock<Box<[OnceLock<S>]>>; CHUNKS],
    shards: [Mutex<Shard>; SHARDS],
    len: AtomicU32,
}

impl<S: Hash + Send + Sync + 'static> Interner<S> {
    pub(crate) fn new() -> Self {
        Interner {
            chunks: [const { OnceLock::new() }; CHUNKS],
            shards: std::array::from_fn(|_| Mutex::new(Shard { ids: HashTable::new(), bump: Bump::new() })),
            len: AtomicU32::new(0),
        }
    }

    /// The id of the entry that hashes like `key` and `is` the wanted one; `make` builds it when there is none, with
    /// its slices copied into the arena that it is given.
    pub(crate) fn intern(
        &self,
        key: &impl Hash,
        is: impl Fn(&S) -> bool,
        make: impl FnOnce(&'static Bump) -> S,
    ) -> u32 {
        let hash = hash_of(key);
        let mut shard = self.shard(hash);
        if let Some(&id) = shard.ids.find(hash, |&id| is(self.get(id))) {
            return id;
        }
        #[allow(unsafe_code)]
        // SAFETY: the arena is never moved out, reset or replaced while the interner lives (`self.shards` does not
        // grow, and a shard's `bump` is touched only here), and what is built from the reference is stored in `chunks`,
        // which is dropped before it. `make` keeps no copy: it is crate-private and every caller returns all it built.
        // The mutex is held, so the arena is not used by two threads at once. A `Bump` keeps its chunks in place when
        // the interner itself is moved; the reference to the `Bump` value is not used after this call.
        let entry = make(unsafe { &*std::ptr::from_ref(&shard.bump) });
        let id = self.len.fetch_add(1, Ordering::Relaxed);
        let (chunk, offset) = place(id);
        assert!(chunk < CHUNKS, "fewer than 2^31 interned entries");
        let slots = self.chunks[chunk].get_or_init(|| (0..FIRST_CHUNK << chunk).map(|_| OnceLock::new()).collect());
        assert!(slots[offset].set(entry).is_ok(), "each id is assigned once");
        shard.ids.insert_unique(hash, id, |&id| hash_of(self.get(id)));
        id
    }

    /// The entry of `id`, which [`intern`](Self::intern) gave out.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> &S {
        let (chunk, offset) = place(id);
        let slots = self.chunks[chunk].get().expect("an interned id belongs to the context that made it");
        slots[offset].get().expect("an interned id belongs to the context that made it")
    }

    /// The number of entries.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed) as usize
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        // The low bits pick the bucket inside the table and the top seven its tag; these are neither.
        let index = (hash >> 48) as usize % SHARDS;
        // A panic while the lock is held leaves the table as it was: entries are added after they are complete.
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash_of(key: &impl Hash) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(key)
}

/// The chunk of an entry, and its place in the chunk.
#[inline]
fn place(id: u32) -> (usize, usize) {
    let position = id as usize + FIRST_CHUNK;
    let chunk = (position.ilog2() - FIRST_CHUNK.ilog2()) as usize;
    (chunk, position - (FIRST_CHUNK << chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings() -> Interner<&'static str> {
        Interner::new()
    }

    fn intern(strings: &Interner<&'static str>, text: &str) -> u32 {
        strings.intern(&text, |s| *s == text, |bump| bump.alloc_str(text))
    }

    #[test]
    fn equal_text_has_one_id_whatever_the_thread() {
        let strings = strings();
        let ids: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let work = || (0..2000).map(|i| intern(&strings, &format!("name{i}"))).collect::<Vec<_>>();
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            workers.into_iter().map(|w| w.join().expect("no panic")).collect()
        });
        assert!(ids.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(strings.len(), 2000);
        assert_eq!(*strings.get(ids[0][1234]), "name1234");
    }

    #[test]
    fn places_fill_chunks_without_gaps() {
        let mut expected = (0, 0);
        for id in 0..10_000 {
            assert_eq!(place(id), expected);
            expected = if expected.1 + 1 == FIRST_CHUNK << expected.0 {
                (expected.0 + 1, 0)
            } else {
                (expected.0, expected.1 + 1)
            };
        }
    }
}
