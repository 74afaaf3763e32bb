//! `+ - * /` and negation on references to arrays.
//!
//! Operators cannot return errors: shapes that do not broadcast, or types without a loop, panic with NumPy's words. Use [`apply`]
//! where that may happen.

use crate::array::Array;
use crate::elementwise::apply;
use crate::value::Value;
use fastnp_codegen::Op;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

#[track_caller]
fn must(op: Op, args: &[Value<'_>]) -> Array {
    apply(op, args).unwrap_or_else(|error| panic!("{error}"))
}

macro_rules! operators {
    ($($Trait:ident $method:ident, $Assign:ident $assign:ident => $op:ident;)*) => {$(
        impl<'a, V: Into<Value<'a>>> $Trait<V> for &'a Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: V) -> Array {
                must(Op::$op, &[self.into(), other.into()])
            }
        }
        impl<'a> $Trait<&'a Array> for f64 {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: &'a Array) -> Array {
                must(Op::$op, &[self.into(), other.into()])
            }
        }
        impl<'a, V: Into<Value<'a>>> $Assign<V> for Array {
            #[track_caller]
            fn $assign(&mut self, other: V) {
                let options = crate::Options { out: Some(self), ..Default::default() };
                let args = [Value::Array(self), other.into()];
                if let Err(error) = crate::apply_with(Op::$op, &args, options) {
                    panic!("{error}");
                }
            }
        }
    )*};
}

operators! {
    Add add, AddAssign add_assign => Add;
    Sub sub, SubAssign sub_assign => Subtract;
    Mul mul, MulAssign mul_assign => Multiply;
    Div div, DivAssign div_assign => Divide;
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
