//! The driver's assembler: PTX to machine code for the device, and what a loaded function takes.

use super::context::Context;
use super::driver::Status;
use crate::cuda::ptx::gate::Resources;
use crate::cuda::ptx::refusal::Refusal;
use cudarc::driver::sys::CUfunction;
use std::ffi::{CString, c_uint};

/// The kind of input that PTX is.
const PTX: c_uint = 1;
/// Attributes of functions.
const SHARED_BYTES: c_uint = 1;
const LOCAL_BYTES: c_uint = 3;
const REGISTERS: c_uint = 4;

/// The oldest version of PTX for an architecture, as far as is known: an older driver takes it than takes what the compiler writes.
/// What merged kernels have came with version 7 at the latest.
pub(super) fn oldest_version(architecture: i32) -> Option<(u32, u32)> {
    (architecture <= 90).then_some((7, 8))
}

/// Machine code of a text.
///
/// # Errors
/// [`Refusal::Assembler`] where the driver has no assembler, or that refuses the text.
pub(super) fn assemble(context: &Context, text: &str) -> Result<Vec<u8>, Refusal> {
    let refused = |code: Status| Refusal::Assembler(context.driver.meaning(code));
    let Some(link) = &context.driver.link else { return Err(Refusal::Assembler("the driver has none".to_owned())) };
    let text = CString::new(text).map_err(|_| Refusal::Assembler("a zero in the text".to_owned()))?;
    let (mut state, none) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: there are no options; a local is written.
    let created = unsafe { (link.create)(0, none, none, &raw mut state) };
    if created != Status::SUCCESS {
        return Err(refused(created));
    }
    let (mut code, mut size) = (std::ptr::null_mut(), 0);
    let bytes = text.as_bytes_with_nul();
    // SAFETY: the state was created; the text ends with a zero, and is read at once; what is completed lives as long as the state, and
    // is copied before that is destroyed, once.
    unsafe {
        let start = bytes.as_ptr().cast();
        let mut done = (link.add_data)(state, PTX, start, bytes.len(), c"woven.ptx".as_ptr(), 0, none, none);
        if done == Status::SUCCESS {
            done = (link.complete)(state, &raw mut code, &raw mut size);
        }
        let copied = (done == Status::SUCCESS).then(|| std::slice::from_raw_parts(code.cast::<u8>(), size).to_vec());
        (link.destroy)(state);
        copied.ok_or_else(|| refused(done))
    }
}

/// What a function takes.
///
/// # Errors
/// [`Refusal::Assembler`] where the driver does not say.
pub(super) fn resources(context: &Context, function: CUfunction) -> Result<Resources, Refusal> {
    let Some(link) = &context.driver.link else { return Err(Refusal::Assembler("the driver has none".to_owned())) };
    let attribute = |which: c_uint| {
        let mut value = 0;
        // SAFETY: the function is loaded; a local is written.
        match unsafe { (link.func_get_attribute)(&raw mut value, which, function) } {
            Status::SUCCESS => Ok(u32::try_from(value).unwrap_or(0)),
            code => Err(Refusal::Assembler(context.driver.meaning(code))),
        }
    };
    Ok(Resources { registers: attribute(REGISTERS)?, local: attribute(LOCAL_BYTES)?, shared: attribute(SHARED_BYTES)? })
}
