//! Explanation of the pending plan, or of the last one: as text, and group by group for a picture.

use crate::plan::build::needed;
use crate::plan::group::{Group, Section, group};
use crate::plan::plan::{KernelLaunch, Plan, PlanStep, StepKind};
use crate::plan::trace::{Node, NodeInput, SlotAccess, decode};
use crate::runtime::inspect::{composed_traffic, traffic};
use crate::runtime::lock::runtime;
use crate::runtime::state::Runtime;
use fastnp_codegen::DType;
use std::fmt::Write;

/// One kernel or product of an explanation.
#[derive(Clone, Debug)]
pub struct ExplainedGroup {
    /// Its domain, and which axes it folds.
    pub domain: Vec<usize>,
    /// See `domain`.
    pub folded: Vec<usize>,
    /// Why it was not fused with the groups that make its operands.
    pub refused: Option<String>,
    /// Its operations, in order, as in the text.
    pub operations: Vec<String>,
    /// Bytes of distinct elements that it loads and stores; of a product, those of its operands.
    pub bytes: usize,
    /// Nanoseconds it took in the last flush, if a profile was made meanwhile.
    pub nanoseconds: Option<u64>,
}

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

/// The groups of [`explain`], one by one.
///
/// ```
/// use fastnp::{Array, DType, explain_groups, flush};
/// flush()?;
/// let y = &Array::ones(&[100_000], DType::F64) + 1.0;
/// let groups = explain_groups();
/// assert_eq!(groups.last().map(|group| group.operations.len()), Some(2)); // the ones, and the sum
/// # drop(y);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn explain_groups() -> Vec<ExplainedGroup> {
    let mut runtime = runtime();
    if runtime.trace.nodes > 0 {
        return match runtime.plan() {
            Ok(plan) => groups(&runtime.trace.tape, &runtime.live, &plan, &[]),
            Err(_) => Vec::new(),
        };
    }
    let last = &runtime.last;
    last.plan.as_ref().map_or_else(Vec::new, |plan| groups(&last.tape, &last.live, plan, &last.nanoseconds))
}

/// The groups of a plan; those that run together as one.
fn groups(tape: &[u64], live: &[bool], plan: &Plan, nanoseconds: &[u64]) -> Vec<ExplainedGroup> {
    let mut nodes = needed(decode(tape), live);
    let mut versions = vec![0u32; live.len()];
    let lines: Vec<String> = nodes.iter().map(|n| line(n, &mut versions)).collect();
    let groups = group(&mut nodes, plan.target.pack_points);
    let mut groups = groups.iter();
    let explained = |(i, step): (usize, &PlanStep)| {
        let (count, bytes) = match &step.kind {
            StepKind::Kernel(work) => (1, traffic(&work.kernel, &work.launch(&[], &[]))),
            StepKind::Composed(work) => (work.stages.len(), composed_traffic(work)),
            StepKind::Product { dtype, domain, .. } => (1, product_bytes(*dtype, domain)),
        };
        let stages: Vec<&Group> = groups.by_ref().take(count).collect();
        let first = stages.first()?;
        let members = stages.iter().flat_map(|group| &group.members);
        Some(ExplainedGroup {
            domain: first.domain.to_vec(),
            folded: folded(first),
            refused: first.refused.map(|why| why.to_string()),
            operations: members.map(|member| lines[member.node as usize].clone()).collect(),
            bytes,
            nanoseconds: nanoseconds.get(i).copied(),
        })
    };
    plan.steps.iter().enumerate().filter_map(explained).collect()
}

/// Bytes of the operands of matrix products over a domain `[batch…, m, n, k]`.
fn product_bytes(dtype: DType, domain: &[usize]) -> usize {
    let [batch @ .., m, n, k] = domain else { return 0 };
    batch.iter().product::<usize>() * (m * k + k * n + m * n) * dtype.size()
}

/// The axes that a group folds.
fn folded(group: &Group) -> Vec<usize> {
    (0..group.domain.len()).filter(|a| group.reduced >> a & 1 != 0).collect()
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
        let _ = write!(out, ", folding axes {:?}", folded(group));
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
