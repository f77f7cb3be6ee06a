//! Memory: buffers at addresses, shared memory of blocks, mbarriers in it.

use rustc_hash::FxHashMap;

use super::program::SHARED_BASE;

/// Memory of the whole grid.
pub struct Buffer {
    pub base: u64,
    pub bytes: Vec<u8>,
    /// Which bytes something was written to. An argument is there from the start and only read.
    pub written: Vec<bool>,
    pub argument: bool,
    pub touched: bool,
}

/// The buffers of a launch.
#[derive(Default)]
pub struct Global {
    pub buffers: Vec<Buffer>,
}

impl Global {
    /// The next buffer begins after a gap.
    pub fn push(&mut self, bytes: Vec<u8>, written: Option<Vec<bool>>) {
        let end = self.buffers.last().map_or(1 << 32, |last| last.base + last.bytes.len() as u64);
        let base = (end + 1024).next_multiple_of(256);
        let argument = written.is_none();
        self.buffers.push(Buffer { base, bytes, written: written.unwrap_or_default(), argument, touched: false });
    }

    fn find(&self, address: u64, length: usize) -> Result<(usize, usize), String> {
        let next = self.buffers.partition_point(|buffer| buffer.base <= address);
        if let Some(number) = next.checked_sub(1) {
            let buffer = &self.buffers[number];
            let at = (address - buffer.base) as usize;
            let (size, end) = (buffer.bytes.len(), at.saturating_add(length));
            if at < size && end <= size {
                return Ok((number, at));
            }
            // What is far from every buffer is not told by its place in one.
            if at < size + 512 {
                return Err(format!("bytes {at} to {end} of buffer {number}, which has {size}"));
            }
        }
        if let Some(buffer) = self.buffers.get(next).filter(|buffer| buffer.base - address <= 512) {
            let before = buffer.base - address;
            return Err(format!("{before} bytes before the begin of buffer {next}"));
        }
        Err(format!("address {address:#x}, which is in no buffer"))
    }

    /// Bytes that are there.
    pub fn read(&self, address: u64, length: usize) -> Result<&[u8], String> {
        let (number, at) = self.find(address, length).map_err(|what| format!("reads {what}"))?;
        let buffer = &self.buffers[number];
        if !buffer.argument
            && let Some(missing) = buffer.written[at..at + length].iter().position(|written| !written)
        {
            let at = at + missing;
            return Err(format!("reads byte {at} of buffer {number}, which nothing was written to"));
        }
        Ok(&buffer.bytes[at..at + length])
    }

    /// Puts bytes there.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), String> {
        let (number, at) = self.find(address, bytes.len()).map_err(|what| format!("writes {what}"))?;
        let buffer = &mut self.buffers[number];
        if buffer.argument {
            return Err(format!("writes to buffer {number}, an argument of the kernel, which is only read"));
        }
        buffer.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        buffer.written[at..at + bytes.len()].fill(true);
        buffer.touched = true;
        Ok(())
    }
}

/// The bytes of a unit, which tensor cores and TMA take as one.
pub const UNIT: u32 = 16;

/// An mbarrier.
#[derive(Clone, Copy, Debug)]
pub struct Mbarrier {
    pub count: u32,
    pub pending: u32,
    pub bytes: i64,
    pub phase: u32,
}

impl Mbarrier {
    /// The phase ends when nobody and nothing is missing.
    pub fn settle(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.pending = self.count;
            self.phase = self.phase.wrapping_add(1);
        }
    }
}

/// What is known of a byte of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Byte {
    Empty,
    Written,
    /// A copy of a thread brings it, which the thread has not waited for.
    Coming,
    Mbarrier,
}

/// Who looks at shared memory.
#[derive(Clone, Copy)]
pub enum Reader<'f> {
    /// A thread, and when the lanes of its warp last met.
    Thread { thread: usize, met: u32 },
    /// All lanes of a warp together, of which this is one.
    Warp { thread: usize, met: u32 },
    /// TMA or the tensor cores for a thread, and what each thread had written when it last said that they
    /// should see it.
    Engine { thread: usize, fenced: &'f [u32] },
}

