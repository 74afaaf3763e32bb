//! Recomputation: planning without results that are likely to die unread, and how to compute them afterwards if one is read
//! (rematerialisation).

use crate::plan::build::{Compile, build};
use crate::plan::plan::{OmittedResults, Plan, PlanTarget};
use crate::plan::trace::{Node, Operation, decode};
use smallvec::SmallVec;
use std::sync::Arc;

/// A plan of the tape that omits these slots, though they are reachable; `None` where their inputs are overwritten or gone
/// afterwards, or where computing them again costs more than storing them.
pub(crate) fn plan_without(
    tape: &[u64],
    live: &[bool],
    slots: &[u32],
    target: PlanTarget,
    compile: &mut Compile<'_>,
) -> Option<Arc<Plan>> {
    let mut live = live.to_vec();
    slots.iter().for_each(|&slot| live[slot as usize] = false);
    let omitted = omitted_results(&decode(tape), &live, slots)?;
    Some(Arc::new(Plan { omitted: Some(omitted), ..build(tape, &live, target, compile) }))
}

/// How to compute slots after everything that `live` needs has run.
pub fn omitted_results(nodes: &[Node], live: &[bool], slots: &[u32]) -> Option<OmittedResults> {
    let mut wanted = vec![false; live.len()];
    slots.iter().for_each(|&slot| wanted[slot as usize] = true);
    let mut written = vec![false; live.len()];
    let mut omitted_results = OmittedResults { slots: slots.into(), nodes: Vec::new(), reads: SmallVec::new() };
    for node in nodes.iter().rev() {
        let target = node.target.slot as usize;
        if wanted[target] {
            if matches!(node.op, Operation::Contract(_)) {
                return None;
            }
            omitted_results.nodes.push(node.index);
            wanted[target] = !node.covers;
            for access in node.reads() {
                let slot = access.slot as usize;
                if !live[slot] {
                    wanted[slot] = true;
                } else if written[slot] {
                    // Its memory holds a later version by then.
                    return None;
                } else if !omitted_results.reads.contains(&access.slot) {
                    omitted_results.reads.push(access.slot);
                }
            }
        }
        written[target] = true;
    }
    // A slot that is read before it is written, in memory that is not live: it may be freed or reused by then.
    if wanted.contains(&true) {
        return None;
    }
    omitted_results.nodes.reverse();
    Some(omitted_results)
}
