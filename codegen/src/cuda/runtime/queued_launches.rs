//! Queued launches: a list in order, each with its arguments and dependences.

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
    /// Its arguments: ranges of the words and offsets of the queue.
    pub(super) words: Range<usize>,
    pub(super) offsets: Range<usize>,
    /// The bytes it reads and writes: a range of the spans of the queue.
    pub(super) spans: Range<usize>,
    /// A bit for each launch that it waits for directly, and for each that is done before it.
    pub(super) waits_for: u64,
    pub(super) done_before: u64,
}

/// Launches in order, with their arguments.
#[derive(Default)]
pub(super) struct QueuedLaunches {
    pub(super) list: Vec<QueuedLaunch>,
    /// Their arguments, each at a multiple of sixteen bytes, zeros between them.
    pub(super) words: Vec<u128>,
    /// Where in the words arguments begin.
    pub(super) offsets: Vec<usize>,
}

impl QueuedLaunches {
    /// The addresses of the arguments of a launch.
    pub(super) fn addresses(&self, number: usize, arguments: &mut Vec<*const c_void>) {
        let offsets = &self.offsets[self.list[number].offsets.clone()];
        arguments.clear();
        arguments.extend(offsets.iter().map(|&place| (&raw const self.words[place]).cast()));
    }

    /// The node parameters of a launch, as graphs take them. The arguments are in the words.
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

    /// Adds the arguments of a launch of other launches.
    pub(super) fn take_arguments(&mut self, from: &QueuedLaunches, number: usize) {
        let call = &from.list[number];
        let moved = self.words.len();
        self.words.extend(&from.words[call.words.clone()]);
        let places = &from.offsets[call.offsets.clone()];
        self.offsets.extend(places.iter().map(|place| place - call.words.start + moved));
    }

    /// Adds an argument.
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