/// The shared memory of a block.
#[derive(Default)]
pub struct Shared {
    bytes: Vec<u8>,
    known: Vec<Byte>,
    /// When a thread of the cluster wrote a byte, and which; 0 for what TMA brought.
    clock: Vec<u32>,
    writer: Vec<u16>,
    /// How many products and stores that are not awaited read each unit of 16 bytes.
    reading: Vec<u16>,
    pub barriers: FxHashMap<u32, Mbarrier>,
}

impl Shared {
    pub fn new(bytes: usize) -> Shared {
        Shared {
            bytes: vec![0; bytes],
            known: vec![Byte::Empty; bytes],
            clock: vec![0; bytes],
            writer: vec![0; bytes],
            reading: vec![0; bytes.div_ceil(UNIT as usize)],
            barriers: FxHashMap::default(),
        }
    }

    fn range(&self, address: u32, length: usize) -> Result<std::ops::Range<usize>, String> {
        let start = address.checked_sub(SHARED_BASE).map(|start| start as usize);
        match start.filter(|start| start + length <= self.bytes.len()) {
            Some(start) => Ok(start..start + length),
            None => {
                let start = i64::from(address) - i64::from(SHARED_BASE);
                let (end, size) = (start + length as i64, self.bytes.len());
                Err(format!("bytes {start} to {end} of shared memory, which has {size}"))
            }
        }
    }

    /// Bytes as somebody sees them.
    pub fn read(&self, address: u32, length: usize, reader: Reader<'_>) -> Result<&[u8], String> {
        let range = self.range(address, length).map_err(|what| format!("reads {what}"))?;
        for at in range.clone() {
            match self.known[at] {
                Byte::Written => {}
                Byte::Empty => return Err(format!("reads byte {at} of shared memory, which nothing was written to")),
                Byte::Coming => {
                    return Err(format!("reads byte {at} of shared memory, which a copy that is not awaited brings"));
                }
                Byte::Mbarrier => return Err(format!("reads byte {at} of shared memory, which is an mbarrier")),
            }
            let own = match reader {
                Reader::Thread { thread, met } => Some((thread, met)).filter(|_| self.writer[at] as usize != thread),
                Reader::Warp { thread, met } => Some((thread, met)),
                Reader::Engine { .. } => None,
            };
            let writer = self.writer[at] as usize;
            if own.is_some_and(|(thread, met)| writer / 32 == thread / 32 && self.clock[at] > met) {
                let lane = writer % 32;
                return Err(format!(
                    "reads byte {at} of shared memory, which lane {lane} of the warp wrote, with no 'bar.warp.sync' between"
                ));
            }
            if let Reader::Engine { thread, fenced } = reader
                && self.clock[at] > fenced[self.writer[at] as usize]
                && self.clock[at] > fenced[thread]
            {
                return Err(format!(
                    "byte {at} of shared memory, which a thread wrote, is read with no 'fence.proxy.async' between"
                ));
            }
        }
        Ok(&self.bytes[range])
    }

    /// Bytes that may be written: an error where somebody else brings or still reads them.
    fn writable(&self, address: u32, length: usize) -> Result<std::ops::Range<usize>, String> {
        let range = self.range(address, length).map_err(|what| format!("writes {what}"))?;
        for at in range.clone() {
            match self.known[at] {
                Byte::Mbarrier => return Err(format!("writes byte {at} of shared memory, which is an mbarrier")),
                Byte::Coming => {
                    return Err(format!("writes byte {at} of shared memory, which a copy that is not awaited brings"));
                }
                Byte::Empty | Byte::Written => {}
            }
        }
        let units = range.start / UNIT as usize..range.end.div_ceil(UNIT as usize);
        if let Some(unit) = self.reading[units.clone()].iter().position(|&count| count > 0) {
            let at = (UNIT as usize * (units.start + unit)).max(range.start);
            return Err(format!(
                "writes byte {at} of shared memory, which a matrix product or a store that is not awaited may still read"
            ));
        }
        Ok(range)
    }

