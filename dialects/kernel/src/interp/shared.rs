//! The shared memory of a block: its bytes, and what is known of each.

use std::sync::OnceLock;

use dlc_core::launch::Number;
use dlc_core::tensor::ElemKind;
use dlc_ir::types::FloatKind;
use dlc_ir::{Context, Type, float};

/// What is known of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Byte {
    /// Nothing was put there.
    Empty,
    /// A copy brings it, which has not ended.
    Coming,
    /// TMA or nobody in particular put it there.
    Settled,
    /// A thread of a thread group put it there, at a time of the thread group.
    Written { thread_group: u16, thread: u16, clock: u64 },
}

/// Who looks at shared memory.
#[derive(Clone, Copy)]
pub enum Reader {
    /// A thread of a thread group that has seen what all its warps did until a time, and the lanes of its own warp.
    Thread { thread_group: u16, thread: u16, synced: u64, warp_synced: u64 },
    /// TMA or the tensor cores, which see what the thread group did until a time. What all threads of the thread group did is
    /// known to the one that lets them read until another time.
    Engine { thread_group: u16, fenced: u64, synced: u64 },
}

/// Bytes and what is known of them.
#[derive(Default)]
pub struct SharedMemory {
    bytes: Vec<u8>,
    known: Vec<Byte>,
    /// How many products and stores that are not awaited read each byte.
    held: Vec<u16>,
}

impl SharedMemory {
    pub fn new(bytes: usize) -> SharedMemory {
        SharedMemory { bytes: vec![0; bytes], known: vec![Byte::Empty; bytes], held: vec![0; bytes] }
    }

    /// A product or a store begins to read bytes, or has read them. They were read before, so they are there.
    pub fn hold(&mut self, address: u32, length: usize, begins: bool) {
        if let Ok(range) = self.range(address, length) {
            for count in &mut self.held[range] {
                *count = if begins { count.saturating_add(1) } else { count.saturating_sub(1) };
            }
        }
    }

    /// An error where a product or a store reads one of the bytes.
    fn check_held(&self, range: &std::ops::Range<usize>) -> Result<(), String> {
        let held = self.held[range.clone()].iter().position(|&count| count > 0);
        held.map_or(Ok(()), |at| {
            let at = range.start + at;
            Err(format!(
                "writes byte {at} of shared memory, which a matrix product or a store that is not awaited may still read"
            ))
        })
    }

    fn range(&self, address: u32, length: usize) -> Result<std::ops::Range<usize>, String> {
        let start = address as usize;
        let end = start + length;
        match end <= self.bytes.len() {
            true => Ok(start..end),
            false => Err(format!("byte {end} is beyond the {} bytes of shared memory", self.bytes.len())),
        }
    }

    /// A copy will bring these bytes.
    pub fn expect(&mut self, address: u32, length: usize) -> Result<(), String> {
        let range = self.range(address, length)?;
        if let Some(at) = self.known[range.clone()].iter().position(|byte| *byte == Byte::Coming) {
            return Err(format!(
                "byte {} of shared memory is already brought by a copy that has not ended",
                range.start + at
            ));
        }
        self.check_held(&range)?;
        self.known[range].fill(Byte::Coming);
        Ok(())
    }

    /// Bytes that a copy has brought.
    pub fn bring(&mut self, address: u32, bytes: &[u8], by: Byte) -> Result<(), String> {
        let range = self.range(address, bytes.len())?;
        self.bytes[range.clone()].copy_from_slice(bytes);
        self.known[range].fill(by);
        Ok(())
    }

    /// Bytes that a warp writes.
    pub fn write(&mut self, address: u32, bytes: &[u8], by: Byte) -> Result<(), String> {
        let range = self.range(address, bytes.len())?;
        if let Some(at) = self.known[range.clone()].iter().position(|byte| *byte == Byte::Coming) {
            return Err(format!(
                "writes byte {} of shared memory, which a copy that has not ended brings",
                range.start + at
            ));
        }
        self.check_held(&range)?;
        self.bytes[range.clone()].copy_from_slice(bytes);
        self.known[range].fill(by);
        Ok(())
    }

