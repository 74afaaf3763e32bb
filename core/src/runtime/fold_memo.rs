//! Fold memo: folds of the same elements to numbers, one after the other, read them once.
//!
//! `(x - x.min()) / (x.max() - x.min())` asks for three numbers, each of which is needed at once, so each flushes. The memo keeps the
//! numbers of the latest arrays that were folded, by the version of their elements: a number that is asked for again is there. And a fold
//! that followed another one is predicted to follow again ([`crate::plan::next_fold`]): it is recorded along with that one, and shares its
//! kernel. (Both extremes of 4,000,000 doubles take 0.8 ms, one by one 1.5.)
//!
//! A wrong prediction costs time only. What is kept are numbers: no array lives longer, and a write makes another version. Elements that
//! code outside may write unseen are not kept numbers of. Nor is a number given twice in a row: a program that asks for the same one again
//! and again measures how long that takes.

use crate::array::array::Array;
use crate::array::layout::{Layout, Strides};
use crate::error::Result;
use crate::memory::storage_ref::StorageRef;
use crate::plan::next_fold::{TypedFold, can_share};
use crate::plan::plan::Plan;
use crate::plan::trace::Operation;
use crate::runtime::eager_gate::EagerLimit;
use crate::runtime::state::Runtime;
use fastnp_codegen::{DType, Scalar};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Arrays whose numbers are kept.
const MAX_ARRAYS: usize = 4;
/// Folds that are predicted to follow one.
const MAX_PREDICTED: usize = 3;

/// The numbers of the latest arrays.
#[derive(Default)]
pub(crate) struct FoldMemo {
    /// The latest is the last.
    arrays: Vec<FoldedArray>,
    /// The number that was recorded last.
    recorded: Option<Box<RecordedNumber>>,
}

/// What a number is of its elements.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    Fold(TypedFold),
    /// Their mean in a type: a variance begins with it.
    Mean(DType),
}

/// Elements, by the identity of their storage and its version.
#[derive(PartialEq)]
struct Elements {
    storage: u64,
    version: u64,
    layout: Layout,
    dtype: DType,
}

/// An array whose numbers are kept.
struct FoldedArray {
    elements: Elements,
    numbers: SmallVec<[KnownNumber; 3]>,
    /// The number that was asked for last.
    last: Number,
    /// The plan of the latest fold, which learns which one follows.
    plan: Option<Arc<Plan>>,
}

struct KnownNumber {
    what: Number,
    value: Scalar,
    /// The plan that predicted it, as long as nothing has asked for it.
    predictor: Option<Arc<Plan>>,
}

/// A number that was recorded and not read yet.
struct RecordedNumber {
    what: Number,
    elements: Elements,
    /// The identity of its storage, and the version that is the number.
    result: (u64, u64),
    /// The plan that computed it, and the numbers that were predicted.
    plan: Option<Arc<Plan>>,
    predicted: SmallVec<[KnownNumber; MAX_PREDICTED]>,
}

/// A fold that was recorded because it is predicted.
pub(crate) struct PredictedFold {
    fold: TypedFold,
    pub(crate) slot: u32,
    storage: StorageRef,
    predictor: Arc<Plan>,
}

impl RecordedNumber {
    fn is_in(&self, storage: &StorageRef) -> bool {
        self.result == (storage.identity(), storage.version())
    }
}

impl Elements {
    /// The elements of an array; `None` where code outside may write them unseen.
    fn of(array: &Array) -> Option<Elements> {
        let Array { storage, layout, dtype, .. } = array;
        storage.counts_all_writes().then(|| Elements {
            storage: storage.identity(),
            version: storage.version(),
            layout: layout.clone(),
            dtype: *dtype,
        })
    }

    /// Whether an array has these elements.
    fn are_of(&self, array: &Array) -> bool {
        self.is_version_of(&array.storage) && self.layout == array.layout && self.dtype == array.dtype
    }

    fn is_version_of(&self, storage: &StorageRef) -> bool {
        storage.counts_all_writes() && self.storage == storage.identity() && self.version == storage.version()
    }
}

impl KnownNumber {
    /// A prediction that nothing has asked for was wrong.
    fn forget(self) {
        if let Some(plan) = self.predictor {
            plan.next_fold.count(false);
        }
    }
}

impl FoldedArray {
    fn forget(self) {
        self.numbers.into_iter().for_each(KnownNumber::forget);
    }
}

impl FoldMemo {
    /// The entry of an array's elements. One of another version is forgotten.
    fn find(&mut self, array: &Array) -> Option<&mut FoldedArray> {
        let identity = (!self.arrays.is_empty()).then(|| array.storage.identity())?;
        let at = self.arrays.iter().position(|known| {
            known.elements.storage == identity
                && known.elements.layout == array.layout
                && known.elements.dtype == array.dtype
        })?;
        if !self.arrays[at].elements.are_of(array) {
            self.arrays.remove(at).forget();
            return None;
        }
        Some(&mut self.arrays[at])
    }

    /// Keeps a number that was read, and those that were predicted.
    fn keep(&mut self, recorded: RecordedNumber, value: Scalar) {
        let RecordedNumber { what, elements, plan, predicted, .. } = recorded;
        let at = self.arrays.iter().position(|known| known.elements == elements);
        let mut entry = match at {
            Some(at) => self.arrays.remove(at),
            None => {
                if self.arrays.len() == MAX_ARRAYS {
                    self.arrays.remove(0).forget();
                }
                FoldedArray { elements, numbers: SmallVec::new(), last: what, plan: None }
            }
        };
        let fresh = [KnownNumber { what, value, predictor: None }].into_iter().chain(predicted);
        for number in fresh {
            if let Some(at) = entry.numbers.iter().position(|known| known.what == number.what) {
                entry.numbers.swap_remove(at).forget();
            }
            entry.numbers.push(number);
        }
        entry.last = what;
        // What follows a mean may still be computed along with the fold before it.
        entry.plan = plan.or(entry.plan);
        self.arrays.push(entry);
    }
}

