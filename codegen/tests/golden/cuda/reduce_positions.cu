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
typedef struct { index outer, inner, last, segment; Axis axis[3]; index stride[3][3]; } Domain;

static __device__ i16 load_i16(const u8 *const at) { return *(const i16 *)at; }

static __device__ i64 add_i64(const i64 a, const i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ void store_i64(u8 *const at, const i64 a) { *(i64 *)at = a; }

// What points come to together.
typedef struct __align__(4) { i16 a0; i64 p0; i16 a1; i64 p1; } Folded;

static __device__ Folded nothing(void) {
    Folded f;
    f.a0 = (i16)0;
    f.p0 = -1;
    f.a1 = (i16)0;
    f.p1 = -1;
    return f;
}

static __device__ Folded join(const Folded a, const Folded b) {
    Folded f;
    const bool m0 = false, n0 = false, e0 = a.a0 == b.a0;
    const bool w0 = a.a0 < b.a0;
    const bool k0 = b.p0 < 0 || (a.p0 >= 0 && (m0 & n0 || e0 ? a.p0 < b.p0 : m0 | n0 ? m0 : w0));
    f.a0 = k0 ? a.a0 : b.a0;
    f.p0 = k0 ? a.p0 : b.p0;
    const bool m1 = false, n1 = false, e1 = a.a1 == b.a1;
    const bool w1 = a.a1 > b.a1;
    const bool k1 = b.p1 < 0 || (a.p1 >= 0 && (m1 & n1 || e1 ? a.p1 < b.p1 : m1 | n1 ? m1 : w1));
    f.a1 = k1 ? a.a1 : b.a1;
    f.p1 = k1 ? a.p1 : b.p1;
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

extern "C" __global__ void __launch_bounds__(256) reduce(const u8 *__restrict__ const m0, u8 *__restrict__ const m1, u8 *__restrict__ const m2, const Domain d, Folded *const parts, u32 *const tickets) {
    const index lane = (index)(blockIdx.y * blockDim.x + threadIdx.x);
    const index lanes = (index)(gridDim.y * blockDim.x);
    const index step = (index)(gridDim.x * blockDim.y);
    for (index first = (index)(blockIdx.x * blockDim.y); first < d.outer; first += step) {
        const index point = first + (index)threadIdx.y;
        const bool inside = point < d.outer;
        const index x0 = point;
        Folded f = nothing();
        if (inside) {
            const u8 *const q0 = m0 + x0 * d.stride[0][0];
            Folded total[1], run[1];
            #pragma unroll
            for (i32 j = 0; j < 1; j++) {
                total[j] = nothing();
            }
            for (index from = lane; from < d.inner; from += 32 * lanes) {
                #pragma unroll
                for (i32 j = 0; j < 1; j++) {
                    run[j] = nothing();
                }
                index lot = from;
                for (i32 k = 0; k < 32 && lot < d.inner; k++, lot += lanes) {
                    const index n2 = over(lot, d.axis[2]);
                    const index x2 = lot - n2 * d.axis[2].extent;
                    const index x1 = n2;
                    const u8 *const p0 = q0 + x1 * d.stride[0][1] + x2 * d.stride[0][2];
                    #pragma unroll
                    for (i32 j = 0; j < 1; j++) {
                        const i16 v0 = load_i16(p0);
                        Folded g;
                        g.a0 = v0;
                        g.p0 = (i64)n2 * d.last + x2 + j;
                        g.a1 = v0;
                        g.p1 = (i64)n2 * d.last + x2 + j;
                        run[j] = join(run[j], g);
                    }
                }
                #pragma unroll
                for (i32 j = 0; j < 1; j++) {
                    total[j] = join(total[j], run[j]);
                }
            }
            #pragma unroll
            for (i32 j = 0; j < 1; j++) {
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
            u8 *const p1 = m1 + x0 * d.stride[1][0];
            u8 *const p2 = m2 + x0 * d.stride[2][0];
            const i64 w0 = f.p0;
            const i64 w1 = (i64)x0;
            const i64 w2 = add_i64(w0, w1);
            store_i64(p1, w2);
            const i64 w4 = f.p1;
            store_i64(p2, w4);
        }
    }
}