    /// Puts bytes there: at a time a thread does. What is `coming` is not there before it is waited for.
    pub fn write(&mut self, address: u32, bytes: &[u8], by: (u32, usize), coming: bool) -> Result<(), String> {
        let range = self.writable(address, bytes.len())?;
        self.bytes[range.clone()].copy_from_slice(bytes);
        self.known[range.clone()].fill(if coming { Byte::Coming } else { Byte::Written });
        self.clock[range.clone()].fill(by.0);
        self.writer[range].fill(by.1 as u16);
        Ok(())
    }

    /// TMA will bring bytes.
    pub fn expect(&mut self, address: u32, length: usize) -> Result<(), String> {
        let range = self.writable(address, length)?;
        self.known[range].fill(Byte::Coming);
        Ok(())
    }

    /// TMA brings what was expected.
    pub fn bring(&mut self, address: u32, bytes: &[u8]) -> Result<(), String> {
        let range = self.range(address, bytes.len()).map_err(|what| format!("writes {what}"))?;
        self.bytes[range.clone()].copy_from_slice(bytes);
        self.known[range.clone()].fill(Byte::Written);
        self.clock[range.clone()].fill(0);
        self.writer[range].fill(0);
        Ok(())
    }

    /// Somebody begins to read units, by the addresses of their first bytes, or has read them.
    pub fn hold(&mut self, units: &[u32], begins: bool) {
        for &unit in units {
            // They were read, so they are there.
            let count = &mut self.reading[((unit - SHARED_BASE) / UNIT) as usize];
            *count = if begins { count.saturating_add(1) } else { count.saturating_sub(1) };
        }
    }

    /// Whether some unit is still read.
    pub fn is_held(&self) -> bool {
        self.reading.iter().any(|&count| count > 0)
    }

    /// What a copy has brought is there.
    pub fn arrive(&mut self, address: u32, length: usize, clock: u32) {
        if let Ok(range) = self.range(address, length) {
            self.known[range.clone()].fill(Byte::Written);
            self.clock[range].fill(clock);
        }
    }

    /// A new mbarrier.
    pub fn init(&mut self, address: u32, count: u32) -> Result<(), String> {
        let range = self.range(address, 8).map_err(|what| format!("writes {what}"))?;
        if !address.is_multiple_of(8) {
            return Err(format!("an mbarrier is aligned to 8 bytes, and {address} is not"));
        }
        if !(1..1 << 20).contains(&count) {
            return Err(format!("an mbarrier is for 1 to 1048575 arrivals, not {count}"));
        }
        if self.barriers.contains_key(&address) {
            let at = range.start;
            return Err(format!("there is an mbarrier at byte {at} of shared memory: 'mbarrier.inval' ends it first"));
        }
        self.known[range].fill(Byte::Mbarrier);
        self.barriers.insert(address, Mbarrier { count, pending: count, bytes: 0, phase: 0 });
        Ok(())
    }

    /// Ends an mbarrier.
    pub fn invalidate(&mut self, address: u32) -> Result<(), String> {
        self.barrier(address)?;
        let range = self.range(address, 8)?;
        self.known[range].fill(Byte::Empty);
        self.barriers.remove(&address);
        Ok(())
    }

    /// The mbarrier at an address.
    pub fn barrier(&mut self, address: u32) -> Result<&mut Mbarrier, String> {
        let at = i64::from(address) - i64::from(SHARED_BASE);
        self.barriers.get_mut(&address).ok_or_else(|| format!("there is no mbarrier at byte {at} of shared memory"))
    }
}
