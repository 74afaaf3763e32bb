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
fn omitted_results(nodes: &[Node], live: &[bool], slots: &[u32]) -> Option<OmittedResults> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::trace::{NodeInput, SlotAccess};
    use fastnp_codegen::{DType, Op};
    use smallvec::smallvec;

    /// `target = add(sources)`, node by node.
    fn nodes(all: &[(u32, &[u32], bool)]) -> Vec<Node> {
        let access = |slot| SlotAccess { slot, dtype: DType::F64, offset: 0, strides: smallvec![8] };
        let node = |(index, &(target, sources, covers)): (usize, &(u32, &[u32], bool))| Node {
            index: index as u32,
            op: Operation::Apply(Op::Add),
            compute: DType::F64,
            domain: smallvec![1000],
            reduced: 0,
            sources: sources.iter().map(|&s| NodeInput::Memory(access(s))).collect(),
            target: access(target),
            covers,
        };
        all.iter().enumerate().map(node).collect()
    }

    fn found(all: &[(u32, &[u32], bool)], live: &[u32], slot: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        let is_live: Vec<bool> = (0..6).map(|slot| live.contains(&slot)).collect();
        omitted_results(&nodes(all), &is_live, &[slot]).map(|o| (o.nodes, o.reads.to_vec()))
    }

    #[test]
    fn finds_the_nodes_and_what_they_read() {
        // 2 = 0 + 1; 3 = 2 + 0, which is left out; 4 = 3 + 3.
        let all: [(u32, &[u32], bool); 3] = [(2, &[0, 1], true), (3, &[2, 0], true), (4, &[3, 3], true)];
        assert_eq!(found(&all, &[0, 1, 4], 3), Some((vec![0, 1], vec![0, 1])), "2 is nowhere");
        assert_eq!(found(&all, &[0, 1, 2, 4], 3), Some((vec![1], vec![2, 0])), "2 is in memory");
    }

    #[test]
    fn overwritten_inputs_are_not_read_again() {
        let before: [(u32, &[u32], bool); 2] = [(0, &[0, 1], false), (2, &[0, 1], true)];
        assert_eq!(found(&before, &[0, 1], 2), Some((vec![1], vec![0, 1])), "written before it was read");
        let after: [(u32, &[u32], bool); 2] = [(2, &[0, 1], true), (0, &[0, 1], false)];
        assert_eq!(found(&after, &[0, 1], 2), None, "written after it was read");
    }

    #[test]
    fn dead_memory_is_not_read_again() {
        assert_eq!(found(&[(2, &[0, 1], true)], &[0], 2), None, "1 is an operand that dies");
        assert_eq!(found(&[(2, &[0, 0], false)], &[0], 2), None, "2 keeps some of what it was");
    }

    #[test]
    fn an_older_version_is_recomputed() {
        // 1 = 0 + 0; 2 = 1 + 1; 1 = 2 + 2, and 1 is dead.
        let all: [(u32, &[u32], bool); 3] = [(1, &[0, 0], true), (2, &[1, 1], true), (1, &[2, 2], true)];
        assert_eq!(found(&all, &[0], 2), Some((vec![0, 1], vec![0])));
    }
}
