//! Work on several threads.

use std::cell::Cell;
use std::sync::{Mutex, OnceLock, PoisonError};

/// As many threads as the machine runs at once.
static MACHINE: OnceLock<usize> = OnceLock::new();

thread_local! {
    /// How many threads were asked for; 0 for as many as the machine has.
    static THREADS: Cell<usize> = const { Cell::new(0) };
}

/// Runs a function whose work on tensors takes this many threads (at least one). The number changes no result.
pub fn with_threads<R>(threads: usize, run: impl FnOnce() -> R) -> R {
    struct Reset(usize);
    impl Drop for Reset {
        fn drop(&mut self) {
            THREADS.set(self.0);
        }
    }
    let _reset = Reset(THREADS.replace(threads.max(1)));
    run()
}

fn thread_count() -> usize {
    match THREADS.get() {
        // Asking costs some system calls, and the answer stays.
        0 => *MACHINE.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from)),
        asked => asked,
    }
}

/// Calls a function with each chunk of a slice and its number. Threads cost some ten microseconds, so a chunk should be
/// as much work; a thread takes two of them at least.
pub(super) fn each_chunk<T: Send>(values: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let size = size.max(1);
    let threads = values.len().div_ceil(size) / 2;
    each(values.chunks_mut(size).enumerate(), threads, || (), |(), (index, chunk)| work(index, chunk));
}

/// Calls a function with each of some tasks, in no order, on at most this many threads, each of which has a state.
pub(super) fn each<T, S>(
    tasks: impl Iterator<Item = T> + Send,
    most: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) {
    let threads = thread_count().min(most);
    if threads <= 1 {
        let mut state = state();
        return tasks.for_each(|task| work(&mut state, task));
    }
    let queue = Mutex::new(tasks);
    let worker = || {
        let mut state = state();
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(task) = next else { return };
            work(&mut state, task);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
}