impl Runtime {
    /// A number of an array that is known. Else the plan that computed the last one learns that this one follows.
    pub(crate) fn known_number(&mut self, array: &Array, what: Number) -> Option<Scalar> {
        let entry = self.fold_memo.find(array)?;
        let Some(known) = entry.numbers.iter_mut().find(|known| known.what == what) else {
            if let (Number::Fold(fold), Some(plan)) = (what, &entry.plan) {
                plan.learn_next(fold);
            }
            return None;
        };
        if entry.last == what && matches!(what, Number::Fold(_)) {
            return None;
        }
        if let Some(plan) = known.predictor.take() {
            plan.next_fold.count(true);
        }
        entry.last = what;
        let value = known.value;
        self.telemetry.stats.native_operations += 1;
        Some(value)
    }

    /// Notes that a number of an array was recorded, to keep it when it is read: if reading the elements takes long, and it is exact or a
    /// mean.
    pub(crate) fn note_recorded_number(&mut self, array: &Array, what: Number, result: &Array) {
        let is_kept = match what {
            Number::Fold(fold) => can_share(fold),
            Number::Mean(_) => true,
        };
        let is_pending = self.trace.writes(&result.storage);
        if !is_kept || !is_pending || array.size() <= EagerLimit::FoldedElements.bound(self) {
            return;
        }
        if let Some(elements) = Elements::of(array) {
            let result = (result.storage.identity(), result.storage.version());
            let recorded = RecordedNumber { what, elements, result, plan: None, predicted: SmallVec::new() };
            self.fold_memo.recorded = Some(Box::new(recorded));
        }
    }

    /// Records the folds that are predicted to follow the one in a slot, and finds the plan that computes them too.
    ///
    /// # Errors
    /// As [`Runtime::plan`].
    pub(crate) fn record_predicted(
        &mut self,
        plan: &mut Arc<Plan>,
        wanted: u32,
    ) -> Result<SmallVec<[PredictedFold; MAX_PREDICTED]>> {
        let mut predicted: SmallVec<[PredictedFold; MAX_PREDICTED]> = SmallVec::new();
        let Some(mut recorded) = self.fold_memo.recorded.take() else { return Ok(predicted) };
        let Number::Fold(own) = recorded.what else {
            self.fold_memo.recorded = Some(recorded);
            return Ok(predicted);
        };
        let is_wanted = recorded.is_in(&self.trace.slots[wanted as usize].storage);
        // What nothing but the trace refers to is folded once.
        let source = self
            .trace
            .slots
            .iter()
            .map(|slot| &slot.storage)
            .find(|storage| recorded.elements.is_version_of(storage) && StorageRef::count(storage) > 1);
        let Some(source) = source.filter(|_| is_wanted).cloned() else { return Ok(predicted) };
        let Elements { layout, dtype, .. } = &recorded.elements;
        while predicted.len() < MAX_PREDICTED
            && let Some(next) = plan.next_fold.predicted()
            && next != own
            && predicted.iter().all(|known| known.fold != next)
        {
            let (fold, compute) = next;
            let result = fold.result(compute);
            let storage = self.trace.new_storage(result.size());
            let axes = layout.ndim();
            let all = if axes == 64 { u64::MAX } else { (1 << axes) - 1 };
            let along: Strides = smallvec![0; axes];
            self.trace.begin(Operation::Fold(fold), compute, 1, &layout.shape, all, true);
            self.trace.push_view(&source, *dtype, layout.offset, &layout.strides);
            self.trace.end(&storage, result, 0, &along);
            let slot = self.trace.slots.len() as u32 - 1;
            predicted.push(PredictedFold { fold: next, slot, storage, predictor: plan.clone() });
            *plan = self.plan()?;
        }
        recorded.plan = Some(plan.clone());
        self.fold_memo.recorded = Some(recorded);
        Ok(predicted)
    }

    /// Reads the predicted folds, once they are computed.
    ///
    /// # Errors
    /// `MemoryError`, and those of a device.
    pub(crate) fn read_predicted(&mut self, predicted: SmallVec<[PredictedFold; MAX_PREDICTED]>) -> Result<()> {
        for PredictedFold { fold, storage, predictor, .. } in predicted {
            let value = self.read_element(&storage, 0, fold.0.result(fold.1))?;
            if let Some(recorded) = &mut self.fold_memo.recorded {
                let what = Number::Fold(fold);
                recorded.predicted.push(KnownNumber { what, value, predictor: Some(predictor) });
            }
        }
        Ok(())
    }

    /// Keeps a number that was read from a storage, if it is the one that was recorded last.
    pub(crate) fn keep_read_number(&mut self, storage: &StorageRef, value: Scalar) {
        if let Some(recorded) = self.fold_memo.recorded.take_if(|recorded| recorded.is_in(storage)) {
            // A mean whose computation may have raised a flag is computed again, so that it raises it again.
            let is_quiet = matches!(recorded.what, Number::Fold(_)) || value.to_f64().is_normal();
            if is_quiet {
                self.fold_memo.keep(*recorded, value);
            }
        }
    }
}
