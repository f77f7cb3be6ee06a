//! A kernel for given sizes: every number of its buffers, tensor maps and launches.

use std::collections::BTreeMap;

use dlc_core::placement::Placement;
use dlc_core::sizes::Bindings;

use super::expr::Expr;
use super::layout::Layout;
use super::schema::{Arg, Elem, Formula, Im2col, Kernel, Launch, Role, TensorMap};

/// The most elements of a tensor.
pub const ELEMENTS: u64 = dlc_ptx::ops::WIDE_ELEMENTS as u64;
/// The most blocks along x, y and z.
const GRID: [u64; 3] = [i32::MAX as u64, 65535, 65535];
/// The largest size of a tensor map: the driver takes one twice as large, but coordinates are signed 32-bit numbers.
const MAP_SIZE: u64 = 1 << 31;
/// Strides of tensor maps end here, in bytes.
const MAP_STRIDE: u64 = 1 << 40;

/// A tensor in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub elem: Elem,
    /// Its sizes.
    pub shape: Vec<u64>,
    /// Where its elements lie.
    pub placement: Placement,
    /// What its address is a multiple of.
    pub align: u64,
}

impl Tensor {
    /// Whether another one has the same elements in the same places.
    pub fn is_like(&self, other: &Tensor) -> bool {
        let same_place = self.placement == other.placement
            || (self.placement.is_dense() && other.placement.is_dense())
            || self.placement.strides().is_some_and(|strides| other.placement.strides() == Some(strides));
        self.elem == other.elem && self.shape == other.shape && same_place
    }

    /// Its bytes, with the gaps between its elements.
    pub fn bytes(&self) -> u64 {
        // The number of elements was bounded when it was made.
        self.placement.extent() as u64 * self.elem.size()
    }
}

/// What a buffer of a kernel is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// The input of a number.
    Input(usize),
    /// The output of a number.
    Output(usize),
    /// Zero when the kernel starts.
    Scratch,
    /// Between launches; nothing need be in it.
    Workspace,
}

/// A tensor map with its numbers, in the order of the driver: the fastest axis first.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// Its name.
    pub name: String,
    /// The buffer: its place in [`Numbers::buffers`].
    pub buffer: usize,
    /// The type of the elements.
    pub elem: Elem,
    /// The sizes of the tensor.
    pub dims: Vec<u64>,
    /// The bytes from one element to the next of all axes but the fastest.
    pub strides: Vec<u64>,
    /// The bytes from the beginning of the buffer to the first element.
    pub offset: u64,
    /// How many elements are copied along each axis; with a window, pixels, then channels.
    pub tile: Vec<u32>,
    /// 128, 64, 32 or 0.
    pub swizzle: u32,
    /// The window.
    pub im2col: Option<Im2col>,
}

/// A parameter with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// The tensor map of this place.
    Map(usize),
    /// The address of the buffer of this place.
    Buffer(usize),
    /// A number.
    I32(i32),
    /// A 64-bit number.
    I64(i64),
}

/// A launch with its numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    /// The entry.
    pub entry: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory.
    pub shared: u32,
    /// Whether it may start before the launch before it has ended.
    pub early: bool,
    /// Its parameters.
    pub params: Vec<Param>,
}

/// A kernel for given sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbers {
    /// Inputs in order, then its buffers in order.
    pub buffers: Vec<(Tensor, Use)>,
    /// Its tensor maps.
    pub maps: Vec<Map>,
    /// Its launches, without those that have no block.
    pub starts: Vec<Start>,
}

/// The sizes of a tensor, for messages and checks alike.
pub(super) fn tensor(
    name: &str,
    elem: Elem,
    (shape, layout): (&[Expr], Option<&Layout>),
    align: u64,
    symbols: &Bindings,
) -> Result<Tensor, String> {
    let shape: Vec<u64> = shape.iter().map(|size| size.size(symbols)).collect::<Result<_, _>>()?;
    if count(&shape).is_none_or(|count| count > ELEMENTS) {
        return Err(format!("'{name}' has the sizes {shape:?}, and a tensor has at most {ELEMENTS} elements"));
    }
    let sizes = shape.iter().map(|&size| size as usize).collect();
    let placement = match layout {
        None => Ok(Placement::dense(sizes)),
        Some(layout) => Placement::new(&layout.0, sizes, elem.size() as usize, &|expr| symbols.integer(expr)),
    };
    let placement = placement.map_err(|reason| format!("'{name}': {reason}"))?;
    let extent = placement.extent() as u64;
    if extent > ELEMENTS {
        return Err(format!("'{name}' has {extent} elements with its gaps, and a tensor has at most {ELEMENTS}"));
    }
    Ok(Tensor { name: name.to_string(), elem, shape, placement, align })
}

