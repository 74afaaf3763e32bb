//! Cost model: the time of a kernel as the planner predicts it.
//!
//! A kernel takes its launch, and the longer of moving its bytes and of executing its instructions. Bytes count once for each storage, as
//! accesses at shifted indices find each other's elements in the first-level cache; each access is an instruction besides. A byte takes
//! what it takes in the cache that holds the working set of the whole plan, and more where a kernel has more streams than the caches and the
//! prefetchers follow. What is read or written in another order of memory than the rest takes time of its own. The constants are
//! [`fastnp_codegen::cost`]; threads are left out, as they shorten all kernels of a plan alike.

use crate::array::layout::count;
use crate::plan::group::Group;
use crate::plan::overlap::fastest_axes;
use crate::plan::trace::{Node, Operation, SlotAccess};
use fastnp_codegen::cost::{
    ACROSS_BYTES, CACHED_BYTES, CACHED_NS_PER_BYTE, EXPECTED_TURNS, LAUNCH_NS, LIVE_VALUES, MAX_STREAMS,
    MEMORY_NS_PER_BYTE, SHARED_CACHE_BYTES, SHARED_NS_PER_BYTE, STORED_ACROSS_BYTES, STREAM_PENALTY,
};
use fastnp_codegen::{DType, Op};
use smallvec::SmallVec;

/// Bytes of an element for which an instruction is counted once.
const WORD: f64 = 8.0;
/// Bytes of a cache line.
const LINE: usize = 64;

/// What a plan's bytes and instructions cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Prices {
    /// Nanoseconds of a byte.
    byte: f64,
    /// Nanoseconds of an instruction for an element of eight bytes.
    instruction: f64,
}

impl Prices {
    /// The prices of a plan that touches so many bytes.
    pub(crate) fn new(bytes: usize, instruction_ns: f64) -> Prices {
        let byte = if bytes <= CACHED_BYTES {
            CACHED_NS_PER_BYTE
        } else if bytes <= SHARED_CACHE_BYTES {
            SHARED_NS_PER_BYTE
        } else {
            MEMORY_NS_PER_BYTE
        };
        Prices { byte, instruction: instruction_ns }
    }

    /// Nanoseconds to move so many bytes.
    pub(crate) fn bytes(&self, bytes: usize) -> f64 {
        bytes as f64 * self.byte
    }

    /// Predicted nanoseconds of a kernel. `stored` says which slots it stores, of those that it writes.
    pub(crate) fn kernel(&self, group: &Group, nodes: &[Node], stored: impl Fn(u32) -> bool) -> f64 {
        let stores = || group.stores().iter().filter(|a| stored(a.slot));
        let accesses = || group.loads().iter().chain(stores());
        let points = count(&group.domain) as f64;
        let moved = accesses().map(|a| a.dtype.size() as f64 / WORD).sum::<f64>();
        let instructions: f64 = group.members.iter().map(|m| instructions(&nodes[m.node as usize])).sum();
        let executed = points * self.instruction * (instructions + moved + spills(group, nodes));
        let (streams, bytes) = traffic(accesses(), &group.domain);
        let is_small = count(&group.domain) <= group.limits.pack_points;
        let beyond = if is_small { 0 } else { streams.saturating_sub(MAX_STREAMS) };
        let across = self.bytes(bytes_across(group.loads().iter(), stores(), &group.domain)) * points;
        LAUNCH_NS + executed.max(self.bytes(bytes) * (1.0 + STREAM_PENALTY * beyond as f64)) + across
    }
}

/// To how many storages accesses over a domain lead, and the bytes that they move, those to one storage once.
fn traffic<'a>(accesses: impl Iterator<Item = &'a SlotAccess>, domain: &[usize]) -> (usize, usize) {
    let mut by_slot: SmallVec<[(u32, usize); 16]> = SmallVec::new();
    for access in accesses {
        let bytes = moved_bytes(access, domain);
        match by_slot.iter_mut().find(|known| known.0 == access.slot) {
            Some(known) => known.1 = known.1.max(bytes),
            None => by_slot.push((access.slot, bytes)),
        }
    }
    (by_slot.len(), by_slot.iter().map(|known| known.1).sum())
}

