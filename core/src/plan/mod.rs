//! From a tape to a plan: which pending nodes run, in which kernels, with which buffers.
//!
//! [`build`] reads the nodes back, drops those whose results nobody can reach, [`group`]s the rest, [`lower`]s each group to a
//! kernel, and notes when a buffer is first needed and when it can go. A plan holds no address, no absolute offset and no
//! scalar value, so it serves every trace that wrote the same tape.

pub(crate) mod group;
pub(crate) mod lower;
pub(crate) mod overlap;
pub(crate) mod recompute;
pub(crate) mod trace;

use crate::array::layout::{Shape, count};
use crate::host::gemm::Product;
use crate::plan::recompute::Omission;
use crate::plan::trace::{Node, Operation, Source, decode};
use crate::runtime::dead_results::Fate;
use crate::runtime::fp_flags::Part;
use fastnp_codegen::{DType, Kernel, Program, Verified};
use group::Group;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Groups in order, with their buffers.
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// Points that its kernels run over, together.
    pub(crate) points: usize,
    /// Results that it leaves out.
    pub(crate) omitted: Option<Omission>,
    /// What became of its results.
    pub(crate) fate: Fate,
    /// Where it runs, and whether a device was told what is to come.
    pub(crate) target: Target,
    pub(crate) is_prepared: AtomicBool,
}

/// Where a plan is to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    /// Which of the engine's sites it is.
    pub(crate) site: usize,
    /// Points up to which a launch of its own costs more there than sharing one.
    pub(crate) packed: usize,
}

/// One launch.
pub(crate) struct Step {
    pub(crate) work: Work,
    /// The nodes it computes, by their place in program order.
    pub(crate) nodes: SmallVec<[u32; 4]>,
    /// Slot and byte offset of each operand, in the kernel's order.
    pub(crate) operands: SmallVec<[(u32, isize); 6]>,
    /// Slots which take over the memory of dying ones, where that is possible: (taker, giver).
    pub(crate) donations: SmallVec<[(u32, u32); 1]>,
    /// Slots whose memory nobody needs afterwards.
    pub(crate) releases: SmallVec<[u32; 2]>,
}

/// What a step does.
pub(crate) enum Work {
    /// Launches a program.
    Kernel(KernelWork),
    /// A batch of matrix products by the `gemm` crate. The domain is `[batch…, m, n, k]`, strides as in a kernel's launch.
    Product { product: Product, dtype: DType, domain: Shape, strides: Vec<isize> },
}

impl Work {
    /// Points it runs over: multiplications of a product, elements of a kernel's domain.
    fn points(&self) -> usize {
        match self {
            Work::Kernel(work) => count(&work.outer).saturating_mul(count(&work.inner)),
            Work::Product { domain, .. } => count(domain),
        }
    }
}

/// A program with the sizes it is launched with.
pub(crate) struct KernelWork {
    pub(crate) program: Arc<dyn Program>,
    pub(crate) kernel: Arc<Verified<Kernel>>,
    pub(crate) outer: Shape,
    pub(crate) inner: Shape,
    pub(crate) strides: Vec<isize>,
    /// Which of the trace's scalars are the kernel's parameters.
    pub(crate) scalars: SmallVec<[u32; 4]>,
    /// Its instructions that are steps of products.
    pub(crate) parts: Vec<Part>,
}

/// Gives a program for a kernel, from a cache or by compiling it.
pub(crate) type Compile<'a> = dyn FnMut(Kernel) -> (Arc<Verified<Kernel>>, Arc<dyn Program>) + 'a;

