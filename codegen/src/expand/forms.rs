//! Maps an op of the table to its elementary function, and records that as instructions.

use super::traced::{FloatWidth, Traced};
use crate::Op;
use crate::math::*;

/// A recorded application of a function.
pub(super) struct Recorded<'t, N> {
    /// Whether the arguments need the slow path.
    pub(super) needs_slow: Traced<'t, bool>,
    /// The fast path; undefined where they do.
    pub(super) fast: Traced<'t, N>,
}

/// Records a function in one width of float; a function of one argument ignores the second.
pub(super) type Record<N> = for<'t> fn([Traced<'t, N>; 2]) -> Recorded<'t, N>;

fn record_one<'t, F: Unary<Traced<'t, N>>, N: FloatWidth>([x, _]: [Traced<'t, N>; 2]) -> Recorded<'t, N> {
    let needs_slow = F::needs_slow_path(x);
    let safe: Traced<'t, N> = Real::of(F::SAFE_ARGUMENT);
    Recorded { needs_slow, fast: F::fast::<true>(Traced::select(needs_slow, safe, x)) }
}

fn record_two<'t, F: Binary<Traced<'t, N>>, N: FloatWidth>([x, y]: [Traced<'t, N>; 2]) -> Recorded<'t, N> {
    let needs_slow = F::needs_slow_path(x, y);
    let safe: Traced<'t, N> = Real::of(F::SAFE_ARGUMENT);
    Recorded {
        needs_slow,
        fast: F::fast::<true>(Traced::select(needs_slow, safe, x), Traced::select(needs_slow, safe, y)),
    }
}

fn one<F: for<'t> Unary<Traced<'t, N>>, N: FloatWidth>(_: F) -> Option<Record<N>> {
    Some(|args| record_one::<F, N>(args))
}

fn two<F: for<'t> Binary<Traced<'t, N>>, N: FloatWidth>(_: F) -> Option<Record<N>> {
    Some(|args| record_two::<F, N>(args))
}

macro_rules! forms {
    ($($Op:ident $name:literal $args:tt $loops:literal -> $result:ident,
       $fx:ident $(| $fx2:ident)*, $domain:ident, $cost:literal, $doc:literal
       { $($class:ident: $body:expr;)* })*) => {
        /// The elementary function of an op.
        pub(super) fn of<N: FloatWidth>(op: Op) -> Option<Record<N>> {
            match op {
                $(Op::$Op => None$(.or(forms!(@class $class $args $body)))*,)*
            }
        }
    };
    (@class elementary ($a:ident) $body:expr) => { one($body) };
    (@class elementary ($a:ident, $b:ident) $body:expr) => { two($body) };
    (@class $class:ident $args:tt $body:expr) => { None };
}

crate::for_each_op!(forms);
