//! Counts of work: kernels, plans, donated buffers and memory.
//!
//! There is one engine in a process and it counts for all threads, so each test has a process of its own.

use crate::process::elsewhere;
use fastnp::{Array, DType, Index, Op, Order, Reduction, Result, apply, flush, reset_stats, settings, stats};

/// The index `1:-1`: all elements but the first and the last.
const INSIDE: Index = Index::Range(Some(1), Some(-1), 1);

/// Nothing is pending, nothing runs at once, and the counters are at zero.
fn fresh() {
    assert!(settings::set("tiny", 0).unwrap());
    flush().expect("there is memory for what is pending");
    reset_stats();
}

fn ready(n: usize) -> Array {
    let a = Array::arange(n).cast(DType::F64).expect("any size of test fits");
    a.evaluate().expect("there is memory");
    reset_stats();
    a
}

fn sum(a: &Array) -> Result<f64> {
    Ok(a.reduce(Reduction::Sum, None, None, false)?.item()?.to_f64())
}

#[test]
fn elementwise_work_and_its_sum_are_one_kernel() -> Result<()> {
    if elsewhere("counts::elementwise_work_and_its_sum_are_one_kernel") {
        return Ok(());
    }
    fresh();
    let a = ready(10_000);
    let b = apply(Op::Sqrt, &[(&(&(&a * 2.0) + 1.0)).into()])?;
    assert!(sum(&b)? > 0.0);
    assert_eq!((stats().kernels_launched, stats().flushes), (1, 1));
    // The same kernel stored the array that is still referenced.
    b.evaluate()?;
    assert_eq!(stats().flushes, 1);
    Ok(())
}

#[test]
fn what_dies_once_its_sum_is_there_is_not_stored() -> Result<()> {
    if elsewhere("counts::what_dies_once_its_sum_is_there_is_not_stored") {
        return Ok(());
    }
    fresh();
    let a = ready(10_000);
    let of_squares = || sum(&(&a * &a));
    let expected = of_squares()?;
    let mut peaks = vec![];
    for _ in 0..4 {
        reset_stats();
        let before = stats().bytes_live;
        assert_eq!(of_squares()?, expected);
        peaks.push(stats().bytes_peak - before);
    }
    assert!(peaks[3] < 8_000, "{peaks:?}");
    // The same statements, but the squares are read.
    let squares = &a * &a;
    assert_eq!(sum(&squares)?, expected);
    a.assign(0.0)?;
    assert_eq!(squares.to_vec::<f64>()?[9_999], 9_999.0 * 9_999.0);
    assert_eq!(stats().recomputed, 1);
    Ok(())
}

#[test]
fn a_mean_is_one_kernel_and_a_variance_two() -> Result<()> {
    if elsewhere("counts::a_mean_is_one_kernel_and_a_variance_two") {
        return Ok(());
    }
    fresh();
    let a = ready(10_000);
    assert_eq!(a.reduce(Reduction::Mean, None, None, false)?.item()?.to_f64(), 4999.5);
    assert_eq!(stats().kernels_launched, 1);
    let variance = |a: &Array| -> Result<f64> {
        let variance = a.reduce(Reduction::Var(0.0), None, None, false)?.item()?.to_f64();
        assert!((variance - (1e8 - 1.0) / 12.0).abs() < 1e-3, "{variance}");
        Ok(variance)
    };
    let b = ready(10_000);
    let alone = variance(&b)?;
    assert_eq!(stats().kernels_launched, 2);
    // The mean of the other array is known.
    reset_stats();
    assert_eq!(variance(&a)?, alone);
    assert_eq!(stats().kernels_launched, 1);
    Ok(())
}

#[test]
fn what_nobody_can_reach_never_runs() -> Result<()> {
    if elsewhere("counts::what_nobody_can_reach_never_runs") {
        return Ok(());
    }
    fresh();
    let a = ready(1000);
    drop(&a + 1.0);
    flush()?;
    assert_eq!(stats().kernels_launched, 0);
    // A write that a later one overwrites does not run either.
    let b = &a + 1.0;
    b.assign(3.0)?;
    b.assign(4.0)?;
    b.evaluate()?;
    assert_eq!(stats().kernels_launched, 1);
    assert_eq!(sum(&b)?, 4000.0);
    Ok(())
}

#[test]
fn interior_and_border_of_a_grid_share_a_kernel_where_they_do_not_meet() -> Result<()> {
    if elsewhere("counts::interior_and_border_of_a_grid_share_a_kernel_where_they_do_not_meet") {
        return Ok(());
    }
    fresh();
    let grid = ready(10_000).reshape(&[100, 100])?;
    let inside = grid.index(&[INSIDE, INSIDE])?;
    let step = &inside * 2.0;
    inside.assign(&step)?;
    flush()?;
    // Read and written at the same offsets: no copy, no barrier.
    assert_eq!(stats().kernels_launched, 1);
    Ok(())
}

#[test]
fn neighbours_written_in_place_need_a_barrier() -> Result<()> {
    if elsewhere("counts::neighbours_written_in_place_need_a_barrier") {
        return Ok(());
    }
    fresh();
    let a = ready(1000);
    let (left, right) = (a.index(&[(..-1).into()])?, a.index(&[(1..).into()])?);
    left.assign(&(&left + &right))?;
    assert_eq!(a.index(&[Index::At(0)])?.item()?.to_f64(), 1.0);
    assert_eq!(a.index(&[Index::At(997)])?.item()?.to_f64(), 997.0 + 998.0);
    assert_eq!(stats().kernels_launched, 2);
    Ok(())
}

