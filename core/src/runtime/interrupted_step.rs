//! A step that overwrites its operands and was interrupted between two tasks: what has run cannot run again, so what is left runs before
//! anything else does.
//!
//! Its nodes stay in the trace, as those of steps that did not begin: whatever has to wait for one of them, or to be ordered with it, flushes,
//! and a flush completes the step first.

use crate::host::interrupt::TaskProgress;
use crate::memory::storage_ref::StorageRef;
use crate::plan::plan::Plan;
use crate::plan::trace::Trace;
use fastnp_codegen::Scalar;
use smallvec::SmallVec;
use std::sync::Arc;

/// A step of which a part has run.
pub(crate) struct InterruptedStep {
    /// The plan, and the index of the step.
    pub(crate) plan: Arc<Plan>,
    pub(crate) index: usize,
    /// The storage and byte offset of each operand. Memory may move, so there are no addresses.
    pub(crate) operands: SmallVec<[(StorageRef, isize); 6]>,
    /// The scalars of the trace that was planned.
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) progress: TaskProgress,
    /// Its nodes, by index in the trace that is pending.
    pub(crate) nodes: Vec<u32>,
}

impl InterruptedStep {
    /// A step of the plan of this trace. Its donations are in force.
    pub(crate) fn new(trace: &Trace, plan: &Arc<Plan>, index: usize, progress: TaskProgress) -> InterruptedStep {
        let operand = |&(slot, offset): &(u32, isize)| {
            let slot = &trace.slots[slot as usize];
            (slot.storage.clone(), slot.base + offset)
        };
        InterruptedStep {
            plan: plan.clone(),
            index,
            operands: plan.steps[index].operands.iter().map(operand).collect(),
            scalars: trace.scalars.clone(),
            progress,
            nodes: Vec::new(),
        }
    }

    /// Finds its nodes among those of the planned trace that stay pending.
    pub(crate) fn locate_nodes(&mut self, pending: &[u32]) {
        let of_step = &self.plan.steps[self.index].nodes;
        let places = pending.iter().enumerate().filter(|(_, node)| of_step.contains(node));
        self.nodes = places.map(|(place, _)| place as u32).collect();
    }
}