/// The number of elements, where an axis of zero counts as one of one; `None` beyond 64 bits. So it bounds the product of
/// any of the sizes.
fn count(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1u64, |all, &size| all.checked_mul(size.max(1)))
}

impl Kernel {
    /// All numbers for what the symbols are.
    ///
    /// Errors, as one sentence: a condition that does not hold, and what goes beyond what devices take.
    pub fn numbers(&self, symbols: &BTreeMap<String, i64>) -> Result<Numbers, String> {
        let symbols = Bindings::from(symbols.clone());
        self.admits(&symbols)?;
        let known = self.known(&symbols)?;
        let mut buffers = Vec::new();
        for (place, port) in self.inputs.iter().enumerate() {
            let tensor = tensor(&port.name, port.elem, (&port.shape, port.layout.as_ref()), port.align, &known)?;
            buffers.push((tensor, Use::Input(place)));
        }
        for buffer in &self.buffers {
            let shape = (&buffer.shape[..], buffer.layout.as_ref());
            let tensor = tensor(&buffer.name, buffer.elem, shape, buffer.align, &known)?;
            let place = self.outputs.iter().position(|name| *name == buffer.name);
            let is = match (buffer.role, place) {
                (Role::Output, Some(place)) => Use::Output(place),
                (Role::Workspace, _) => Use::Workspace,
                _ => Use::Scratch,
            };
            buffers.push((tensor, is));
        }
        let mut starts = Vec::new();
        for launch in &self.launches {
            starts.extend(self.start(launch, &buffers, &known)?);
        }
        let mut maps = Vec::new();
        for (place, map) in self.tensor_maps.iter().enumerate() {
            let is_used = starts.iter().any(|start| start.params.contains(&Param::Map(place)));
            let map = self.map(map, &buffers, &known)?;
            // A tensor map of nothing cannot be made, and where nothing is launched, need not.
            if is_used {
                check(&map)?;
            }
            maps.push(map);
        }
        Ok(Numbers { buffers, maps, starts })
    }

    /// What symbols and values are.
    fn known(&self, symbols: &Bindings) -> Result<Bindings, String> {
        let mut known = symbols.clone();
        for value in &self.values {
            let all = match &value.formula {
                Formula::Expr(expr) => std::slice::from_ref(expr),
                Formula::Min(all) | Formula::Max(all) => all,
            };
            let all: Vec<i64> = all.iter().map(|expr| expr.eval(&known)).collect::<Result<_, _>>()?;
            let number = match value.formula {
                Formula::Max(_) => all.iter().max(),
                _ => all.iter().min(),
            };
            // Reading admits no value without expressions, and none that is there before.
            if let Some(&number) = number {
                let _ = known.set(&value.name, number);
            }
        }
        Ok(known)
    }

    /// Whether all of its tensors and sizes are within what it computes with; otherwise what is not.
    fn is_within(&self, symbols: &Bindings) -> Result<(), String> {
        let (name, most) = (&self.name, self.elements);
        let beyond = |what: String| {
            let more = if most < ELEMENTS { "; kernel-to-ptx{index=64} makes one for larger ones" } else { "" };
            Err(format!("{what}, and the kernel '{name}' is for tensors of at most {most} elements{more}"))
        };
        for symbol in &self.symbols {
            let size = dlc_ir::affine::SizeExpr::symbol(symbol).ok().and_then(|size| symbols.integer(&size).ok());
            if let Some(size) = size.filter(|&size| u64::try_from(size).is_ok_and(|size| size > most)) {
                return beyond(format!("{symbol} is {size}"));
            }
        }
        let known = self.known(symbols)?;
        let buffers = self.buffers.iter().map(|buffer| (&buffer.name, &buffer.shape));
        for (tensor, shape) in self.inputs.iter().map(|port| (&port.name, &port.shape)).chain(buffers) {
            let shape: Vec<u64> = shape.iter().map(|size| size.size(&known)).collect::<Result<_, _>>()?;
            if count(&shape).is_none_or(|count| count > most) {
                return beyond(format!("'{tensor}' has the sizes {shape:?}"));
            }
        }
        Ok(())
    }

    /// Whether it is for these sizes; otherwise the condition that does not hold.
    pub fn admits(&self, symbols: &Bindings) -> Result<(), String> {
        for guard in &self.requires {
            if !guard.holds(symbols)? {
                let mut used = guard.left.0.symbols();
                used.append(&mut guard.right.0.symbols());
                let is = used.iter().map(|name| {
                    let value = symbols.integer(&dlc_ir::affine::SizeExpr::symbol(name).ok()?).ok()?;
                    Some(format!("{name} = {value}"))
                });
                let is = is.collect::<Option<Vec<_>>>().unwrap_or_default().join(", ");
                return Err(format!("the kernel '{}' is for sizes with {guard}, but {is}", self.name));
            }
        }
        self.is_within(symbols)
    }

