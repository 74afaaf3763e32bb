//! Results that only pass by.
//!
//! `np.sum(x * x)` asks for a number. The squares are somebody's still while it is computed (the caller's, as long as the call
//! lasts), so they are to be stored, which takes longer than everything else (the sum of 100,000 squares: 57 µs, 14 µs without); and
//! they die unread as soon as the number is there. So where a plan runs for the sake of a number, what becomes of its other results
//! is watched. If some die before anybody asks the engine for anything else, the next time a plan without them runs instead.
//!
//! Nothing rests on the guess but time. What ran stays on the tape until somebody comes to the engine next, or until all that
//! was left out is dead. If it is not dead then, it is computed after all, before anything else is recorded: what it is
//! computed from has not been written meanwhile.

use crate::error::Result;
use crate::memory::storage_ref::StorageRef;
use crate::plan::recompute;
use crate::runtime::lock::{RuntimeGuard, try_runtime};
use crate::runtime::state::{Runtime, Speculation};
use fastnp_codegen::{DType, Scalar};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the last flush left something to be decided: asked wherever an array dies, which must not cost the engine's lock.
static SPECULATING: AtomicBool = AtomicBool::new(false);

/// Decides at once if all that may pass by has: the array that just died may have been the last of it.
#[inline]
pub(crate) fn handle_dropped() {
    if SPECULATING.load(Ordering::Relaxed) {
        resolve_if_dead();
    }
}

#[cold]
fn resolve_if_dead() {
    let Some(runtime) = try_runtime() else { return };
    let mut runtime = RuntimeGuard::new(runtime);
    if runtime.speculation.as_ref().is_some_and(|p| p.slots.iter().all(|&slot| !runtime.is_referenced(slot))) {
        runtime.resolve_speculation();
    }
}

impl Runtime {
    /// A number in a storage, for whose sake alone what is pending runs. The caller gives the lock back before anything else is
    /// asked of the engine.
    pub(crate) fn read_scalar(&mut self, storage: &StorageRef, offset: isize, dtype: DType) -> Result<Scalar> {
        if let Some(slot) = storage.slot(self.trace.epoch) {
            self.flush_for_slot(slot)?;
        }
        self.read_element(storage, offset, dtype)
    }

    /// Runs what is pending for the sake of one slot.
    fn flush_for_slot(&mut self, wanted: u32) -> Result<()> {
        let plan = self.plan();
        if let Some((reduced, omitted)) = plan.profile.reduced().and_then(|p| Some((p, p.omitted.as_ref()?)))
            && !omitted.slots.contains(&wanted)
            && omitted.slots.iter().chain(&omitted.reads).all(|&s| !self.trace.slots[s as usize].storage.is_shared())
        {
            omitted.slots.iter().for_each(|&slot| self.live[slot as usize] = false);
            let reduced = reduced.clone();
            let speculation = Speculation {
                slots: omitted.slots.iter().copied().collect(),
                reduced: Some(reduced.clone()),
                full: plan,
            };
            return self.run_plan(reduced, Some(speculation));
        }
        let slots = if plan.profile.should_observe() { self.candidates(wanted) } else { SmallVec::new() };
        let speculation = (!slots.is_empty()).then(|| Speculation { full: plan.clone(), reduced: None, slots });
        self.run_plan(plan, speculation)
    }

    /// Slots of results that somebody holds, beside the one that is wanted.
    fn candidates(&self, wanted: u32) -> SmallVec<[u32; 4]> {
        let passes = |&slot: &u32| {
            let known = &self.trace.slots[slot as usize];
            let ours = known.storage.owner().is_none() && !known.storage.is_shared();
            slot != wanted && known.written && ours && self.live[slot as usize]
        };
        (0..self.live.len() as u32).filter(passes).collect()
    }

    /// Whether somebody holds the storage of a slot.
    fn is_referenced(&self, slot: u32) -> bool {
        StorageRef::count(&self.trace.slots[slot as usize].storage) > 1
    }

    /// Leaves what becomes of results to be decided when somebody comes next.
    pub(crate) fn defer_speculation(&mut self, speculation: Speculation) {
        self.speculation = Some(speculation);
        SPECULATING.store(true, Ordering::Relaxed);
    }

    /// Decides what the last flush left, and forgets it.
    #[cold]
    pub(crate) fn resolve_speculation(&mut self) {
        let Some(Speculation { full: plan, reduced, slots }) = self.speculation.take() else { return };
        SPECULATING.store(false, Ordering::Relaxed);
        let (held, died): (SmallVec<[u32; 4]>, SmallVec<[u32; 4]>) =
            slots.iter().copied().partition(|&s| self.is_referenced(s));
        match reduced {
            Some(reduced) => {
                plan.profile.count(held.is_empty());
                if let (Some(omitted), false) = (&reduced.omitted, held.is_empty()) {
                    return self.recompute_omitted(&omitted.nodes);
                }
            }
            None if !died.is_empty() => {
                let tape = std::mem::take(&mut self.trace.tape);
                let live = std::mem::take(&mut self.live);
                let reduced = recompute::plan_without(&tape, &live, &died, plan.target, &mut |k| {
                    self.compile_for(plan.target.index, k)
                });
                (self.trace.tape, self.live) = (tape, live);
                // Only the first to find out gets here.
                let _ = plan.profile.reduced.set(reduced);
            }
            None => {}
        }
        self.forget_trace();
    }

    /// Computes what was left out, from what it was left out of. If that fails it stays pending.
    fn recompute_omitted(&mut self, nodes: &[u32]) {
        self.telemetry.stats.computed_again += 1;
        self.last.tape.clone_from(&self.trace.tape);
        self.last.live.clone_from(&self.live);
        self.trace.retain_nodes(nodes);
        // The user was told of what it raises.
        let reports = self.telemetry.fp_flags.snapshot();
        let plan = self.plan();
        let (ran, done) = self.execute(&plan, false);
        self.telemetry.fp_flags.restore(reports);
        match done {
            Ok(()) => self.trace.clear(),
            Err(_) => self.keep_unrun(&plan, ran),
        }
    }
}
