//! Loops of the primitive steps of elementary functions. No backend passes on a kernel that has these, but it is a verified kernel like
//! any other, and tests compare expansions and machine code with these loops, flags included.

use crate::drive::isa::{EachRow, InnerLoop, Isa, LoopFn, loop_for};
use crate::math::Real;
use crate::{DType, Primitive, Table};
use std::marker::PhantomData;

/// A step's definition.
trait DefinePrimitive {
    /// Its argument.
    type From: Copy;
    /// Its result.
    type To;
    /// The value at one point; a step of one argument is given it twice.
    fn call(a: Self::From, b: Self::From) -> Self::To;
}

/// `out[i] = D(a[i], b[i])`.
struct Each<D>(PhantomData<D>);

impl<D: DefinePrimitive> InnerLoop for Each<D> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, _c: *const u8, n: usize, _m: usize) {
        let (out, a, b) = (out.cast::<D::To>(), a.cast::<D::From>(), b.cast::<D::From>());
        for i in 0..n {
            // SAFETY: the caller passes buffers of `n` elements, `out` overlaps none of the others.
            unsafe { out.add(i).write(D::call(a.add(i).read(), b.add(i).read())) };
        }
    }
}

macro_rules! steps {
    ($($Step:ident($a:ident, $b:ident): $From:ty => $To:ty = $body:expr;)*) => {
        $(
            struct $Step<T>(PhantomData<T>);
            impl<T: Real> DefinePrimitive for $Step<T> {
                type From = $From;
                type To = $To;
                #[inline(always)]
                fn call($a: $From, $b: $From) -> $To {
                    $body
                }
            }
        )*

        /// The loop of a step in one width.
        fn of<T: Real>(step: Primitive, isa: Isa) -> LoopFn {
            match step {
                $(Primitive::$Step => loop_for::<EachRow<Each<$Step<T>>>>(isa),)*
                Primitive::Entry(table) => entry_of::<T>(table, isa),
            }
        }
    };
}

steps! {
    Scale(a, b): T => T = a.scaled(b);
    Bound(a, b): T => T = a.bounded(b);
    Fraction(a, _b): T => T = a.fraction();
    Limit(a, b): T => T = a.limited(b);
    LogLimit(a, b): T => T = a.log_limited(b);
    Exponent(a, _b): T => T = a.exponent();
    Mantissa(a, _b): T => T = a.mantissa();
    Unusual(a, _b): T => T::Mask = a.is_not_positive_normal();
}

macro_rules! tables {
    ($($Table:ident)*) => {
        /// The loop of entries of a table.
        fn entry_of<T: Real>(table: Table, isa: Isa) -> LoopFn {
            match table {
                $(Table::$Table => loop_for::<EachRow<Each<Entry<T, { Table::$Table as u8 }>>>>(isa),)*
            }
        }

        /// The table of a number.
        const fn table(number: u8) -> Table {
            $(if number == Table::$Table as u8 {
                return Table::$Table;
            })*
            Table::Powers
        }
    };
}

tables! {
    Powers PowersBack OctaveInverses OctaveLogHigh OctaveLogLow EighthHigh EighthLow CbrtRoots CbrtSteps Inverses LogHigh LogLow Log2High Log2Low Log10High Log10Low
    PowerInverses PowerLog2High PowerLog2Low TanTop TanBottom AtanTop AtanBottom AtanHigh AtanLow
}

/// An entry of the table of a number.
struct Entry<T, const TABLE: u8>(PhantomData<T>);

impl<T: Real, const TABLE: u8> DefinePrimitive for Entry<T, TABLE> {
    type From = T::Word;
    type To = T;
    #[inline(always)]
    fn call(a: T::Word, _b: T::Word) -> T {
        T::entry(const { table(TABLE) }, a)
    }
}

/// The loop of a step for arguments of a type.
pub(crate) fn lookup(step: Primitive, from: DType, isa: Isa) -> Option<LoopFn> {
    step.result(from)?;
    Some(if from.size() == 8 { of::<f64>(step, isa) } else { of::<f32>(step, isa) })
}
