//! Explanation of the pending plan, or of the last one: as text, and group by group for a picture.

use crate::plan::build::needed;
use crate::plan::draft::Change;
use crate::plan::fuse::{Fused, fuse};
use crate::plan::group::{Group, Section};
use crate::plan::plan::{KernelLaunch, Plan, PlanStep, SharedPart, StepKind};
use crate::plan::search::Outcome;
use crate::plan::trace::{Node, NodeInput, SlotAccess, decode};
use crate::runtime::inspect::{composed_traffic, traffic};
use crate::runtime::lock::runtime;
use crate::runtime::state::{LastFlush, Runtime};
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
    if let Err(error) = runtime.complete_interrupted() {
        return error.to_string();
    }
    if runtime.trace.nodes > 0 {
        let plan = match runtime.plan() {
            Ok(plan) => plan,
            Err(error) => return error.to_string(),
        };
        return format!(
            "pending{}: {}",
            describe_target(&runtime, &plan),
            describe(&runtime.trace.tape, &runtime.live, &plan, &[], true)
        );
    }
    match &runtime.last.plan {
        Some(plan) => {
            let LastFlush { tape, live, nanoseconds, .. } = &runtime.last;
            let text = describe(tape, live, plan, nanoseconds, true);
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
    if runtime.complete_interrupted().is_ok() && runtime.trace.nodes > 0 {
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
    let all = decode(tape);
    let fused = fuse(needed(all.clone(), live), live, &plan.target);
    let lines = lines(&fused.nodes, &all, (live.len(), fused.copied_bytes.len()));
    let mut groups = fused.groups.iter();
    let explained = |(i, step): (usize, &PlanStep)| {
        let (count, bytes) = match &step.kind {
            StepKind::Kernel(work) => (1, traffic(&work.kernel, &work.launch(&[], &[]))),
            StepKind::Composed(work) => (work.stages.len(), composed_traffic(work)),
            StepKind::Product(work) => (1, product_bytes(work.dtype, &work.domain)),
            StepKind::SharedMatrix(parts) => (parts.len(), shared_bytes(parts)),
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

/// Bytes that one pass over a matrix moves.
fn shared_bytes(parts: &[SharedPart]) -> usize {
    let of_part = |part: &SharedPart| match part {
        SharedPart::Product(work) => product_bytes(work.dtype, &work.domain),
        SharedPart::Map(work) => traffic(&work.kernel, &work.launch(&[], &[])),
    };
    // Each product but the first finds the matrix in a cache.
    let again = |part: &SharedPart| match part {
        SharedPart::Product(work) => work.points() * work.dtype.size(),
        SharedPart::Map(_) => 0,
    };
    parts.iter().map(of_part).sum::<usize>() - parts[1..].iter().map(again).sum::<usize>()
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

/// A tape and its plan as text, with what each step took if that is known, and with the kernels' IR if `ir`.
pub(crate) fn describe(tape: &[u64], live: &[bool], plan: &Plan, nanoseconds: &[u64], ir: bool) -> String {
    let mut out = String::new();
    let all = decode(tape);
    let _ = writeln!(out, "{} nodes over {} storages", all.len(), live.len());
    let recorded = all.len();
    let nodes = needed(all.clone(), live);
    if nodes.len() < recorded {
        let _ = writeln!(out, "never needed: {} nodes", recorded - nodes.len());
    }
    if let Some(omitted) = &plan.omitted {
        let slots: Vec<String> = omitted.slots.iter().map(|slot| format!("%{slot}")).collect();
        let _ = writeln!(out, "not stored, as nothing read it the last time: {}", slots.join(", "));
    }
    let Fused { nodes, copied_bytes, groups, outcome, .. } = fuse(nodes, live, &plan.target);
    let outcome = outcome.filter(|outcome| !outcome.alternatives.is_empty());
    let lines = lines(&nodes, &all, (live.len(), copied_bytes.len()));
    let predicted = outcome.iter().flat_map(|outcome| &outcome.kernels);
    let mut groups = groups.iter().zip(predicted.map(Some).chain(std::iter::repeat(None)));
    for (i, step) in plan.steps.iter().enumerate() {
        let stages = match &step.kind {
            StepKind::Composed(work) => {
                let _ = writeln!(out, "\nkernel {i} on blocks of {} of {}, in stages", work.block, work.extent);
                work.stages.len()
            }
            StepKind::SharedMatrix(parts) => {
                let _ = write!(out, "\nkernel {i}, one pass over a matrix,");
                parts.len()
            }
            StepKind::Kernel(_) | StepKind::Product(_) => {
                let _ = write!(out, "\nkernel {i}");
                1
            }
        };
        let mut took = nanoseconds.get(i).copied();
        for (group, predicted) in groups.by_ref().take(stages) {
            let _ = write!(out, " over {:?}", &group.domain[..]);
            if let Some(ns) = predicted {
                let _ = write!(out, ", predicted to take {}", microseconds(*ns));
            }
            if let Some(ns) = took.take() {
                let _ = write!(out, ", took {}", microseconds(ns as f64));
            }
            describe_group(&mut out, group, &lines);
        }
        describe_step(&mut out, step, ir);
    }
    if let Some(outcome) = outcome {
        describe_outcome(&mut out, &outcome);
    }
    out
}

fn microseconds(ns: f64) -> String {
    format!("{:.1} µs", ns / 1e3)
}

/// What the search considered.
fn describe_outcome(out: &mut String, outcome: &Outcome) {
    let (greedy, chosen) = (microseconds(outcome.greedy_ns), microseconds(outcome.chosen_ns));
    let _ = writeln!(out, "\npredicted: {chosen}; by greedy fusion: {greedy}");
    for alternative in &outcome.alternatives {
        let change = match alternative.change {
            Change::Inline(slot) => format!("%{slot} computed where it is read"),
            Change::Merge(first, second) => format!("kernels of nodes {first} and {second} merged"),
            Change::Cut(first) => format!("kernel of node {first} cut elsewhere"),
            Change::Extract(node) => format!("the result of node {node} in a kernel of its own"),
        };
        let choice = if alternative.is_chosen { "chosen" } else { "not chosen" };
        let _ = writeln!(out, "  with {change}: {}, {choice}", microseconds(alternative.ns));
    }
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
        StepKind::Product(_) => {
            let _ = writeln!(out, "    | matrix product (gemm)");
        }
        StepKind::SharedMatrix(parts) => {
            let _ = writeln!(out, "    | products of vectors with one matrix, in one pass over it");
            for part in parts {
                if let SharedPart::Map(work) = part {
                    describe_kernel(out, work, ir);
                }
            }
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

/// The nodes of a plan as text, of a tape with so many slots, and copies of so many operands. `*` marks these, and a value that a kernel
/// computes again for itself.
fn lines(nodes: &[Node], tape: &[Node], (slots, operands): (usize, usize)) -> Vec<String> {
    let is_copy = |slot: u32| slot as usize >= slots;
    let copies = nodes.iter().filter(|node| is_copy(node.target.slot));
    // The first ones are copies of operands, others of nodes.
    let is_operand = |slot: u32| (slot as usize) < slots + operands;
    let original = |copy: &Node| copy.reads().next().filter(|_| is_operand(copy.target.slot)).map(|access| access.slot);
    let originals: Vec<(u32, u32)> = copies
        .map(|copy| (copy.target.slot, original(copy).unwrap_or(tape[copy.index as usize].target.slot)))
        .collect();
    let name = |slot: u32| {
        let original = originals.iter().find(|copy| copy.0 == slot);
        original.map_or_else(|| format!("%{slot}"), |(_, slot)| format!("%{slot}*"))
    };
    let last = originals.iter().map(|copy| copy.0 as usize + 1).max();
    let mut versions = vec![0u32; last.unwrap_or(slots)];
    nodes.iter().map(|node| line(node, &mut versions, &name)).collect()
}

fn line(node: &Node, versions: &mut [u32], name: &dyn Fn(u32) -> String) -> String {
    let access = |a: &SlotAccess, version: u32| format!("{}@{version}:{}", name(a.slot), a.dtype.ir_name());
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
