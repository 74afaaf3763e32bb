//! The capture queue: launches as the driver takes them, one by one, or several as one graph where the same sequence came before.
//!
//! Between [`crate::Device::begin`] and [`crate::Device::end`] launches are queued until the queue is full, until a copy, a product or
//! a wait needs them done, or until the end. Frees of memory in between are deferred until after them. Dependences between launches
//! follow from the bytes that each may read and write, so that the device may run independent ones side by side. Memory that
//! launches reuse one after the other (`partials`, `tickets`) is separate for each launch of a queue.

use super::context::Context;
use super::functions::LoadedFunction;
use super::graph::Graphs;
use super::queued_launches::{QueuedLaunch, QueuedLaunches};
use super::weaving::Weaver;
use crate::{Access, DeviceError, Kernel, Launch};
use smallvec::SmallVec;
use std::sync::Arc;

/// Launches of a graph: at most the bits of a word, and at least so many that one graph is issued faster than they are; a pair where kernels
/// are woven, which takes a graph.
const MAX_QUEUED: usize = 64;
const MIN_GRAPH_LAUNCHES: usize = 3;
const MIN_WOVEN_LAUNCHES: usize = 2;
/// The most bytes of deferred frees: more is better reused by the next requests, and launches over so much data take longer than
/// issuing them.
const MAX_DEFERRED_FREE_BYTES: usize = 32 << 20;
/// The tickets of a launch, words in which blocks that share points count themselves: one for each block in x.
const TICKETS: usize = 1056;
/// The least bytes of memory for partial results of folds, and their alignment.
const MIN_PARTIALS_BYTES: usize = 1 << 20;
const PARTIALS_ALIGN: usize = 256;

/// A range of bytes that a launch may access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    start: usize,
    end: usize,
    is_written: bool,
}

impl Span {
    fn meets(&self, other: &Span) -> bool {
        (self.is_written || other.is_written) && self.start < other.end && other.start < self.end
    }
}

/// A launch to be queued.
pub(super) struct LaunchRequest<'a> {
    pub(super) function: &'a Arc<LoadedFunction>,
    pub(super) shape: [u32; 4],
    /// The arguments' bytes.
    pub(super) arguments: &'a [&'a [u8]],
}

/// Queued launches, and memory that launches reuse one after the other.
pub(super) struct CaptureQueue {
    is_open: bool,
    calls: QueuedLaunches,
    spans: Vec<Span>,
    /// Memory that is freed after them, and its bytes.
    deferred_frees: Vec<*mut u8>,
    deferred_free_bytes: usize,
    /// Memory for partial results of folds, its size, and the bytes that the queued launches use.
    partials: Option<(*mut u8, usize)>,
    partials_used: usize,
    /// Tickets for each launch, which are zero between launches.
    tickets: Option<*mut u8>,
    graphs: Graphs,
    /// Graphs launched since [`CaptureQueue::begin`].
    launched: u64,
}

// SAFETY: the addresses are a device's, and are only passed to launches.
unsafe impl Send for CaptureQueue {}

impl CaptureQueue {
    /// An empty queue, whose graphs may be woven.
    pub(super) fn new(weaver: Option<Weaver>) -> CaptureQueue {
        CaptureQueue {
            is_open: false,
            calls: QueuedLaunches::default(),
            spans: vec![],
            deferred_frees: vec![],
            deferred_free_bytes: 0,
            partials: None,
            partials_used: 0,
            tickets: None,
            graphs: Graphs::new(weaver),
            launched: 0,
        }
    }

    /// What was woven since the last call, and what was not.
    pub(super) fn notes(&mut self) -> Vec<String> {
        self.graphs.weaver().map_or(vec![], Weaver::notes)
    }

    /// Begins to queue launches.
    pub(super) fn begin(&mut self) {
        self.is_open = true;
        self.launched = 0;
    }

