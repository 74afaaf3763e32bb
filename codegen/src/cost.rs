//! The cost model's constants: what memory, instructions, launches and threads take, and the sizes from which on they take more.
//!
//! Planner, threads, offloading and the drivers of kernels ask them. They are defaults, the same in every process: a plan decides which
//! folds share a kernel, and with it the last bits of sums, so a figure that was measured anew in each process would change results from run
//! to run. `python -m fastnp --costs` measures them where it runs and prints both.
//!
//! The cycles of single instructions stand in `x86/isel/cost.rs`, the thresholds of drivers in `drive/strategy.rs`.

/// Nanoseconds for a byte in a core's own caches.
pub const CACHED_NS_PER_BYTE: f64 = 0.01;
/// Nanoseconds for a byte in the cache that cores share: of a stencil over arrays of 2 MB, 12 MB in all, kernels take this beyond their
/// instructions (Zen 5; one thread).
pub const SHARED_NS_PER_BYTE: f64 = 0.0125;
/// Nanoseconds for a byte in memory.
pub const MEMORY_NS_PER_BYTE: f64 = 0.035;
/// Bytes that stay in a core's own caches.
pub const CACHED_BYTES: usize = 3 << 19;
/// Bytes that stay in the shared cache.
pub const SHARED_CACHE_BYTES: usize = 16 << 20;

/// Nanoseconds an element of a loop of machine code besides its instructions.
pub const ELEMENT_NS: f64 = 0.03;
/// Nanoseconds of an instruction of machine code for an element of eight bytes, eight elements a vector. An op of the table counts as many
/// as its cost says.
pub const INSTRUCTION_NS: f64 = 0.02;
/// The same in the interpreter, for an op.
pub const INTERPRETED_NS: f64 = 0.08;
/// Values that machine code has in registers; of each one more, a store and a load are made.
pub const LIVE_VALUES: usize = 24;
/// Turns of a loop that a point is expected to make: data decide. Newton's method for a square root takes 7, points around the Mandelbrot set
/// 30 and 45 of at most 100 and 200 (`python -m benches.user_functions` prints these).
pub const EXPECTED_TURNS: usize = 32;

/// Nanoseconds of a launch on the host besides its elements, as a step of a plan.
pub const LAUNCH_NS: f64 = 150.0;

/// Default of the setting `tiny`: operations over at most so many elements run eagerly when their operands are ready, because
/// recording and planning a node costs about what computing a thousand elements costs.
pub const EAGER_POINTS: usize = 1024;
/// A statement with more points runs eagerly as well while its result has at most so many bytes for each of [`EAGER_POINTS`] (16 KB), and
/// no more than [`EAGER_FACTOR`] times as many points. Code outside sees so few bytes where they are, so that a pending node reads a copy of them:
/// `a + b` of 2000 doubles takes 0.4 µs eagerly, 1.0 recorded and flushed (NumPy 0.56); of 4000 singles 0.34, 0.98 and 0.52. Eight such
/// operations in one expression take 3.0 and 3.8 µs, 2.9 and 3.8.
pub const EAGER_BYTES: usize = 16;
/// See [`EAGER_BYTES`].
pub const EAGER_FACTOR: usize = 4;
/// Statements that are likely to be flushed alone run eagerly over up to this many times the setting `tiny`: recording and flushing one takes
/// half a microsecond, 2 % of the time of `a + b` of twice as many doubles.
pub const EAGER_LONE_FACTOR: usize = 32;
/// Multiplications up to which a matrix product with ready factors runs eagerly: as many as run on one thread.
pub const EAGER_MULTIPLICATIONS: usize = 300_000;
/// Full folds run eagerly over so many times as many elements as other operations: the number is nearly always needed right away,
/// so recording the fold wins nothing (450 ns of 1.2 µs for 10,000 elements), and one thread folds that many anyway.
pub const EAGER_FOLD_FACTOR: usize = 32;
/// The same where code outside can write an operand, so that what is recorded runs at once in any case: the products of 100,000 elements, stored
/// and then added, take 250 µs, eagerly 80.
pub const EAGER_SHARED_FOLD_FACTOR: usize = 1 << 10;
/// Reads of up to this many times the setting `tiny` run at once: 10,000 take 6.6 µs eagerly and 10.9 recorded, and no longer
/// than recorded if two operations follow that would fuse with the read.
pub const EAGER_ROW_FACTOR: usize = 16;
/// New copies of up to this many times the setting `tiny` run at once: they compute nothing. A copy of 20,000 doubles takes 1.3 µs eagerly and
/// 2.0 recorded and flushed, joining two arrays of so many 2.8 and 4.3, and no longer than recorded if an operation follows that would fuse
/// with them (3.5 and 5.3). Beyond, two threads copy faster. (Fills are recorded: what is computed on them rarely needs them stored.)
pub const EAGER_COPY_FACTOR: usize = 64;

