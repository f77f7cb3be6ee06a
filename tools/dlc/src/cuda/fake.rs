//! A driver for tests: it does nothing, and writes down what is asked of it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dlc_translate::manifest::numbers::{Map, Start};

use super::driver::{
    Address, ArgSlots, Baseline, Device, Done, Driver, Entry, Failure, Graph, Kind, Mark, Occupancy, Prepared, Product,
    Ready, TensorMap, Value,
};

/// What was asked, line by line. Clones share the lines.
#[derive(Clone, Default, Debug)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// The lines.
    pub fn lines(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A driver that does nothing. Memory begins at 0x1000, and each piece at the next multiple of 0x1000.
pub struct Fake {
    /// What was asked.
    pub log: Log,
    /// The device that it says to be.
    pub device: Device,
    /// The bytes that it has.
    pub total: u64,
    /// What fails, by the beginning of its line, after how many of those that do not, and how.
    pub fails: Vec<(&'static str, usize, Kind)>,
    used: u64,
    next: Address,
    /// Whether launches are not written down, for those who take the time of calls.
    pub is_quiet: bool,
    /// What downloads give, in order; zeros when there is no more.
    pub answers: VecDeque<Vec<u8>>,
    entries: Vec<String>,
    launches: Vec<(Entry, Start, Vec<Value>)>,
    graphs: usize,
    marks: usize,
    lost: bool,
}

impl Default for Fake {
    fn default() -> Fake {
        let device = Device { name: "Fake".into(), capability: (9, 0), driver: 13000, shared: 232_448 };
        Fake {
            log: Log::default(),
            device,
            total: 1 << 40,
            fails: Vec::new(),
            used: 0,
            next: 0x1000,
            is_quiet: false,
            answers: VecDeque::new(),
            entries: Vec::new(),
            launches: Vec::new(),
            graphs: 0,
            marks: 0,
            lost: false,
        }
    }
}

impl Fake {
    /// A driver with much memory.
    pub fn new() -> Fake {
        Fake::default()
    }

    fn launched(&self, entry: Entry, start: &Start, params: &[Value]) -> String {
        let early = if start.early { " early" } else { "" };
        let (name, grid) = (&self.entries[entry.0], start.grid);
        let sizes = format!("{grid:?} by {:?}, {}, {}", start.cluster, start.threads, start.shared);
        format!("launch {name} {sizes}{early} ({})", values(params))
    }

    fn note(&mut self, line: String) -> Done {
        let mut failing = None;
        for (_, good, kind) in self.fails.iter_mut().filter(|(start, ..)| line.starts_with(start)) {
            match good {
                0 => failing = Some(*kind),
                left => *left -= 1,
            }
        }
        self.log.lines().push(line);
        self.lost |= matches!(failing, Some(Kind::Fault | Kind::TimedOut));
        failing.map_or(Ok(()), |kind| Err(Failure { kind, message: "it was told to".into() }))
    }
}

fn values(params: &[Value]) -> String {
    let one = |value: &Value| match value {
        Value::Map(map) => format!("map({:#x})", map.0[0]),
        Value::Address(at) => format!("{at:#x}"),
        Value::I32(number) => number.to_string(),
        Value::I64(number) => number.to_string(),
    };
    params.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl Driver for Fake {
    fn device(&self) -> &Device {
        &self.device
    }
    fn is_lost(&self) -> bool {
        self.lost
    }
    fn attach(&mut self) -> Done {
        Ok(())
    }
    fn memory(&mut self) -> Done<(u64, u64)> {
        Ok((self.total - self.used, self.total))
    }
    fn compile(&mut self, ptx: &str) -> Done<Vec<u8>> {
        self.note(format!("compile {ptx}")).map(|()| format!("code of {ptx}").into_bytes())
    }
    fn load(&mut self, image: &[u8]) -> Done {
        self.note(format!("load {}", String::from_utf8_lossy(image)))
    }
    fn load_alongside(&mut self, image: &[u8]) -> Done {
        self.note(format!("load next to {}", String::from_utf8_lossy(image)))
    }
    fn unload(&mut self) {
        self.log.lines().push("unload".into());
    }
    fn entry(&mut self, name: &str, shared: u32, cluster: u32) -> Done<Entry> {
        self.entries.push(name.to_string());
        self.note(format!("entry {name}, shared {shared}, clusters of {cluster}"))?;
        Ok(Entry(self.entries.len() - 1))
    }
    fn allocate(&mut self, bytes: u64) -> Done<Address> {
        if self.used + bytes > self.total {
            return Err(Failure { kind: Kind::OutOfMemory, message: "full".into() });
        }
        self.used += bytes;
        let at = self.next;
        self.next = (at + bytes + 1).next_multiple_of(0x1000);
        self.note(format!("allocate {bytes}")).map(|()| at)
    }
    fn release(&mut self, at: Address) {
        self.log.lines().push(format!("release {at:#x}"));
    }
    fn upload(&mut self, at: Address, bytes: &[u8]) -> Done {
        self.note(format!("upload {} to {at:#x}", bytes.len()))
    }
    fn download(&mut self, at: Address, bytes: &mut [u8]) -> Done {
        match self.answers.pop_front() {
            Some(answer) => bytes.copy_from_slice(&answer),
            None => bytes.fill(0),
        }
        self.note(format!("download {} from {at:#x}", bytes.len()))
    }
    fn fill(&mut self, at: Address, byte: u8, bytes: u64) -> Done {
        self.note(format!("fill {bytes} at {at:#x} with {byte}"))
    }
    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Done {
        self.note(format!("copy {bytes} from {from:#x} to {to:#x}"))
    }
    fn use_stream(&mut self, stream: Option<u64>) {
        self.log.lines().push(stream.map_or("own stream".into(), |stream| format!("stream {stream}")));
    }
    fn tensor_map(&mut self, map: &Map, at: Address) -> Done<TensorMap> {
        self.note(format!("map {} of {at:#x}: {:?} {:?} {:?}", map.name, map.dims, map.strides, map.tile))?;
        let mut words = [0; 16];
        words[0] = at;
        Ok(TensorMap(words))
    }
    fn prepare(&mut self, entry: Entry, start: &Start, params: &[Value]) -> Done<Prepared> {
        self.launches.push((entry, start.clone(), params.to_vec()));
        Ok(Prepared(self.launches.len() - 1))
    }
    fn launch(&mut self, prepared: Prepared) -> Done {
        if self.is_quiet {
            return Ok(());
        }
        let (entry, start, params) = &self.launches[prepared.0];
        self.note(self.launched(*entry, start, params))
    }
    fn launch_with(&mut self, prepared: Prepared, changed: &[(usize, Value)]) -> Done {
        changed.iter().for_each(|&(number, value)| self.launches[prepared.0].2[number] = value);
        self.launch(prepared)
    }
    fn occupancy(&mut self, entry: Entry, start: &Start) -> Done<Occupancy> {
        let name = self.entries[entry.0].clone();
        self.note(format!("occupancy {name}"))?;
        let warps = start.threads.div_ceil(32);
        Ok(Occupancy { registers: 32, local: 0, shared: start.shared, blocks: 2, warps: 2 * warps, most: 64 })
    }
    fn wait(&mut self, _: Duration) -> Done {
        self.note("wait".into())
    }
    fn record(&mut self) -> Done {
        self.note("record".into())
    }
    fn recorded(&mut self) -> Done<Graph> {
        self.graphs += 1;
        let graph = Graph(self.graphs);
        self.note(format!("recorded {}", graph.0)).map(|()| graph)
    }
    fn replay(&mut self, graph: Graph) -> Done {
        self.note(format!("replay {}", graph.0))
    }
    fn bare(&mut self, ready: Ready, count: usize) -> Done<Duration> {
        self.note(format!("{count} times {ready:?}")).map(|()| Duration::from_micros(2 * count as u64))
    }
    fn mark(&mut self) -> Done<Mark> {
        self.marks += 1;
        let mark = Mark(self.marks);
        self.note(format!("mark {}", mark.0)).map(|()| mark)
    }
    fn between(&mut self, from: Mark, to: Mark) -> Done<f32> {
        self.note(format!("between {} and {}", from.0, to.0)).map(|()| to.0 as f32)
    }
    fn library(&mut self, product: &Product, places: &ArgSlots) -> Done<Vec<Baseline>> {
        self.note(format!("library {product:?} {places:?}"))?;
        Ok(vec![Baseline(0), Baseline(1)])
    }
    fn library_name(&self) -> String {
        "cublasLt 1.2.3".into()
    }
    fn compete(&mut self, baseline: Baseline) -> Done {
        self.note(format!("compete {}", baseline.0))
    }
    fn flush(&mut self) -> Done {
        self.note("flush".into())
    }
}
