//! What would happen if what is pending were flushed now, as text.

use crate::engine::engine;
use crate::plan::group::{Place, group};
use crate::plan::{Work, needed};
use crate::trace::{Access, Node, Source, decode};
use std::fmt::Write;
use std::sync::Arc;

/// The pending nodes, the groups they fuse into with the reasons why fusion stopped, and the kernels.
///
/// Nothing runs. A storage is `%n`, with `@v` the version a node reads or makes; scalars are `$n`.
pub fn explain() -> String {
    let mut engine = engine();
    let mut out = String::new();
    if engine.trace.nodes == 0 {
        return "nothing is pending\n".to_owned();
    }
    let live: Vec<bool> =
        engine.trace.slots.iter().map(|s| Arc::strong_count(&s.storage) > 1 || s.storage.owner().is_some()).collect();
    let all = decode(&engine.trace.tape);
    let _ = writeln!(out, "pending: {} nodes over {} storages", all.len(), live.len());
    let nodes = needed(all.clone(), &live);
    if nodes.len() < all.len() {
        let _ = writeln!(out, "never needed: {} nodes", all.len() - nodes.len());
    }
    let mut versions = vec![0u32; live.len()];
    let lines: Vec<String> = nodes.iter().map(|n| line(n, &mut versions)).collect();
    let groups = group(&nodes);
    let plan = engine.plan();
    for (i, (group, step)) in groups.iter().zip(&plan.steps).enumerate() {
        let _ = write!(out, "\nkernel {i} over {:?}", &group.domain[..]);
        if group.reduced != 0 {
            let folded: Vec<usize> = (0..group.domain.len()).filter(|a| group.reduced >> a & 1 != 0).collect();
            let _ = write!(out, ", folding axes {folded:?}");
        }
        let _ = match group.refused {
            Some(why) => writeln!(out, " (not fused with what it depends on: {why})"),
            None => writeln!(out),
        };
        for member in &group.members {
            let place = if member.place == Place::Epilogue { "  then " } else { "  " };
            let _ = writeln!(out, "{place}{}", lines[member.node as usize]);
        }
        match &step.work {
            Work::Kernel(work) => {
                for text in work.kernel.to_string().lines() {
                    let _ = writeln!(out, "    | {text}");
                }
            }
            Work::Product { .. } => {
                let _ = writeln!(out, "    | matrix product (gemm)");
            }
        }
    }
    out
}

fn line(node: &Node, versions: &mut [u32]) -> String {
    let access = |a: &Access, version: u32| format!("%{}@{version}:{}", a.slot, a.dtype.ir_name());
    let args: Vec<String> = node
        .sources
        .iter()
        .map(|s| match s {
            Source::Memory(a) => access(a, versions[a.slot as usize]),
            Source::Scalar(i, dtype) => format!("${i}:{}", dtype.ir_name()),
        })
        .collect();
    versions[node.target.slot as usize] += 1;
    let target = access(&node.target, versions[node.target.slot as usize]);
    format!("{target} = {}({}) in {}", node.op.name(), args.join(", "), node.compute.ir_name())
}
