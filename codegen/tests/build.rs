//! The builder of kernels: equal instructions are one, unused ones go, and float16 is computed in float32.

use fastnp_codegen::*;

fn map() -> (KernelBuilder, OperandId, OperandId) {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let read = kernel.operand(DType::F64, Access::Read, false);
    let written = kernel.operand(DType::F64, Access::Write, false);
    (kernel, read, written)
}

#[test]
fn equal_instructions_are_one_value() {
    let (mut kernel, read, _) = map();
    let mut body = kernel.body();
    let x = body.load(read);
    assert_eq!(x, body.load(read));
    assert_eq!(body.apply(Op::Sin, &[x]), body.apply(Op::Sin, &[x]));
    assert_ne!(body.apply(Op::Sin, &[x]), body.apply(Op::Cos, &[x]));
    let (zero, minus_zero) = (Scalar::new(DType::F64, 0.0), Scalar::new(DType::F64, -0.0));
    assert_ne!(body.constant(zero), body.constant(minus_zero));
}

#[test]
fn loads_are_not_shared_across_a_store_that_may_overlap() {
    let (mut kernel, read, written) = map();
    let mut body = kernel.body();
    let x = body.load(read);
    body.store(written, x);
    let again = body.load(read);
    assert_ne!(x, again);
    assert_eq!(again, body.load(read));
}

#[test]
fn unused_instructions_go_and_operands_stay() {
    let (mut kernel, read, written) = map();
    let unused = kernel.operand(DType::I32, Access::Read, true);
    let mut body = kernel.body();
    let dead = body.load(unused);
    body.apply(Op::Negative, &[dead]);
    let x = body.load(read);
    let y = body.apply(Op::Negative, &[x]);
    body.store(written, y);
    let kernel = kernel.finish();
    assert_eq!(kernel.operands.len(), 3);
    let negative = Inst::Apply(Op::Negative, [ValueId(0), ValueId(0)]);
    assert_eq!(kernel.body.insts, [Inst::Load(read), negative, Inst::Store(written, ValueId(1))]);
    assert_eq!(kernel.body.types, [DType::F64; 3]);
}

#[test]
fn many_instructions_outgrow_the_first_table() {
    let (mut kernel, read, written) = map();
    let mut body = kernel.body();
    let x = body.load(read);
    let chain = |body: &mut FragmentBuilder<'_>| (0..1000).fold(x, |y, _| body.apply(Op::Add, &[y, x]));
    let y = chain(&mut body);
    assert_eq!(y, chain(&mut body));
    body.store(written, y);
    assert_eq!(kernel.finish().body.insts.len(), 1002);
}

#[test]
fn float16_is_widened_and_rounded() {
    let mut kernel = KernelBuilder::new(Template::Reduce, 0, 1);
    let read = kernel.operand(DType::F16, Access::Read, true);
    let mut body = kernel.body();
    let x = body.load(read);
    let half = body.constant(Scalar::new(DType::F16, 0.5));
    let y = body.apply(Op::Multiply, &[x, half]);
    assert_eq!(body.dtype(y), DType::F16);
    let is_less = body.apply(Op::Less, &[y, x]);
    assert_eq!(body.dtype(is_less), DType::Bool);
    let sum = kernel.accumulate(Fold::Op(Op::Add), y);
    assert_eq!(sum, kernel.accumulate(Fold::Op(Op::Add), y));
    let mut epilogue = kernel.epilogue();
    let sum = epilogue.result(sum);
    assert_eq!(epilogue.dtype(sum), DType::F16);
    let kernel = kernel.finish();
    assert_eq!(kernel.result_dtype(0), DType::F32);
    let casts = kernel.body.insts.iter().filter(|i| matches!(i, Inst::Cast(..))).count();
    assert_eq!(casts, 3, "x widened, the product rounded and widened; the literal converted at once");
}