/// The grain of parallel work: the fewest nanoseconds worth a task of its own, as handing a task to a waiting thread takes 1,000 to 2,000.
pub const GRAIN_NS: f64 = 4_000.0;
/// Nanoseconds of work that each of two threads must have for one to be woken: it starts after 35,000.
pub const WAKE_GRAIN_NS: f64 = 40_000.0;
/// Nanoseconds of work that could have been shared with awake threads, after which they are woken.
pub const WAKE_AFTER_UNSHARED_NS: f64 = 200_000.0;
/// Nanoseconds for each thread from which on there are more tasks than threads, so that a delayed thread leaves tasks to the others. Each
/// task takes 500.
pub const OVERSUBSCRIBE_FROM_NS: f64 = 30_000.0;

/// Bytes that the kernels of a program on the host move in a nanosecond, and nanoseconds of a node's share of recording, planning and
/// launching: what a program takes that may be offloaded.
pub const HOST_BYTES_PER_NS: f64 = 12.0;
/// See [`HOST_BYTES_PER_NS`].
pub const HOST_NODE_NS: f64 = 500.0;

/// Distinct memory operands that a kernel may load: past this, address registers and prefetchers run out.
pub const MAX_LOADS: usize = 24;
/// Nodes that a kernel may have, which bounds live values and the cost of planning.
pub const MAX_NODES: usize = 96;
/// The same on a device, which has more registers, and where a value that crosses from one kernel to the next costs two accesses of its memory.
pub const DEVICE_LOADS: usize = 64;
/// See [`DEVICE_LOADS`].
pub const DEVICE_NODES: usize = 512;
/// Points up to which unrelated nodes are packed into one launch on the host, where a launch costs what 500 elements cost.
pub const PACK_POINTS: usize = 4096;
/// Unrelated nodes over larger domains share a kernel while it loads at most so many operands: later nodes mostly join them, and a dozen
/// streams, loads and stores, is what the prefetchers follow.
pub const PACK_LOADS: usize = 8;
/// Arrays that a kernel of unrelated nodes over a larger domain reads and writes. Arrays of half a megabyte and more begin at pages, and caches
/// of twelve ways hold twelve lines of equal offsets: results of 60,000 doubles take 5.6 µs each as eight of a kernel, 6.3 as twelve, 13 as
/// sixteen and 36 as 48.
/// Of eight ways (Zen 4) eight lines: results of two million doubles take 0.64 ms each as seven of a kernel that reads one array, 0.93 as
/// eight.
pub const MAX_STREAMS: usize = 8;
/// The part that each stream beyond adds to the time of all bytes that a kernel moves.
pub const STREAM_PENALTY: f64 = 0.12;
/// Bytes that count for an element in another order of memory than that of most accesses of the kernel: a part of its cache line, of which a
/// few elements are used at a time. The sum of two matrices of doubles takes 0.3 ns a point in the caches and 0.6 in memory, with one of the
/// three transposed 0.6 to 0.8 and 1.3 to 3.0.
pub const ACROSS_BYTES: usize = 32;
/// The same for an element that is stored: with the sum transposed and not an operand, 0.8 to 1.2 and 1.4 to 4.
pub const STORED_ACROSS_BYTES: usize = 48;
/// Bytes that a device moves for each point of a small kernel: it reads a double and writes one.
pub const DEVICE_BYTES_PER_POINT: f64 = 16.0;

