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

static __device__ f64 load_f64(const u8 *const at) { return *(const f64 *)at; }

static __device__ u64 bits_f64(const f64 a) { return (u64)__double_as_longlong(a); }

static __device__ u64 sign_bit_f64(void) { return (u64)1 << (8 * sizeof(f64) - 1); }

static __device__ u64 size_bits_f64(const f64 a) { return bits_f64(a) & ~sign_bit_f64(); }

static __device__ f64 bound_f64(const f64 a, const f64 b) { return size_bits_f64(a) < bits_f64(b) ? a : copysign(b, a); }

static __device__ const f64 powers_f64[16] = {
    1.0000000002870217, 1.044273782727143, 1.090507732978257, 1.1387886350835488,
    1.1892071153440493, 1.2418578124299242, 1.2968395550232308, 1.3542555473255935,
    1.4142135627790051, 1.4768261463633805, 1.5422108258505889, 1.6104903324115,
    1.6817928309901402, 1.756252160877382, 1.8340080869357427, 1.9152065619468532
};

static __device__ f64 entry_of_powers_f64(const u64 index) { return powers_f64[index & 15]; }

static __device__ f64 from_bits_f64(const u64 a) { return __longlong_as_double((i64)a); }

static __device__ i32 bias_f64(void) { return 1023; }

static __device__ i32 mantissa_width_f64(void) { return 52; }

static __device__ f64 infinity_f64(void) { return from_bits_f64((u64)(2 * bias_f64() + 1) << mantissa_width_f64()); }

static __device__ bool isfinite_f64(const f64 a) { return size_bits_f64(a) < bits_f64(infinity_f64()); }

static __device__ f64 limit_f64(const f64 a, const f64 b) {
    return isfinite_f64(b) ? a : bits_f64(b) == bits_f64(-infinity_f64()) ? (f64)0 : b;
}

static __device__ f64 magic_f64(void) { return 6755399441055744.0; }

// Two factors, as one would have to exceed the range of exponents; the first product is exact, so it rounds once.
static __device__ f64 scale_f64(const f64 a, const f64 b) {
    if (!isfinite_f64(b)) return a * (bits_f64(b) == bits_f64(-infinity_f64()) ? (f64)0 : b);
    const f64 kept = bound_f64(floor(b), (f64)(2 * bias_f64() - 10));
    const u64 whole = bits_f64(kept + (magic_f64() + (f64)(2 * bias_f64())));
    const u64 half = bits_f64(kept * (f64)0.5 + (magic_f64() + (f64)bias_f64()));
    return a * from_bits_f64(half << mantissa_width_f64()) * from_bits_f64((whole - half) << mantissa_width_f64());
}

static __device__ f64 exp_f64(const f64 a) {
    const f64 v0 = a;
    const f64 v2 = bound_f64(v0, 1000.0);
    const f64 v5 = fma(v2, 1.4426950408889634, 422212465065984.0);
    const f64 v6 = v5 - 422212465065984.0;
    const f64 v8 = fma(v6, (-0.6931471805582987), v2);
    const f64 v10 = fma(v6, (-1.6465949582897082e-12), v8);
    const f64 v13 = fma(0.001388915126833637, v10, 0.008333496409586241);
    const f64 v15 = fma(v13, v10, 0.041666666645785486);
    const f64 v17 = fma(v15, v10, 0.16666666658053422);
    const f64 v19 = fma(v17, v10, 0.49999999985649013);
    const f64 v21 = fma(v19, v10, 0.9999999997129805);
    const f64 v23 = fma(v21, v10, (-2.8702173962646664e-10));
    const u64 v24 = (u64)bits_f64(v5);
    const f64 v25 = entry_of_powers_f64(v24);
    const f64 v26 = fma(v25, v23, v25);
    const f64 v27 = limit_f64(v26, v0);
    const f64 v28 = scale_f64(v27, v6);
    return v28;
}

static __device__ void store_f64(u8 *const at, const f64 a) { *(f64 *)at = a; }

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

extern "C" __global__ void __launch_bounds__(256) reduce(const u8 *__restrict__ const m0, const u8 *__restrict__ const m1, u8 *__restrict__ const m2, u8 *__restrict__ const m3, const Domain d, Folded *const parts, u32 *const tickets) {
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
            const u8 *const q1 = m1 + x0 * d.stride[1][0];
            u8 *const q2 = m2 + x0 * d.stride[2][0];
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
                    const u8 *const p1 = q1 + x1 * d.stride[1][1];
                    u8 *const p2 = q2 + x1 * d.stride[2][1];
                    #pragma unroll
                    for (i32 j = 0; j < 1; j++) {
                        const f64 v0 = load_f64(p0);
                        const f64 v1 = load_f64(p1);
                        const f64 v2 = v0 - v1;
                        const f64 v3 = exp_f64(v2);
                        store_f64(p2, v3);
                        Folded g;
                        g.a0 = v3;
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
            u8 *const p3 = m3 + x0 * d.stride[3][0];
            const f64 w0 = f.a0;
            store_f64(p3, w0);
        }
    }
}
