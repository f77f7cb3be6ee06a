//! From the text of a manifest to one in which everything that is named is there.

use std::collections::BTreeSet;

use dlc_core::json::outline::Outline;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::location::SourceFile;
use serde::Deserialize;

use super::expr::{Expr, Guard};
use super::layout::Layout;
use super::schema::{Arg, Choice, Formula, Kernel, Launch, Manifest, Program, Step, TensorMap, VERSION};
use super::{BAD_MANIFEST, MANIFEST_VERSION};

/// The most dimensions of a tensor map.
const MAP_RANK: usize = 5;
/// The most elements of a box along an axis.
const MAP_BOX: u32 = 256;
/// The most blocks of a cluster, on devices that allow more than the portable 8.
const CLUSTER: u32 = 16;
/// The most threads of a block.
const THREADS: u32 = 1024;

/// What tells the version, whatever else the file holds.
#[derive(Deserialize)]
struct Head {
    manifest: serde_json::Value,
}

/// Whether a text is meant to be a manifest, well formed or not: JSON with the key `manifest`.
pub fn is_manifest(text: &str) -> bool {
    Outline::of(text).has("manifest")
}

/// Reads a manifest. What is wrong with it is reported.
pub fn read(file: &SourceFile, diags: &Diagnostics) -> Option<Manifest> {
    let text = file.text.as_str();
    let fail = |error: serde_json::Error| {
        let full = error.to_string();
        let end = format!(" at line {} column {}", error.line(), error.column());
        let message = full.strip_suffix(&end).unwrap_or(&full);
        let loc = file.loc(offset(text, error.line(), error.column()));
        diags.emit(Diagnostic::error(&BAD_MANIFEST, loc, format!("this is no launch manifest: {message}")));
    };
    let head: Head = serde_json::from_str(text).map_err(fail).ok()?;
    if !head.manifest.as_u64().is_some_and(|version| (1..=VERSION).contains(&version)) {
        let message = format!("the launch manifest has the version {}, and 1 to {VERSION} are read", head.manifest);
        let error = Diagnostic::error(&MANIFEST_VERSION, file.loc(0), message);
        diags.emit(error.suggest("write it again with the dlc-translate of this version"));
        return None;
    }
    let manifest: Manifest = serde_json::from_str(text).map_err(fail).ok()?;
    let mut checker = Checker { manifest: &manifest, at: String::new(), found: Vec::new() };
    checker.manifest();
    let found = checker.found;
    let is_good = found.is_empty();
    for message in found {
        diags.emit(Diagnostic::error(&BAD_MANIFEST, file.loc(0), message));
    }
    is_good.then_some(manifest)
}

/// The byte of a line and column, both from 1; the end of the text where there is none.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Looks for what is named and not there, and for numbers that no device takes.
struct Checker<'a> {
    manifest: &'a Manifest,
    /// The kernel or program that is looked at.
    at: String,
    found: Vec<String>,
}

impl<'a> Checker<'a> {
    fn fail(&mut self, message: impl AsRef<str>) {
        let message = format!("{}{}", self.at, message.as_ref());
        self.found.push(message);
    }

    fn manifest(&mut self) {
        let manifest = self.manifest;
        let mut names = BTreeSet::new();
        for kernel in &manifest.kernels {
            self.at = String::new();
            if !names.insert(&kernel.name) {
                self.fail(format!("there are two kernels '{}'", kernel.name));
            }
            self.at = format!("the kernel '{}': ", kernel.name);
            self.verified(kernel);
            self.kernel(kernel);
        }
        let mut names = BTreeSet::new();
        for program in &manifest.programs {
            self.at = String::new();
            if !names.insert(&program.name) {
                self.fail(format!("there are two programs '{}'", program.name));
            }
            self.at = format!("the program '{}': ", program.name);
            self.program(program);
        }
        self.at = String::new();
        if architecture(&manifest.target).is_none() {
            self.fail(format!("the target '{}' is none, such as sm_90a", manifest.target));
        }
        if ptx_version(&manifest.ptx_version).is_none() {
            self.fail(format!("the version '{}' of PTX is none, such as 8.0", manifest.ptx_version));
        }
        // The PTX is next to the manifest, and a manifest names no other place.
        if manifest.module.is_empty() || manifest.module.contains(['/', '\\']) {
            self.fail(format!("the module '{}' is not the name of a file", manifest.module));
        }
    }