/// Bytes that the operands of a block may take where kernels run together block by block: a second-level cache. Measure:
/// `python -m benches.composed`.
pub const BLOCK_BYTES: usize = 512 << 10;
/// The same where the axis is the fastest one: a block is a strip of columns, and a narrow one wastes cache lines and calls. It is in the
/// shared cache.
pub const STRIP_BYTES: usize = 1 << 20;
/// Least bytes of a row of a strip. The variances of the columns of 2000 × 1000 and of 4000 × 1000 doubles take 1450 and 4800 µs in strips of
/// rows of 520 and 260 bytes, and 760 and 2220 in two kernels; of 1000 × 1000, rows of 1048 bytes, 357 and 341; of 500 × 8000 and 300 × 20000,
/// of longer ones, 2750 and 3330, 3510 and 3790; `(x - x.mean(axis=0)) / x.std(axis=0)` of the last 5.5 and 8.1 ms (one thread, Zen 4).
pub const STRIP_ROW_BYTES: usize = 1024;
/// The least part of the memory traffic that blocks must save: of six passes over 2000 × 2000 doubles they saved one, and took 7.7 ms, not 6.9.
pub const BLOCK_SAVING: f64 = 0.25;
/// What reading the lines of a result before they are written takes beside moving it. Columns centred, kept, and divided by their deviation take
/// 2.7 ms in one kernel (4000 × 500), which reads them, and 3.2 in three.
pub const LINE_READ: f64 = 0.5;
/// The least part of the memory traffic that strips of less than a page must save. They move the rest slowly: each row is on another page. Of twelve
/// passes over 300 × 1000 doubles they saved four, and took twice as long; of five over 200 × 10000 two, and took a fifth longer; of the four of
/// `(x - x.mean(axis=0)) / x.std(axis=0)` two.
pub const STRIP_SAVING: f64 = 0.45;
/// Fewer bytes, of what is needed at once, stay in the shared cache from one kernel to the next: of 4.8 MB arrays a composed softmax takes 1.0
/// times as long as kernels one by one, a layer norm 1.1; of 32 MB .90 and .85 (Zen 3, 32 MB of cache, two threads).
pub const COMPOSED_BYTES: usize = 12 << 20;

/// Thread blocks that a composed kernel has at least on a device, as many as it has multiprocessors: each takes an index of the shared axis.
pub const DEVICE_BLOCKS: usize = 128;
/// Points of such an index: each thread has some.
pub const DEVICE_BLOCK_POINTS: usize = 256;
/// Bytes of all operands at such an index, at most: those of all multiprocessors stay in the shared cache.
pub const DEVICE_BLOCK_BYTES: usize = 128 << 10;

/// Bytes of a cache line.
pub const LINE_BYTES: usize = 64;

/// The least number of items of so many bytes that fill whole cache lines.
pub fn items_of_lines(bytes: usize) -> usize {
    LINE_BYTES >> bytes.trailing_zeros().min(LINE_BYTES.trailing_zeros())
}

