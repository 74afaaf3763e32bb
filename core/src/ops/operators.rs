//! `+ - * /` and negation on references to arrays.
//!
//! Rust's operators cannot return errors: shapes that do not broadcast, and types without a loop, panic with NumPy's message. Call
//! [`apply`] to get the error.

use crate::array::array::Array;
use crate::array::value::Value;
use crate::ops::elementwise::{Options, apply, apply_with};
use fastnp_codegen::Op;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

#[track_caller]
fn must(op: Op, args: &[Value<'_>]) -> Array {
    apply(op, args).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn must_assign(op: Op, target: &Array, other: Value<'_>) {
    let options = Options { out: Some(target), ..Options::default() };
    if let Err(error) = apply_with(op, &[Value::Array(target), other], options) {
        panic!("{error}");
    }
}

impl<'a, V: Into<Value<'a>>> Add<V> for &'a Array {
    type Output = Array;
    #[track_caller]
    fn add(self, other: V) -> Array {
        must(Op::Add, &[self.into(), other.into()])
    }
}

impl<'a> Add<&'a Array> for f64 {
    type Output = Array;
    #[track_caller]
    fn add(self, other: &'a Array) -> Array {
        must(Op::Add, &[self.into(), other.into()])
    }
}

impl<'a, V: Into<Value<'a>>> AddAssign<V> for Array {
    #[track_caller]
    fn add_assign(&mut self, other: V) {
        must_assign(Op::Add, self, other.into());
    }
}

impl<'a, V: Into<Value<'a>>> Sub<V> for &'a Array {
    type Output = Array;
    #[track_caller]
    fn sub(self, other: V) -> Array {
        must(Op::Subtract, &[self.into(), other.into()])
    }
}

impl<'a> Sub<&'a Array> for f64 {
    type Output = Array;
    #[track_caller]
    fn sub(self, other: &'a Array) -> Array {
        must(Op::Subtract, &[self.into(), other.into()])
    }
}

impl<'a, V: Into<Value<'a>>> SubAssign<V> for Array {
    #[track_caller]
    fn sub_assign(&mut self, other: V) {
        must_assign(Op::Subtract, self, other.into());
    }
}

impl<'a, V: Into<Value<'a>>> Mul<V> for &'a Array {
    type Output = Array;
    #[track_caller]
    fn mul(self, other: V) -> Array {
        must(Op::Multiply, &[self.into(), other.into()])
    }
}

impl<'a> Mul<&'a Array> for f64 {
    type Output = Array;
    #[track_caller]
    fn mul(self, other: &'a Array) -> Array {
        must(Op::Multiply, &[self.into(), other.into()])
    }
}

impl<'a, V: Into<Value<'a>>> MulAssign<V> for Array {
    #[track_caller]
    fn mul_assign(&mut self, other: V) {
        must_assign(Op::Multiply, self, other.into());
    }
}

impl<'a, V: Into<Value<'a>>> Div<V> for &'a Array {
    type Output = Array;
    #[track_caller]
    fn div(self, other: V) -> Array {
        must(Op::Divide, &[self.into(), other.into()])
    }
}

impl<'a> Div<&'a Array> for f64 {
    type Output = Array;
    #[track_caller]
    fn div(self, other: &'a Array) -> Array {
        must(Op::Divide, &[self.into(), other.into()])
    }
}

impl<'a, V: Into<Value<'a>>> DivAssign<V> for Array {
    #[track_caller]
    fn div_assign(&mut self, other: V) {
        must_assign(Op::Divide, self, other.into());
    }
}

impl<'a, V: Into<Value<'a>>> Rem<V> for &'a Array {
    type Output = Array;
    #[track_caller]
    fn rem(self, other: V) -> Array {
        must(Op::Remainder, &[self.into(), other.into()])
    }
}

impl Neg for &Array {
    type Output = Array;
    #[track_caller]
    fn neg(self) -> Array {
        must(Op::Negative, &[self.into()])
    }
}