    /// Issues the queued launches, and stops queueing; the number of graphs launched.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn end(&mut self, context: &Context) -> Result<u64, DeviceError> {
        self.is_open = false;
        self.flush(context).map(|()| self.launched)
    }

    /// Reserves a place for a launch of so many phases, with memory for partial results of folds and tickets where it needs them.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn reserve(
        &mut self,
        context: &Context,
        phases: usize,
        partials: usize,
        wants_tickets: bool,
    ) -> Result<[*mut u8; 2], DeviceError> {
        let size = self.partials.map_or(0, |(_, size)| size);
        if self.calls.list.len() + phases > MAX_QUEUED || partials > 0 && self.partials_used + partials > size {
            self.flush(context)?;
        }
        if partials > size {
            self.grow(context, partials)?;
        }
        let start = match self.partials {
            Some((start, _)) if partials > 0 => start.wrapping_add(self.partials_used),
            _ => std::ptr::null_mut(),
        };
        self.partials_used += partials.next_multiple_of(PARTIALS_ALIGN);
        // Only launches with partial results use their tickets.
        let tickets = match self.tickets {
            _ if !wants_tickets => std::ptr::null_mut(),
            Some(tickets) => tickets,
            None => {
                let tickets = zeros(context, 4 * TICKETS * MAX_QUEUED)?;
                self.tickets = Some(tickets);
                tickets
            }
        };
        let own = if partials > 0 { 4 * TICKETS * self.calls.list.len() } else { 0 };
        Ok([start, if wants_tickets { tickets.wrapping_add(own) } else { tickets }])
    }

    /// Replaces the memory for partial results of folds by more.
    fn grow(&mut self, context: &Context, bytes: usize) -> Result<(), DeviceError> {
        if let Some((start, _)) = self.partials.take() {
            // SAFETY: the launches that use it were issued before.
            unsafe { context.free(start)? };
        }
        let size = bytes.next_power_of_two().max(MIN_PARTIALS_BYTES);
        self.partials = Some((context.allocate(size)?, size));
        Ok(())
    }

    /// Adds a launch in one of its phases. `touched` gives the ranges of bytes that it may access.
    pub(super) fn add(&mut self, given: &LaunchRequest<'_>, touched: impl FnOnce() -> SmallVec<[Span; 16]>) {
        let (words, offsets, spans) = (self.calls.words.len(), self.calls.offsets.len(), self.spans.len());
        given.arguments.iter().for_each(|bytes| self.calls.argument(bytes));
        let (mut waits_for, mut done_before) = (0u64, 0u64);
        if self.is_open {
            self.spans.extend(touched());
            let mine = &self.spans[spans..];
            for (number, call) in self.calls.list.iter().enumerate().rev() {
                let theirs = &self.spans[call.spans.clone()];
                if done_before >> number & 1 == 0 && mine.iter().any(|m| theirs.iter().any(|t| m.meets(t))) {
                    waits_for |= 1 << number;
                    done_before |= 1 << number | call.done_before;
                }
            }
        }
        self.calls.list.push(QueuedLaunch {
            function: given.function.clone(),
            shape: given.shape,
            words: words..self.calls.words.len(),
            offsets: offsets..self.calls.offsets.len(),
            spans: spans..self.spans.len(),
            waits_for,
            done_before,
        });
    }

    /// Issues an added launch, where launches are not queued.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn flush_unless_open(&mut self, context: &Context) -> Result<(), DeviceError> {
        if self.is_open { Ok(()) } else { self.flush(context) }
    }

    /// Defers a free until after the queued launches; false where there are none.
    pub(super) fn release(&mut self, context: &Context, start: *mut u8, bytes: usize) -> bool {
        if self.calls.list.is_empty() {
            return false;
        }
        self.deferred_frees.push(start);
        self.deferred_free_bytes += bytes;
        if self.deferred_free_bytes > MAX_DEFERRED_FREE_BYTES {
            // A failed device reports its error at every later request.
            let _ = self.flush(context);
        }
        true
    }

    /// Issues the queued launches, where one of them accesses these bytes.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn flush_overlapping(
        &mut self,
        context: &Context,
        start: *mut u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let copied = Span { start: start as usize, end: start as usize + bytes, is_written: true };
        if self.spans.iter().any(|span| span.meets(&copied)) { self.flush(context) } else { Ok(()) }
    }

    /// Issues the queued launches.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn flush(&mut self, context: &Context) -> Result<(), DeviceError> {
        self.partials_used = 0;
        if self.calls.list.is_empty() {
            return Ok(());
        }
        let least = if self.graphs.weaver().is_some() { MIN_WOVEN_LAUNCHES } else { MIN_GRAPH_LAUNCHES };
        // SAFETY: launches were added with the contract of `Program::launch`; the memory they use was not freed meanwhile.
        let is_graph = self.calls.list.len() >= least && unsafe { self.graphs.launch(context, &self.calls) };
        let mut done = Ok(());
        if is_graph {
            self.launched += 1;
            self.calls.list.iter().for_each(|call| context.launched(&call.function.text));
        } else {
            done = self.launch_each(context);
        }
        for start in self.deferred_frees.drain(..) {
            // SAFETY: the free was deferred, and the launches before it were issued.
            done = done.and(unsafe { context.free(start) });
        }
        self.calls.clear();
        self.spans.clear();
        self.deferred_free_bytes = 0;
        done
    }

    /// Launches one after the other.
    fn launch_each(&self, context: &Context) -> Result<(), DeviceError> {
        let mut arguments = vec![];
        for (number, call) in self.calls.list.iter().enumerate() {
            self.calls.addresses(number, &mut arguments);
            // SAFETY: the function takes these arguments, by the text it was made of; else the contract of `Program::launch`.
            unsafe { call.function.launch(context, call.shape, &arguments)? };
        }
        Ok(())
    }
}

