//! Launches in order, each with its arguments and which others it waits for.

use super::functions::LoadedFunction;
use cudarc::driver::sys::CUDA_KERNEL_NODE_PARAMS_v1 as NodeParams;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

/// One launch.
pub(super) struct QueuedLaunch {
    pub(super) function: Arc<LoadedFunction>,
    /// Blocks and threads of a block, in x and y.
    pub(super) shape: [u32; 4],
    /// What it is told, of the sequence's words and offsets.
    pub(super) words: Range<usize>,
    pub(super) offsets: Range<usize>,
    /// What it reads and writes, of the sequence's spans.
    pub(super) spans: Range<usize>,
    /// The launches that it waits for, but for those that another of them waits for; and all that are done before it.
    pub(super) waits_for: u64,
    pub(super) done_before: u64,
}

/// Launches in order, with what they are told.
#[derive(Default)]
pub(super) struct QueuedLaunches {
    pub(super) list: Vec<QueuedLaunch>,
    /// Their arguments, each at a multiple of sixteen bytes, zeros between them.
    pub(super) words: Vec<u128>,
    /// Where in the words arguments begin.
    pub(super) offsets: Vec<usize>,
}

impl QueuedLaunches {
    /// Where the arguments of a launch lie.
    pub(super) fn addresses(&self, number: usize, arguments: &mut Vec<*const c_void>) {
        let offsets = &self.offsets[self.list[number].offsets.clone()];
        arguments.clear();
        arguments.extend(offsets.iter().map(|&place| (&raw const self.words[place]).cast()));
    }

    /// What a launch is told, as graphs take it. The arguments lie in the words.
    pub(super) fn node_params(&self, number: usize, arguments: &mut Vec<*const c_void>) -> NodeParams {
        let call = &self.list[number];
        self.addresses(number, arguments);
        NodeParams {
            func: call.function.handle,
            gridDimX: call.shape[0],
            gridDimY: call.shape[1],
            gridDimZ: 1,
            blockDimX: call.shape[2],
            blockDimY: call.shape[3],
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: arguments.as_mut_ptr().cast(),
            extra: std::ptr::null_mut(),
        }
    }

    pub(super) fn argument(&mut self, bytes: &[u8]) {
        self.offsets.push(self.words.len());
        for word in bytes.chunks(16) {
            let mut whole = [0; 16];
            whole[..word.len()].copy_from_slice(word);
            self.words.push(u128::from_ne_bytes(whole));
        }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.words.clear();
        self.offsets.clear();
    }
}
