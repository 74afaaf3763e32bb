//! What the verifier rejects whatever the template: broken tables, and more than can be numbered.

use fastnp_codegen::*;

#[test]
fn tables_of_unequal_length_are_rejected_and_printed() {
    let mut builder = KernelBuilder::new(Template::Map, 1, 0);
    builder.body().index(0);
    let written = builder.operand(DType::I64, Access::Write, true);
    let index = builder.body().index(0);
    builder.body().store(written, index);
    let mut kernel = builder.finish();
    kernel.body.types.clear();
    let error = verify(kernel).expect_err("a type is missing");
    assert_eq!(error.location, Location::Kernel);
    assert!(error.to_string().contains("v0: ? = index 0"), "{error}");
}

#[test]
fn more_than_can_be_numbered_is_rejected() {
    let mut builder = KernelBuilder::new(Template::Map, 1, 0);
    (0..=1 << 16).for_each(|_| {
        builder.operand(DType::I64, Access::Read, true);
    });
    let error = verify(builder.finish()).expect_err("too many operands");
    assert!(error.reason.starts_with("65537 operands"), "{error}");
}
