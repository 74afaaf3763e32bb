//! Discrete Fourier transforms along axes, by the rules of `numpy.fft`. They run when they are called, on the host.

use crate::array::array::Array;
use crate::array::layout::{Layout, Order, Shape, Strides, byte_count, c_strides, f_strides};
use crate::array::result_order;
use crate::error::{Error, ErrorKind, Result};
use crate::fourier::lines::{LineKind, LineSide, Lines};
use crate::host::interpreter_lock::is_released;
use crate::host::interrupt::{InterruptPoll, InterruptibleThreads};
use crate::host::threads::Threads;
use crate::memory::pool::Buffer;
use crate::ops::elementwise::apply;
use crate::ops::reduce::Reduction;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::{recording, release_parked};
use fastnp_codegen::drive::fp_status::flags_raised;
use fastnp_codegen::{DType, FpFlags, Op, ThreadPool, Transform};
use std::sync::atomic::{AtomicU8, Ordering};

/// From so many bytes on (half a millisecond) the interpreter lock is released.
const RELEASE_TRANSFORM_BYTES: usize = 1 << 20;
/// Bytes of memory for a transform that are taken from the stack.
const STACK_BYTES: usize = 8 << 10;

/// One transform of an array along an axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AxisTransform {
    /// Of real numbers, [`Transform::Forward`] and [`Transform::Inverse`] are the whole spectrum.
    pub transform: Transform,
    /// The axis, from the first one.
    pub axis: usize,
    /// Points: inputs are cut or filled up with zeros.
    pub points: usize,
    /// What results are multiplied by.
    pub factor: f64,
}

impl AxisTransform {
    /// NumPy's name for it, in warnings.
    fn name(&self) -> &'static str {
        match self.transform {
            Transform::Forward => "fft",
            Transform::Inverse => "ifft",
            Transform::FromReal if self.points.is_multiple_of(2) => "rfft_n_even",
            Transform::FromReal => "rfft_n_odd",
            Transform::ToReal => "irfft",
        }
    }

    /// Elements of a result along the axis.
    fn result_extent(&self) -> usize {
        if self.transform == Transform::FromReal { self.points / 2 + 1 } else { self.points }
    }

    /// The type of the result.
    fn result_type(&self, dtype: DType) -> DType {
        let is_small = dtype == DType::F16 || is_single(dtype);
        match (self.transform, is_small) {
            (Transform::ToReal, true) => dtype.real(),
            (Transform::ToReal, false) => DType::F64,
            (_, true) => DType::C64,
            (_, false) => DType::C128,
        }
    }

    /// The type that the elements are read in.
    fn operand_type(&self, dtype: DType) -> DType {
        let real = if is_single(dtype) { DType::F32 } else { DType::F64 };
        let is_complex = dtype.is_complex() || self.transform == Transform::ToReal;
        if is_complex { real.complex().unwrap_or(DType::C128) } else { real }
    }
}

const NON_FINITE: &str = "a transform of numbers that are not finite";

/// What becomes of lines with infinities and nans, or whose sums overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NonFinite {
    /// They are transformed. Which results are infinite and which are nan depends on the algorithm.
    Transform,
    /// They are `Unsupported`, and no floating-point flag is raised for them.
    Refuse,
}

/// Transforms an array along axes, one after the other. Every one gives a new array, dense in the axis order of its operand; with `out` all
/// of them write that array, which has the type and shape of every result.
///
/// # Errors
/// `Unsupported` for complex numbers as real ones, for axes or points that do not exist, an `out` that does not fit, and what `non_finite`
/// refuses, after `out` has been written, but not what shares memory with it; `ValueError` where it is read-only; `MemoryError`;
/// `KeyboardInterrupt`.
///
/// ```
/// use fastnp::{Array, AxisTransform, NonFinite, Transform, transform_axes};
/// let x = Array::from(vec![1.0, 2.0, 3.0]);
/// let along = AxisTransform { transform: Transform::FromReal, axis: 0, points: 3, factor: 1.0 };
/// let spectrum = transform_axes(&x, &[along], None, NonFinite::Transform)?;
/// assert_eq!(spectrum.to_vec::<fastnp::Complex<f64>>()?[0].re, 6.0);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn transform_axes(x: &Array, along: &[AxisTransform], out: Option<&Array>, non_finite: NonFinite) -> Result<Array> {
    let mut result: Option<Array> = None;
    let overwrites = out.is_some_and(|out| out.may_share_memory(x));
    if non_finite == NonFinite::Refuse && overwrites && !is_finite(x)? {
        return Err(Error::unsupported(NON_FINITE));
    }
    let non_finite = if overwrites { NonFinite::Transform } else { non_finite };
    for step in along {
        let operand = result.as_ref().unwrap_or(x);
        let shape = result_shape(operand, step)?;
        let dtype = step.result_type(operand.dtype());
        if let Some(out) = out {
            if out.dtype() != dtype || *out.shape() != *shape {
                return Err(Error::unsupported("results of another type or shape than the array for them"));
            }
            out.check_target("output array is read-only")?;
        }
        // A result of ours is overwritten by the next one where that is as large.
        let strides = result_strides(operand, &shape, dtype.size());
        let own =
            result.as_ref().filter(|own| own.dtype() == dtype && *own.shape() == *shape && *own.strides() == *strides);
        let (made, was_finite) =
            run_lines(operand, step, (&shape, strides), dtype, out.or(own), (out.is_none(), non_finite))?;
        if non_finite == NonFinite::Refuse && !was_finite {
            return Err(Error::unsupported(NON_FINITE));
        }
        result = Some(made);
    }
    result.ok_or_else(|| Error::unsupported("a transform along no axis"))
}

