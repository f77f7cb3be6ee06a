//! The only unsafe code of the tool: opening a shared library, and asking that a child dies with its parent.

#![allow(unsafe_code)]

use std::path::Path;
use std::process::Command;

use dlc_ir::plugin::{Declaration, Difference, MAGIC, Plugin, SYMBOL, Stamp, identities};
use libloading::Library;

use super::protocol::{Refusal, RefusalKind};

/// Opens a library, checks that it fits this program, and lets it hand over what it has. It stays open for good.
///
/// Opening runs the library's initializers: a file that is not trusted is not to be opened at all. Everything else that
/// is wrong with it is determined before its code is called.
pub fn load(path: &str) -> Result<(String, Plugin), Refusal> {
    let not_loaded = |why: String| Refusal::new(RefusalKind::NotLoaded, format!("the plugin '{path}' {why}"));
    // Without a directory in it the name would be looked for elsewhere.
    let full = Path::new(path).canonicalize().map_err(|error| not_loaded(format!("cannot be read: {error}")))?;
    // SAFETY: the initializers of the library run. Nothing is known of them; whoever names the library vouches for it, as
    // for every program that they run. A crash in them ends the child process that this runs in.
    let library = unsafe { Library::new(&full) }.map_err(|error| {
        let reason = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        not_loaded(format!("cannot be opened as a library: {reason}"))
    })?;
    // Never unloaded: what it hands over is `&'static`, and its functions are in the tables of the context.
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: the type is a raw pointer, which any symbol's address is; it is not followed here.
    let symbol = unsafe { library.get::<*const Declaration>(SYMBOL) };
    let declaration: *const Declaration = match symbol {
        Ok(symbol) => *symbol,
        Err(_) => {
            let why = format!("is a library, but no plugin of dlc: it does not export '{SYMBOL}'");
            return Err(not_loaded(why).suggest("dlc_ir::plugin! exports it, from a crate of the type 'cdylib'"));
        }
    };
    if declaration.is_null() {
        return Err(not_loaded(format!("exports a '{SYMBOL}' without an address")));
    }
    // SAFETY: the address is that of an exported item of a library that stays open. Whatever the item is, its first bytes
    // are readable, as bytes: each part is read only when the one before it says that it is there.
    let stamp = unsafe {
        let mut stamp = Stamp::own();
        stamp.magic = declaration.cast::<[u8; 16]>().read_unaligned();
        if stamp.magic == MAGIC {
            stamp.size = declaration.byte_add(16).cast::<u64>().read_unaligned();
        }
        if stamp.magic == MAGIC && stamp.size == size_of::<Stamp>() as u64 {
            stamp = declaration.cast::<Stamp>().read_unaligned();
        }
        stamp
    };
    let differences = Stamp::own().differences(&stamp);
    if !differences.is_empty() {
        return Err(refused(path, &stamp, &differences));
    }
    // SAFETY: the stamps are equal: the same sources of `dlc-ir`, compiled by the same compiler for the same target, say
    // that this is a `Declaration`, and what its functions take.
    let declaration: &'static Declaration = unsafe { &*declaration };
    let (theirs, ours) = ((declaration.identities)(), identities());
    if theirs != ours {
        let hashes =
            Difference { what: BUILD.into(), theirs: format!("'{theirs:016x}'"), ours: format!("'{ours:016x}'") };
        return Err(refused(path, &stamp, &[hashes]));
    }
    let mut plugin = Plugin::default();
    match (declaration.register)(&mut plugin) {
        Ok(()) => Ok((stamp.name.text(), plugin)),
        Err(message) => Err(not_loaded(format!("panicked while it registered: {message}"))),
    }
}

/// What differs when the stamps are equal.
const BUILD: &str = "build of dlc-ir (hash)";

/// The most reasons that a refusal names.
const MOST_REASONS: usize = 12;

fn refused(path: &str, stamp: &Stamp, differences: &[Difference]) -> Refusal {
    let own = Stamp::own();
    let name = if stamp.magic == MAGIC { stamp.name.text() } else { String::new() };
    let name = if name.is_empty() { String::new() } else { format!(" ('{name}')") };
    let message = format!("the plugin '{path}'{name} was built against another dlc");
    let mut notes: Vec<String> = differences.iter().map(ToString::to_string).collect();
    // What these are read from is where it is expected in stamps of one form only.
    let is_readable = stamp.magic == own.magic && stamp.size == own.size;
    let reasons = if is_readable { own.reasons(stamp) } else { Vec::new() };
    notes.extend(reasons.iter().take(MOST_REASONS).map(ToString::to_string));
    if reasons.len() > MOST_REASONS {
        notes.push(format!("{} more packages differ", reasons.len() - MOST_REASONS));
    }
    if is_readable && reasons.is_empty() && differences.iter().all(|difference| difference.what == BUILD) {
        notes.push("profile and packages agree: it was built in another workspace, or with other features".into());
    }
    Refusal { notes, ..Refusal::new(RefusalKind::Refused, message) }.suggest(
        "build it again with the sources, compiler and profile of this program, in their workspace or in a project \
         that 'dlc-opt --new-plugin' writes",
    )
}

/// Lets the child of a command die when the thread that starts it ends, so that an interrupted tool leaves none running.
pub fn dies_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        // SAFETY: between fork and exec only a system call is made, which allocates nothing and takes no lock.
        unsafe {
            command.pre_exec(|| {
                rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
                    .map_err(std::io::Error::from)
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}
