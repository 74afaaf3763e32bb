//! Explanation of the pending plan, or of the last one, as text.

use crate::plan::build::needed;
use crate::plan::group::{Group, Section, group};
use crate::plan::plan::{KernelLaunch, Plan, PlanStep, StepKind};
use crate::plan::trace::{Node, NodeInput, SlotAccess, decode};
use crate::runtime::lock::runtime;
use crate::runtime::state::Runtime;
use std::fmt::Write;

/// The pending nodes, the groups they fuse into with the reasons why fusion stopped, and the kernels; where nothing is
/// pending, the same of the last flush.
///
/// Nothing runs. A storage is `%n`, with `@v` the version a node reads or makes; scalars are `$n`.
///
/// ```
/// use fastnp::{Array, DType, explain, flush};
/// let x = Array::ones(&[100_000], DType::F64);
/// flush()?;
/// let y = &(&x * &x) + 1.0;
/// assert!(explain().starts_with("pending: 2 nodes over 3 storages\n\nkernel 0 over [100000]\n"));
/// y.evaluate()?;
/// assert!(explain().starts_with("nothing is pending; the last flush: 2 nodes"));
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn explain() -> String {
    let mut runtime = runtime();
    if runtime.trace.nodes > 0 {
        let plan = match runtime.plan() {
            Ok(plan) => plan,
            Err(error) => return error.to_string(),
        };
        return format!(
            "pending{}: {}",
            describe_target(&runtime, &plan),
            describe(&runtime.trace.tape, &runtime.live, &plan, true)
        );
    }
    match &runtime.last.plan {
        Some(plan) => {
            let text = describe(&runtime.last.tape, &runtime.last.live, plan, true);
            format!("nothing is pending; the last flush{}: {text}", describe_target(&runtime, plan))
        }
        None => {
            "nothing is pending, and nothing was flushed: small operations on ready operands run eagerly\n".to_owned()
        }
    }
}

/// The target of a plan, if that is not the host.
fn describe_target(runtime: &Runtime, plan: &Plan) -> String {
    let target = &runtime.targets[plan.target.index];
    target.device.as_ref().map_or_else(String::new, |device| format!(" on {}", device.description()))
}

/// A tape and its plan as text, with the kernels' IR if `ir`.
pub(crate) fn describe(tape: &[u64], live: &[bool], plan: &Plan, ir: bool) -> String {
    let mut out = String::new();
    let all = decode(tape);
    let _ = writeln!(out, "{} nodes over {} storages", all.len(), live.len());
    let recorded = all.len();
    let mut nodes = needed(all, live);
    if nodes.len() < recorded {
        let _ = writeln!(out, "never needed: {} nodes", recorded - nodes.len());
    }
    if let Some(omitted) = &plan.omitted {
        let slots: Vec<String> = omitted.slots.iter().map(|slot| format!("%{slot}")).collect();
        let _ = writeln!(out, "not stored, as nothing read it the last time: {}", slots.join(", "));
    }
    let mut versions = vec![0u32; live.len()];
    let lines: Vec<String> = nodes.iter().map(|n| line(n, &mut versions)).collect();
    let groups = group(&mut nodes, plan.target.pack_points);
    let mut groups = groups.iter();
    for (i, step) in plan.steps.iter().enumerate() {
        let stages = match &step.kind {
            StepKind::Composed(work) => {
                let _ = writeln!(out, "\nkernel {i} on blocks of {} of {}, in stages", work.block, work.extent);
                work.stages.len()
            }
            StepKind::Kernel(_) | StepKind::Product { .. } => {
                let _ = write!(out, "\nkernel {i}");
                1
            }
        };
        for group in groups.by_ref().take(stages) {
            let _ = write!(out, " over {:?}", &group.domain[..]);
            describe_group(&mut out, group, &lines);
        }
        describe_step(&mut out, step, ir);
    }
    out
}

fn describe_group(out: &mut String, group: &Group, lines: &[String]) {
    if group.reduced != 0 {
        let folded: Vec<usize> = (0..group.domain.len()).filter(|a| group.reduced >> a & 1 != 0).collect();
        let _ = write!(out, ", folding axes {folded:?}");
    }
    let _ = match group.refused {
        Some(why) => writeln!(out, " (not fused with its operands: {why})"),
        None => writeln!(out),
    };
    for member in &group.members {
        let prefix = if member.section == Section::Epilogue { "  then " } else { "  " };
        let _ = writeln!(out, "{prefix}{}", lines[member.node as usize]);
    }
}

fn describe_step(out: &mut String, step: &PlanStep, ir: bool) {
    for (taker, giver) in &step.donations {
        let _ = writeln!(out, "  %{taker} takes over the memory of %{giver}");
    }
    match &step.kind {
        StepKind::Kernel(work) => describe_kernel(out, work, ir),
        StepKind::Composed(work) => work.stages.iter().for_each(|stage| describe_kernel(out, &stage.work, ir)),
        StepKind::Product { .. } => {
            let _ = writeln!(out, "    | matrix product (gemm)");
        }
    }
}

fn describe_kernel(out: &mut String, work: &KernelLaunch, ir: bool) {
    if ir {
        for text in work.kernel.to_string().lines() {
            let _ = writeln!(out, "    | {text}");
        }
    }
}

fn line(node: &Node, versions: &mut [u32]) -> String {
    let access = |a: &SlotAccess, version: u32| format!("%{}@{version}:{}", a.slot, a.dtype.ir_name());
    let args: Vec<String> = node
        .sources
        .iter()
        .map(|s| match s {
            NodeInput::Memory(a) => access(a, versions[a.slot as usize]),
            NodeInput::Scalar(i, dtype) => format!("${i}:{}", dtype.ir_name()),
        })
        .collect();
    versions[node.target.slot as usize] += 1;
    let target = access(&node.target, versions[node.target.slot as usize]);
    format!("{target} = {}({}) in {}", node.op.name(), args.join(", "), node.compute.ir_name())
}
