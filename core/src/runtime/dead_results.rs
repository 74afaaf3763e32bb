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
use crate::memory::storage_ref::Counted;
use crate::plan::recompute;
use crate::runtime::lock::{Held, try_engine};
use crate::runtime::state::{Engine, Passing};
use fastnp_codegen::{DType, Scalar};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the last flush left something to be decided: asked wherever an array dies, which must not cost the engine's lock.
static UNDECIDED: AtomicBool = AtomicBool::new(false);

/// Decides at once if all that may pass by has: the array that just died may have been the last of it.
#[inline]
pub(crate) fn array_died() {
    if UNDECIDED.load(Ordering::Relaxed) {
        decide();
    }
}

#[cold]
fn decide() {
    let Some(engine) = try_engine() else { return };
    let mut engine = Held::new(engine);
    if engine.passing.as_ref().is_some_and(|p| p.slots.iter().all(|&slot| !engine.is_held(slot))) {
        engine.conclude();
    }
}

impl Engine {
    /// A number in a storage, for whose sake alone what is pending runs. The caller gives the lock back before anything else is
    /// asked of the engine.
    pub(crate) fn number(&mut self, storage: &Counted, offset: isize, dtype: DType) -> Result<Scalar> {
        if let Some(slot) = storage.slot(self.trace.epoch) {
            self.flush_for(slot)?;
        }
        self.element(storage, offset, dtype)
    }

    /// Runs what is pending for the sake of one slot.
    fn flush_for(&mut self, wanted: u32) -> Result<()> {
        let plan = self.plan();
        if let Some((instead, omitted)) = plan.fate.without().and_then(|p| Some((p, p.omitted.as_ref()?)))
            && !omitted.slots.contains(&wanted)
            && omitted.slots.iter().chain(&omitted.reads).all(|&s| !self.trace.slots[s as usize].storage.is_shared())
        {
            omitted.slots.iter().for_each(|&slot| self.live[slot as usize] = false);
            let instead = instead.clone();
            let passing =
                Passing { slots: omitted.slots.iter().copied().collect(), instead: Some(instead.clone()), plan };
            return self.run(instead, Some(passing));
        }
        let slots = if plan.fate.watches() { self.may_pass(wanted) } else { SmallVec::new() };
        let passing = (!slots.is_empty()).then(|| Passing { plan: plan.clone(), instead: None, slots });
        self.run(plan, passing)
    }

    /// Slots of results that somebody holds, beside the one that is wanted.
    fn may_pass(&self, wanted: u32) -> SmallVec<[u32; 4]> {
        let passes = |&slot: &u32| {
            let known = &self.trace.slots[slot as usize];
            let ours = known.storage.owner().is_none() && !known.storage.is_shared();
            slot != wanted && known.written && ours && self.live[slot as usize]
        };
        (0..self.live.len() as u32).filter(passes).collect()
    }

    /// Whether somebody holds the storage of a slot.
    fn is_held(&self, slot: u32) -> bool {
        Counted::count(&self.trace.slots[slot as usize].storage) > 1
    }

    /// Leaves what becomes of results to be decided when somebody comes next.
    pub(crate) fn watch(&mut self, passing: Passing) {
        self.passing = Some(passing);
        UNDECIDED.store(true, Ordering::Relaxed);
    }

    /// Decides what the last flush left, and forgets it.
    #[cold]
    pub(crate) fn conclude(&mut self) {
        let Some(Passing { plan, instead, slots }) = self.passing.take() else { return };
        UNDECIDED.store(false, Ordering::Relaxed);
        let (held, died): (SmallVec<[u32; 4]>, SmallVec<[u32; 4]>) =
            slots.iter().copied().partition(|&s| self.is_held(s));
        match instead {
            Some(instead) => {
                plan.fate.count(held.is_empty());
                if let (Some(omitted), false) = (&instead.omitted, held.is_empty()) {
                    return self.compute_again(&omitted.nodes);
                }
            }
            None if !died.is_empty() => {
                let tape = std::mem::take(&mut self.trace.tape);
                let live = std::mem::take(&mut self.live);
                let without = recompute::without(&tape, &live, &died, plan.target, &mut |k| {
                    self.compiled_for(plan.target.site, k)
                });
                (self.trace.tape, self.live) = (tape, live);
                // Only the first to find out gets here.
                let _ = plan.fate.without.set(without);
            }
            None => {}
        }
        self.forget();
    }

    /// Computes what was left out, from what it was left out of. If that fails it stays pending.
    fn compute_again(&mut self, nodes: &[u32]) {
        self.seen.stats.computed_again += 1;
        self.last.tape.clone_from(&self.trace.tape);
        self.last.live.clone_from(&self.live);
        self.trace.keep(nodes);
        // The user was told of what it raises.
        let told = self.seen.raised.told();
        let plan = self.plan();
        let (ran, done) = self.execute(&plan, false);
        self.seen.raised.tell(told);
        match done {
            Ok(()) => self.trace.clear(),
            Err(_) => self.keep_rest(&plan, ran),
        }
    }
}