    /// What is said of verification belongs together, and to the version that has it.
    fn verified(&mut self, kernel: &Kernel) {
        let covered = kernel.launches.iter().filter(|launch| launch.covered.is_some()).count();
        let says_nothing = !kernel.verified && kernel.reason.is_none() && covered == 0;
        if self.manifest.manifest < 2 && !(says_nothing && self.manifest.module_crc32.is_none()) {
            self.fail("what says whether it was verified is of version 2");
        } else if kernel.verified && (kernel.reason.is_some() || covered < kernel.launches.len()) {
            self.fail("it is verified, so each of its launches has 'covered', and it has no 'reason'");
        } else if !kernel.verified && covered > 0 {
            self.fail("it is not verified, so no launch has 'covered'");
        }
    }

    /// Names that are given for the first time.
    fn names<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n String>) -> BTreeSet<&'n str> {
        let mut all = BTreeSet::new();
        for name in names {
            if !all.insert(name.as_str()) {
                self.fail(format!("there are two {what} '{name}'"));
            }
        }
        all
    }

    fn known(&mut self, known: &BTreeSet<&str>, expr: &Expr) {
        for symbol in expr.0.symbols() {
            if !known.contains(&*symbol) {
                self.fail(format!("the size {expr} names '{symbol}', which is none of its symbols"));
            }
        }
    }

    fn known_all<'e>(&mut self, known: &BTreeSet<&str>, all: impl IntoIterator<Item = &'e Expr>) {
        all.into_iter().for_each(|expr| self.known(known, expr));
    }

    fn cost(&mut self, known: &BTreeSet<&str>, choice: &Choice) {
        let Some(cost) = &choice.cost else { return };
        self.known_all(known, cost.exprs());
        if self.manifest.manifest < 4 {
            self.fail("'cost' is of version 4");
        } else if cost.rates().is_none() {
            let rule = "times are not negative, and 'gbps', 'sms' and 'blocks' are at least 1";
            self.fail(format!("the cost of '{}' breaks a rule: {rule}", choice.kernel));
        }
    }

    fn guards(&mut self, known: &BTreeSet<&str>, guards: &[Guard]) {
        for guard in guards {
            self.known_all(known, [&guard.left, &guard.right]);
        }
    }

    fn align(&mut self, name: &str, align: u64) {
        if !align.is_power_of_two() || align > 256 {
            self.fail(format!("the alignment of '{name}' is {align}, which is no power of two up to 256"));
        }
    }

    fn kernel(&mut self, kernel: &'a Kernel) {
        let symbols = self.names("symbols", kernel.symbols.iter());
        let inputs = kernel.inputs.iter().map(|port| &port.name);
        let buffers = self.names("buffers", inputs.chain(kernel.buffers.iter().map(|buffer| &buffer.name)));
        for port in &kernel.inputs {
            self.known_all(&symbols, &port.shape);
            self.layout(&symbols, &port.name, &port.shape, port.layout.as_ref());
            self.align(&port.name, port.align);
        }
        for buffer in &kernel.buffers {
            self.align(&buffer.name, buffer.align);
        }
        let mut known = symbols;
        self.guards(&known.clone(), &kernel.requires);
        for value in &kernel.values {
            match &value.formula {
                Formula::Expr(expr) => self.known(&known, expr),
                Formula::Min(all) | Formula::Max(all) => self.known_all(&known, all),
            }
            if Expr::parse(&value.name).ok().is_none_or(|expr| expr.0.as_symbol() != Some(value.name.as_str())) {
                self.fail(format!("'{}' is no name for a value", value.name));
            } else if !known.insert(&value.name) {
                self.fail(format!("there are two values '{}'", value.name));
            }
        }
        for buffer in &kernel.buffers {
            self.known_all(&known, &buffer.shape);
            self.layout(&known, &buffer.name, &buffer.shape, buffer.layout.as_ref());
        }
        self.names("outputs", kernel.outputs.iter());
        for output in &kernel.outputs {
            let role = kernel.buffers.iter().find(|buffer| buffer.name == *output).map(|buffer| buffer.role);
            if role != Some(super::schema::Role::Output) {
                self.fail(format!("the output '{output}' is no buffer with the role 'output'"));
            }
        }
        for buffer in kernel.buffers.iter().filter(|buffer| buffer.role == super::schema::Role::Output) {
            if !kernel.outputs.contains(&buffer.name) {
                self.fail(format!("the buffer '{}' has the role 'output' and is none of the outputs", buffer.name));
            }
        }
        let maps = self.names("tensor maps", kernel.tensor_maps.iter().map(|map| &map.name));
        for map in &kernel.tensor_maps {
            self.known_all(&known, map.shape.iter().chain(&map.strides).flatten());
            self.map(kernel, map);
        }
        if kernel.launches.is_empty() {
            self.fail("it has no launch");
        }
        for launch in &kernel.launches {
            self.launch(launch, &known, &buffers, &maps);
        }
    }

    /// A layout is one for as many axes, of symbols that are known, and of the version that has it.
    fn layout(&mut self, known: &BTreeSet<&str>, name: &str, shape: &[Expr], layout: Option<&Layout>) {
        let Some(layout) = layout else { return };
        self.known_all(known, &layout.exprs());
        if self.manifest.manifest < 3 {
            self.fail("'layout' is of version 3");
        } else if let Err(why) = layout.0.fits(shape.len()) {
            self.fail(format!("the layout of '{name}': {why}"));
        }
    }

    fn map(&mut self, kernel: &Kernel, map: &TensorMap) {
        let name = &map.name;
        let of_input = kernel.inputs.iter().find(|port| port.name == map.buffer).map(|port| (port.elem, &port.shape));
        let of_buffer = kernel.buffers.iter().find(|buffer| buffer.name == map.buffer);
        let Some((elem, shape)) = of_input.or(of_buffer.map(|buffer| (buffer.elem, &buffer.shape))) else {
            return self.fail(format!("the tensor map '{name}' is of '{}', which is no buffer", map.buffer));
        };
        if elem.size() != map.elem.size() {
            self.fail(format!(
                "the tensor map '{name}' has elements of {}, and its buffer of {}",
                map.elem.name(),
                elem.name()
            ));
        }
        let rank = map.shape.as_ref().unwrap_or(shape).len();
        if map.strides.as_ref().is_some_and(|strides| strides.len() + 1 != rank) {
            self.fail(format!("the tensor map '{name}' needs a stride for each of its {rank} axes but the last"));
        }
        let (least, axes) = match &map.im2col {
            Some(_) => (3, 2),
            None => (1, rank),
        };
        if !(least..=MAP_RANK).contains(&rank) {
            self.fail(format!("the tensor map '{name}' is of {rank} axes, and {least} to {MAP_RANK} are possible"));
        }
        if map.tile.len() != axes {
            self.fail(format!("the box of the tensor map '{name}' has {} sizes, and needs {axes}", map.tile.len()));
        }
        // A column of pixels may have more than a box.
        let most = |axis: usize| if map.im2col.is_some() && axis == 0 { 1024 } else { MAP_BOX };
        if map.tile.iter().enumerate().any(|(axis, &size)| size == 0 || size > most(axis)) {
            self.fail(format!("the box {:?} of the tensor map '{name}' has a size that is 0 or too large", map.tile));
        }
        if ![0, 32, 64, 128].contains(&map.swizzle) {
            self.fail(format!("the swizzle {} of the tensor map '{name}' is none of 0, 32, 64 and 128", map.swizzle));
        }
        let inner = map.tile.last().map_or(0, |&size| u64::from(size) * map.elem.size());
        if map.swizzle > 0 && inner > map.swizzle.into() {
            self.fail(format!(
                "the box of the tensor map '{name}' has rows of {inner} bytes, more than its swizzle of {}",
                map.swizzle
            ));
        }
        if !inner.is_multiple_of(16) {
            self.fail(format!("the box of the tensor map '{name}' has rows of {inner} bytes, no multiple of 16"));
        }
        if let Some(window) = &map.im2col {
            let spatial = rank.saturating_sub(2);
            if [window.lower.len(), window.upper.len(), window.strides.len()] != [spatial; 3] {
                self.fail(format!("the window of the tensor map '{name}' needs {spatial} numbers for each corner"));
            }
            if window.strides.iter().any(|stride| !(1..=8).contains(stride)) {
                self.fail(format!("the steps of the tensor map '{name}' are not from 1 to 8"));
            }
        }
    }

    fn launch(&mut self, launch: &Launch, known: &BTreeSet<&str>, buffers: &BTreeSet<&str>, maps: &BTreeSet<&str>) {
        let entry = &launch.entry;
        self.known_all(known, &launch.grid);
        let blocks = launch.cluster.iter().try_fold(1u32, |all, &size| all.checked_mul(size)).unwrap_or(u32::MAX);
        if blocks == 0 || blocks > CLUSTER {
            self.fail(format!("the clusters {:?} of '{entry}' are not of 1 to {CLUSTER} blocks", launch.cluster));
        }
        if launch.threads == 0 || launch.threads > THREADS {
            self.fail(format!("the blocks of '{entry}' are of {} threads, not of 1 to {THREADS}", launch.threads));
        }
        for arg in &launch.args {
            match arg {
                Arg::Map(name) if !maps.contains(name.as_str()) => {
                    self.fail(format!("'{entry}' takes the tensor map '{name}', which is not there"));
                }
                Arg::Buffer(name) if !buffers.contains(name.as_str()) => {
                    self.fail(format!("'{entry}' takes the buffer '{name}', which is not there"));
                }
                Arg::I32(expr) | Arg::I64(expr) => self.known(known, expr),
                _ => {}
            }
        }
    }

    fn program(&mut self, program: &'a Program) {
        let known = self.names("symbols", program.symbols.iter());
        self.known(&known, &program.arena);
        for port in program.inputs.iter().chain(&program.outputs) {
            self.known_all(&known, &port.shape);
            self.layout(&known, &port.name, &port.shape, port.layout.as_ref());
            self.align(&port.name, port.align);
        }
        self.names("outputs", program.outputs.iter().map(|port| &port.name));
        let mut values = self.names("inputs", program.inputs.iter().map(|port| &port.name));
        for step in &program.steps {
            let (made, used) = match step {
                Step::Const(constant) => {
                    self.known_all(&known, &constant.shape);
                    (vec![&constant.name], Vec::new())
                }
                Step::View(view) => {
                    self.known_all(&known, &view.shape);
                    if let Some(part) = &view.part {
                        if self.manifest.manifest < 5 {
                            self.fail("'from' is of version 5");
                        }
                        self.known(&known, &part.from);
                        self.layout(&known, &view.name, &view.shape, part.layout.as_ref());
                    }
                    (vec![&view.name], vec![&view.of])
                }
                Step::Launch(call) => {
                    for out in &call.outputs {
                        self.known_all(&known, out.shape.iter().chain(&out.offset));
                        self.layout(&known, &out.name, &out.shape, out.layout.as_ref());
                    }
                    if call.choices.is_empty() {
                        self.fail("a launch has no kernel");
                    }
                    for choice in &call.choices {
                        self.known_all(&known, choice.sizes.values());
                        self.cost(&known, choice);
                        self.guards(&known, &choice.guards);
                        self.choice(choice, call.inputs.len(), call.outputs.len());
                    }
                    (call.outputs.iter().map(|out| &out.name).collect(), call.inputs.iter().collect())
                }
            };
            for name in used {
                if !values.contains(name.as_str()) {
                    self.fail(format!("'{name}' is used, and no step before gives it"));
                }
            }
            for name in made {
                if !values.insert(name) {
                    self.fail(format!("'{name}' is given twice"));
                }
            }
        }
        if program.results.len() != program.outputs.len() {
            let (is, wanted) = (program.results.len(), program.outputs.len());
            self.fail(format!("it has {is} results and {wanted} outputs"));
        }
        for name in &program.results {
            if !values.contains(name.as_str()) {
                self.fail(format!("the result '{name}' is given by no step"));
            }
        }
    }

    fn choice(&mut self, choice: &super::schema::Choice, inputs: usize, outputs: usize) {
        let name = &choice.kernel;
        let Some(kernel) = self.manifest.kernels.iter().find(|kernel| kernel.name == *name) else {
            return self.fail(format!("it launches '{name}', which is no kernel of the manifest"));
        };
        if (kernel.inputs.len(), kernel.outputs.len()) != (inputs, outputs) {
            let (takes, gives) = (kernel.inputs.len(), kernel.outputs.len());
            self.fail(format!(
                "'{name}' takes {takes} inputs and gives {gives} outputs, and is launched with {inputs} and {outputs}"
            ));
        }
        let is: BTreeSet<&String> = choice.sizes.keys().collect();
        let wanted: BTreeSet<&String> = kernel.symbols.iter().collect();
        if is != wanted {
            let list = |all: &BTreeSet<&String>| all.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            self.fail(format!("'{name}' has the symbols ({}), and is launched with ({})", list(&wanted), list(&is)));
        }
    }
}

/// What follows the number of an architecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `sm_80`: every device of this capability or a later one.
    Plain,
    /// `sm_100f`: devices of this major capability.
    Family,
    /// `sm_90a`: devices of exactly this capability.
    Exact,
}

/// The capability that a target is for, times ten, and which devices have it.
pub fn architecture(target: &str) -> Option<(u32, Kind)> {
    let rest = target.strip_prefix("sm_")?;
    let (digits, kind) = match rest.strip_suffix('a').map(|rest| (rest, Kind::Exact)) {
        Some(found) => found,
        None => rest.strip_suffix('f').map_or((rest, Kind::Plain), |rest| (rest, Kind::Family)),
    };
    let is_number = (2..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten().map(|number| (number, kind))
}

/// The numbers of a version of PTX: `8.0`.
pub fn ptx_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
