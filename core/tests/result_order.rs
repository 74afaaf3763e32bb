//! Strides of new arrays are NumPy's: of results of operations, of copies and of what is concatenated.

use fastnp::white_box::result_order::{of_joined, of_one, of_operands};

#[test]
fn results_nest_as_their_operands() {
    let f: &[isize] = &[8, 24];
    let c: &[isize] = &[16, 8];
    assert_eq!(of_operands(&[3, 2], 8, &[f])[..], [8, 24]);
    assert_eq!(of_operands(&[3, 2], 8, &[f, f])[..], [8, 24]);
    // Operands that disagree leave row-major order, whichever comes first.
    assert_eq!(of_operands(&[3, 2], 8, &[f, c])[..], [16, 8]);
    assert_eq!(of_operands(&[3, 2], 8, &[c, f])[..], [16, 8]);
    // A stretched operand says nothing.
    assert_eq!(of_operands(&[3, 2], 8, &[f, &[0, 8]])[..], [8, 24]);
}

#[test]
fn copies_of_stretched_arrays_have_the_stretched_axis_inside() {
    assert_eq!(of_one(&[2, 3], 8, &[0, 8])[..], [8, 16]);
    assert_eq!(of_one(&[2, 3], 8, &[-24, 8])[..], [24, 8]);
}

#[test]
fn joined_arrays_ignore_axes_of_extent_one() {
    // (1,5,17) in column-major order, twice along the first axis.
    let part: (&[usize], &[isize]) = (&[1, 5, 17], &[8, 8, 40]);
    assert_eq!(of_joined(&[2, 5, 17], 8, &[part, part])[..], [680, 8, 40]);
}