/// Makes the plan of a tape. `live` says which slots somebody can still reach.
pub(crate) fn build(tape: &[u64], live: &[bool], target: Target, compile: &mut Compile<'_>) -> Plan {
    let nodes = needed(decode(tape), live);
    let groups = group::group(&nodes, target.packed);
    let lives = Lives::of(&nodes, &groups, live);
    let mut steps: Vec<Step> = groups.iter().enumerate().map(|(i, g)| step(&nodes, i, g, &lives, compile)).collect();
    for (slot, last) in lives.last.iter().enumerate() {
        if let (Some(last), false) = (last, live[slot]) {
            steps[*last as usize].releases.push(slot as u32);
        }
    }
    let points = steps.iter().map(|step| step.work.points()).fold(0, usize::saturating_add);
    Plan { steps, points, omitted: None, fate: Fate::default(), target, is_prepared: AtomicBool::new(false) }
}

/// Nodes whose result somebody can reach or another needed node reads, in program order.
pub(crate) fn needed(mut nodes: Vec<Node>, live: &[bool]) -> Vec<Node> {
    let mut live = live.to_vec();
    let mut keep = vec![false; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        let target = node.target.slot as usize;
        keep[i] = live[target];
        if keep[i] {
            if node.covers {
                live[target] = false;
            }
            for access in node.reads() {
                live[access.slot as usize] = true;
            }
        }
    }
    let mut keep = keep.into_iter();
    nodes.retain(|_| keep.next() == Some(true));
    nodes
}

/// When slots are in use.
pub(crate) struct Lives {
    /// The first and the last group that touches a slot.
    first: Vec<Option<u32>>,
    last: Vec<Option<u32>>,
    live: Vec<bool>,
}

impl Lives {
    fn of(nodes: &[Node], groups: &[Group], live: &[bool]) -> Lives {
        let mut lives = Lives { first: vec![None; live.len()], last: vec![None; live.len()], live: live.to_vec() };
        for (g, group) in groups.iter().enumerate() {
            for member in &group.members {
                let node = &nodes[member.node as usize];
                for slot in node.reads().map(|a| a.slot).chain([node.target.slot]) {
                    lives.first[slot as usize].get_or_insert(g as u32);
                    lives.last[slot as usize] = Some(g as u32);
                }
            }
        }
        lives
    }

    /// Whether what a group writes to a slot is needed after it.
    pub(crate) fn escapes(&self, slot: u32, group: usize) -> bool {
        self.live[slot as usize] || self.last[slot as usize] != Some(group as u32)
    }

    /// Whether a group is the first to touch a slot.
    pub(crate) fn begins(&self, slot: u32, group: usize) -> bool {
        self.first[slot as usize] == Some(group as u32)
    }

    /// Whether a group is the last to need a slot.
    pub(crate) fn ends(&self, slot: u32, group: usize) -> bool {
        !self.escapes(slot, group)
    }
}

fn step(nodes: &[Node], index: usize, group: &Group, lives: &Lives, compile: &mut Compile<'_>) -> Step {
    let first = &nodes[group.members[0].node as usize];
    if let Operation::Contract(product) = first.op {
        return multiplied(product, first);
    }
    let places = group.members.iter().map(|m| nodes[m.node as usize].place).collect();
    let lowered = lower::lower(nodes, index, group, lives);
    let (kernel, program) = compile(lowered.kernel);
    Step {
        work: Work::Kernel(KernelWork {
            program,
            kernel,
            outer: lowered.outer,
            inner: lowered.inner,
            strides: lowered.strides,
            scalars: lowered.scalars,
            parts: lowered.parts,
        }),
        nodes: places,
        operands: lowered.operands,
        donations: lowered.donations,
        releases: SmallVec::new(),
    }
}

fn multiplied(product: Product, node: &Node) -> Step {
    let mut operands = SmallVec::new();
    let mut strides = Vec::new();
    for access in node.reads().chain([&node.target]) {
        operands.push((access.slot, access.offset));
        strides.extend_from_slice(&access.strides);
    }
    debug_assert!(node.sources.iter().all(|s| matches!(s, Source::Memory(_))), "products read memory");
    Step {
        work: Work::Product { product, dtype: node.compute, domain: node.domain.clone(), strides },
        nodes: smallvec![node.place],
        operands,
        donations: SmallVec::new(),
        releases: SmallVec::new(),
    }
}
