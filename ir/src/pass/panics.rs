//! Panics of passes, caught: what was said, and where.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A panic that was caught.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caught {
    /// What was said.
    pub message: String,
    /// File and line, when [`install_hook`] was called before.
    pub place: Option<String>,
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Lets panics inside [`catch`] be silent, their place being kept; others are shown as before. For programs, once: the
/// hook belongs to the whole process.
pub fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let other = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                PLACE.set(info.location().map(|place| format!("{}:{}", place.file(), place.line())));
            } else {
                other(info);
            }
        }));
    });
}

/// Runs a function; a panic in it is an error. What the function was changing must be thrown away then.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, Caught> {
    let outer = CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    CATCHING.set(outer);
    result.map_err(|payload| Caught { message: message(&*payload), place: PLACE.take() })
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
