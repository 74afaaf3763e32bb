//! The standard library's checks of what unsafe code promises are on where tests run: a broken promise ends the process with a message.
//! They follow the debug assertions of the crate that is compiled, so each crate has this test.

use crate::process::{self, child};
use std::hint::black_box;

const TEST: &str = "ub_checks::a_broken_precondition_ends_the_process";

#[test]
fn a_broken_precondition_ends_the_process() {
    let cases: [(&str, fn()); 3] = [
        ("slice::get_unchecked", || {
            let elements = black_box(&[0u8; 4]);
            // SAFETY: there is no such element. This is the process that is to end.
            black_box(unsafe { elements.get_unchecked(black_box(4)) });
        }),
        ("NonNull::new_unchecked", || {
            // SAFETY: as above, of a null pointer.
            black_box(unsafe { std::ptr::NonNull::new_unchecked(black_box(std::ptr::null_mut::<u8>())) });
        }),
        ("ptr::copy_nonoverlapping", || {
            let mut bytes = black_box([0u8; 4]);
            let start = bytes.as_mut_ptr();
            // SAFETY: as above, of ranges that overlap.
            unsafe { std::ptr::copy_nonoverlapping(start, start.wrapping_add(black_box(1)), black_box(3)) };
        }),
    ];
    let asked = std::env::var(process::TEST);
    if let Ok(asked) = asked {
        cases.iter().find(|case| case.0 == asked).expect("it is one of the cases").1();
        return;
    }
    for (name, _) in cases {
        let done = child(TEST, &[(process::TEST, name)]);
        let said = String::from_utf8_lossy(&done.stderr);
        let expected = format!("unsafe precondition(s) violated: {name}");
        assert!(!done.status.success() && said.contains(&expected), "{name}: {:?}\n{said}", done.status);
    }
}
