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

// Positions and offsets in 32 bits. Division by an extent is a product and a shift.
typedef i32 index;
typedef struct { index extent; u32 multiplier, shift; } Axis;
static __device__ index over(const index n, const Axis axis) {
    return axis.extent == 1 ? n : (index)(__umulhi((u32)n, axis.multiplier) >> axis.shift);
}

// Points, or lots of them, of the outer and the inner domain; points of the last axis; a part's share of lots.
typedef struct { index outer, inner, last, segment; Axis axis[1]; index stride[2][1]; } Domain;

static __device__ f64 load_f64(const u8 *const at) { return *(const f64 *)at; }

static __device__ void store_f64(u8 *const at, const f64 a) { *(f64 *)at = a; }

typedef struct __align__(16) { f64 at[4]; } f64x4;

static __device__ f64x4 read_f64x4(const u8 *const at, const i32 count) {
    f64x4 lot;
    if (count == 4) return *(const f64x4 *)at;
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) lot.at[j] = load_f64(at + j * 8);
    }
    return lot;
}

// What points come to together.
typedef struct __align__(4) { f64 a0; } Folded;

static __device__ Folded nothing(void) {
    Folded f;
    f.a0 = 0.0;
    return f;
}

static __device__ Folded join(const Folded a, const Folded b) {
    Folded f;
    f.a0 = a.a0 + b.a0;
    return f;
}

// What the lane `by` further on in groups of `width` lanes holds.
static __device__ Folded further(const Folded f, const i32 by, const i32 width) {
    union { Folded f; u32 word[sizeof(Folded) / 4]; } here, there;
    here.f = f;
    #pragma unroll
    for (i32 i = 0; i < (i32)(sizeof(Folded) / 4); i++) there.word[i] = __shfl_down_sync(0xffffffffU, here.word[i], by, width);
    return there.f;
}

// What the lanes of a group hold together; lane 0 gets it.
static __device__ Folded across(Folded f) {
    __shared__ Folded shared[8];
    const i32 width = blockDim.x < 32 ? blockDim.x : 32, warps = blockDim.x / 32, slot = threadIdx.y * warps;
    for (i32 by = width / 2; by > 0; by /= 2) f = join(f, further(f, by, width));
    if (warps <= 1) return f;
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[slot + threadIdx.x / 32] = f;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (i32 warp = 1; warp < warps; warp++) f = join(f, shared[slot + warp]);
    }
    return f;
}

// Whether this block is the last of those that work on the same points: then what the others wrote can be read.
static __device__ bool is_last_block(u32 *const ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        last = atomicAdd(ticket, 1U) == gridDim.y - 1;
        if (last) *ticket = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

extern "C" __global__ void __launch_bounds__(256) reduce(const u8 *__restrict__ const m0, u8 *__restrict__ const m1, const f64 s0, const Domain d, Folded *const parts, u32 *const tickets) {
    const index lane = (index)(blockIdx.y * blockDim.x + threadIdx.x);
    const index lanes = (index)(gridDim.y * blockDim.x);
    const index step = (index)(gridDim.x * blockDim.y);
    for (index first = (index)(blockIdx.x * blockDim.y); first < d.outer; first += step) {
        const index point = first + (index)threadIdx.y;
        const bool inside = point < d.outer;
        Folded f = nothing();
        if (inside) {
            const u8 *const q0 = m0;
            Folded total[4], run[4];
            #pragma unroll
            for (i32 j = 0; j < 4; j++) {
                total[j] = nothing();
            }
            for (index from = lane; from < d.inner; from += 32 * lanes) {
                #pragma unroll
                for (i32 j = 0; j < 4; j++) {
                    run[j] = nothing();
                }
                index lot = from;
                for (i32 k = 0; k < 32 && lot < d.inner; k++, lot += lanes) {
                    const index x0 = lot * 4;
                    const u8 *const p0 = q0 + x0 * 8;
                    const i32 count = (i32)(d.last - x0 < 4 ? d.last - x0 : 4);
                    const f64x4 l0 = read_f64x4(p0, count);
                    #pragma unroll
                    for (i32 j = 0; j < 4; j++) {
                        if (j < count) {
                            const f64 v0 = l0.at[j];
                            const f64 v2 = v0 - s0;
                            const f64 v3 = v2 * v2;
                            Folded g;
                            g.a0 = v3;
                            run[j] = join(run[j], g);
                        }
                    }
                }
                #pragma unroll
                for (i32 j = 0; j < 4; j++) {
                    total[j] = join(total[j], run[j]);
                }
            }
            #pragma unroll
            for (i32 j = 0; j < 4; j++) {
                f = join(f, total[j]);
            }
        }
        f = across(f);
        const bool head = inside && threadIdx.x == 0;
        if (gridDim.y > 1) {
            if (head) parts[(u64)blockIdx.y * d.outer + point] = f;
            if (!is_last_block(&tickets[first / (index)blockDim.y])) continue;
            f = nothing();
            for (u32 part = threadIdx.x; inside && part < gridDim.y; part += blockDim.x) {
                f = join(f, parts[(u64)part * d.outer + point]);
            }
            f = across(f);
        }
        if (head) {
            u8 *const p1 = m1;
            const f64 w0 = f.a0;
            const f64 w1 = sqrt(w0);
            store_f64(p1, w1);
        }
    }
}
