//! Maps an op of the table to its elementary function, and records that as instructions.

use super::Version;
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

impl<'t, N: FloatWidth> Recorded<'t, N> {
    /// With the values of special arguments, which then need no slow path.
    fn with_specials(
        self,
        is_special: Traced<'t, bool>,
        with_specials: impl FnOnce(Traced<'t, N>) -> Traced<'t, N>,
    ) -> Self {
        let needs_slow = match (self.needs_slow, is_special) {
            (Traced::Known(_), _) => return self,
            (Traced::Made(slow, _), Traced::Made(special, _)) if slow == special => Traced::Known(false),
            (slow, special) => slow & !special,
        };
        Recorded { needs_slow, fast: with_specials(self.fast) }
    }
}

/// Records a function in one width of float; a function of one argument ignores the second.
pub(super) type Record<N> = for<'t> fn([Traced<'t, N>; 2]) -> Recorded<'t, N>;

fn record_common<'t, F: Unary<Traced<'t, N>>, N: FloatWidth>([x, _]: [Traced<'t, N>; 2]) -> Recorded<'t, N> {
    let needs_slow = F::needs_slow_path(x);
    let safe: Traced<'t, N> = Real::of(F::SAFE_ARGUMENT);
    Recorded { needs_slow, fast: F::fast::<true>(Traced::select(needs_slow, safe, x)) }
}

fn record_common_pair<'t, F: Binary<Traced<'t, N>>, N: FloatWidth>([x, y]: [Traced<'t, N>; 2]) -> Recorded<'t, N> {
    let needs_slow = F::needs_slow_path(x, y);
    let safe: Traced<'t, N> = Real::of(F::SAFE_ARGUMENT);
    Recorded {
        needs_slow,
        fast: F::fast::<true>(Traced::select(needs_slow, safe, x), Traced::select(needs_slow, safe, y)),
    }
}

fn record_special<'t, F: Unary<Traced<'t, N>>, N: FloatWidth>([x, y]: [Traced<'t, N>; 2]) -> Recorded<'t, N> {
    let vanishes = F::vanishes(x);
    if let Traced::Known(false) = vanishes {
        let common = record_common::<F, N>([x, y]);
        return common.with_specials(F::is_special(x), |value| F::with_specials(value, x));
    }
    let zero: Traced<'t, N> = Real::of(0.0);
    let common = record_common::<F, N>([Traced::select(vanishes, zero, x), y]);
    Recorded { fast: Traced::select(vanishes, zero, common.fast), ..common }
}

fn record_special_pair<'t, F: Binary<Traced<'t, N>>, N: FloatWidth>([x, y]: [Traced<'t, N>; 2]) -> Recorded<'t, N> {
    let common = record_common_pair::<F, N>([x, y]);
    common.with_specials(F::is_special(x, y), |value| F::with_specials(value, x, y))
}

fn one<F: for<'t> Unary<Traced<'t, N>>, N: FloatWidth>(_: F, version: Version) -> Option<Record<N>> {
    match version {
        Version::Common => Some(|args| record_common::<F, N>(args)),
        Version::Special => Some(|args| record_special::<F, N>(args)),
    }
}

fn two<F: for<'t> Binary<Traced<'t, N>>, N: FloatWidth>(_: F, version: Version) -> Option<Record<N>> {
    match version {
        Version::Common => Some(|args| record_common_pair::<F, N>(args)),
        Version::Special => Some(|args| record_special_pair::<F, N>(args)),
    }
}

macro_rules! forms {
    ($($Op:ident $name:literal $args:tt $loops:literal -> $result:ident,
       $fx:ident $(| $fx2:ident)*, $domain:ident, $cost:literal, $doc:literal
       { $($class:ident: $body:expr;)* })*) => {
        /// The elementary function of an op.
        pub(super) fn of<N: FloatWidth>(op: Op, version: Version) -> Option<Record<N>> {
            match op {
                $(Op::$Op => None$(.or(forms!(@class $class $args $body, version)))*,)*
            }
        }
    };
    (@class elementary ($a:ident) $body:expr, $version:ident) => { one($body, $version) };
    (@class elementary ($a:ident, $b:ident) $body:expr, $version:ident) => { two($body, $version) };
    (@class $class:ident $args:tt $body:expr, $version:ident) => { None };
}

crate::for_each_op!(forms);