    /// Bytes as somebody sees them.
    pub fn read(&self, address: u32, length: usize, reader: Reader) -> Result<&[u8], String> {
        let range = self.range(address, length)?;
        for (at, byte) in self.known[range.clone()].iter().enumerate() {
            let at = range.start + at;
            match (*byte, reader) {
                (Byte::Empty, _) => {
                    return Err(format!("reads byte {at} of shared memory, which nothing was written to"));
                }
                (Byte::Coming, _) => {
                    return Err(format!("reads byte {at} of shared memory, which a copy that is not awaited brings"));
                }
                (
                    Byte::Written { thread_group, thread, clock },
                    Reader::Thread { thread_group: own, thread: me, synced, .. },
                ) if thread_group == own && thread / 32 != me / 32 && clock > synced => {
                    let (me, warp) = (me / 32, thread / 32);
                    return Err(format!(
                        "warp {me} reads byte {at} of shared memory, which warp {warp} wrote with no barrier between"
                    ));
                }
                (
                    Byte::Written { thread_group, thread, clock },
                    Reader::Thread { thread_group: own, thread: me, warp_synced, .. },
                ) if thread_group == own && thread != me && clock > warp_synced => {
                    let (warp, me, lane) = (me / 32, me % 32, thread % 32);
                    return Err(format!(
                        "lane {me} of warp {warp} reads byte {at} of shared memory, which lane {lane} wrote with no 'warp_sync' between"
                    ));
                }
                (Byte::Written { thread_group, clock, .. }, Reader::Engine { thread_group: own, fenced, .. })
                    if thread_group == own && clock > fenced =>
                {
                    return Err(format!(
                        "byte {at} of shared memory, which threads wrote, is read with no 'fence_async' between"
                    ));
                }
                (Byte::Written { thread_group, clock, .. }, Reader::Engine { thread_group: own, synced, .. })
                    if thread_group == own && clock > synced =>
                {
                    return Err(format!(
                        "byte {at} of shared memory, which threads wrote, is read before they have met"
                    ));
                }
                _ => {}
            }
        }
        Ok(&self.bytes[range])
    }
}

/// The bytes of a number, up to eight.
#[derive(Clone, Copy)]
pub struct Encoded {
    bytes: [u8; 8],
    length: u8,
}

impl std::ops::Deref for Encoded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.length.into()]
    }
}

/// The bytes of a number.
pub fn encode(ctx: &Context, elem: Type, value: Number) -> Encoded {
    let bytes = elem.bits(ctx).unwrap_or(8).div_ceil(8);
    let bits = match (value, elem.float_kind(ctx)) {
        (Number::Float(value), Some(FloatKind::F32)) => (value as f32).to_bits().into(),
        (Number::Float(value), Some(kind)) => float::encode(value, kind),
        (Number::Int(value), _) => value as u64,
        (Number::Float(value), None) => value as i64 as u64,
    };
    Encoded { bytes: bits.to_le_bytes(), length: bytes.min(8) as u8 }
}

/// The number that bytes are.
pub fn decode(ctx: &Context, elem: Type, kind: ElemKind, bytes: &[u8]) -> Number {
    static HALVES: OnceLock<Vec<f64>> = OnceLock::new();
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(all);
    match elem.float_kind(ctx) {
        Some(FloatKind::F32) => Number::Float(f32::from_bits(bits as u32).into()),
        Some(FloatKind::BF16) => Number::Float(f32::from_bits((bits as u32) << 16).into()),
        Some(FloatKind::F16) => {
            let table = || (0..1 << 16).map(|bits| float::decode(bits, FloatKind::F16)).collect();
            Number::Float(HALVES.get_or_init(table)[bits as usize & 0xFFFF])
        }
        Some(float) => Number::Float(float::decode(bits, float)),
        None => Number::Int(kind.wrap(bits as i64)),
    }
}
