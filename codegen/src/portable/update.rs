//! Elements replaced one after the other, `x[i] = op(x[i], y)`, where several indices may name one element, as in `ufunc.at`; and folds of
//! segments of an array, as in `ufunc.reduceat`. Both call the inner loops directly: no kernel has such a domain.
//!
//! Indices are byte offsets; each names a row of elements. Rows are replaced in the order of their offsets, so an element that is named
//! twice is replaced twice. Single elements have loops of their own for the ops that are an instruction or two (`scatter_loop`: 1.3 ns
//! an element in the cache); everything else is done a block of a row at a time by the loops for elements and conversions, 6 ns a call.

use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::inhibit_vectorization;
use crate::portable::loops::element::{B8, Element};
use crate::portable::loops::elementwise::{Define, OpDefinition, works_in_place};
use crate::portable::loops::{casts, elementwise, folds};
use crate::{DType, FpFlags, Op};
use num_complex::Complex;
use std::marker::PhantomData;

/// Elements of a row that are replaced together.
const BLOCK: usize = 256;
/// Bytes of the largest element.
const MAX_SIZE: usize = 16;

/// How an index leads to an element: bytes from one to the next, and how many there are; a negative index counts from the end.
struct ElementStep {
    bytes: i64,
    extent: i64,
}

/// `*(x + at[i]) = op(*(x + at[i]), y[i])` in order: (x, indices, y, their `ElementStep`, n, bytes from one `y` to the next).
struct Scatter<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> InnerLoop for Scatter<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(x: *mut u8, indices: *const u8, y: *const u8, c: *const u8, n: usize, m: usize) {
        let (indices, mut y) = (indices.cast::<i64>(), y);
        // SAFETY: the caller passes one.
        let &ElementStep { bytes, extent } = unsafe { &*c.cast::<ElementStep>() };
        for i in 0..n {
            inhibit_vectorization();
            // SAFETY: the caller passes `n` indices of elements, and as many operands `m` bytes apart.
            unsafe {
                let index = indices.add(i).read();
                let offset = (index + (index >> 63 & extent)) * bytes;
                let at = x.wrapping_offset(offset as isize).cast::<T>();
                at.write(D::call::<FMA>(at.read(), y.cast::<T>().read()));
            }
            y = y.wrapping_add(m);
        }
    }
}

/// The loop that replaces single elements by an op in their own type; `None` for an op that takes longer than the call of a loop.
fn scatter_loop(op: Op, dtype: DType, isa: Isa) -> Option<LoopFn> {
    macro_rules! among {
        ($Op:ident: $($DType:ident $T:ty),*) => {
            match dtype {
                $(DType::$DType => Some(loop_for::<Scatter<OpDefinition<{ Op::$Op as u8 }>, $T>>(isa)),)*
                _ => None,
            }
        };
        (integers $Op:ident) => {
            among!($Op: I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64)
        };
        (integers and bool $Op:ident) => {
            among!($Op: Bool B8, I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64)
        };
        (real $Op:ident) => {
            among!($Op: Bool B8, I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64, F32 f32, F64 f64)
        };
        (floats $Op:ident) => { among!($Op: F32 f32, F64 f64, C64 Complex<f32>, C128 Complex<f64>) };
    }
    match op {
        Op::Add => among!(integers and bool Add).or_else(|| among!(floats Add)),
        Op::Multiply => among!(integers and bool Multiply).or_else(|| among!(floats Multiply)),
        Op::Subtract => among!(integers Subtract).or_else(|| among!(floats Subtract)),
        Op::Divide => among!(floats Divide),
        Op::Maximum => among!(real Maximum),
        Op::Minimum => among!(real Minimum),
        Op::Fmax => among!(Fmax: F32 f32, F64 f64),
        Op::Fmin => among!(Fmin: F32 f32, F64 f64),
        Op::BitwiseAnd => among!(integers and bool BitwiseAnd),
        Op::BitwiseOr => among!(integers and bool BitwiseOr),
        Op::BitwiseXor => among!(integers and bool BitwiseXor),
        Op::LogicalAnd => among!(LogicalAnd: Bool B8),
        Op::LogicalOr => among!(LogicalOr: Bool B8),
        Op::LogicalXor => among!(LogicalXor: Bool B8),
        _ => None,
    }
}

