//! Call sites: the line of the program that runs, as a code object and the offset of an instruction.
//!
//! Only reports turn the offset into a line number, as that scans the code's line table.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ffi::c_int;

unsafe extern "C" {
    // Every CPython exports them from 3.9 and 3.11 on; they are not in the limited API, whose way is a call of an attribute's getter.
    fn PyFrame_GetBack(frame: *mut ffi::PyFrameObject) -> *mut ffi::PyFrameObject;
    fn PyFrame_GetLasti(frame: *mut ffi::PyFrameObject) -> c_int;
}

/// The frames of the calling thread, from the one that runs outwards.
pub(crate) struct Frames<'py> {
    py: Python<'py>,
    /// The frame that was given last. Its caller's gets an object when it is asked for.
    last: Option<Bound<'py, PyAny>>,
}

impl<'py> Frames<'py> {
    pub(crate) fn new(py: Python<'py>) -> Frames<'py> {
        Frames { py, last: None }
    }
}

impl<'py> Iterator for Frames<'py> {
    /// The code object, and the offset of the instruction that runs.
    type Item = (Bound<'py, PyAny>, c_int);

    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: the GIL is held. The frame that runs is borrowed, and null where none runs; the caller's is a new reference, and null at
        // the outermost frame.
        let frame = unsafe {
            match &self.last {
                None => Bound::from_borrowed_ptr_or_opt(self.py, ffi::PyEval_GetFrame().cast()),
                Some(last) => Bound::from_owned_ptr_or_opt(self.py, PyFrame_GetBack(last.as_ptr().cast()).cast()),
            }
        }?;
        let raw = frame.as_ptr().cast::<ffi::PyFrameObject>();
        // SAFETY: the frame is alive; the call returns a new reference.
        let code = unsafe { Bound::from_owned_ptr(self.py, ffi::PyFrame_GetCode(raw).cast()) };
        // SAFETY: as above.
        let offset = unsafe { PyFrame_GetLasti(raw) };
        self.last = Some(frame);
        Some((code, offset))
    }
}

/// The file of a code object.
pub(crate) fn file_of<'py>(code: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    Ok(code.getattr("co_filename")?.cast_into::<PyString>()?)
}
