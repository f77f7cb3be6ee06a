//! The allocator of memory of the tools: mimalloc on Linux, and what the system has elsewhere.
//!
//! A compiler allocates and frees many small pieces, and much at once in long programs: `cargo xtask growth` says how long
//! that takes. A tool names this crate in its `main.rs`; libraries do not, as a program that uses them decides by itself.
//!
//! `malloc` itself is replaced as well (the feature `override`): a plugin that is a shared library allocates by that, and
//! frees what the tool has allocated.

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `mi_option_purge_delay`: after how many milliseconds freed memory goes back.
#[cfg(target_os = "linux")]
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Keeps memory that is freed for what is allocated later, and gives none of it back to the system: for a program that ends
/// soon. Each pass of a long program would get it again otherwise, page by page.
pub fn keep_freed() {
    #[cfg(target_os = "linux")]
    {
        const NEVER: std::ffi::c_long = -1;
        // SAFETY: an option is an integer in a table of the allocator, and numbers beyond the table are not looked at.
        #[allow(unsafe_code)]
        unsafe {
            libmimalloc_sys::mi_option_set(PURGE_DELAY, NEVER);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn the_option_is_the_delay() {
        // SAFETY: an option is read from a table.
        #[allow(unsafe_code)]
        let delay = || unsafe { libmimalloc_sys::mi_option_get(super::PURGE_DELAY) };
        assert_eq!(delay(), 10);
        super::keep_freed();
        assert_eq!(delay(), -1);
    }
}
