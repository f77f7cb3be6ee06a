//! An entry, decoded once: instructions in a row, what they do as a word, registers as numbers.

use dlc_ir::{BlockId, Diagnostic, OpId, OpRef, RegionId, ValueId};
use rustc_hash::FxHashMap;

use super::number::{Ty, mask};
use super::scalar::{Scalar, scalar};
use crate::form::{Class, Slot};
use crate::inst::{Arg, Inst, classes};
use crate::ops::{Bra, BraIf, Exit};
use crate::verify::NO_INSTRUCTION;

/// Where shared memory begins: what is before it belongs to the system.
pub const SHARED_BASE: u32 = 1024;

/// An entry.
pub struct Program {
    pub code: Vec<Code>,
    /// How many registers a lane has.
    pub registers: usize,
    /// The registers of the arguments of the first block.
    pub params: Vec<u32>,
}

impl Program {
    /// Whether blocks tell each other something: one asks for what another one releases.
    pub fn has_flags(&self) -> bool {
        self.code.iter().any(|code| {
            matches!(
                code.kind,
                Kind::Load { space: Space::Global, polls: true, .. } | Kind::Atom { space: Space::Global, .. }
            )
        })
    }
}

/// An instruction.
pub struct Code {
    pub op: OpId,
    pub kind: Kind,
    pub args: Box<[Operand]>,
    pub outs: Box<[u32]>,
    /// The predicate with which it is done, and whether it is done where that holds.
    pub guard: Option<(u32, bool)>,
    /// What the results are where it is not done.
    pub otherwise: Box<[u32]>,
    pub together: Together,
}

/// What stands in a place.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Reg(u32),
    Const(u64),
}

/// Who must be there before an instruction is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Together {
    /// Nobody else.
    Alone,
    /// The lanes that an operand names.
    Named(usize),
    /// All lanes of the warp.
    Warp,
}

/// Where a branch goes.
pub struct Edge {
    pub to: u32,
    /// What it hands over, all at once.
    pub moves: Box<[(u32, u32)]>,
}

/// A register of the machine.
#[derive(Clone, Copy, Debug)]
pub enum Special {
    /// The number of the thread, of threads, of the block, of blocks: along an axis.
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Lane,
    Warp,
    /// Of the block in its cluster, of the blocks of a cluster, of the cluster, of clusters.
    ClusterCtaid(usize),
    ClusterNctaid(usize),
    Cluster(usize),
    Nclusters(usize),
    ClusterRank,
    ClusterSize,
    /// Where the shared memory of the block begins. In a cluster all blocks have addresses of their own, as on the machine:
    /// the upper bits say which block it is.
    Smem,
}

/// Which memory an address is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    Global,
    /// That of the own block.
    Shared,
    /// That of the blocks of the cluster.
    Cluster,
}

/// What happens in memory in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rmw {
    Add,
    Min,
    Max,
    Exchange,
    Compare,
}

/// From which lane a lane takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shuffle {
    Index,
    Butterfly,
    Up,
    Down,
}

/// What an instruction does.
pub enum Kind {
    Scalar(Scalar),
    Unpack(u32),
    Special(Special),
    Load {
        space: Space,
        ty: Ty,
        polls: bool,
    },
    Store {
        space: Space,
        ty: Ty,
    },
    Red {
        space: Space,
        ty: Ty,
        what: Rmw,
    },
    Atom {
        space: Space,
        ty: Ty,
        what: Rmw,
    },
    CpAsync {
        reads: bool,
    },
    CpCommit,
    CpWait,
    TensorLoad {
        axes: usize,
        windows: bool,
        multicast: bool,
    },
    TensorStore {
        axes: usize,
        combine: Option<Rmw>,
    },
    BulkCommit,
    BulkWait {
        /// Only until memory was read.
        reads: bool,
    },
    BarWarp,
    MbarrierInit,
    MbarrierInval,
    MbarrierArrive {
        expects: bool,
        counts: bool,
    },
    MbarrierTryWait,
    FenceProxy,
    /// Nothing that is seen here.
    Nothing,
    Bar {
        waits: bool,
    },
    ClusterArrive,
    ClusterWait,
    Shuffle(Shuffle),
    Vote(String),
    Redux(String, Ty),
    Elect,
    Ldmatrix {
        trans: bool,
    },
    Stmatrix {
        trans: bool,
    },
    Mma {
        a: Ty,
        b: Ty,
        acc: Ty,
        k: usize,
    },
    Wgmma {
        a: Ty,
        b: Ty,
        n: usize,
        k: usize,
    },
    WgmmaCommit,
    WgmmaWait,
    Setmaxnreg,
    Trap,
    Bra(Edge),
    BraIf(Edge, Edge),
    Exit,
}

