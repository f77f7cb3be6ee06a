//! A shared library with passes and dialects: what it exports, and how one knows that it fits.
//!
//! ```text
//! dlc_ir::plugin!("my-plugin", register);
//!
//! fn register(plugin: &mut dlc_ir::plugin::Plugin) {
//!     plugin.dialect(&my_dialect::DIALECT);
//!     plugin.pass(&MY_PASS);
//! }
//! ```
//!
//! The library has a copy of `dlc-ir` of its own, and the program that loads it another: they can work on one context
//! only when both are the same code, from the same compiler. So the library exports one item, [`Declaration`], of which
//! the beginning is plain bytes with a layout that never changes: the [`Stamp`]. A program compares it with its own
//! before it calls anything, and calls [`Declaration::register`] only when they are equal.
//!
//! What holds across the boundary, because it is the same code: layouts, function tables, `TypeId`s. What does not:
//! the addresses of statics (so declarations are compared by name), thread-local and other state of the standard library
//! (so a panic must be caught in the library, [`Pass::run_caught`]), and `inventory` (so a library registers by a call).
//! What one side allocates the other frees, so neither may set a `#[global_allocator]`. A library is never unloaded:
//! what it hands over is `&'static`.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::op::Dialect;
use crate::pass::registry::PipelineDef;
use crate::pass::{Pass, PassDef};
use crate::random::{GAMMA, mix};

/// The name of the exported [`Declaration`].
pub const SYMBOL: &str = "dlc_plugin";

/// What the exported item begins with.
pub const MAGIC: [u8; 16] = *b"dlc plugin v2\0\0\0";

/// What a build of `dlc-ir` is: two with equal stamps can work on one context. Plain bytes, in the library's data: it
/// can be read before anything of the library is called, and its layout never changes with [`MAGIC`].
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// [`MAGIC`].
    pub magic: [u8; 16],
    /// The size of the stamp in bytes.
    pub size: u64,
    /// A hash of the sizes and alignments of the types that cross the boundary.
    pub layout: u64,
    /// The version of dlc.
    pub version: Words<32>,
    /// The version of the compiler, in its words.
    pub compiler: Words<96>,
    /// The target, and what else changes the code: `x86_64-linux-gnu-64, with debug assertions, unwinding`.
    pub target: Words<96>,
    /// A hash of the sources of `dlc-ir`.
    pub sources: Words<32>,
    /// The options of the compiler that come from the profile: `opt-level=1, debuginfo=line-tables-only`. This and the
    /// next part say why two builds differ, and not whether they do.
    pub profile: Words<160>,
    /// The packages that `dlc-ir` is built from, with their versions, those for its tests too:
    /// `bumpalo 3.20.3;hashbrown 0.17.1;`.
    pub dependencies: Words<4096>,
    /// The name of the plugin; whatever it is, it fits.
    pub name: Words<64>,
}

/// A text of at most so many bytes, filled up with zeros.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words<const N: usize>([u8; N]);

impl<const N: usize> Words<N> {
    /// The text; of a longer one the beginning.
    pub const fn new(text: &str) -> Self {
        let mut bytes = [0; N];
        let mut at = 0;
        while at < text.len() && at < N {
            bytes[at] = text.as_bytes()[at];
            at += 1;
        }
        Words(bytes)
    }

    /// The text, whatever the bytes are.
    pub fn text(&self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(N);
        let readable = |c: char| if c.is_control() { '?' } else { c };
        String::from_utf8_lossy(&self.0[..end]).chars().map(readable).collect()
    }
}

/// What the library exports, under the name [`SYMBOL`].
#[repr(C)]
pub struct Declaration {
    /// Which build of `dlc-ir` the library has in it.
    pub stamp: Stamp,
    /// [`identities`] of the library's copy. Called when the stamps are equal.
    pub identities: extern "C" fn() -> u64,
    /// Hands over what the plugin has, or says why it cannot. Called when the identities are equal too.
    pub register: fn(&mut Plugin) -> Result<(), String>,
}

