//! From an op of the table to its elementary function, as it is recorded.

use super::traced::{Traced, Width};
use crate::Op;
use crate::math::*;

/// A function at one place.
pub(super) struct Recorded<'t, N> {
    /// Whether the arguments are odd.
    pub(super) odd: Traced<'t, bool>,
    /// The fast form; anything where they are.
    pub(super) fast: Traced<'t, N>,
}

/// Records a function in one width; one of one argument ignores the second.
pub(super) type Record<N> = for<'t> fn([Traced<'t, N>; 2]) -> Recorded<'t, N>;

fn record_one<'t, F: Unary<Traced<'t, N>>, N: Width>([x, _]: [Traced<'t, N>; 2]) -> Recorded<'t, N> {
    let odd = F::is_odd(x);
    let calm: Traced<'t, N> = Real::of(F::CALM);
    Recorded { odd, fast: F::fast::<true>(Traced::pick(odd, calm, x)) }
}

fn record_two<'t, F: Binary<Traced<'t, N>>, N: Width>([x, y]: [Traced<'t, N>; 2]) -> Recorded<'t, N> {
    let odd = F::is_odd(x, y);
    let calm: Traced<'t, N> = Real::of(F::CALM);
    Recorded { odd, fast: F::fast::<true>(Traced::pick(odd, calm, x), Traced::pick(odd, calm, y)) }
}

fn one<F: for<'t> Unary<Traced<'t, N>>, N: Width>(_: F) -> Option<Record<N>> {
    Some(|args| record_one::<F, N>(args))
}

fn two<F: for<'t> Binary<Traced<'t, N>>, N: Width>(_: F) -> Option<Record<N>> {
    Some(|args| record_two::<F, N>(args))
}

macro_rules! forms {
    ($($Op:ident $name:literal $args:tt $loops:literal -> $result:ident,
       $fx:ident $(| $fx2:ident)*, $domain:ident, $cost:literal, $doc:literal
       { $($class:ident: $body:expr;)* })*) => {
        /// The elementary function of an op.
        pub(super) fn of<N: Width>(op: Op) -> Option<Record<N>> {
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
