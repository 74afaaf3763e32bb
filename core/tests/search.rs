//! How far the search of plans is from the best one: exact solvers on random traces of up to 14 nodes.
//!
//! Grouping is solved by dynamic programming over sets of nodes that have run: the next kernel is any set of nodes whose predecessors have run or
//! are in it. Inlining is solved by trying all sets of values.

use fastnp::white_box::{
    Draft, DraftPlan, KernelLimits, Node, NodeInput, Operation, Search, SlotAccess, Terms, group, inline, needed, pays,
    search, values,
};
use fastnp_codegen::{DType, Op};
use smallvec::smallvec;

/// Elements of a row of the arrays, and rows.
const COLUMNS: usize = 200;
const ROWS: usize = 100;
/// Slots that are there before the trace.
const INPUTS: usize = 3;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// Random elementwise nodes, and which slots are live: each value has some rows, and is read from some row on.
fn trace(random: &mut Random, length: usize) -> (Vec<Node>, Vec<bool>) {
    let mut rows = vec![ROWS; INPUTS];
    let mut nodes: Vec<Node> = Vec::new();
    let access = |slot: usize, row: usize| SlotAccess {
        slot: slot as u32,
        dtype: DType::F64,
        offset: (row * COLUMNS * 8) as isize,
        strides: smallvec![COLUMNS as isize * 8, 8],
    };
    while nodes.len() < length {
        let recent = rows.len().saturating_sub(3 + random.below(3));
        let a = recent + random.below(rows.len() - recent);
        // A difference of neighbours reads all of a value.
        let (b, difference) = if random.below(3) == 0 { (a, 1) } else { (random.below(rows.len()), 0) };
        let n = rows[a].min(rows[b]) - difference;
        let (from_a, from_b) = (rows[a] - n, if difference == 1 { 0 } else { rows[b] - n });
        let in_place = random.below(8) == 0;
        let target = if in_place { random.below(INPUTS) } else { rows.len() };
        let covers = !in_place;
        if in_place && (a == target || b == target) {
            continue;
        }
        let op = [Op::Add, Op::Multiply, Op::Maximum, Op::Divide, Op::Sqrt][random.below(5)];
        let sources = [(a, from_a), (b, from_b)].map(|(slot, row)| NodeInput::Memory(access(slot, row)));
        let arity = op.arity();
        nodes.push(Node {
            index: nodes.len() as u32,
            op: Operation::Apply(op),
            compute: DType::F64,
            domain: smallvec![n, COLUMNS],
            reduced: 0,
            sources: sources.into_iter().take(arity).collect(),
            target: access(target, 0),
            covers,
        });
        if covers {
            rows.push(n);
        }
    }
    let live: Vec<bool> =
        (0..rows.len()).map(|slot| slot < INPUTS || slot == rows.len() - 1 || random.below(6) == 0).collect();
    (needed(nodes, &live), live)
}

/// Nanoseconds of an instruction for an element.
const INSTRUCTION_NS: f64 = 0.02;

/// The predicted time of the best groups.
fn best_groups(nodes: &[Node], live: &[bool], terms: &Terms<'_>) -> f64 {
    let n = nodes.len();
    let touches = |node: &Node, slot: u32| node.target.slot == slot || node.reads().any(|a| a.slot == slot);
    let conflict = |a: &Node, b: &Node| touches(b, a.target.slot) || touches(a, b.target.slot);
    let before: Vec<u32> =
        (0..n).map(|i| (0..i).filter(|&j| conflict(&nodes[j], &nodes[i])).fold(0, |mask, j| mask | 1 << j)).collect();
    let like = &group(&mut nodes.to_vec(), live, KernelLimits::HOST)[0];
    let mut kernels: Vec<Option<f64>> = vec![None; 1 << n];
    let mut kernel = |set: u32| {
        *kernels[set as usize].get_or_insert_with(|| {
            let own: Vec<Node> = (0..n).filter(|i| set >> i & 1 != 0).map(|i| nodes[i].clone()).collect();
            let others = || (0..n).filter(|i| set >> i & 1 == 0).map(|i| &nodes[i]);
            let stored = |slot: u32| live[slot as usize] || others().any(|node| touches(node, slot));
            Draft::map(own, like, true).map_or(f64::INFINITY, |kernel| kernel.ns(terms, stored))
        })
    };
    let all = (1u32 << n) - 1;
    let mut best = vec![f64::INFINITY; 1 << n];
    best[0] = 0.0;
    for ran in 0..all {
        if best[ran as usize].is_infinite() {
            continue;
        }
        let rest = all & !ran;
        let mut set = rest;
        while set != 0 {
            let is_ready = (0..n).all(|i| set >> i & 1 == 0 || before[i] & !(ran | set) == 0);
            if is_ready {
                let ns = best[ran as usize] + kernel(set);
                let to = &mut best[(ran | set) as usize];
                *to = to.min(ns);
            }
            set = (set - 1) & rest;
        }
    }
    best[all as usize]
}