/// Exports a plugin from a library of the crate type `cdylib`: its name, and a `fn(&mut Plugin)` that registers what it
/// has.
#[macro_export]
macro_rules! plugin {
    ($name:literal, $register:path) => {
        /// What dlc looks for in this library.
        // SAFETY: no other item of a library has this name, which is dlc's own.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub static dlc_plugin: $crate::plugin::Declaration = $crate::plugin::Declaration {
            stamp: $crate::plugin::Stamp::of_plugin($name),
            identities: $crate::plugin::identities,
            register: |plugin| {
                // A panic must not leave the library that it started in, whose standard library is its own.
                $crate::pass::panics::install_hook();
                $crate::pass::panics::catch(|| $register(plugin)).map_err(|caught| caught.message)
            },
        };
    };
}

impl Stamp {
    /// The stamp of this build.
    pub const fn own() -> Stamp {
        Stamp::of_plugin("")
    }

    /// The stamp of a plugin that is built with this `dlc-ir`.
    pub const fn of_plugin(name: &str) -> Stamp {
        Stamp {
            magic: MAGIC,
            size: size_of::<Stamp>() as u64,
            layout: layout(),
            version: Words::new(env!("CARGO_PKG_VERSION")),
            compiler: Words::new(dlc_ir_macros::compiler_version!()),
            target: Words::new(TARGET),
            sources: Words::new(dlc_ir_macros::source_hash!()),
            profile: Words::new(dlc_ir_macros::profile_options!()),
            dependencies: Words::new(dlc_ir_macros::dependency_versions!()),
            name: Words::new(name),
        }
    }

    /// What differs in a plugin's stamp. Only the magic and the size are looked at when they differ: what follows means
    /// something else then.
    pub fn differences(&self, plugin: &Stamp) -> Vec<Difference> {
        let quoted = |text: String| format!("'{text}'");
        if self.magic != plugin.magic || self.size != plugin.size {
            let show = |stamp: &Stamp| quoted(format!("{} of {} bytes", Words(stamp.magic).text(), stamp.size));
            return vec![Difference { what: "form of declaration".into(), theirs: show(plugin), ours: show(self) }];
        }
        let parts = [
            ("version of dlc", plugin.version.text(), self.version.text()),
            ("compiler", plugin.compiler.text(), self.compiler.text()),
            ("target and profile", plugin.target.text(), self.target.text()),
            ("sources of dlc-ir (hash)", plugin.sources.text(), self.sources.text()),
            ("layout of types (hash)", format!("{:016x}", plugin.layout), format!("{:016x}", self.layout)),
        ];
        let differing = parts.into_iter().filter(|(_, theirs, ours)| theirs != ours);
        differing
            .map(|(what, theirs, ours)| Difference { what: what.into(), theirs: quoted(theirs), ours: quoted(ours) })
            .collect()
    }

    /// Why a plugin of the same form does not fit, where [`Stamp::differences`] or [`identities`] say that it does not: the
    /// profile, and the packages whose versions differ.
    pub fn reasons(&self, plugin: &Stamp) -> Vec<Difference> {
        let (theirs, ours) = (plugin.profile.text(), self.profile.text());
        let profile = Difference { what: "profile".into(), theirs: format!("'{theirs}'"), ours: format!("'{ours}'") };
        let profile = Some(profile).filter(|_| theirs != ours);
        let (theirs, ours) = (plugin.dependencies.text(), self.dependencies.text());
        let (theirs, ours) = (versions(&theirs), versions(&ours));
        // A list may have the direct dependencies alone: what is missing in one says nothing.
        let is_part = |a: &[&str], b: &[&str]| a.iter().all(|version| b.contains(version));
        let both = theirs.iter().filter_map(|(name, theirs)| Some((name, theirs, ours.get(name)?)));
        let packages = both.filter(|(_, theirs, ours)| !is_part(theirs, ours) && !is_part(ours, theirs)).map(
            |(name, theirs, ours)| Difference {
                what: name.to_string(),
                theirs: theirs.join(" and "),
                ours: ours.join(" and "),
            },
        );
        profile.into_iter().chain(packages).collect()
    }
}