    /// The numbers of a launch; `None` if there is no block to start.
    fn start(&self, launch: &Launch, buffers: &[(Tensor, Use)], known: &Bindings) -> Result<Option<Start>, String> {
        let entry = &launch.entry;
        let mut grid = [0u32; 3];
        for (axis, size) in launch.grid.iter().enumerate() {
            let size = size.size(known)?;
            let blocks = u64::from(launch.cluster[axis]);
            if size > GRID[axis] {
                let (axis, most) = (["x", "y", "z"][axis], GRID[axis]);
                return Err(format!("'{entry}' would have {size} blocks along {axis}, and there are at most {most}"));
            }
            if size % blocks != 0 {
                return Err(format!("'{entry}' would have {size} blocks, no whole number of clusters of {blocks}"));
            }
            grid[axis] = size as u32;
        }
        let mut params = Vec::new();
        for arg in &launch.args {
            params.push(match arg {
                Arg::Map(name) => {
                    let place = self.tensor_maps.iter().position(|map| map.name == *name);
                    Param::Map(place.ok_or_else(|| format!("there is no tensor map '{name}'"))?)
                }
                Arg::Buffer(name) => {
                    let place = buffers.iter().position(|(tensor, _)| tensor.name == *name);
                    Param::Buffer(place.ok_or_else(|| format!("there is no buffer '{name}'"))?)
                }
                Arg::I32(expr) => {
                    let value = expr.eval(known)?;
                    let number = i32::try_from(value);
                    Param::I32(number.map_err(|_| format!("{expr} is {value}, which goes beyond 32 bits"))?)
                }
                Arg::I64(expr) => Param::I64(expr.eval(known)?),
            });
        }
        let Launch { cluster, threads, shared, early, .. } = *launch;
        let start = Start { entry: entry.clone(), grid, cluster, threads, shared, early, params };
        Ok((!grid.contains(&0)).then_some(start))
    }

    fn map(&self, map: &TensorMap, buffers: &[(Tensor, Use)], known: &Bindings) -> Result<Map, String> {
        // Reading admits no other name.
        let buffer = buffers.iter().position(|(tensor, _)| tensor.name == map.buffer).unwrap_or_default();
        let (shape, placement) = (&buffers[buffer].0.shape, &buffers[buffer].0.placement);
        let mut dims = shape.clone();
        if let Some(sizes) = &map.shape {
            dims = sizes.iter().map(|size| size.size(known)).collect::<Result<_, _>>()?;
            let count = |sizes: &[u64]| sizes.iter().try_fold(1u64, |all, &size| all.checked_mul(size));
            if count(&dims) != count(shape) {
                let (name, buffer) = (&map.name, &map.buffer);
                return Err(format!("the tensor map '{name}' of {dims:?} elements is not '{buffer}' of {shape:?}"));
            }
        }
        dims.reverse();
        let mut bytes = map.elem.size();
        let dense = dims.iter().take(dims.len().saturating_sub(1)).map(|size| {
            bytes = bytes.saturating_mul(*size);
            bytes
        });
        let mut strides: Vec<u64> = dense.collect();
        if let Some(steps) = &map.strides {
            let bytes = |step: &Expr| Ok(step.size(known)?.saturating_mul(map.elem.size()));
            strides = steps.iter().rev().map(bytes).collect::<Result<_, String>>()?;
        } else if !placement.is_dense() {
            let name = &map.name;
            return Err(format!("the tensor map '{name}' has no 'strides', and its buffer has a layout"));
        }
        let offset = placement.strides().map_or(0, |(_, offset)| offset as u64) * map.elem.size();
        Ok(Map {
            name: map.name.clone(),
            buffer,
            elem: map.elem,
            strides,
            offset,
            dims,
            // Pixels and channels have no order of axes.
            tile: if map.im2col.is_some() { map.tile.clone() } else { map.tile.iter().rev().copied().collect() },
            swizzle: map.swizzle,
            im2col: map.im2col.clone(),
        })
    }
}

/// Whether the driver can make a tensor map.
fn check(map: &Map) -> Result<(), String> {
    let name = &map.name;
    if let Some(size) = map.dims.iter().find(|&&size| size == 0 || size > MAP_SIZE) {
        return Err(format!("the tensor map '{name}' would have an axis of {size} elements, and has 1 to {MAP_SIZE}"));
    }
    if let Some(stride) = map.strides.iter().find(|stride| !stride.is_multiple_of(16)) {
        return Err(format!("the tensor map '{name}' needs rows of a multiple of 16 bytes, and they have {stride}"));
    }
    if let Some(stride) = map.strides.iter().find(|&&stride| stride >= MAP_STRIDE) {
        return Err(format!(
            "the tensor map '{name}' would have steps of {stride} bytes, which are below {MAP_STRIDE}"
        ));
    }
    Ok(())
}
