//! The engine: takes statements, runs them at once or keeps them, and flushes what is pending.
//!
//! There is one, behind one lock. Taking it costs less than the reference counts that a graph of shared nodes would need, and
//! makes arrays usable from any thread.

use crate::array::array::Array;
use crate::array::layout::count;
use crate::array::snapshot;
use crate::array::value::Value;
use crate::error::Result;
use crate::host::gemm::Product;
use crate::host::interpreter_lock;
use crate::host::spin_lock::{Guard, Lock};
use crate::memory::device_buffer::Remote;
use crate::memory::free_list::{Share, Shelf};
use crate::memory::storage::Storage;
use crate::memory::storage_ref::Counted;
use crate::plan::trace::{Input, Operation, Statement, Trace};
use crate::plan::{self, Plan};
use crate::runtime::dead_results::Passing;
use crate::runtime::dense;
use crate::runtime::explain::describe;
use crate::runtime::fp_flags;
use crate::runtime::immediate::{LaunchShape, kernel_of};
use crate::runtime::launch::Seen;
use crate::runtime::target::{Compiled, HOST, Site, Worth};
use fastnp_codegen::{DType, Kernel, Launch, Op, Scalar, SingleThread};
use hashbrown::HashMap;
use smallvec::SmallVec;
use std::hash::BuildHasher;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// A flush happens on its own when so many nodes are pending.
const MAX_PENDING_NODES: usize = 1024;
/// From so many nodes on, a trace ends where its first node comes again: a loop then writes the same tape every time.
const LOOP_NODES: usize = 48;
/// Elements written one by one to pending storages that are recorded before a flush makes way for the rest.
const ELEMENTS: usize = 16;
/// Plans kept. A plan is a few kilobytes.
const MAX_PLANS: usize = 2048;
/// For results from this size on memory is asked for when they are recorded, so that the error for want of it comes up there. They
/// do not get it: most are temporaries, which need none once they are fused.
pub(crate) const LARGE: usize = 256 << 20;

/// It never hands itself over to a waiting thread, which after a fork may not be there any more. Nor is it poisoned: a panic
/// under it is a bug of ours and was reported, and what was computed before can still be read.
static ENGINE: LazyLock<Lock<Engine>> = LazyLock::new(|| Lock::new(Engine::new()));

/// Threads that wait for the engine, and how many of those that ever did have got it.
static WAITING: AtomicUsize = AtomicUsize::new(0);
static SERVED: AtomicUsize = AtomicUsize::new(0);

/// The engine, locked, with nothing left of the last flush.
#[inline]
pub(crate) fn engine() -> Held {
    let mut engine = locked();
    if engine.passing.is_some() {
        engine.conclude();
    }
    engine
}

/// The engine, locked, for who neither records nor reads.
#[inline]
pub(crate) fn locked() -> Held {
    if WAITING.load(Ordering::Relaxed) == 0
        && let Some(engine) = try_engine()
    {
        return Held::new(engine);
    }
    wait_for_engine()
}

/// The engine, locked, if nobody has it.
#[inline]
pub(crate) fn try_engine() -> Option<Guard<'static, Engine>> {
    if interpreter_lock::is_relied_on() {
        // SAFETY: no other thread gets here meanwhile: all of them need the host's lock to.
        unsafe { ENGINE.try_lock_alone() }
    } else {
        ENGINE.try_lock()
    }
}

/// A storage for an array of this size, with memory where some waits; none while the engine is busy.
#[inline]
pub(crate) fn waiting(bytes: usize) -> Option<Share> {
    Some(Share::from(try_engine()?.storage(bytes)))
}

/// Takes a storage that nobody knows any more, if the engine is free to.
#[inline]
pub(crate) fn retire(storage: Counted) {
    if let Some(mut engine) = try_engine()
        && let Some(large) = engine.shelf.put(storage)
    {
        engine.trace.retire(large);
    }
}

#[cold]
fn wait_for_engine() -> Held {
    let served = SERVED.load(Ordering::Relaxed);
    interpreter_lock::aside(false, || {
        // Who waits already goes first, but needs time to wake up: without this, a thread in a loop of long computations
        // would lock the engine again and again in front of it.
        let mut patience = 20;
        while WAITING.load(Ordering::Relaxed) > 0 && SERVED.load(Ordering::Relaxed) == served && patience > 0 {
            std::thread::sleep(NAP);
            patience -= 1;
        }
        WAITING.fetch_add(1, Ordering::Relaxed);
    });
    // Waited for aside, but taken under the host's lock, which may be what keeps the others away.
    let mut nap = NAP;
    let engine = loop {
        if let Some(engine) = try_engine() {
            break engine;
        }
        interpreter_lock::aside(false, || {
            while ENGINE.is_taken() {
                std::thread::sleep(nap);
                nap = (nap * 2).min(LONGEST_NAP);
            }
        });
    };
    WAITING.fetch_sub(1, Ordering::Relaxed);
    SERVED.fetch_add(1, Ordering::Relaxed);
    Held::new(engine)
}

