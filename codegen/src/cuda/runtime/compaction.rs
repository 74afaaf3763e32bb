//! Stream compaction on a device.

use super::context::Context;
use super::functions::LoadedFunction;
use super::library::Workspace;
use crate::DeviceError;
use crate::cuda::text::compaction::block_segments;
use crate::cuda::text::variant::THREADS_PER_BLOCK;
use std::ffi::c_void;

/// Runs the function of a compaction text, as [`crate::Device::compact`]; the context is current.
///
/// # Errors
/// Those of a device that failed.
///
/// # Safety
/// As [`crate::Device::compact`], for the size of the elements that the text is for.
pub(super) unsafe fn run(
    context: &Context,
    function: &LoadedFunction,
    (mask, elements): (*const u8, usize),
    values: *const u8,
    target: *mut u8,
) -> Result<(), DeviceError> {
    let elements = elements as u64;
    let (blocks, segment) = block_segments(elements);
    let counts = Workspace::new(context, 8 * blocks as usize)?;
    for phase in 0i32..2 {
        let arguments: [*const c_void; 7] = [
            (&raw const mask).cast(),
            (&raw const values).cast(),
            (&raw const target).cast(),
            (&raw const elements).cast(),
            (&raw const segment).cast(),
            (&raw const counts.start).cast(),
            (&raw const phase).cast(),
        ];
        // SAFETY: the function takes these arguments, by the text it was made of; else the caller's contract.
        unsafe { function.launch(context, [blocks, 1, THREADS_PER_BLOCK, 1], &arguments)? };
    }
    Ok(())
}