/// Whether no element is infinite or nan.
fn is_finite(x: &Array) -> Result<bool> {
    let all = apply(Op::Isfinite, &[x.into()])?.reduce(Reduction::All, None, None, false)?;
    Ok(all.item()?.to_f64() != 0.0)
}

/// The shape of a result.
fn result_shape(x: &Array, step: &AxisTransform) -> Result<Shape> {
    if step.axis >= x.ndim() || step.points == 0 {
        return Err(Error::unsupported("a transform without an axis or points"));
    }
    if x.dtype().is_complex() && step.transform == Transform::FromReal {
        return Err(Error::unsupported("a transform of complex numbers as real ones"));
    }
    let mut shape: Shape = x.shape().into();
    shape[step.axis] = step.result_extent();
    Ok(shape)
}

/// Strides of a result: dense in the axis order of the operand.
fn result_strides(x: &Array, shape: &[usize], itemsize: usize) -> Strides {
    if x.is_c_contiguous() {
        c_strides(shape, itemsize)
    } else if x.is_f_contiguous() {
        f_strides(shape, itemsize)
    } else {
        result_order::of_one(shape, itemsize, x.strides())
    }
}

/// One transform, into `target` or a new array, and whether all numbers were finite. `is_own` says that no other code sees the target; only
/// then is the transform interruptible.
fn run_lines(
    x: &Array,
    step: &AxisTransform,
    (shape, strides): (&[usize], Strides),
    dtype: DType,
    target: Option<&Array>,
    (is_own, non_finite): (bool, NonFinite),
) -> Result<(Array, bool)> {
    // Results of half precision are rounded from ours.
    if dtype == DType::F16 {
        if target.is_some() {
            return Err(Error::unsupported("a transform into float16"));
        }
        let wide = strides.iter().map(|stride| stride * 4).collect();
        let (made, is_finite) = run_lines(x, step, (shape, wide), DType::F64, None, (true, non_finite))?;
        return Ok((made.cast(DType::F16)?, is_finite));
    }
    let operand_type = step.operand_type(x.dtype());
    let is_in_place = target.is_some_and(|t| {
        t.same_storage(x) && t.layout.offset == x.layout.offset && t.strides() == x.strides() && t.dtype() == x.dtype()
    });
    let converted = match target {
        _ if x.dtype() != operand_type => Some(x.cast(operand_type)?),
        Some(target) if !is_in_place && target.may_share_memory(x) => Some(x.copy(Order::K)?),
        _ => None,
    };
    let x = converted.as_ref().unwrap_or(x);
    let strides = target.map_or(strides, |target| target.strides().into());
    let across = Across::new(x, &strides, step.axis, shape);
    let kind = match step.transform {
        Transform::Forward | Transform::Inverse if !x.dtype().is_complex() => {
            LineKind::RealToComplex { is_inverse: step.transform == Transform::Inverse }
        }
        Transform::Forward => LineKind::Complex,
        Transform::Inverse => LineKind::Inverse,
        Transform::FromReal => LineKind::FromReal,
        Transform::ToReal => LineKind::ToReal,
    };
    let wanted = if kind == LineKind::ToReal { step.points / 2 + 1 } else { step.points };
    let size = byte_count(shape, dtype.size())?;
    if size == 0 {
        let made = target.cloned().map_or_else(|| Array::fresh(shape, strides, dtype), Ok)?;
        return Ok((made, true));
    }
    let mut runtime = recording()?;
    let mut gate = Eager::unlimited(&mut runtime);
    let from = gate.read_flushed(&x.storage)?.wrapping_offset(x.layout.offset).cast_mut();
    let mut is_finite = true;
    let mut run = |gate: &mut Eager<'_>, to: *mut u8| {
        let lines = Lines {
            kind,
            points: step.points,
            available: x.shape()[step.axis].min(wanted),
            extents: &across.extents,
            factor: step.factor,
            from: LineSide {
                start: from,
                is_single: is_single(operand_type),
                step: x.strides()[step.axis],
                strides: &across.from,
            },
            to: LineSide { start: to, is_single: is_single(dtype), step: strides[step.axis], strides: &across.to },
        };
        is_finite = transform_lines(gate, &lines, size, step.name(), (is_own, non_finite))?;
        Ok(())
    };
    if let Some(target) = target {
        let free = gate.target_flushed(&target.storage)?;
        gate.write(free, |gate, start| run(gate, start.wrapping_offset(target.layout.offset)))?;
        return Ok((target.clone(), is_finite));
    }
    let storage = gate.create(size, run)?;
    let layout = Layout { shape: shape.into(), strides, offset: 0 };
    Ok((Array { storage, layout, dtype, writeable: true }, is_finite))
}

