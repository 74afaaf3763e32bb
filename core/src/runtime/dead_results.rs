//! Speculative dead-result elimination: results that died unread the last time are not stored this time, and recomputed if they are
//! read after all.
//!
//! `np.sum(x * x)` asks for a number. The squares are referenced while it is computed (by the caller, for the duration of the
//! call), so they must be stored, which takes longer than everything else (the sum of 100,000 squares: 57 µs, 14 µs without); and
//! they die unread right after. So where a plan runs to return a number, its other results are observed. If some die before the
//! runtime is used again, the next time a plan without them runs instead.
//!
//! A wrong guess costs time only. The nodes stay on the tape until the runtime is used next, or until all omitted results are dead.
//! If one is alive then, it is recomputed before anything else is recorded: its inputs have not been written meanwhile.

use crate::error::Result;
use crate::memory::storage_ref::StorageRef;
use crate::plan::plan::Plan;
use crate::plan::recompute;
use crate::runtime::lock::{RuntimeGuard, try_runtime};
use crate::runtime::profile::FlushReason;
use crate::runtime::state::{Runtime, Speculation};
use fastnp_codegen::{DType, Scalar};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a speculation is unresolved: read wherever a handle is dropped, which must not cost the runtime's lock.
static SPECULATING: AtomicBool = AtomicBool::new(false);

/// Resolves the speculation if all its results are dead: the handle just dropped may have been the last one.
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
    /// Reads one element, flushing for its sake alone. The caller releases the lock before the runtime is used otherwise.
    pub(crate) fn read_scalar(&mut self, storage: &StorageRef, offset: isize, dtype: DType) -> Result<Scalar> {
        if storage.slot(self.trace.epoch).is_some() {
            self.complete_interrupted()?;
        }
        if let Some(slot) = storage.slot(self.trace.epoch) {
            self.flush_for_slot(slot)?;
        }
        let value = self.read_element(storage, offset, dtype)?;
        self.keep_read_number(storage, value);
        Ok(value)
    }

    /// Reads one element of each storage, flushing once for their sake alone. The caller releases the lock before the runtime is used
    /// otherwise.
    pub(crate) fn read_scalars<const N: usize>(
        &mut self,
        elements: [(&StorageRef, isize, DType); N],
    ) -> Result<[Scalar; N]> {
        let is_pending = |runtime: &Runtime| elements.iter().any(|(s, ..)| s.slot(runtime.trace.epoch).is_some());
        if is_pending(self) {
            self.complete_interrupted()?;
        }
        if is_pending(self) {
            let plan = self.plan()?;
            let wanted = elements.iter().filter_map(|(storage, ..)| storage.slot(self.trace.epoch));
            self.flush_for_slots(plan, &SmallVec::<[u32; 4]>::from_iter(wanted))?;
        }
        let mut values = elements.map(|(.., dtype)| Scalar::zero(dtype));
        for (value, (storage, offset, dtype)) in values.iter_mut().zip(elements) {
            *value = self.read_element(storage, offset, dtype)?;
        }
        Ok(values)
    }

    /// Flushes for the sake of one slot, and of folds that are predicted to follow.
    fn flush_for_slot(&mut self, wanted: u32) -> Result<()> {
        let mut plan = self.plan()?;
        let predicted = self.record_predicted(&mut plan, wanted)?;
        let wanted: SmallVec<[u32; 4]> = predicted.iter().map(|fold| fold.slot).chain([wanted]).collect();
        self.flush_for_slots(plan, &wanted)?;
        self.read_predicted(predicted)
    }

    /// Runs the plan of what is pending for the sake of some slots.
    fn flush_for_slots(&mut self, plan: Arc<Plan>, wanted: &[u32]) -> Result<()> {
        if let Some((reduced, omitted)) = plan.profile.reduced().and_then(|p| Some((p, p.omitted.as_ref()?)))
            && !wanted.iter().any(|slot| omitted.slots.contains(slot))
            && omitted.slots.iter().chain(&omitted.reads).all(|&s| !self.trace.slots[s as usize].storage.is_shared())
        {
            omitted.slots.iter().for_each(|&slot| self.live[slot as usize] = false);
            let reduced = reduced.clone();
            let speculation = Speculation {
                slots: omitted.slots.iter().copied().collect(),
                reduced: Some(reduced.clone()),
                full: plan,
            };
            return self.run_plan(reduced, Some(speculation), None, FlushReason::Read);
        }
        let slots = if plan.profile.should_observe() { self.candidates(wanted) } else { SmallVec::new() };
        let speculation = (!slots.is_empty()).then(|| Speculation { full: plan.clone(), reduced: None, slots });
        self.run_plan(plan, speculation, None, FlushReason::Read)
    }

    /// Slots of reachable results, except the wanted ones: they may die unread.
    fn candidates(&self, wanted: &[u32]) -> SmallVec<[u32; 4]> {
        let may_die = |&slot: &u32| {
            let known = &self.trace.slots[slot as usize];
            let own = known.storage.owner().is_none() && !known.storage.is_shared();
            !wanted.contains(&slot) && known.writes > 0 && own && self.live[slot as usize]
        };
        (0..self.live.len() as u32).filter(may_die).collect()
    }

    /// Whether the storage of a slot is referenced from outside the trace.
    fn is_referenced(&self, slot: u32) -> bool {
        StorageRef::count(&self.trace.slots[slot as usize].storage) > 1
    }

    /// Leaves a speculation to be resolved when the runtime is used next.
    pub(crate) fn defer_speculation(&mut self, speculation: Speculation) {
        self.speculation = Some(speculation);
        SPECULATING.store(true, Ordering::Relaxed);
    }

    /// Resolves the speculation of the last flush.
    #[cold]
    pub(crate) fn resolve_speculation(&mut self) {
        let Some(Speculation { full: plan, reduced, slots }) = self.speculation.take() else { return };
        SPECULATING.store(false, Ordering::Relaxed);
        let (alive, died): (SmallVec<[u32; 4]>, SmallVec<[u32; 4]>) =
            slots.iter().copied().partition(|&s| self.is_referenced(s));
        match reduced {
            Some(reduced) => {
                plan.profile.rate.count(alive.is_empty());
                if let (Some(omitted), false) = (&reduced.omitted, alive.is_empty()) {
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
                // Set once: from then on results are not observed.
                let _ = plan.profile.reduced.set(reduced);
            }
            None => {}
        }
        self.forget_trace();
    }

    /// Recomputes omitted results. If that fails they stay pending.
    fn recompute_omitted(&mut self, nodes: &[u32]) {
        self.telemetry.stats.recomputed += 1;
        self.last.tape.clone_from(&self.trace.tape);
        self.last.live.clone_from(&self.live);
        self.trace.retain_nodes(nodes);
        // The flags it raises were reported already.
        let reports = self.telemetry.fp_flags.snapshot();
        if let Ok(plan) = self.plan() {
            let (ran, done) = self.execute(&plan, None);
            match done {
                Ok(()) => self.trace.clear(),
                Err(_) => self.keep_unrun(&plan, ran, None),
            }
        }
        self.telemetry.fp_flags.restore(reports);
    }
}