fn greedy<'a>(nodes: &[Node], live: &'a [bool]) -> (DraftPlan, Terms<'a>) {
    let mut nodes = nodes.to_vec();
    let groups = group(&mut nodes, live, KernelLimits::HOST);
    DraftPlan::priced(nodes, groups, live, INSTRUCTION_NS)
}

/// The mean of ratios of predicted times, and the part of them that are above 1.05.
fn summary(name: &str, ratios: &[f64]) -> (f64, f64) {
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let far = ratios.iter().filter(|&&ratio| ratio > 1.05).count() as f64 / ratios.len() as f64;
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    eprintln!("{name}: {} traces, mean {mean:.4}, worst {worst:.3}, above 1.05: {far:.3}", ratios.len());
    (mean, far)
}

#[test]
fn groups_are_near_the_best_ones() {
    let mut random = Random(1);
    let (mut searched, mut by_greedy) = (Vec::new(), Vec::new());
    for round in 0..if cfg!(miri) { 2 } else { 150 } {
        let (nodes, live) = trace(&mut random, 6 + round % 9);
        let (plan, terms) = greedy(&nodes, &live);
        let mut search = Search::new(terms, usize::MAX);
        let best = best_groups(&nodes, &live, &terms);
        by_greedy.push(plan.ns / best);
        let cut = search.cut(plan);
        searched.push(search.merged(cut).ns / best);
        assert!(searched.last() <= by_greedy.last(), "never worse than greedy");
    }
    summary("greedy groups over the best", &by_greedy);
    let (mean, far) = summary("searched groups over the best", &searched);
    assert!(mean < 1.01 && far < 0.06, "mean {mean}, far {far}");
}

#[test]
fn inlining_is_near_the_best() {
    let mut random = Random(2);
    let (mut searched, mut by_greedy) = (Vec::new(), Vec::new());
    for round in 0..if cfg!(miri) { 2 } else { 300 } {
        let (nodes, live) = trace(&mut random, 6 + round % 9);
        let (plan, terms) = greedy(&nodes, &live);
        let groups = group(&mut nodes.clone(), &live, KernelLimits::HOST);
        let stored = values(&nodes, &groups, &live);
        let mut best = f64::INFINITY;
        for set in 0..1u32 << stored.len().min(8) {
            let chosen = (0..stored.len()).filter(|i| set >> i & 1 != 0);
            let inlined = chosen.map(|i| stored[i]).try_fold(plan.clone(), |plan, slot| inline(&plan, slot, &terms));
            if let Some(inlined) = inlined {
                best = best.min(Search::new(terms, usize::MAX).merged(inlined).ns);
            }
        }
        by_greedy.push(plan.ns / best);
        let outcome = {
            let mut nodes = nodes.clone();
            let groups = group(&mut nodes, &live, KernelLimits::HOST);
            search(nodes, groups, &live, INSTRUCTION_NS).outcome
        };
        searched.push(outcome.chosen_ns / best);
        assert!(outcome.chosen_ns <= outcome.greedy_ns, "never worse than greedy");
    }
    summary("greedy plans over the best", &by_greedy);
    let (mean, far) = summary("searched plans over the best", &searched);
    assert!(mean < 1.005 && far < 0.02, "mean {mean}, far {far}");
}

#[test]
fn few_points_or_bytes_are_not_searched() {
    let mut random = Random(3);
    let searched = |nodes: &[Node], live: &[bool]| {
        let groups = group(&mut nodes.to_vec(), live, KernelLimits::HOST);
        pays(nodes, &groups, live)
    };
    let (nodes, live) = loop {
        let (nodes, live) = trace(&mut random, 12);
        if searched(&nodes, &live) {
            break (nodes, live);
        }
    };
    // Each node with so many of its columns, and elements of another type.
    let narrowed = |columns: usize, dtype: DType| {
        let mut nodes = nodes.clone();
        for node in &mut nodes {
            node.domain[1] = columns;
            node.target.dtype = dtype;
            for source in &mut node.sources {
                if let NodeInput::Memory(access) = source {
                    access.dtype = dtype;
                }
            }
        }
        searched(&nodes, &live)
    };
    assert!(narrowed(COLUMNS, DType::F64) && narrowed(COLUMNS, DType::F32));
    assert!(narrowed(12, DType::F64), "1,200 points, 9,600 bytes");
    assert!(!narrowed(12, DType::F32), "4,800 bytes");
    assert!(!narrowed(8, DType::F64), "800 points");
}