/// The elements that an update replaces: for each offset, which leads from the address of the array, rows of evenly spaced elements.
#[derive(Clone, Copy)]
pub struct UpdatedRows<'a> {
    /// Bytes to what each index names.
    pub offsets: &'a [i64],
    /// Bytes from there to each row.
    pub rows: &'a [isize],
    /// Elements of a row.
    pub length: usize,
    /// Bytes from an element to the next.
    pub step: isize,
}

/// An op that replaces elements of a type, computed in another one.
pub struct Update {
    op: LoopFn,
    /// The op on single elements in their own type.
    scatter: Option<LoopFn>,
    /// Conversions of the elements to the type computed in, and of results back.
    load: Option<LoopFn>,
    store: Option<LoopFn>,
    /// Bytes of an element, an operand and a result.
    sizes: [usize; 3],
    /// Whether results may be written over elements.
    in_place: bool,
    effects: FpFlags,
}

impl Update {
    /// An op, computed in `compute`, on elements of `dtype`. Elements of `float16` are computed as `float32`. `None` if no loop has the op.
    pub fn new(op: Op, compute: DType, dtype: DType) -> Option<Update> {
        let isa = Isa::detect();
        let result = op.result(compute);
        let cast = |from: DType, to: DType| (from != to).then(|| casts::lookup(from, to, isa));
        let (load, store) = (cast(dtype, compute), cast(result, dtype));
        let is_own = load.is_none() && store.is_none();
        let mut effects = op.row().effects;
        if store.is_some() && result.is_float() {
            effects = effects | FpFlags::OVERFLOW | FpFlags::UNDERFLOW;
        }
        Some(Update {
            op: elementwise::lookup(op, compute, isa)?,
            scatter: if is_own { scatter_loop(op, compute, isa) } else { None },
            load,
            store,
            sizes: [dtype.size(), compute.size(), result.size()],
            in_place: is_own && works_in_place(op, compute),
            effects,
        })
    }

    /// The floating-point flags that it may raise.
    pub fn effects(&self) -> FpFlags {
        self.effects
    }

    /// Replaces the elements. Operands are of the type computed in, dense, one for each element in the order of offsets, rows and elements;
    /// or one for all, if `is_one`; null for an op of one argument.
    ///
    /// # Safety
    /// `x` with the offsets leads to elements that nothing else uses meanwhile; no two elements of what one index names overlap. There are
    /// as many operands, which share no memory with them.
    pub unsafe fn run(&self, x: *mut u8, elements: UpdatedRows<'_>, y: *const u8, is_one: bool) {
        let UpdatedRows { offsets, rows, length, step } = elements;
        let size = self.sizes[1];
        if let (Some(scatter), &[row], 1) = (self.scatter, rows, length) {
            let each = if is_one { 0 } else { size };
            let step = ElementStep { bytes: 1, extent: 0 };
            // SAFETY: the caller's contract; offsets are indices of bytes.
            unsafe {
                scatter(
                    x.wrapping_offset(row),
                    offsets.as_ptr().cast(),
                    y,
                    (&raw const step).cast(),
                    offsets.len(),
                    each,
                )
            };
            return;
        }
        let mut scratch = Scratch::new();
        let mut y = y;
        if is_one && !y.is_null() {
            // SAFETY: there is one operand, and the memory has room for a block of them.
            unsafe { fill(scratch.operands.0.as_mut_ptr(), y, size, length.min(BLOCK)) };
            y = scratch.operands.0.as_ptr();
        }
        for &offset in offsets {
            for &row in rows {
                let start = x.wrapping_offset(offset as isize + row);
                for at in (0..length).step_by(BLOCK) {
                    let n = BLOCK.min(length - at);
                    // SAFETY: the caller's contract; there are so many operands, or a block of copies of one.
                    unsafe { self.block(start.wrapping_offset(at as isize * step), step, y, n, &mut scratch) };
                    y = if is_one { y } else { y.wrapping_add(n * size) };
                }
            }
        }
    }

    /// Whether single elements have a loop: then [`Update::run_at`] replaces them.
    pub fn has_loop(&self) -> bool {
        self.scatter.is_some()
    }

    /// Replaces the elements at positions in a vector, of which negative ones count from its end.
    ///
    /// # Safety
    /// As [`Update::run`], which has the operands; there is a loop; positions are in bounds of `extent` elements, `step` bytes apart.
    pub unsafe fn run_at(
        &self,
        x: *mut u8,
        positions: &[i64],
        (extent, step): (usize, isize),
        y: *const u8,
        is_one: bool,
    ) {
        let Some(scatter) = self.scatter else { return };
        let each = if is_one { 0 } else { self.sizes[1] };
        let step = ElementStep { bytes: step as i64, extent: extent as i64 };
        // SAFETY: the caller's contract.
        unsafe { scatter(x, positions.as_ptr().cast(), y, (&raw const step).cast(), positions.len(), each) };
    }

