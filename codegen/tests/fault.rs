//! Fault injection: the n-th point fails, once.

use crate::process;
use fastnp_codegen::backend::fault::{arm, strikes};

#[test]
fn one_point_fails() {
    // Other tests of one process would pass fault points too.
    process::alone("fault::one_point_fails", || {
        assert_eq!(arm(3), 0);
        let expected = if cfg!(debug_assertions) { [false, false, true, false] } else { [false; 4] };
        assert_eq!([(); 4].map(|()| strikes()), expected);
        assert_eq!(arm(2), 0);
        strikes();
        assert_eq!(arm(0), if cfg!(debug_assertions) { 1 } else { 2 });
        assert!(!strikes());
    });
}
