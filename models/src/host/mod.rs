//! Files of `core/src/host`, with primitives of the model.

#[path = "../../../core/src/host/admission.rs"]
pub(crate) mod admission;
#[path = "../../../core/src/host/released_count.rs"]
pub(crate) mod released_count;
#[path = "../../../core/src/host/spin_lock.rs"]
pub(crate) mod spin_lock;
pub(crate) mod sync;
#[path = "../../../core/src/host/work_queue.rs"]
pub(crate) mod work_queue;