/// Decodes the region of an entry.
pub fn decode(entry: OpRef<'_>, region: RegionId) -> Result<Program, Box<Diagnostic>> {
    let body = entry.body;
    let mut numbers = Numbers::default();
    let blocks: Vec<BlockId> = body.blocks(region).collect();
    let mut starts = FxHashMap::default();
    let mut at = 0;
    for &block in &blocks {
        starts.insert(block, at);
        at += body.ops(block).count() as u32;
    }
    let mut params = Vec::new();
    if let Some(&first) = blocks.first() {
        params = body.args(first).iter().map(|&arg| numbers.of(arg)).collect();
    }
    let mut code = Vec::with_capacity(at as usize);
    for &block in &blocks {
        for id in body.ops(block) {
            let op = OpRef { id, ..entry };
            code.push(decode_op(op, &mut numbers, &starts)?);
        }
    }
    Ok(Program { code, registers: numbers.0.len(), params })
}

/// The register of each value.
#[derive(Default)]
struct Numbers(FxHashMap<ValueId, u32>);

impl Numbers {
    fn of(&mut self, value: ValueId) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(value).or_insert(next)
    }
}

fn decode_op(op: OpRef<'_>, numbers: &mut Numbers, starts: &FxHashMap<BlockId, u32>) -> Result<Code, Box<Diagnostic>> {
    let edge = |index: usize, numbers: &mut Numbers| {
        let to = op.successors()[index];
        let sources = op.successor_operands(index).map(|place| op.operand(place));
        let moves = sources.zip(op.body.args(to)).map(|(from, &to)| (numbers.of(from), numbers.of(to)));
        Edge { moves: moves.filter(|(from, to)| from != to).collect(), to: starts[&to] }
    };
    let plain = |kind, args: Vec<Operand>| Code {
        op: op.id,
        kind,
        args: args.into(),
        outs: Box::default(),
        guard: None,
        otherwise: Box::default(),
        together: Together::Alone,
    };
    if Exit::of(op).is_some() {
        return Ok(plain(Kind::Exit, Vec::new()));
    }
    if Bra::of(op).is_some() {
        return Ok(plain(Kind::Bra(edge(0, numbers)), Vec::new()));
    }
    if let Some(branch) = BraIf::of(op) {
        let cond = Operand::Reg(numbers.of(branch.cond()));
        return Ok(plain(Kind::BraIf(edge(0, numbers), edge(1, numbers)), vec![cond]));
    }
    let refused = |message: String| Box::new(Diagnostic::error(&NO_INSTRUCTION, op.loc(), message).at(op.name()));
    let inst = Inst::of(op).map_err(refused)?;
    let Some((kind, together)) = meaning(&inst) else {
        return Err(refused(format!("the evaluator does not know '{}'", inst.mnemonic())));
    };
    let mut args = Vec::with_capacity(inst.args.len());
    for (slot, given) in inst.slots() {
        for (class, &arg) in classes(slot).zip(given) {
            args.push(match arg {
                Arg::Value(value) => Operand::Reg(numbers.of(value)),
                Arg::Int(value) => Operand::Const(value as u64 & class.map_or(u64::MAX, |class| mask(width(class)))),
                Arg::F32(bits) => Operand::Const(bits.into()),
                Arg::F64(bits) => Operand::Const(bits),
            });
        }
    }
    Ok(Code {
        op: op.id,
        kind,
        args: args.into(),
        outs: op.results().map(|value| numbers.of(value)).collect(),
        guard: inst.guard.map(|(value, holds)| (numbers.of(value), holds)),
        otherwise: inst.otherwise.iter().map(|&value| numbers.of(value)).collect(),
        together,
    })
}

fn width(class: Class) -> u32 {
    match class {
        Class::Pred => 1,
        Class::B16 => 16,
        Class::B32 | Class::F32 | Class::W32 => 32,
        Class::B64 | Class::F64 | Class::W64 => 64,
    }
}

fn space(words: &[&str]) -> Space {
    if words.contains(&"shared::cluster") {
        Space::Cluster
    } else if words.iter().any(|word| word.starts_with("shared")) {
        Space::Shared
    } else {
        Space::Global
    }
}

fn rmw(words: &[&str]) -> Option<Rmw> {
    words.iter().find_map(|&word| {
        Some(match word {
            "add" => Rmw::Add,
            "min" => Rmw::Min,
            "max" => Rmw::Max,
            "exch" => Rmw::Exchange,
            "cas" => Rmw::Compare,
            _ => return None,
        })
    })
}

fn special(words: &[&str]) -> Option<Special> {
    let axis = match words.get(1) {
        Some(&"y") => 1,
        Some(&"z") => 2,
        _ => 0,
    };
    Some(match *words.first()? {
        "tid" => Special::Tid(axis),
        "ntid" => Special::Ntid(axis),
        "ctaid" => Special::Ctaid(axis),
        "nctaid" => Special::Nctaid(axis),
        "laneid" => Special::Lane,
        "warpid" => Special::Warp,
        "cluster_ctaid" => Special::ClusterCtaid(axis),
        "cluster_nctaid" => Special::ClusterNctaid(axis),
        "clusterid" => Special::Cluster(axis),
        "nclusterid" => Special::Nclusters(axis),
        "cluster_ctarank" => Special::ClusterRank,
        "cluster_nctarank" => Special::ClusterSize,
        _ => return None,
    })
}

