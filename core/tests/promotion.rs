//! Type promotion, and the loops that ops compute in, are NumPy's.

use fastnp::DType::*;
use fastnp::{ArgType, Op, promote_types, resolve, result_type};

#[test]
fn promotion_is_numpys() {
    for (a, b, expected) in [
        (I8, U8, I16),
        (I64, U64, F64),
        (I32, U64, F64),
        (I8, F16, F16),
        (I16, F16, F32),
        (I32, F32, F64),
        (U8, I64, I64),
        (F64, C64, C128),
        (I64, C64, C128),
        (I16, C64, C64),
        (Bool, F16, F16),
        (U32, I32, I64),
        (U16, I8, I32),
    ] {
        assert_eq!(promote_types(a, b), expected, "{a} {b}");
        assert_eq!(promote_types(b, a), expected, "{b} {a}");
    }
}

#[test]
fn python_numbers_are_weak() {
    assert_eq!(result_type(&[ArgType::Strong(I8), ArgType::WeakInt]), I8);
    assert_eq!(result_type(&[ArgType::Strong(I8), ArgType::WeakFloat]), F64);
    assert_eq!(result_type(&[ArgType::Strong(F32), ArgType::WeakFloat]), F32);
    assert_eq!(result_type(&[ArgType::Strong(F32), ArgType::WeakComplex]), C64);
    assert_eq!(result_type(&[ArgType::Strong(Bool), ArgType::WeakInt]), I64);
}

#[test]
fn loops_are_found_as_numpy_finds_them() {
    let strong = |d| ArgType::Strong(d);
    assert_eq!(resolve(Op::Sqrt, &[strong(I8)]).unwrap(), F16);
    assert_eq!(resolve(Op::Sqrt, &[strong(I64)]).unwrap(), F64);
    assert_eq!(resolve(Op::Divide, &[strong(I32), strong(I32)]).unwrap(), F64);
    assert_eq!(resolve(Op::Divide, &[strong(I8), strong(I8)]).unwrap(), F64);
    assert_eq!(resolve(Op::Divide, &[strong(I8), strong(F16)]).unwrap(), F16);
    assert_eq!(resolve(Op::Arctan2, &[strong(I8), strong(U8)]).unwrap(), F16);
    assert_eq!(resolve(Op::Add, &[strong(Bool), strong(Bool)]).unwrap(), Bool);
    assert_eq!(resolve(Op::FloorDivide, &[strong(Bool), strong(Bool)]).unwrap(), I8);
    assert!(resolve(Op::Subtract, &[strong(Bool), strong(Bool)]).is_err());
    assert!(resolve(Op::Gcd, &[strong(Bool), strong(Bool)]).is_err());
    assert!(resolve(Op::BitwiseAnd, &[strong(F64), strong(F64)]).is_err());
}