    /// Replaces `n` evenly spaced elements.
    ///
    /// # Safety
    /// As [`Update::run`]; `n` is at most [`BLOCK`].
    #[inline]
    unsafe fn block(&self, x: *mut u8, step: isize, y: *const u8, n: usize, scratch: &mut Scratch) {
        let [size, _, result] = self.sizes;
        let none = std::ptr::null();
        let is_dense = n == 1 || step == size as isize;
        let (gathered, wide, out) =
            (scratch.elements.0.as_mut_ptr(), scratch.wide.0.as_mut_ptr(), scratch.results.0.as_mut_ptr());
        // SAFETY: the scratch memory has room for a block of any type in each part, and the rest is the caller's contract.
        unsafe {
            if is_dense && self.in_place {
                (self.op)(x, x, y, none, n, 0);
                return;
            }
            let mut read = x.cast_const();
            if !is_dense {
                copy((gathered, size as isize), (x, step), size, n);
                read = gathered;
            }
            if let Some(load) = self.load {
                load(wide, read, none, none, n, 0);
                read = wide;
            }
            (self.op)(out, read, y, none, n, 0);
            match self.store {
                Some(store) if is_dense => store(x, out, none, none, n, 0),
                Some(store) => {
                    store(gathered, out, none, none, n, 0);
                    copy((x, step), (gathered, size as isize), size, n);
                }
                None if is_dense => std::ptr::copy_nonoverlapping(out, x, n * size),
                None => copy((x, step), (out, result as isize), size, n),
            }
        }
    }
}

/// A block of elements of any type.
#[repr(align(64))]
struct BlockBuffer([u8; BLOCK * MAX_SIZE]);

/// Memory for a block: elements as they are, converted, operands, and results.
struct Scratch {
    elements: BlockBuffer,
    wide: BlockBuffer,
    operands: BlockBuffer,
    results: BlockBuffer,
}

impl Scratch {
    fn new() -> Box<Scratch> {
        let new = || BlockBuffer([0; BLOCK * MAX_SIZE]);
        Box::new(Scratch { elements: new(), wide: new(), operands: new(), results: new() })
    }
}

/// Copies `n` elements between evenly spaced places.
///
/// # Safety
/// There are so many elements in both, which do not overlap.
unsafe fn copy((to, to_step): (*mut u8, isize), (from, from_step): (*const u8, isize), size: usize, n: usize) {
    for i in 0..n as isize {
        // SAFETY: the caller's contract.
        unsafe {
            std::ptr::copy_nonoverlapping(from.wrapping_offset(i * from_step), to.wrapping_offset(i * to_step), size);
        }
    }
}

/// Fills memory with `n` copies of an element.
///
/// # Safety
/// There is an element, and room for `n`.
unsafe fn fill(to: *mut u8, element: *const u8, size: usize, n: usize) {
    // SAFETY: the caller's contract.
    unsafe { copy((to, size as isize), (element, 0), size, n) };
}

/// A fold of neighbouring elements, or rows of them, of one type.
#[derive(Clone, Copy)]
pub struct SegmentFold {
    loops: folds::FoldLoops,
    size: usize,
}

impl SegmentFold {
    /// The fold by an op of elements of a type; `None` if the op is no fold, and for `float16`.
    pub fn new(op: Op, dtype: DType) -> Option<SegmentFold> {
        let loops = folds::lookup(op, dtype, Isa::detect())?;
        Some(SegmentFold { loops, size: dtype.size() })
    }

    /// `out[j]` = fold of the `length >= 1` elements `v[j]`, `v[width + j]`, …, for `j < width`.
    ///
    /// # Safety
    /// There are `length * width` elements, and room for `width` results that do not overlap them.
    #[inline]
    pub unsafe fn run(&self, out: *mut u8, v: *const u8, width: usize, length: usize) {
        let pitch = std::ptr::without_provenance(width * self.size);
        // SAFETY: the caller's contract; one row of `length` elements, or `width` columns of them.
        unsafe {
            match width {
                1 => (self.loops.rows)(out, v, pitch, std::ptr::null(), 1, length),
                _ => (self.loops.columns)(out, v, pitch, std::ptr::null(), width, length),
            }
        }
    }
}