/// Between two looks at an engine that somebody else has: at first, and after it was taken for long.
const NAP: Duration = Duration::from_micros(50);
const LONGEST_NAP: Duration = Duration::from_millis(1);

/// In the child after a fork: the threads that waited are not here.
pub(crate) fn forget_waiting() {
    WAITING.store(0, Ordering::Relaxed);
}

/// The engine, locked, to record statements in the scope that the caller is in.
///
/// # Errors
/// `MemoryError`: what is pending was recorded in another scope, and ran.
#[inline]
pub(crate) fn recording() -> Result<Held> {
    // Asked first: who knows it may need the lock.
    let scope = fp_flags::scope();
    let mut engine = engine();
    if engine.seen.raised.scope != scope {
        engine.flush()?;
        engine.seen.raised.scope = scope;
    }
    Ok(engine)
}

/// The lock, held.
///
/// Dropping a storage on foreign memory may run anything (a Python object's finalizer may use arrays), so those that die
/// while the lock is held are dropped after it.
pub(crate) struct Held(ManuallyDrop<Guard<'static, Engine>>);

impl Held {
    #[inline]
    pub(crate) fn new(engine: Guard<'static, Engine>) -> Held {
        Held(ManuallyDrop::new(engine))
    }

    /// Takes the storages that died, which are to be dropped without the lock.
    #[cold]
    fn take_dead(&mut self) -> Vec<Counted> {
        std::mem::take(&mut self.0.trace.dead)
    }
}

impl std::ops::Deref for Held {
    type Target = Engine;
    #[inline]
    fn deref(&self) -> &Engine {
        &self.0
    }
}

impl std::ops::DerefMut for Held {
    #[inline]
    fn deref_mut(&mut self) -> &mut Engine {
        &mut self.0
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        let dead = (!self.0.trace.dead.is_empty()).then(|| self.take_dead());
        // SAFETY: this is the end of the guard's owner, who does not touch it again.
        unsafe { ManuallyDrop::drop(&mut self.0) };
        if let Some(dead) = dead {
            drop(dead);
        }
    }
}

/// Everything the lock protects.
pub(crate) struct Engine {
    pub(crate) trace: Trace,
    shelf: Shelf,
    plans: HashMap<Box<[u64]>, Arc<Plan>, foldhash::fast::FixedState>,
    immediate: HashMap<u64, Compiled, foldhash::fast::FixedState>,
    /// Programs of ops on dense arrays of one type, by op, type and kinds of arguments.
    dense: Vec<Option<Compiled>>,
    /// Where plans may run, and where they do.
    pub(crate) sites: Vec<Site>,
    pub(crate) here: usize,
    /// The device that plans move to where that pays, and what would have been won by then.
    pub(crate) worth: Option<Worth>,
    pub(crate) tiny: usize,
    pub(crate) eager: bool,
    pub(crate) seen: Seen,
    /// Which slots somebody can reach, as of the latest call of `plan`.
    pub(crate) live: Vec<bool>,
    /// Slots of shared memory that a device wrote.
    pub(crate) shown: Vec<u32>,
    /// Single elements that came from devices since something ran.
    fetched: usize,
    pub(crate) last: Last,
    /// What the last flush left to be decided.
    pub(crate) passing: Option<Passing>,
}

/// The last flush, kept for `explain`: keeping it is three swaps.
#[derive(Default)]
pub(crate) struct Last {
    pub(crate) tape: Vec<u64>,
    pub(crate) live: Vec<bool>,
    pub(crate) plan: Option<Arc<Plan>>,
}

impl Engine {
    fn new() -> Engine {
        let hasher = foldhash::fast::FixedState::default();
        Engine {
            trace: Trace::new(),
            shelf: Shelf::new(),
            plans: HashMap::with_hasher(hasher.clone()),
            immediate: HashMap::with_hasher(hasher),
            dense: vec![None; Op::ALL.len() * DType::ALL.len() * dense::KINDS],
            sites: vec![Site::host("").expect("there is always one")],
            here: HOST,
            worth: None,
            tiny: crate::settings::DEFAULT_TINY,
            eager: false,
            seen: Seen::default(),
            live: Vec::new(),
            shown: Vec::new(),
            fetched: 0,
            last: Last::default(),
            passing: None,
        }
    }

    /// A storage for an array of this size, with memory where some waits and is likely to be used.
    #[inline]
    fn storage(&mut self, bytes: usize) -> Counted {
        if self.here != HOST {
            return self.trace.storage(bytes);
        }
        match self.shelf.take(bytes) {
            Some(storage) => storage,
            None => self.trace.storage(bytes),
        }
    }

    /// A storage with memory of its own, and its first byte.
    ///
    /// # Errors
    /// `MemoryError`.
    #[inline]
    pub(crate) fn made(&mut self, bytes: usize) -> Result<(Share, *mut u8)> {
        let storage = self.storage(bytes);
        let address = storage.materialize()?;
        Ok((Share::from(storage), address))
    }

    /// Forgets every plan and every program of the host's.
    pub(crate) fn forget_programs(&mut self) {
        self.plans.clear();
        self.immediate.clear();
        self.dense.fill_with(|| None);
    }

    /// Takes a statement: runs it now where it is small and ready, else keeps it for the next flush.
    pub(crate) fn submit(&mut self, s: &Statement<'_>) -> Result<()> {
        let points = count(s.domain);
        if points == 0 && s.reduced == 0 {
            return Ok(());
        }
        if s.target.storage.is_watched() {
            self.leave_copies(s.target.storage)?;
        }
        self.seen.stats.recorded += 1;
        if let Operation::Contract(product) = s.op {
            if points <= SMALL_PRODUCT && self.is_ready(s) {
                return self.multiply_now(product, s);
            }
        } else if points <= self.tiny && self.is_ready(s) {
            return self.run_now(s);
        }
        if s.target.storage.bytes() >= LARGE {
            self.foresee(s.target.storage)?;
        }
        self.make_way(s.op, s.domain)?;
        self.trace.record(s);
        if self.is_eager() || self.is_shared(s) { self.flush() } else { Ok(()) }
    }

    /// Records an op on dense arrays and `numbers`, a copy or a filling, (see [`crate::runtime::dense`]) to a dense array, which may cover
    /// its storage.
    pub(crate) fn record_dense(
        &mut self,
        op: Operation,
        compute: DType,
        args: &[Value<'_>],
        numbers: &[Scalar],
        result: &Array,
        covers: bool,
    ) -> Result<()> {
        self.seen.stats.recorded += 1;
        if result.storage.bytes() >= LARGE {
            self.foresee(&result.storage)?;
        }
        self.make_way(op, result.shape())?;
        let mut shared = self.is_eager() || result.storage.is_shared();
        let mut number = 0;
        self.trace.begin(op, compute, args.len(), result.shape(), 0, covers);
        for arg in args {
            if let Value::Array(a) = arg {
                shared |= a.storage.is_shared();
                self.trace.push_view(&a.storage, a.dtype, a.layout.offset, a.strides());
            } else {
                self.trace.push_scalar(numbers[number]);
                number += 1;
            }
        }
        self.trace.end(&result.storage, result.dtype, result.layout.offset, result.strides());
        if shared { self.flush() } else { Ok(()) }
    }

    /// Whether a statement is to run when it is recorded, however large.
    #[inline]
    fn is_eager(&self) -> bool {
        self.eager | self.seen.raised.scope.at_once()
    }

    /// Flushes, where the trace is long enough that the next node is better the first of another one, or holds more memory
    /// than the program would without it.
    #[inline]
    fn make_way(&mut self, op: Operation, domain: &[usize]) -> Result<()> {
        let full = self.trace.nodes >= LOOP_NODES
            && (self.trace.nodes >= MAX_PENDING_NODES || self.trace.begins_with(op, domain));
        if full || self.trace.is_hoarding() {
            self.seen.stats.flushes_full += 1;
            self.flush()?;
        }
        Ok(())
    }

    /// Records copies for those who captured a storage that is about to be written.
    #[cold]
    pub(crate) fn leave_copies(&mut self, storage: &Counted) -> Result<()> {
        let watchers = storage.take_watchers();
        for (i, held) in watchers.iter().enumerate() {
            if let Err(error) = self.leave_copy(held) {
                // The write does not happen either, so they go on watching.
                watchers[i..].iter().for_each(|held| storage.watch(Arc::downgrade(held)));
                return Err(error);
            }
        }
        Ok(())
    }

    fn leave_copy(&mut self, held: &snapshot::Held) -> Result<()> {
        let array = held.array();
        let copy = Array::by_rows(array.shape(), array.dtype())?;
        self.submit(&Statement {
            op: Operation::Copy,
            compute: array.dtype(),
            domain: array.shape(),
            reduced: 0,
            inputs: &[Input::Memory(array.over(array.shape()))],
            target: copy.over(array.shape()),
            covers: true,
        })?;
        held.replace(copy);
        Ok(())
    }

    fn is_ready(&self, s: &Statement<'_>) -> bool {
        let readable = s.inputs.iter().all(|input| match input {
            Input::Memory(view) => self.ready_address(view.storage).is_some(),
            Input::Scalar(_) => true,
        });
        readable && self.is_free(s.target.storage)
    }

    /// Whether nothing pending touches a storage, nor are its contents elsewhere: it can be written at once.
    #[inline]
    pub(crate) fn is_free(&self, storage: &Storage) -> bool {
        !self.trace.touches(storage) && !storage.is_away()
    }

    fn is_shared(&self, s: &Statement<'_>) -> bool {
        s.target.storage.is_shared()
            || s.inputs.iter().any(|input| matches!(input, Input::Memory(view) if view.storage.is_shared()))
    }

    /// Runs a statement whose sources are there: one launch of a program found by a small key.
    fn run_now(&mut self, s: &Statement<'_>) -> Result<()> {
        let mut addresses: SmallVec<[*mut u8; 4]> = SmallVec::new();
        let mut scalars: SmallVec<[Scalar; 2]> = SmallVec::new();
        let mut key = 0u64;
        for input in s.inputs {
            let code = match input {
                Input::Memory(view) => {
                    let start = view.storage.materialize()?;
                    addresses.push(start.wrapping_offset(view.offset));
                    view.dtype as u64
                }
                Input::Scalar(scalar) => {
                    scalars.push(*scalar);
                    scalar.dtype() as u64 | 16
                }
            };
            key = key << 5 | code;
        }
        addresses.push(s.target.storage.materialize()?.wrapping_offset(s.target.offset));
        let shape = LaunchShape::of(s);
        key = key << 4 | s.inputs.len() as u64;
        key = key << 4 | s.target.dtype as u64;
        key = key << 4 | s.compute as u64;
        key = key << 7 | shape.outer.len() as u64;
        key = key << 7 | shape.inner.len() as u64;
        key = key << 12 | s.op.code();
        let program = match self.immediate.get(&key) {
            Some(found) => found,
            None => {
                let compiled = self.compiled(kernel_of(s, shape.outer.len(), shape.inner.len()));
                self.immediate.entry(key).or_insert(compiled)
            }
        };
        let launch = Launch {
            outer: &shape.outer,
            inner: &shape.inner,
            addresses: &addresses,
            strides: &shape.strides,
            scalars: &scalars,
        };
        let product = if let Operation::Part(product, _) = s.op { Some(product) } else { None };
        // SAFETY: the statement's views lie within their storages (layouts are checked when they are made), which have
        // memory; no pending node touches the target, and the target overlaps no source except at the same point.
        unsafe { self.seen.launch((&program.0, &*program.1), &launch, &SingleThread, None, &|_, _| product)? };
        s.target.storage.written()?;
        self.seen.stats.run_at_once += 1;
        Ok(())
    }

    /// The first byte of a storage whose contents are there.
    #[inline]
    pub(crate) fn ready_address(&self, storage: &Storage) -> Option<*mut u8> {
        let start = storage.address()?;
        (!self.trace.writes(storage)).then_some(start)
    }

    /// Launches an op on dense arrays of one type and numbers (see [`crate::runtime::dense`]).
    #[inline]
    pub(crate) fn launch_dense(&mut self, op: Op, compute: DType, kinds: usize, launch: &Launch<'_>) -> Result<()> {
        let index = (op as usize * DType::ALL.len() + compute as usize) * dense::KINDS + kinds;
        let program = match &mut self.dense[index] {
            Some(program) => program,
            None => {
                let compiled = self.compiled(dense::kernel(op, compute, kinds));
                self.dense[index].insert(compiled)
            }
        };
        launch_now(&mut self.seen, program, launch, None)
    }

    /// Launches a kernel of [`crate::runtime::immediate`] on arrays that are ready, to new memory. The key is the kernel's alone.
    pub(crate) fn launch_kept(
        &mut self,
        key: u64,
        kernel: impl FnOnce() -> Kernel,
        launch: &Launch<'_>,
        product: Option<Product>,
    ) -> Result<()> {
        let program = match self.immediate.get(&key) {
            Some(program) => program,
            None => {
                let compiled = self.compiled(kernel());
                self.immediate.entry(key).or_insert(compiled)
            }
        };
        launch_now(&mut self.seen, program, launch, product)
    }

    /// Runs a small matrix product whose factors are there.
    fn multiply_now(&mut self, product: Product, s: &Statement<'_>) -> Result<()> {
        let mut addresses: SmallVec<[*mut u8; 3]> = SmallVec::new();
        let mut strides: SmallVec<[isize; 16]> = SmallVec::new();
        s.target.storage.materialize()?;
        for view in s.views() {
            addresses.push(view.storage.materialize()?.wrapping_offset(view.offset));
            strides.extend_from_slice(&view.strides);
        }
        self.multiply((product, s.compute), s.domain, &strides, &addresses);
        s.target.storage.written()?;
        self.seen.stats.run_at_once += 1;
        Ok(())
    }

    /// Runs everything that is pending and that somebody can still reach.
    ///
    /// # Errors
    /// For want of memory, or because the user interrupts it. What did not run stays pending, as if nothing had been tried.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.trace.nodes == 0 {
            return Ok(());
        }
        let plan = self.plan();
        self.run(plan, None)
    }

    /// Runs a plan of what is pending: all of it, or but for results that are only `passing` by, which are decided on later.
    pub(crate) fn run(&mut self, plan: Arc<Plan>, passing: Option<Passing>) -> Result<()> {
        self.seen.stats.flushes += 1;
        self.fetched = 0;
        // Now and not after it: an atomic exchange waits for all that the kernels have written to arrive (130 ns).
        self.last.plan = None;
        let (ran, done) = if plan.points < LONG {
            self.execute(&plan, false)
        } else {
            interpreter_lock::aside(true, || self.execute(&plan, true))
        };
        if done.is_ok() {
            self.last.plan = Some(plan);
            match passing {
                Some(passing) => self.watch(passing),
                None => self.forget(),
            }
        } else {
            self.keep_rest(&plan, ran);
        }
        done
    }

    /// Forgets what ran of a plan that did not run to its end.
    pub(crate) fn keep_rest(&mut self, plan: &Plan, ran: usize) {
        let mut rest: Vec<u32> = plan.steps[ran..].iter().flat_map(|step| step.nodes.iter().copied()).collect();
        rest.extend(plan.omitted.iter().flat_map(|omitted| &omitted.nodes));
        rest.sort_unstable();
        rest.dedup();
        self.trace.keep(&rest);
    }

    /// Forgets what ran, but for what `explain` tells of it.
    pub(crate) fn forget(&mut self) {
        std::mem::swap(&mut self.last.tape, &mut self.trace.tape);
        std::mem::swap(&mut self.last.live, &mut self.live);
        self.trace.clear();
    }

    /// The plan of what is pending, looked up or made.
    pub(crate) fn plan(&mut self) -> Arc<Plan> {
        let mut live = std::mem::take(&mut self.live);
        live.clear();
        live.extend(self.trace.slots.iter().map(|s| Counted::count(&s.storage) > 1 || s.storage.owner().is_some()));
        let here = self.place_of_plan();
        // A loop writes the same tape again and again: no hash, and no reference to the plan that is counted up and down.
        let again = |plan: &mut Arc<Plan>| {
            let same = self.last.live == live && self.last.tape == self.trace.tape;
            same && plan.omitted.is_none() && plan.target.site == here
        };
        if let Some(plan) = self.last.plan.take_if(again) {
            self.seen.stats.plans_reused += 1;
            self.live = live;
            return plan;
        }
        let length = self.trace.tape.len();
        for bits in live.chunks(64) {
            let word = bits.iter().enumerate().fold(0, |word, (i, &bit)| word | (bit as u64) << i);
            self.trace.tape.push(word);
        }
        // The same nodes make another plan elsewhere.
        self.trace.tape.push(here as u64);
        let hash = self.plans.hasher().hash_one(&self.trace.tape[..]);
        let found = self.plans.raw_entry().from_hash(hash, |key| **key == self.trace.tape[..]).map(|(_, p)| p.clone());
        let plan = match found {
            Some(plan) => {
                self.seen.stats.plans_reused += 1;
                plan
            }
            None => {
                self.seen.stats.plans_made += 1;
                let key: Box<[u64]> = self.trace.tape[..].into();
                let tape = std::mem::take(&mut self.trace.tape);
                let target = self.target(here);
                let compile = &mut |kernel| self.compiled_for(here, kernel);
                let plan = Arc::new(plan::build(&tape[..length], &live, target, compile));
                self.seen.inspection.planned(|| describe(&tape[..length], &live, &plan, false));
                self.trace.tape = tape;
                if self.plans.len() >= MAX_PLANS {
                    self.plans.clear();
                }
                self.plans.insert(key, plan.clone());
                plan
            }
        };
        self.trace.tape.truncate(length);
        self.live = live;
        plan
    }

    /// Writes one element of a storage that has memory and that nothing pending touches; whether it did.
    ///
    /// A few elements of a pending storage may be a boundary, and are better recorded. Many are a loop that fills it, for
    /// which what is pending runs first: recording each would take five times as long as writing it.
    #[inline]
    pub(crate) fn write_now(&mut self, storage: &Counted, offset: isize, value: Scalar) -> Result<bool> {
        if !self.is_free(storage) {
            self.trace.elements += 1;
            if self.trace.elements <= ELEMENTS || storage.is_lent() {
                return Ok(false);
            }
            self.settle(storage)?;
        }
        match storage.address() {
            Some(start) if !storage.is_watched() => {
                crate::array::element::write(start.wrapping_offset(offset), value);
                storage.written()?;
                self.seen.stats.ran_at_once();
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Makes sure that a storage's latest version is somewhere.
    pub(crate) fn compute(&mut self, storage: &Counted) -> Result<()> {
        if self.trace.touches(storage) {
            self.flush()?;
        }
        if storage.is_away() { Ok(()) } else { storage.materialize().map(drop) }
    }

    /// Makes sure a storage's memory on the host holds its latest version.
    #[inline]
    pub(crate) fn settle(&mut self, storage: &Counted) -> Result<*mut u8> {
        if self.trace.touches(storage) {
            self.flush()?;
        }
        if storage.is_away() {
            return interpreter_lock::aside(true, || storage.materialize());
        }
        storage.materialize()
    }

    /// One element of a storage that nothing pending writes.
    #[inline]
    pub(crate) fn element(&mut self, storage: &Storage, offset: isize, dtype: DType) -> Result<Scalar> {
        if storage.is_away() {
            return self.fetch(storage, offset, dtype);
        }
        Ok(crate::array::element::read(storage.materialize()?.wrapping_offset(offset), dtype))
    }

    /// One element from a device: alone, as long as few are asked for.
    #[cold]
    fn fetch(&mut self, storage: &Storage, offset: isize, dtype: DType) -> Result<Scalar> {
        self.fetched += 1;
        let mut room = 0u128;
        let to = (&raw mut room).cast::<u8>();
        interpreter_lock::aside(true, || {
            let is_lent = storage.is_lent();
            if !is_lent && (storage.bytes() <= WHOLE || self.fetched > ELEMENTS) {
                return storage
                    .materialize()
                    .map(|start| crate::array::element::read(start.wrapping_offset(offset), dtype));
            }
            let fetch = |remote: &Remote| {
                if is_lent {
                    remote.device().wait()?;
                }
                // SAFETY: the element lies within the storage, and there is room for any.
                unsafe { remote.download(offset as usize, to, dtype.size()) }
            };
            storage.with_remote(fetch).transpose()?;
            Ok(crate::array::element::read(to, dtype))
        })
    }
}

/// Bytes up to which contents come from a device as a whole, whatever is asked for.
const WHOLE: usize = 64 << 10;

/// Launches a program on arrays that are ready.
#[inline]
fn launch_now(seen: &mut Seen, program: &Compiled, launch: &Launch<'_>, product: Option<Product>) -> Result<()> {
    // SAFETY: the arrays are ready and lie as the launch says; the target is new memory, or the program can tell that it is
    // what it reads.
    unsafe { seen.launch((&program.0, &*program.1), launch, &SingleThread, None, &|_, _| product)? };
    seen.stats.ran_at_once();
    Ok(())
}

/// Multiplications up to which a matrix product whose factors are there runs at once.
const SMALL_PRODUCT: usize = 100_000;
/// From so many points on (50 µs and more) other threads of the program may run during a flush.
const LONG: usize = 1 << 18;