/// Bytes of a result from which on it is written by non-temporal stores, as a cache would fetch each line before overwriting it: `x + y` of
/// 8 MB takes 1.28 ms with ordinary stores and 0.69 with these, of 32 MB 4.9 and 3.4; with its sum afterwards, which finds a part of it in the
/// caches in the first case, 1.69 and 1.39, 7.9 and 5.5. Of 4 MB the two take 0.24 and 0.28. Beside dear functions, which compute longer than memory
/// takes, they cost nothing: the sines, the roots and the sum of arrays of 18 MB, all kept, take 4.3 ms and 2.7, the sines alone 2.4 both times.
/// Measure: `launch -- "launch/add/4000000"`, whose result has 32 MB.
pub const NON_TEMPORAL_BYTES: usize = 8 << 20;
/// Bytes that a launch accesses from which on all its results are written so, however large each is: little of them would be left in the caches.
/// Forces of atoms, three operands and three results, of 24 MB in all take 0.66 ms with ordinary stores and 0.45 with these, of 48 MB 1.4 and
/// 1.1; with the sums of the results afterwards 0.88 and 0.88, 2.2 and 2.1. Of 14 MB 0.20 and 0.25, with the sums 0.39 and 0.52 (Zen 4).
/// Measure: `launch -- "launch/add/4000000"`.
pub const NON_TEMPORAL_FOOTPRINT: usize = 22 << 20;
/// Bytes of a matrix from which on the kernel that computes it takes its product with a vector too, if elements that are summed lie next to each
/// other in rows of [`FOLDED_ROW_BYTES`]. `1.5 * a @ x` of 500² doubles takes 72 µs by a product of what was stored, and 44 in one kernel, of 2000²
/// 3190 and 1380, in single precision 1550 and 280; of 200² 12.1 and 11.8; of 20000 rows of 20 159 and 406. Where the sums go across the rows,
/// it is matrices of [`NON_TEMPORAL_BYTES`]: `x @ (1.5 * a)` of 2000² takes 2710 and 1740 µs, but of 500² singles 40 and 57 (one thread, Zen 4).
/// Of matrices that have to be cast it is those from here on in both cases: of 2000² singles with doubles the product takes 2860 µs by a cast
/// matrix, and 404 where each element is cast as it is multiplied, of 300² 22.8 and 12.8.
pub const FOLDED_MATRIX_BYTES: usize = 1 << 19;
/// Bytes of their rows, at least.
pub const FOLDED_ROW_BYTES: usize = 1024;

/// A constant as it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// The default value, which decisions use.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// The decisions that ask it.
    pub decides: &'static str,
}

/// The name of a constant that is measured.
pub mod name {
    /// [`CACHED_NS_PER_BYTE`](super::CACHED_NS_PER_BYTE).
    pub const CACHED_BYTE: &str = "byte in a core's caches";
    /// [`SHARED_NS_PER_BYTE`](super::SHARED_NS_PER_BYTE).
    pub const SHARED_BYTE: &str = "byte in the shared cache";
    /// [`MEMORY_NS_PER_BYTE`](super::MEMORY_NS_PER_BYTE).
    pub const MEMORY_BYTE: &str = "byte in memory";
    /// [`INSTRUCTION_NS`](super::INSTRUCTION_NS).
    pub const INSTRUCTION: &str = "instruction";
    /// [`LAUNCH_NS`](super::LAUNCH_NS).
    pub const LAUNCH: &str = "launch";
    /// [`GRAIN_NS`](super::GRAIN_NS).
    pub const GRAIN: &str = "grain of a task";
    /// [`WAKE_GRAIN_NS`](super::WAKE_GRAIN_NS).
    pub const WAKE_GRAIN: &str = "grain of a woken thread";
}

const fn constant(name: &'static str, value: f64, unit: &'static str, decides: &'static str) -> Constant {
    Constant { name, value, unit, decides }
}

