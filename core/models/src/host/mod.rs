//! Files of `core/src/host`, with primitives of the model.

#[path = "../../../src/host/admission.rs"]
pub(crate) mod admission;
#[path = "../../../src/host/released_count.rs"]
pub(crate) mod released_count;
#[path = "../../../src/host/spin_lock.rs"]
pub(crate) mod spin_lock;
pub(crate) mod sync;
#[path = "../../../src/host/work_queue.rs"]
pub(crate) mod work_queue;
