//! Weaving of launches: pairs of independent launches of a graph become launches of merged kernels.
//!
//! It is asked for by `FASTNP_WEAVE`, the number of times that a graph is launched before pairs are looked for in it: compiling a pair
//! takes a tenth of a second, which only a loop of many iterations makes up for. Without the variable nothing is woven, as it
//! was not measured on a device so far. What was decided is in [`Weaver::notes`].

use super::context::Context;
use super::functions::{Functions, LoadedFunction};
use super::queued_launches::{QueuedLaunch, QueuedLaunches};
use crate::cuda::ptx::gate::complementary;
use crate::cuda::ptx::merge::{Shape, merge};
use crate::cuda::ptx::module::PtxModule;
use crate::cuda::ptx::refusal::Refusal;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The most pairs of one graph, and the most merged kernels that are assembled for it, whether or not the gate lets them pass: they bound
/// the time that this takes.
const MAX_PAIRS: usize = 8;
const MAX_ASSEMBLED: usize = 16;
/// The most notes that are kept for who asks.
const MAX_NOTES: usize = 256;

/// A function by its handle.
type Handle = usize;

/// Merged kernels, and what is known of the functions that they are made of.
pub(super) struct Weaver {
    functions: Arc<Mutex<Functions>>,
    /// After how many launches a graph is woven.
    after: u64,
    modules: HashMap<Handle, Result<PtxModule, Refusal>>,
    pairs: HashMap<[Handle; 2], Result<Arc<LoadedFunction>, Refusal>>,
    notes: Vec<String>,
    /// Merged kernels that were assembled for the graph that is being woven.
    assembled: usize,
}

/// How the launches of a queue are woven: new launches in an order that their dependences allow.
pub(super) struct Weaving {
    launches: Vec<WovenLaunch>,
}

/// A launch of a woven queue.
struct WovenLaunch {
    /// The launches it is made of: one, or two with their merged kernel.
    parts: Vec<usize>,
    function: Option<Arc<LoadedFunction>>,
    waits_for: u64,
}

impl Weaver {
    /// The weaver, if weaving is asked for.
    pub(super) fn new(functions: Arc<Mutex<Functions>>) -> Option<Weaver> {
        let after = std::env::var("FASTNP_WEAVE").ok()?.parse().ok().filter(|&after| after > 0)?;
        Some(Weaver { functions, after, modules: HashMap::new(), pairs: HashMap::new(), notes: vec![], assembled: 0 })
    }

    /// After how many launches a graph is woven.
    pub(super) fn after(&self) -> u64 {
        self.after
    }

    /// What was decided since the last call: what was woven with what, and why others were not.
    pub(super) fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// How a queue is woven; none where no pair of it can be.
    pub(super) fn weave(&mut self, context: &Context, calls: &QueuedLaunches) -> Option<Weaving> {
        let list = &calls.list;
        let functions = self.functions.clone();
        let mut functions = functions.lock();
        self.parse(&mut functions, list);
        self.assembled = 0;
        let mut pairs: Vec<(usize, usize, Arc<LoadedFunction>)> = vec![];
        for second in 0..list.len() {
            for first in 0..second {
                let is_free = |n: usize| pairs.iter().all(|&(a, b, _)| a != n && b != n);
                let is_independent = list[second].done_before >> first & 1 == 0;
                let is_enough = pairs.len() == MAX_PAIRS || self.assembled == MAX_ASSEMBLED;
                if is_enough || !is_free(first) || !is_free(second) || !is_independent {
                    continue;
                }
                let Ok(function) = self.pair(context, &mut functions, [&list[first], &list[second]]) else { continue };
                pairs.push((first, second, function));
                // Two pairs may wait for each other, though no two launches do.
                if ordered(list, &pairs).is_none() {
                    pairs.pop();
                }
            }
        }
        if pairs.is_empty() { None } else { ordered(list, &pairs).map(|launches| Weaving { launches }) }
    }

    /// Compiles to PTX, together, what is not known of a queue.
    fn parse(&mut self, functions: &mut Functions, list: &[QueuedLaunch]) {
        let mut missing: Vec<&QueuedLaunch> = vec![];
        for call in list {
            let is_same = |other: &&QueuedLaunch| Arc::ptr_eq(&other.function, &call.function);
            if !self.modules.contains_key(&handle(call)) && !missing.iter().any(is_same) {
                missing.push(call);
            }
        }
        let texts: Vec<&str> = missing.iter().map(|call| &*call.function.text).collect();
        for (call, module) in missing.iter().zip(functions.modules(&texts)) {
            self.modules.insert(handle(call), module);
        }
    }