/// What accesses over a domain that step through memory in another order than most cost for a point, in bytes.
fn bytes_across<'a>(
    loads: impl Iterator<Item = &'a SlotAccess>,
    stores: impl Iterator<Item = &'a SlotAccess>,
    domain: &[usize],
) -> usize {
    let mut by_order: SmallVec<[(u64, usize); 4]> = SmallVec::new();
    let loads = loads.map(|access| (access, ACROSS_BYTES));
    let stores = stores.map(|access| (access, STORED_ACROSS_BYTES));
    for (access, bytes) in loads.chain(stores) {
        let order = fastest_axes(domain, [access].into_iter());
        match by_order.iter_mut().find(|known| known.0 == order) {
            Some(known) => known.1 += bytes,
            None if order != 0 => by_order.push((order, bytes)),
            None => {}
        }
    }
    let all: usize = by_order.iter().map(|known| known.1).sum();
    all - by_order.iter().map(|known| known.1).max().unwrap_or(0)
}

/// Bytes of the cache lines that an access moves: elements that it has for several points count once, and ones that lie apart take the
/// bytes between them.
pub(crate) fn moved_bytes(access: &SlotAccess, domain: &[usize]) -> usize {
    let size = access.dtype.size();
    let (mut elements, mut nearest) = (1, LINE);
    for (&n, &stride) in domain.iter().zip(&access.strides) {
        if stride != 0 && n > 1 {
            elements *= n;
            nearest = nearest.min(stride.unsigned_abs());
        }
    }
    if elements == 1 { size } else { elements * nearest.max(size) }
}

/// Instructions of a node for a point, besides its loads and stores.
fn instructions(node: &Node) -> f64 {
    let words = |dtype: DType| dtype.size() as f64 / WORD;
    // Numbers are cast before the loop, and masks as they are used.
    let is_cast = |read: &&SlotAccess| read.dtype != node.compute && read.dtype != DType::Bool;
    let casts = node.reads().filter(is_cast).count();
    // Of a complex op, parts are computed one by one.
    let of_op = |op: Op| op.row().cost as f64 * if node.compute.is_complex() { 2.0 } else { 1.0 };
    let ops = match node.op {
        Operation::Apply(op) | Operation::Part(_, op) | Operation::Scan(op) => of_op(op),
        Operation::Select | Operation::Fold(_) => 1.0,
        Operation::Ramp => 2.0,
        Operation::Copy => 0.0,
        Operation::Loop(function, _) => (function.region().body.insts.len() * EXPECTED_TURNS) as f64,
        // By element, without vectors.
        Operation::Gather | Operation::Scatter | Operation::Contract(_) => 8.0,
    };
    words(node.compute) * (ops + casts as f64)
}

/// Instructions for a point that move values between registers and memory, for want of registers.
fn spills(group: &Group, nodes: &[Node]) -> f64 {
    if group.members.len() <= LIVE_VALUES {
        return 0.0;
    }
    let most = most_live(group.members.iter().map(|m| &nodes[m.node as usize]));
    2.0 * most.saturating_sub(LIVE_VALUES) as f64
}

/// The most values that are live between two of these nodes: written before, and read after.
fn most_live<'a>(nodes: impl DoubleEndedIterator<Item = &'a Node>) -> usize {
    let mut live: SmallVec<[&SlotAccess; 32]> = SmallVec::new();
    let mut most = 0;
    for node in nodes.rev() {
        live.retain(|access| **access != node.target);
        for read in node.reads() {
            if !live.contains(&read) {
                live.push(read);
            }
        }
        most = most.max(live.len());
    }
    most
}
