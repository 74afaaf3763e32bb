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
typedef struct { index outer, inner, last, segment; Axis axis[2]; index stride[4][2]; } Domain;

static __device__ f32 from_bits_f32(const u32 a) { return __uint_as_float(a); }

static __device__ f32 maximum_f32(const f32 a, const f32 b) { return a > b || a != a ? a : b; }

static __device__ f32 minimum_f32(const f32 a, const f32 b) { return a < b || a != a ? a : b; }

static __device__ f32 load_f32(const u8 *const at) { return *(const f32 *)at; }

static __device__ u32 bits_f32(const f32 a) { return __float_as_uint(a); }

static __device__ u32 sign_bit_f32(void) { return (u32)1 << (8 * sizeof(f32) - 1); }

static __device__ u32 size_bits_f32(const f32 a) { return bits_f32(a) & ~sign_bit_f32(); }

static __device__ i32 bias_f32(void) { return 127; }

static __device__ i32 mantissa_width_f32(void) { return 23; }

static __device__ f32 infinity_f32(void) { return from_bits_f32((u32)(2 * bias_f32() + 1) << mantissa_width_f32()); }

static __device__ bool isfinite_f32(const f32 a) { return size_bits_f32(a) < bits_f32(infinity_f32()); }

static __device__ void store_f32(u8 *const at, const f32 a) { *(f32 *)at = a; }

static __device__ void store_bool(u8 *const at, const bool a) { *at = a; }

// What points come to together.
typedef struct __align__(4) { f32 a0; f32 a1; f32 a2; bool a3; } Folded;

static __device__ Folded nothing(void) {
    Folded f;
    f.a0 = 0.0f;
    f.a1 = from_bits_f32(0xff800000U);
    f.a2 = from_bits_f32(0x7f800000U);
    f.a3 = true;
    return f;
}

static __device__ Folded join(const Folded a, const Folded b) {
    Folded f;
    f.a0 = a.a0 + b.a0;
    f.a1 = maximum_f32(a.a1, b.a1);
    f.a2 = minimum_f32(a.a2, b.a2);
    f.a3 = a.a3 & b.a3;
    return f;
}

// What the lanes of a group hold together; lane 0 gets it.
static __device__ Folded across(Folded f) {
    __shared__ Folded shared[256];
    if (blockDim.y == 1) return f;
    __syncthreads();
    shared[threadIdx.y * blockDim.x + threadIdx.x] = f;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (i32 lane = 1; lane < (i32)blockDim.y; lane++) f = join(f, shared[lane * blockDim.x + threadIdx.x]);
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

extern "C" __global__ void __launch_bounds__(256) reduce(const u8 *__restrict__ const m0, u8 *__restrict__ const m1, u8 *__restrict__ const m2, u8 *__restrict__ const m3, const f32 s0, const Domain d, Folded *const parts, u32 *const tickets) {
    const index lane = (index)(blockIdx.y * blockDim.y + threadIdx.y);
    const index lanes = (index)(gridDim.y * blockDim.y);
    const index step = (index)(gridDim.x * blockDim.x);
    for (index first = (index)(blockIdx.x * blockDim.x); first < d.outer; first += step) {
        const index point = first + (index)threadIdx.x;
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
                    const index x1 = lot;
                    const u8 *const p0 = q0 + x1 * d.stride[0][1];
                    #pragma unroll
                    for (i32 j = 0; j < 1; j++) {
                        const f32 v0 = load_f32(p0);
                        const bool v1 = isfinite_f32(v0);
                        Folded g;
                        g.a0 = v0;
                        g.a1 = v0;
                        g.a2 = v0;
                        g.a3 = v1;
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
        const bool head = inside && threadIdx.y == 0;
        if (gridDim.y > 1) {
            if (head) parts[(u64)blockIdx.y * d.outer + point] = f;
            if (!is_last_block(&tickets[first / (index)blockDim.x])) continue;
            f = nothing();
            for (u32 part = threadIdx.y; inside && part < gridDim.y; part += blockDim.y) {
                f = join(f, parts[(u64)part * d.outer + point]);
            }
            f = across(f);
        }
        if (head) {
            u8 *const p1 = m1 + x0 * d.stride[1][0];
            u8 *const p2 = m2 + x0 * d.stride[2][0];
            u8 *const p3 = m3 + x0 * d.stride[3][0];
            const f32 w0 = f.a0;
            const f32 w2 = w0 / s0;
            store_f32(p1, w2);
            const f32 w4 = f.a1;
            const f32 w5 = f.a2;
            const f32 w6 = w4 - w5;
            store_f32(p2, w6);
            const bool w8 = f.a3;
            store_bool(p3, w8);
        }
    }
}