    /// The merged kernel of two launches.
    fn pair(
        &mut self,
        context: &Context,
        functions: &mut Functions,
        calls: [&QueuedLaunch; 2],
    ) -> Result<Arc<LoadedFunction>, Refusal> {
        let key = calls.map(handle);
        if let Some(known) = self.pairs.get(&key) {
            return known.clone();
        }
        let modules = [0, 1].map(|s| self.modules[&key[s]].as_ref().map_err(Refusal::clone));
        let parts = calls.map(|call| &*call.function);
        let done = match modules {
            [Ok(first), Ok(second)] => complementary([first, second]).and_then(|()| {
                let is_flat = calls.map(|call| call.function.is_flat());
                self.assembled += 1;
                functions.woven(context, parts, || merge([first, second], is_flat))
            }),
            [Err(refusal), _] | [_, Err(refusal)] => Err(refusal),
        };
        let names = parts.map(LoadedFunction::summary);
        let verdict = match &done {
            Ok(_) => format!("woven: {} with {}", names[0], names[1]),
            Err(refusal) => format!("not woven: {} with {}: {refusal}", names[0], names[1]),
        };
        if self.notes.len() < MAX_NOTES {
            self.notes.push(verdict);
        }
        self.pairs.insert(key, done.clone());
        done
    }
}

fn handle(call: &QueuedLaunch) -> Handle {
    call.function.handle as usize
}

/// The launches of a queue, pairs as one, each behind what it waits for; none where pairs wait for each other.
fn ordered(list: &[QueuedLaunch], pairs: &[(usize, usize, Arc<LoadedFunction>)]) -> Option<Vec<WovenLaunch>> {
    let mut waiting: Vec<(Vec<usize>, Option<Arc<LoadedFunction>>)> = vec![];
    for number in 0..list.len() {
        match pairs.iter().find(|&&(first, second, _)| first == number || second == number) {
            Some((first, second, function)) if *first == number => {
                waiting.push((vec![*first, *second], Some(function.clone())));
            }
            Some(_) => {}
            None => waiting.push((vec![number], None)),
        }
    }
    // Which new launch each old one is part of, once it is placed.
    let mut placed: Vec<Option<usize>> = vec![None; list.len()];
    let mut out: Vec<WovenLaunch> = vec![];
    while !waiting.is_empty() {
        let waits = |parts: &[usize]| parts.iter().fold(0, |all, &part| all | list[part].waits_for);
        let done = placed.iter().enumerate().fold(0u64, |all, (n, at)| all | u64::from(at.is_some()) << n);
        let next = waiting.iter().position(|(parts, _)| waits(parts) & !done == 0)?;
        let (parts, function) = waiting.remove(next);
        let mut waits_for = 0;
        for old in (0..list.len()).filter(|&old| waits(&parts) >> old & 1 == 1) {
            waits_for |= 1 << placed[old].expect("it is done");
        }
        parts.iter().for_each(|&part| placed[part] = Some(out.len()));
        out.push(WovenLaunch { parts, function, waits_for });
    }
    Some(out)
}

impl Weaving {
    /// A queue of the sequence it was made for, woven: a merged kernel has the arguments of its parts, and the shape of each.
    ///
    /// # Errors
    /// Where a launch has a shape that its merged kernel was not made for.
    pub(super) fn apply(&self, calls: &QueuedLaunches) -> Result<QueuedLaunches, Refusal> {
        let mut out = QueuedLaunches::default();
        for launch in &self.launches {
            let (words, offsets) = (out.words.len(), out.offsets.len());
            for &part in &launch.parts {
                out.take_arguments(calls, part);
            }
            let first = &calls.list[launch.parts[0]];
            let (mut function, mut shape) = (first.function.clone(), first.shape);
            if let Some(woven) = &launch.function {
                let mut blocks = 0;
                for &part in &launch.parts {
                    let [columns, rows, x, y] = calls.list[part].shape;
                    let shape = Shape { grid: [columns, rows], block: [x, y] };
                    shape.check(calls.list[part].function.is_flat())?;
                    blocks = blocks.max(shape.blocks());
                    out.argument(&shape.bytes());
                }
                (function, shape) = (woven.clone(), [blocks, 1, 256, 1]);
            }
            out.list.push(QueuedLaunch {
                function,
                shape,
                words: words..out.words.len(),
                offsets: offsets..out.offsets.len(),
                spans: 0..0,
                waits_for: launch.waits_for,
                done_before: 0,
            });
        }
        Ok(out)
    }
}