#[test]
fn loops_over_moving_slices_reuse_their_plan() -> Result<()> {
    if elsewhere("counts::loops_over_moving_slices_reuse_their_plan") {
        return Ok(());
    }
    fresh();
    let a = ready(5000);
    let mut total = 0.0;
    for i in 0..200isize {
        let window = a.index(&[(i..i + 3000).into()])?;
        total += sum(&(&window * (i as f64)))?;
    }
    assert!(total > 0.0);
    let s = stats();
    assert!(s.plans_made <= 2 && s.kernels_compiled <= 2, "{s:?}");
    assert_eq!(s.plans_made + s.plans_reused, 200);
    Ok(())
}

#[test]
fn time_steps_without_a_read_reuse_their_plan() -> Result<()> {
    if elsewhere("counts::time_steps_without_a_read_reuse_their_plan") {
        return Ok(());
    }
    fresh();
    let a = ready(3000);
    let (left, middle, right) = (a.index(&[(..-2).into()])?, a.index(&[INSIDE])?, a.index(&[(2..).into()])?);
    for _ in 0..1000 {
        middle.assign(&(&(&left + &right) * 0.5))?;
    }
    flush()?;
    let s = stats();
    assert!(s.plans_made <= 3 && s.kernels_compiled <= 4, "{s:?}");
    assert!(s.plans_reused > 0, "{s:?}");
    Ok(())
}

#[test]
fn dying_operands_give_their_memory() -> Result<()> {
    if elsewhere("counts::dying_operands_give_their_memory") {
        return Ok(());
    }
    fresh();
    let mut a = ready(200_000);
    for _ in 0..10 {
        // Each step's operand is dead once the step has run.
        a = &a + 1.0;
        a.evaluate()?;
        let b = apply(Op::Sqrt, &[(&a).into()])?;
        drop(std::mem::replace(&mut a, b));
        a.evaluate()?;
    }
    let s = stats();
    assert!(s.buffers_donated > 0, "{s:?}");
    assert!(s.bytes_peak <= 3 * 200_000 * 8, "{s:?}");
    assert!(sum(&a)? > 0.0);
    Ok(())
}

#[test]
fn held_operands_keep_their_values() -> Result<()> {
    if elsewhere("counts::held_operands_keep_their_values") {
        return Ok(());
    }
    fresh();
    let a = ready(20_000);
    let view = a.index(&[(..10).into()])?;
    let b = &a * 3.0;
    drop(a);
    b.evaluate()?;
    assert_eq!(view.to_vec::<f64>()?[9], 9.0);
    assert_eq!(b.index(&[Index::At(9)])?.item()?.to_f64(), 27.0);
    Ok(())
}

#[test]
fn temporaries_of_an_expression_take_no_memory() -> Result<()> {
    if elsewhere("counts::temporaries_of_an_expression_take_no_memory") {
        return Ok(());
    }
    fresh();
    let n = 1_000_000;
    let a = ready(n);
    let live = stats().bytes_live;
    let mut b = &a + 1.0;
    for i in 0..20 {
        b = &(&b * 0.5) + i as f64;
    }
    b.evaluate()?;
    let s = stats();
    assert!(s.bytes_peak - live <= (n * 8 * 5 / 4) as u64, "{s:?}");
    assert_eq!(s.kernels_launched, 1);
    Ok(())
}

#[test]
fn pending_work_does_not_pile_up() -> Result<()> {
    if elsewhere("counts::pending_work_does_not_pile_up") {
        return Ok(());
    }
    fresh();
    let n = 100_000;
    let mut a = ready(n);
    let live = stats().bytes_live;
    for _ in 0..5000 {
        a = &a + 1.0;
    }
    assert_eq!(a.index(&[Index::At(0)])?.item()?.to_f64(), 5000.0);
    let s = stats();
    assert!(s.bytes_peak - live <= (3 * n * 8) as u64, "{s:?}");
    Ok(())
}

#[test]
fn long_chains_and_wide_sums_do_not_recurse() -> Result<()> {
    if elsewhere("counts::long_chains_and_wide_sums_do_not_recurse") {
        return Ok(());
    }
    fresh();
    // A thread with a small stack: recursion over the graph would overflow it.
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let work = small.spawn(|| -> Result<()> {
        let mut a = Array::zeros(&[64], DType::F64);
        for _ in 0..100_000 {
            a = &a + 1.0;
        }
        assert_eq!(a.to_vec::<f64>()?, vec![100_000.0; 64]);
        let terms: Vec<Array> = (0..1000)
            .map(|i| Array::full(&[50], fastnp::Scalar::new(DType::F64, i), Order::C))
            .collect::<Result<_>>()?;
        let total = terms[1..].iter().fold(terms[0].clone(), |sum, term| &sum + term);
        assert_eq!(total.to_vec::<f64>()?, vec![499_500.0; 50]);
        Ok(())
    });
    work.expect("threads can be made").join().expect("the thread does not panic")
}