/// The axes across the lines, those with the smallest strides last: so neighbouring lines are neighbours in memory.
struct Across {
    extents: Shape,
    from: Strides,
    to: Strides,
}

impl Across {
    fn new(x: &Array, to: &[isize], axis: usize, shape: &[usize]) -> Across {
        let mut axes: Shape = (0..shape.len()).filter(|&at| at != axis && shape[at] != 1).collect();
        axes.sort_by_key(|&at| std::cmp::Reverse(to[at].unsigned_abs()));
        Across {
            extents: axes.iter().map(|&at| shape[at]).collect(),
            from: axes.iter().map(|&at| x.strides()[at]).collect(),
            to: axes.iter().map(|&at| to[at]).collect(),
        }
    }
}

/// The threads, for tasks whose floating-point flags are collected.
struct FlagThreads<'a> {
    threads: &'a dyn ThreadPool,
    raised: &'a AtomicU8,
}

impl ThreadPool for FlagThreads<'_> {
    fn count(&self) -> usize {
        self.threads.count()
    }

    fn tasks(&self, nanoseconds: f64) -> usize {
        self.threads.tasks(nanoseconds)
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.threads.run(tasks, &|i| {
            self.raised.fetch_or(flags_raised(|| task(i)).0, Ordering::Relaxed);
        });
    }
}

/// Whether elements are numbers of single precision.
fn is_single(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::C64)
}

/// Transforms lines of so many bytes. Returns whether all numbers were finite; the flags of those that are refused are not noted.
fn transform_lines(
    gate: &mut Eager<'_>,
    lines: &Lines<'_>,
    bytes: usize,
    name: &'static str,
    (is_own, non_finite): (bool, NonFinite),
) -> Result<bool> {
    let prepared = lines.prepare(gate.fourier_plans(), &Threads);
    let mut on_stack = [const { std::mem::MaybeUninit::<u8>::uninit() }; STACK_BYTES];
    let buffer = (prepared.bytes() > STACK_BYTES).then(|| Buffer::new(prepared.bytes())).transpose()?;
    let memory = buffer.as_ref().map_or(on_stack.as_mut_ptr().cast(), Buffer::address);
    let raised = AtomicU8::new(0);
    let mut is_finite = true;
    let mut transform = |threads: &dyn ThreadPool| {
        // SAFETY: the gate gave the addresses, from which the arrays' strides lead to their elements; the memory has as many bytes as the
        // lines ask for. No other thread uses the arrays while the runtime is locked.
        let run = || is_finite = unsafe { lines.run(&prepared, memory, &FlagThreads { threads, raised: &raised }) };
        raised.fetch_or(flags_raised(run).0, Ordering::Relaxed);
    };
    if !is_released(bytes >= RELEASE_TRANSFORM_BYTES) {
        transform(&Threads);
    } else if is_own {
        let interrupted = release_parked(|| {
            let poll = InterruptPoll::new();
            transform(&InterruptibleThreads(&poll));
            poll.was_interrupted()
        });
        if interrupted {
            return Err(Error::new(ErrorKind::Interrupted, "the computation was interrupted"));
        }
    } else {
        release_parked(|| transform(&Threads));
    }
    if is_finite || non_finite == NonFinite::Transform {
        gate.note_flags(name, FpFlags(raised.into_inner()));
    }
    Ok(is_finite)
}