/// What an instruction does, and who must be there.
fn meaning(inst: &Inst<'_>) -> Option<(Kind, Together)> {
    let name = inst.instruction.name;
    let words: Vec<&str> = inst.modifiers.split('.').collect();
    let ty = words.iter().rev().find_map(|word| Ty::of(word));
    let has = |word: &str| words.contains(&word);
    let axes = words.iter().find_map(|word| word.strip_suffix('d')?.parse::<usize>().ok());
    let after = |prefix: &str| {
        let shape = words.iter().find(|word| word.starts_with(prefix))?;
        shape.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
    };
    let alone = |kind| Some((kind, Together::Alone));
    let of_warp = |kind| Some((kind, Together::Warp));
    match name {
        "sreg" => alone(Kind::Special(special(&words)?)),
        "smem" => alone(Kind::Special(Special::Smem)),
        "unpack" => alone(Kind::Unpack(ty?.bits() / 2)),
        "ld" => {
            alone(Kind::Load { space: space(&words), ty: ty?, polls: has("relaxed") || has("acquire") || has("cv") })
        }
        "st" => alone(Kind::Store { space: space(&words), ty: ty? }),
        "red" => alone(Kind::Red { space: space(&words), ty: ty?, what: rmw(&words)? }),
        "atom" => alone(Kind::Atom { space: space(&words), ty: ty?, what: rmw(&words)? }),
        "cp.async" => alone(Kind::CpAsync { reads: inst.args.len() > 5 }),
        "cp.async.commit_group" => alone(Kind::CpCommit),
        "cp.async.wait_group" => alone(Kind::CpWait),
        "cp.async.bulk.tensor" if has("bulk_group") => alone(Kind::TensorStore { axes: axes?, combine: None }),
        "cp.async.bulk.tensor" => {
            alone(Kind::TensorLoad { axes: axes?, windows: has("im2col"), multicast: has("multicast::cluster") })
        }
        "cp.reduce.async.bulk.tensor" => alone(Kind::TensorStore { axes: axes?, combine: rmw(&words) }),
        "mbarrier.init" => alone(Kind::MbarrierInit),
        "mbarrier.inval" => alone(Kind::MbarrierInval),
        "mbarrier.arrive" => {
            let counts = inst.signature.operands.iter().any(|slot| matches!(slot, Slot::Reg(_)));
            alone(Kind::MbarrierArrive { expects: has("expect_tx"), counts })
        }
        "mbarrier.try_wait" => alone(Kind::MbarrierTryWait),
        "fence" if has("async") => alone(Kind::FenceProxy),
        "cp.async.bulk.commit_group" => alone(Kind::BulkCommit),
        "cp.async.bulk.wait_group" => alone(Kind::BulkWait { reads: has("read") }),
        "fence" | "prefetch" | "griddepcontrol" => alone(Kind::Nothing),
        "bar" => of_warp(Kind::Bar { waits: has("sync") }),
        "bar.warp" => Some((Kind::BarWarp, Together::Named(0))),
        "barrier.cluster" if has("arrive") => of_warp(Kind::ClusterArrive),
        "barrier.cluster" => of_warp(Kind::ClusterWait),
        "shfl.sync" => {
            let how = match words[0] {
                "idx" => Shuffle::Index,
                "bfly" => Shuffle::Butterfly,
                "up" => Shuffle::Up,
                _ => Shuffle::Down,
            };
            Some((Kind::Shuffle(how), Together::Named(3)))
        }
        "vote.sync" => Some((Kind::Vote(words[0].into()), Together::Named(1))),
        "redux.sync" => Some((Kind::Redux(words[0].into(), ty?), Together::Named(1))),
        "elect.sync" => Some((Kind::Elect, Together::Named(0))),
        "ldmatrix" => of_warp(Kind::Ldmatrix { trans: has("trans") }),
        "stmatrix" => of_warp(Kind::Stmatrix { trans: has("trans") }),
        "mma" => {
            let types: Vec<Ty> = words.iter().filter_map(|word| Ty::of(word)).collect();
            let &[acc, a, b, _] = types.as_slice() else { return None };
            of_warp(Kind::Mma { a, b, acc, k: after("m16n8k")? })
        }
        "wgmma.mma_async" => {
            let types: Vec<Ty> = words.iter().filter_map(|word| Ty::of(word)).collect();
            let &[_, a, b] = types.as_slice() else { return None };
            let shape = words.iter().find_map(|word| word.strip_prefix("m64n"))?;
            let (n, k) = shape.split_once('k')?;
            of_warp(Kind::Wgmma { a, b, n: n.parse().ok()?, k: k.parse().ok()? })
        }
        "wgmma.fence" => of_warp(Kind::Nothing),
        "wgmma.commit_group" => of_warp(Kind::WgmmaCommit),
        "wgmma.wait_group" => of_warp(Kind::WgmmaWait),
        "setmaxnreg" => of_warp(Kind::Setmaxnreg),
        "trap" => alone(Kind::Trap),
        _ => alone(Kind::Scalar(scalar(name, &words)?)),
    }
}
