//! CUDA graphs: a sequence of launches becomes a graph when it comes the second time, is kept, and updated with new arguments.
//!
//! The key of a graph is its functions and their dependences. Arguments and the sizes of grids are updated, only in those launches
//! where they differ from the last time. A sequence that the driver refuses as a graph is always launched one by one. A graph that was
//! launched often may be woven: pairs of its launches become one.

use super::context::Context;
use super::driver::{GraphFunctions, Status};
use super::queued_launches::QueuedLaunches;
use super::weaving::{Weaver, Weaving};
use cudarc::driver::sys::{CUgraph, CUgraphExec, CUgraphNode};
use std::collections::HashMap;
use std::ffi::c_void;

/// The most sequences remembered; a graph takes tens of kilobytes, on the host and on the device.
const MAX_GRAPHS: usize = 128;

/// The key of a sequence: of each launch the function, and a bit for each launch that it waits for.
type Key = [(usize, u64)];

/// The sequences seen so far, and their graphs.
pub(super) struct Graphs {
    /// What weaves launches of graphs, if it is asked to.
    weaver: Option<Weaver>,
    known: HashMap<Box<Key>, Known>,
    /// The key being looked up, kept for its memory.
    key: Vec<(usize, u64)>,
    /// Counts sequences.
    clock: u64,
}

struct Known {
    /// When it was seen last, and how often.
    used: u64,
    times: u64,
    state: State,
    /// How its launches are woven.
    weaving: Option<Weaving>,
}

enum State {
    /// It was seen once.
    Seen,
    Made(Graph),
    /// The driver refused the graph.
    Refused,
}

/// A graph that can be launched.
struct Graph {
    functions: &'static GraphFunctions,
    graph: CUgraph,
    launchable: CUgraphExec,
    nodes: Vec<CUgraphNode>,
    /// The current arguments of its launches, and their grids and blocks.
    words: Vec<u128>,
    shapes: Vec<[u32; 4]>,
}

// SAFETY: the value owns the handles, which may be used from any thread.
unsafe impl Send for Graph {}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: the handles are this value's; a graph that still runs is destroyed once it is done.
        unsafe {
            if !self.launchable.is_null() {
                (self.functions.exec_destroy)(self.launchable);
            }
            (self.functions.destroy)(self.graph);
        }
    }
}

impl Graphs {
    /// None yet.
    pub(super) fn new(weaver: Option<Weaver>) -> Graphs {
        Graphs { weaver, known: HashMap::new(), key: vec![], clock: 0 }
    }

    /// What weaves launches of graphs.
    pub(super) fn weaver(&mut self) -> Option<&mut Weaver> {
        self.weaver.as_mut()
    }

    /// Launches a queue as a graph; whether it did.
    ///
    /// # Safety
    /// As of launching them one by one.
    pub(super) unsafe fn launch(&mut self, context: &Context, calls: &QueuedLaunches) -> bool {
        let Some(functions) = &context.driver.graphs else { return false };
        self.clock += 1;
        self.key.clear();
        self.key.extend(calls.list.iter().map(|call| (call.function.handle as usize, call.waits_for)));
        let Some(known) = self.known.get_mut(&self.key[..]) else {
            self.remember();
            return false;
        };
        known.used = self.clock;
        known.times += 1;
        if let Some(weaver) = self.weaver.as_mut().filter(|weaver| weaver.after() == known.times) {
            known.weaving = weaver.weave(context, calls);
            if known.weaving.is_some() && matches!(known.state, State::Made(_)) {
                known.state = State::Seen;
            }
        }
        let woven = known.weaving.as_ref().map(|weaving| weaving.apply(calls));
        let calls = match &woven {
            None => calls,
            Some(Ok(woven)) => woven,
            // The arguments of this time are not those that it was woven for.
            Some(Err(_)) => return false,
        };
        if matches!(known.state, State::Seen) {
            known.state = Graph::new(functions, calls).map_or(State::Refused, State::Made);
        }
        if known.weaving.is_some() && matches!(known.state, State::Refused) {
            // Next time it is made of the launches as they are.
            (known.weaving, known.state) = (None, State::Seen);
        }
        let State::Made(graph) = &mut known.state else { return false };
        // SAFETY: the caller's contract; the graph has the arguments.
        let done =
            graph.update(calls) && unsafe { (functions.launch)(graph.launchable, context.stream) } == Status::SUCCESS;
        if !done {
            known.state = State::Refused;
        }
        done
    }

    /// Remembers a sequence, in place of the least recently used one.
    fn remember(&mut self) {
        if self.known.len() >= MAX_GRAPHS {
            let oldest = self.known.iter().min_by_key(|(_, known)| known.used).map(|(key, _)| key.clone());
            oldest.and_then(|key| self.known.remove(&key));
        }
        self.known.insert(self.key[..].into(), Known { used: self.clock, times: 0, state: State::Seen, weaving: None });
    }
}

impl Graph {
    /// The graph of a queue; none where the driver refuses it.
    fn new(functions: &'static GraphFunctions, calls: &QueuedLaunches) -> Option<Graph> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: a local is written.
        if unsafe { (functions.create)(&raw mut graph, 0) } != Status::SUCCESS {
            return None;
        }
        let shapes = calls.list.iter().map(|call| call.shape).collect();
        let mut made = Graph {
            functions,
            graph,
            launchable: std::ptr::null_mut(),
            nodes: Vec::with_capacity(calls.list.len()),
            words: calls.words.clone(),
            shapes,
        };
        let mut arguments: Vec<*const c_void> = vec![];
        for (number, call) in calls.list.iter().enumerate() {
            let after: Vec<CUgraphNode> =
                (0..number).filter(|k| call.waits_for >> k & 1 == 1).map(|k| made.nodes[k]).collect();
            let params = calls.node_params(number, &mut arguments);
            let mut node = std::ptr::null_mut();
            // SAFETY: the nodes are this graph's; the function takes these arguments, which are copied; a local is written.
            let code = unsafe {
                (functions.add_kernel_node)(&raw mut node, graph, after.as_ptr(), after.len(), &raw const params)
            };
            if code != Status::SUCCESS {
                return None;
            }
            made.nodes.push(node);
        }
        // SAFETY: the graph is whole; a local is written.
        let code = unsafe { (functions.instantiate)(&raw mut made.launchable, graph, 0) };
        (code == Status::SUCCESS).then_some(made)
    }

    /// Updates the arguments of the graph; whether the driver accepted them.
    fn update(&mut self, calls: &QueuedLaunches) -> bool {
        let mut arguments: Vec<*const c_void> = vec![];
        for (number, call) in calls.list.iter().enumerate() {
            let (known, words) = (&mut self.words[call.words.clone()], &calls.words[call.words.clone()]);
            if self.shapes[number] == call.shape && known == words {
                continue;
            }
            let params = calls.node_params(number, &mut arguments);
            // SAFETY: the node is this graph's; the function is the same, and takes these arguments, which are copied.
            let code = unsafe { (self.functions.set_params)(self.launchable, self.nodes[number], &raw const params) };
            if code != Status::SUCCESS {
                return false;
            }
            known.copy_from_slice(words);
            self.shapes[number] = call.shape;
        }
        true
    }
}
