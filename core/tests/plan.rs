//! Parts of planning: which fold follows a plan, how two accesses to a storage relate, and how omitted results are computed afterwards.

use fastnp::white_box::{
    NextFoldProfile, Node, NodeInput, Operation, Relation, SlotAccess, can_share, collapse, omitted_results, relate,
};
use fastnp_codegen::{DType, Fold, Op};
use smallvec::smallvec;
use std::collections::HashSet;

#[test]
fn what_rounds_or_stops_early_has_a_kernel_of_its_own() {
    let shares = |op, compute| can_share((Fold::Op(op), compute));
    assert!(shares(Op::Minimum, DType::F64) && shares(Op::Maximum, DType::F32) && shares(Op::Add, DType::I64));
    assert!(!shares(Op::Add, DType::F64) && !shares(Op::Multiply, DType::F32));
    assert!(!shares(Op::LogicalOr, DType::Bool) && !shares(Op::Maximum, DType::Bool));
    assert!(!can_share((Fold::ArgMax, DType::F64)));
}

#[test]
fn a_fold_that_does_not_follow_is_forgotten() {
    let profile = NextFoldProfile::default();
    let least = (Fold::Op(Op::Minimum), DType::F64);
    profile.learn(least);
    assert_eq!(profile.predicted(), Some(least));
    profile.count(false);
    assert_eq!(profile.predicted(), None);
    profile.learn(least);
    assert_eq!(profile.predicted(), Some(least), "one miss is allowed");
    profile.count(false);
    profile.learn(least);
    assert_eq!(profile.predicted(), None, "it was wrong twice");
}

fn access(offset: isize, strides: &[isize]) -> SlotAccess {
    SlotAccess { slot: 0, dtype: DType::F64, offset, strides: strides.into() }
}

/// Every byte an access touches.
fn bytes(a: &SlotAccess, domain: &[usize]) -> HashSet<isize> {
    let mut starts = vec![a.offset];
    for (&n, &s) in domain.iter().zip(&a.strides) {
        starts = starts.iter().flat_map(|&at| (0..n as isize).map(move |i| at + i * s)).collect();
    }
    starts.iter().flat_map(|&at| at..at + a.dtype.size() as isize).collect()
}

#[test]
fn columns_of_a_matrix_are_apart() {
    // 10 rows of 80 bytes: column 0 and columns 1 to 8.
    let column = access(0, &[80]);
    let interior = access(8, &[80, 8]);
    assert_eq!(relate(&column, &[10], &interior, &[10, 8]), Relation::Disjoint);
    assert_eq!(relate(&column, &[10], &access(0, &[80]), &[10]), Relation::Same);
}

#[test]
fn never_disjoint_where_bytes_are_shared() {
    let mut seed = 1u64;
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    let mut disjoint = 0;
    let pairs = if cfg!(miri) { 200 } else { 20_000 };
    for _ in 0..pairs {
        let mut one = || {
            let rank = random(3) as usize;
            let domain: Vec<usize> = (0..rank).map(|_| 1 + random(5) as usize).collect();
            let strides: Vec<isize> = (0..rank).map(|_| (random(13) as isize - 6) * 8).collect();
            (access(random(40) as isize * 8, &strides), domain)
        };
        let ((a, a_domain), (b, b_domain)) = (one(), one());
        let meet = !bytes(&a, &a_domain).is_disjoint(&bytes(&b, &b_domain));
        let relation = relate(&a, &a_domain, &b, &b_domain);
        assert!(!(meet && relation == Relation::Disjoint), "{a:?} {a_domain:?} {b:?} {b_domain:?}");
        disjoint += (relation == Relation::Disjoint) as u32;
    }
    assert!(disjoint > pairs / 4, "the test is worth little if all pairs overlap");
}

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

#[test]
fn maps_step_through_memory_as_most_operands_lie() {
    let (rows, columns): (&[isize], &[isize]) = (&[800, 8], &[8, 2400]);
    let outer = |operands: &[&[isize]], reduced: u64| {
        let writes: Vec<bool> = (0..operands.len()).map(|operand| operand >= 2).collect();
        collapse(&[300, 100], reduced, operands, &writes, false, None).outer.to_vec()
    };
    assert_eq!(outer(&[rows, columns, columns, rows, rows], 0), [300, 100]);
    assert_eq!(outer(&[rows, columns, columns, columns, rows], 0), [100, 300]);
    // A result counts more than an operand, and the first one decides where as many lie either way.
    assert_eq!(outer(&[rows, rows, columns], 0), [300, 100]);
    assert_eq!(outer(&[rows, columns, columns, rows], 0), [100, 300]);
    assert_eq!(outer(&[&[0, 8], rows, columns], 0), [100, 300]);
    assert_eq!(
        collapse(&[300, 100], 3, &[rows, columns, columns], &[false; 3], false, None).inner.to_vec(),
        [300, 100]
    );
    // Rows of eight elements are too short to copy the others to.
    let (rows, columns): (&[isize], &[isize]) = (&[64, 8], &[8, 800]);
    let operands = [rows, rows, columns, rows, rows];
    let writes = [false, false, true, true, true];
    assert_eq!(collapse(&[100, 8], 0, &operands, &writes, false, None).outer.to_vec(), [8, 100]);
}
