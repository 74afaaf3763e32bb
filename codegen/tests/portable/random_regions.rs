//! Random regions of loops.

use super::random::{Random, function, more_ops, ops};
use fastnp_codegen::*;

/// A region that counts its first input down to zero, and may end before. So many inputs are carried.
pub(crate) fn region(r: &mut Random, inputs: Vec<DType>, carried: usize) -> Region {
    let mut builder = RegionBuilder::new(&inputs);
    let mut values: Vec<ValueId> = (0..inputs.len()).map(|number| builder.input(number as u8)).collect();
    let mut body = builder.body();
    let [zero, one] = [0i64, 1].map(|n| body.constant(Scalar::new(inputs[0], n)));
    let mut conditions = vec![body.apply(Op::Greater, &[values[0], zero])];
    let counted = body.apply(Op::Subtract, &[values[0], one]);
    for _ in 0..r.below(12) {
        let dtype = r.one(&inputs[1..]);
        let (a, b) = (value(r, &mut body, &values, dtype), value(r, &mut body, &values, dtype));
        let made = if r.chance(15) {
            let condition = value(r, &mut body, &values, DType::Bool);
            body.select(condition, a, b)
        } else if matches!(dtype, DType::F32 | DType::F64) && r.chance(10) {
            let c = value(r, &mut body, &values, dtype);
            body.fma(a, b, c)
        } else {
            let op = match r.functions && r.chance(20) {
                true if dtype.is_float() && r.chance(60) => function(r),
                true => r.one(more_ops(dtype)),
                false => r.one(ops(dtype)),
            };
            body.apply(op, &[a, b][..op.arity()])
        };
        values.push(made);
    }
    for _ in 0..r.below(3) {
        let other = value(r, &mut body, &values, DType::Bool);
        if r.chance(50) {
            conditions.insert(r.below(conditions.len() + 1), other);
        } else {
            conditions[0] = body.apply(Op::LogicalAnd, &[conditions[0], other]);
        }
    }
    let mut next = vec![counted];
    next.extend(inputs[1..carried].iter().map(|&dtype| value(r, &mut body, &values, dtype)));
    builder.finish(&conditions, &next)
}

/// A value of a type: an old one, converted if need be, or a literal.
fn value(r: &mut Random, body: &mut FragmentBuilder<'_>, values: &[ValueId], dtype: DType) -> ValueId {
    if r.chance(10) {
        return body.constant(r.scalar(dtype));
    }
    let alike: Vec<ValueId> = values.iter().copied().filter(|&v| body.dtype(v) == dtype).collect();
    let from = if alike.is_empty() || r.chance(15) { r.one(values) } else { r.one(&alike) };
    body.cast(from, dtype)
}