/// Allocates zeroed memory.
pub(super) fn zeros(context: &Context, bytes: usize) -> Result<*mut u8, DeviceError> {
    let start = context.allocate(bytes)?;
    // SAFETY: just allocated.
    let code = unsafe { (context.driver.memset_d8_async)(start as u64, 0, bytes, context.stream) };
    context.check("clearing memory", code)?;
    Ok(start)
}

/// The ranges of bytes of the operands that a launch may access. `is_indirect` says which it accesses by gathers or scatters.
pub(super) fn spans(kernel: &Kernel, is_indirect: &[bool], launch: &Launch<'_>) -> impl Iterator<Item = Span> {
    (0..kernel.operands.len()).map(|m| span(kernel, is_indirect, launch, m))
}

/// The range of bytes of an operand that a launch may access: all of memory, for gathers and scatters.
fn span(kernel: &Kernel, is_indirect: &[bool], launch: &Launch<'_>, operand: usize) -> Span {
    let decl = kernel.operands[operand];
    let is_written = decl.access == Access::Write;
    if is_indirect[operand] {
        return Span { start: 0, end: usize::MAX, is_written };
    }
    let start = launch.addresses[operand] as usize;
    let (mut least, mut most) = (0isize, decl.dtype.size() as isize);
    let extents = launch.outer.iter().chain(launch.inner);
    for (&stride, &extent) in launch.strides_of(operand).iter().zip(extents) {
        let reach = stride * extent.saturating_sub(1) as isize;
        *(if reach < 0 { &mut least } else { &mut most }) += reach;
    }
    Span { start: start.wrapping_add_signed(least), end: start.wrapping_add_signed(most), is_written }
}

/// Which operands of a kernel are accessed by gathers or scatters.
pub(super) fn indirect_operands(kernel: &Kernel) -> SmallVec<[bool; 8]> {
    let mut is_indirect = SmallVec::from_elem(false, kernel.operands.len());
    for inst in kernel.body.insts.iter().chain(&kernel.epilogue.insts) {
        if let crate::Inst::Gather(m, _) | crate::Inst::Scatter(m, ..) = inst {
            is_indirect[m.0 as usize] = true;
        }
    }
    is_indirect
}
