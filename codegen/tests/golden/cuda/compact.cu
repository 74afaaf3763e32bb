typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef u16 f16;
typedef float f32;
typedef double f64;
typedef struct { f32 re, im; } c64;
typedef struct { f64 re, im; } c128;

typedef u32 Element;

static __device__ Element element(const Element *const values, const u64 at) { return values[at]; }

typedef struct { i32 chosen; } Folded;

static __device__ Folded nothing(void) {
    const Folded f = { 0 };
    return f;
}

static __device__ Folded join(const Folded a, const Folded b) {
    const Folded f = { a.chosen + b.chosen };
    return f;
}

// What the lane `by` before in groups of `width` lanes holds.
static __device__ Folded former(const Folded f, const i32 by, const i32 width) {
    union { Folded f; u32 word[sizeof(Folded) / 4]; } here, there;
    here.f = f;
    #pragma unroll
    for (i32 i = 0; i < (i32)(sizeof(Folded) / 4); i++) there.word[i] = __shfl_up_sync(0xffffffffU, here.word[i], by, width);
    return there.f;
}

// What the lanes of a group before this one hold together, and in `all` what all of them do.
static __device__ Folded before(const Folded f, Folded *const all) {
    __shared__ Folded shared[64];
    const i32 width = blockDim.x < 32 ? blockDim.x : 32, warps = blockDim.x / width;
    const i32 lane = threadIdx.x % width, warp = threadIdx.x / width, slot = threadIdx.y * warps;
    Folded sum = f;
    for (i32 by = 1; by < width; by *= 2) {
        const Folded other = former(sum, by, width);
        if (lane >= by) sum = join(other, sum);
    }
    const Folded neighbour = former(sum, 1, width);
    __syncthreads();
    if (lane == width - 1) shared[slot + warp] = sum;
    __syncthreads();
    Folded others = nothing();
    *all = nothing();
    for (i32 i = 0; i < warps; i++) {
        if (i < warp) others = join(others, shared[slot + i]);
        *all = join(*all, shared[slot + i]);
    }
    return lane == 0 ? others : join(others, neighbour);
}

typedef struct __align__(16) { u64 word[2]; } Flags;

// How many bytes are not zero.
static __device__ i32 chosen_of(u64 word) {
    word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    return __popcll(word & 0x0101010101010101ULL);
}

// Each block has its share of the mask: first it counts what that chooses, then, behind the others', it writes it.
extern "C" __global__ void __launch_bounds__(256) compact(const u8 *const mask, const Element *const values, Element *const target, const u64 elements, const u64 share, u64 *const counts, const i32 phase) {
    const u64 first = blockIdx.x * share;
    const u64 end = first + share < elements ? first + share : elements;
    u64 found = 0;
    if (phase == 1) {
        for (u32 block = 0; block < blockIdx.x; block++) found += counts[block];
    }
    for (u64 tile = first; tile < end; tile += 4096) {
        const u64 at = tile + 16 * threadIdx.x;
        Flags flags = { { 0, 0 } };
        if (at + 16 <= end) {
            flags = *(const Flags *)(mask + at);
        } else {
            for (i32 j = 0; at + j < end; j++) flags.word[j / 8] |= (u64)mask[at + j] << (8 * (j % 8));
        }
        Folded all;
        const Folded mine = { chosen_of(flags.word[0]) + chosen_of(flags.word[1]) };
        u64 to = found + before(mine, &all).chosen;
        if (phase == 1 && mine.chosen > 0) {
            #pragma unroll
            for (i32 j = 0; j < 16; j++) {
                if ((flags.word[j / 8] >> (8 * (j % 8)) & 0xff) != 0) target[to++] = element(values, at + j);
            }
        }
        found += all.chosen;
    }
    if (phase == 0 && threadIdx.x == 0) counts[blockIdx.x] = found;
}