/// Every constant, in the order of this file.
pub static CONSTANTS: [Constant; 50] = [
    constant(name::CACHED_BYTE, CACHED_NS_PER_BYTE, "ns", "fuse, recompute, thread"),
    constant(name::SHARED_BYTE, SHARED_NS_PER_BYTE, "ns", "fuse, recompute"),
    constant(name::MEMORY_BYTE, MEMORY_NS_PER_BYTE, "ns", "fuse, recompute, thread"),
    constant("a core's caches", CACHED_BYTES as f64, "bytes", "fuse, recompute, thread"),
    constant("shared cache", SHARED_CACHE_BYTES as f64, "bytes", "fuse, recompute"),
    constant("element", ELEMENT_NS, "ns", "fuse, recompute, thread"),
    constant(name::INSTRUCTION, INSTRUCTION_NS, "ns", "fuse, recompute, thread"),
    constant("interpreted op", INTERPRETED_NS, "ns", "fuse, recompute"),
    constant("values in registers", LIVE_VALUES as f64, "values", "fuse, recompute, cut"),
    constant("turns of a loop", EXPECTED_TURNS as f64, "turns", "fuse, recompute, thread"),
    constant(name::LAUNCH, LAUNCH_NS, "ns", "fuse, recompute, cut"),
    constant("eager points", EAGER_POINTS as f64, "points", "run at once"),
    constant("eager bytes", EAGER_BYTES as f64, "bytes × points", "run at once"),
    constant("eager lone statement", EAGER_LONE_FACTOR as f64, "× points", "run at once"),
    constant("eager product", EAGER_MULTIPLICATIONS as f64, "products", "run at once"),
    constant("eager fold", EAGER_FOLD_FACTOR as f64, "× points", "run at once"),
    constant("eager fold of shared memory", EAGER_SHARED_FOLD_FACTOR as f64, "× points", "run at once"),
    constant("eager rows", EAGER_ROW_FACTOR as f64, "× points", "run at once"),
    constant("eager copy", EAGER_COPY_FACTOR as f64, "× points", "run at once"),
    constant(name::GRAIN, GRAIN_NS, "ns", "thread"),
    constant(name::WAKE_GRAIN, WAKE_GRAIN_NS, "ns", "thread"),
    constant("unshared work", WAKE_AFTER_UNSHARED_NS, "ns", "thread"),
    constant("oversubscription", OVERSUBSCRIBE_FROM_NS, "ns", "thread"),
    constant("bytes of a program", HOST_BYTES_PER_NS, "bytes/ns", "offload"),
    constant("node of a program", HOST_NODE_NS, "ns", "offload"),
    constant("loads of a kernel", MAX_LOADS as f64, "operands", "cut"),
    constant("nodes of a kernel", MAX_NODES as f64, "nodes", "cut"),
    constant("loads of a device's kernel", DEVICE_LOADS as f64, "operands", "cut"),
    constant("nodes of a device's kernel", DEVICE_NODES as f64, "nodes", "cut"),
    constant("packed points", PACK_POINTS as f64, "points", "pack"),
    constant("packed loads", PACK_LOADS as f64, "operands", "pack"),
    constant("streams of unrelated nodes", MAX_STREAMS as f64, "operands", "cut"),
    constant("stream beyond", STREAM_PENALTY, "× bytes", "fuse"),
    constant("element loaded across the order", ACROSS_BYTES as f64, "bytes", "fuse"),
    constant("element stored across the order", STORED_ACROSS_BYTES as f64, "bytes", "fuse"),
    constant("bytes of a device's point", DEVICE_BYTES_PER_POINT, "bytes", "pack"),
    constant("block of rows", BLOCK_BYTES as f64, "bytes", "compose"),
    constant("strip of columns", STRIP_BYTES as f64, "bytes", "compose"),
    constant("row of a strip", STRIP_ROW_BYTES as f64, "bytes", "compose"),
    constant("saved by blocks", BLOCK_SAVING, "", "compose"),
    constant("line read before a store", LINE_READ, "× bytes", "compose"),
    constant("saved by strips", STRIP_SAVING, "", "compose"),
    constant("composed kernels", COMPOSED_BYTES as f64, "bytes", "compose"),
    constant("blocks of a device", DEVICE_BLOCKS as f64, "blocks", "compose"),
    constant("points of a device's block", DEVICE_BLOCK_POINTS as f64, "points", "compose"),
    constant("bytes of a device's block", DEVICE_BLOCK_BYTES as f64, "bytes", "compose"),
    constant("non-temporal result", NON_TEMPORAL_BYTES as f64, "bytes", "store"),
    constant("non-temporal results of a launch", NON_TEMPORAL_FOOTPRINT as f64, "bytes", "store"),
    constant("matrix folded where it is computed", FOLDED_MATRIX_BYTES as f64, "bytes", "fuse"),
    constant("row of such a matrix", FOLDED_ROW_BYTES as f64, "bytes", "fuse"),
];