/// Something that a plugin and the program that loads it do not have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What: a part of the stamp, or a package.
    pub what: String,
    /// What the plugin has.
    pub theirs: String,
    /// What the program has.
    pub ours: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: the plugin has {}, this program has {}", self.what, self.theirs, self.ours)
    }
}

/// The versions of each package in a list. What does not end with a semicolon was cut.
fn versions(list: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let whole = list.rfind(';').map_or("", |end| &list[..end]);
    for (name, version) in whole.split(';').filter_map(|entry| entry.split_once(' ')) {
        versions.entry(name).or_default().push(version);
    }
    versions
}

macro_rules! joined_target {
    ($($name:ident: $($value:literal)+;)+) => {$(
        const $name: &str = { $(if cfg!($name = $value) { $value } else)+ { "other" } };
    )+};
}

#[allow(non_upper_case_globals)] // The names are those of the configuration options.
mod cfg_words {
    joined_target! {
        target_arch: "x86_64" "aarch64" "riscv64" "x86" "arm" "powerpc64" "s390x" "loongarch64";
        target_os: "linux" "macos" "windows" "freebsd" "android";
        target_env: "gnu" "musl" "msvc" "";
        target_pointer_width: "64" "32";
    }

    pub(super) const PARTS: &[&str] = &[
        target_arch,
        "-",
        target_os,
        "-",
        target_env,
        "-",
        target_pointer_width,
        if cfg!(debug_assertions) { ", with debug assertions" } else { ", without debug assertions" },
        if cfg!(panic = "unwind") { ", unwinding" } else { ", aborting" },
    ];
}

const TARGET_BYTES: ([u8; 96], usize) = {
    let mut bytes = [0; 96];
    let (mut len, mut part) = (0, 0);
    while part < cfg_words::PARTS.len() {
        let text = cfg_words::PARTS[part].as_bytes();
        let mut at = 0;
        while at < text.len() {
            bytes[len] = text[at];
            len += 1;
            at += 1;
        }
        part += 1;
    }
    (bytes, len)
};

const TARGET: &str = match std::str::from_utf8(TARGET_BYTES.0.split_at(TARGET_BYTES.1).0) {
    Ok(text) => text,
    Err(_) => panic!("the words are ASCII"),
};

macro_rules! crossing {
    ($($ty:ty),* $(,)?) => {
        /// The sizes and alignments of the types that cross the boundary, folded into one number.
        const fn layout() -> u64 {
            let state = GAMMA;
            $(let state = mix(state ^ size_of::<$ty>() as u64);
            let state = mix(state ^ align_of::<$ty>() as u64);)*
            state
        }

        /// A hash of the identities of the types that cross the boundary: they differ between two builds of a crate with
        /// other dependencies, features or profile, or from another place. Interfaces and analyses are found by them.
        pub extern "C" fn identities() -> u64 {
            let mut hash = DefaultHasher::new();
            $(TypeId::of::<$ty>().hash(&mut hash);)*
            hash.finish()
        }
    };
}

crossing! {
    crate::context::Context, crate::context::Str, crate::context::OpName, crate::body::Body,
    crate::body::OpRef<'static>, crate::body::OpParts<'static>, crate::body::InsertPoint,
    crate::builder::Builder<'static>, crate::entity::OpId,
    crate::attrs::Attr, crate::attrs::AttrData<'static>, crate::types::Type, crate::types::TypeData<'static>,
    crate::location::Loc, crate::location::LocData<'static>, crate::location::SourceFile,
    crate::diag::Diagnostic, crate::diag::Diagnostics, crate::diag::Code, crate::diag::Note,
    crate::op::Dialect, crate::op::OpDef, crate::op::TypeDef, crate::op::AttrKind, crate::op::OperandDef,
    crate::op::ResultDef, crate::op::AttrSpec, crate::op::Interface, crate::op::Folded, crate::op::InferCx<'static>,
    crate::rewrite::Pattern, crate::rewrite::Rewriter<'static>,
    crate::text::Parser<'static>, crate::text::Printer<'static>,
    crate::verify::SymbolTable,
    PassDef, crate::pass::OptionDef, crate::pass::StatDef, crate::pass::OptionValues, crate::pass::PassCx<'static>,
    crate::pass::AnalysisCache, crate::pass::DebugCounters, PipelineDef, Plugin, Box<dyn Pass>,
    String, Vec<u8>, std::sync::Mutex<u8>, std::sync::RwLock<u8>,
    smallvec::SmallVec<[u32; 4]>, rustc_hash::FxHashMap<u32, u32>, indexmap::IndexMap<u32, u32>,
    hashbrown::HashTable<u32>, bumpalo::Bump,
}

/// What a plugin has. It is handed over in the one call that registers.
#[derive(Default, Debug)]
pub struct Plugin {
    /// Its dialects.
    pub dialects: Vec<&'static Dialect>,
    /// Its passes.
    pub passes: Vec<&'static PassDef>,
    /// Its named pipelines.
    pub pipelines: Vec<&'static PipelineDef>,
}

impl Plugin {
    /// Adds a dialect.
    pub fn dialect(&mut self, dialect: &'static Dialect) {
        self.dialects.push(dialect);
    }

    /// Adds a pass.
    pub fn pass(&mut self, def: &'static PassDef) {
        self.passes.push(def);
    }

    /// Adds a named pipeline.
    pub fn pipeline(&mut self, def: &'static PipelineDef) {
        self.pipelines.push(def);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_fits_itself_whatever_the_name() {
        assert_eq!(Stamp::own().differences(&Stamp::of_plugin("some")), []);
        assert!(Stamp::own().compiler.text().starts_with("rustc "), "{}", Stamp::own().compiler.text());
        assert_ne!(identities(), 0);
    }

    #[test]
    fn every_part_is_compared() {
        let own = Stamp::own();
        let others = [
            Stamp { version: Words::new("9.9.9"), ..own },
            Stamp { compiler: Words::new("rustc 9.9.9"), ..own },
            Stamp { target: Words::new("pdp11"), ..own },
            Stamp { sources: Words::new("0"), ..own },
            Stamp { layout: own.layout + 1, ..own },
            Stamp { magic: [b'x'; 16], version: Words::new("9.9.9"), ..own },
            Stamp { size: 8, version: Words::new("9.9.9"), ..own },
        ];
        for other in others {
            assert_eq!(own.differences(&other).len(), 1, "{other:?}");
        }
    }

    #[test]
    fn reasons_are_named() {
        let own = Stamp::own();
        assert_eq!(own.reasons(&Stamp::of_plugin("some")), []);
        assert!(own.profile.text().contains("opt-level="), "{}", own.profile.text());
        assert!(own.dependencies.text().contains("bumpalo "), "{}", own.dependencies.text());
        let with = |dependencies| Stamp { dependencies: Words::new(dependencies), ..own };
        // `indexmap` and `half` are in one list each, and what does not end with a semicolon was cut.
        let ours =
            with("bumpalo 3.20.3;hashbrown 0.16.1;hashbrown 0.17.1;indexmap 2.14.2;syn 2.0.1;syn 3.0.1;libc 1.0");
        let theirs = with("bumpalo 3.20.4;half 2.7.1;hashbrown 0.17.1;libc 1.0.1;syn 2.0.1;syn 3.0.2;");
        let theirs = Stamp { profile: Words::new("opt-level=9"), ..theirs };
        let ours = Stamp { profile: Words::new("opt-level=1"), ..ours };
        assert_eq!(ours.differences(&theirs), []);
        let shown: Vec<String> = ours.reasons(&theirs).iter().map(ToString::to_string).collect();
        let expected = [
            "profile: the plugin has 'opt-level=9', this program has 'opt-level=1'",
            "bumpalo: the plugin has 3.20.4, this program has 3.20.3",
            "syn: the plugin has 2.0.1 and 3.0.2, this program has 2.0.1 and 3.0.1",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn texts_are_cut_and_made_readable() {
        assert_eq!(Words::<4>::new("abcdef").text(), "abcd");
        assert_eq!(Words::<4>(*b"a\x01\xff\0").text(), "a?\u{fffd}");
    }
}
