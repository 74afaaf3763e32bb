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
typedef struct { index outer, inner, last, segment; Axis axis[2]; index stride[3][2]; } Domain;

static __device__ f64 load_f64(const u8 *const at) { return *(const f64 *)at; }

static __device__ void store_f64(u8 *const at, const f64 a) { *(f64 *)at = a; }

static __device__ f64 from_bits_f64(const u64 a) { return __longlong_as_double((i64)a); }

static __device__ f64 maximum_f64(const f64 a, const f64 b) { return a > b || a != a ? a : b; }

typedef struct __align__(16) { f64 at[2]; } f64x2;

static __device__ f64x2 read_f64x2(const u8 *const at, const i32 count) {
    f64x2 lot;
    if (count == 2) return *(const f64x2 *)at;
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) lot.at[j] = load_f64(at + j * 8);
    }
    return lot;
}

static __device__ void write_f64x2(u8 *const at, const f64x2 lot, const i32 count) {
    if (count == 2) {
        *(f64x2 *)at = lot;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) store_f64(at + j * 8, lot.at[j]);
    }
}

// What points come to together.
typedef struct __align__(4) { f64 a0; f64 a1; } Folded;

static __device__ Folded nothing(void) {
    Folded f;
    f.a0 = 0.0;
    f.a1 = from_bits_f64(0xfff0000000000000ULL);
    return f;
}

static __device__ Folded join(const Folded a, const Folded b) {
    Folded f;
    f.a0 = a.a0 + b.a0;
    f.a1 = maximum_f64(a.a1, b.a1);
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

extern "C" __global__ void __launch_bounds__(256) scan(const u8 *__restrict__ const m0, u8 *__restrict__ const m1, u8 *__restrict__ const m2, const Domain d, Folded *const parts, const i32 phase) {
    const index step = (index)(gridDim.x * blockDim.y);
    const index begin = (index)blockIdx.y * d.segment;
    const index end = d.inner - begin < d.segment ? d.inner : begin + d.segment;
    for (index first = (index)(blockIdx.x * blockDim.y); first < d.outer; first += step) {
        const bool inside = first + (index)threadIdx.y < d.outer;
        const index point = inside ? first + (index)threadIdx.y : 0;
        const index x0 = point;
        const u8 *const q0 = m0 + x0 * d.stride[0][0];
        u8 *const q1 = m1 + x0 * d.stride[1][0];
        u8 *const q2 = m2 + x0 * d.stride[2][0];
        Folded carry = nothing();
        for (u32 part = 0; phase == 1 && part < blockIdx.y; part++) {
            carry = join(carry, parts[(u64)part * d.outer + point]);
        }
        for (index from = begin; from < end; from += (index)blockDim.x) {
            const index lot = from + (index)threadIdx.x;
            const index x1 = lot * 2;
            const u8 *const p0 = q0 + x1 * 8;
            u8 *const p1 = q1 + x1 * 8;
            u8 *const p2 = q2 + x1 * 8;
            const i32 count = inside && lot < end ? (i32)(d.last - x1 < 2 ? d.last - x1 : 2) : 0;
            Folded own = nothing(), run[2];
            const f64x2 l0 = read_f64x2(p0, count);
            #pragma unroll
            for (i32 j = 0; j < 2; j++) {
                if (j < count) {
                    const f64 v0 = l0.at[j];
                    Folded g;
                    g.a0 = v0;
                    g.a1 = v0;
                    own = join(own, g);
                }
                run[j] = own;
            }
            Folded all;
            const Folded prior = join(carry, before(own, &all));
            if (phase == 1) {
                const f64x2 l0 = read_f64x2(p0, count);
                f64x2 r1;
                f64x2 r2;
                #pragma unroll
                for (i32 j = 0; j < 2; j++) {
                    if (j < count) {
                        const Folded f = join(prior, run[j]);
                        const f64 w0 = f.a0;
                        r1.at[j] = w0;
                        const f64 w2 = f.a1;
                        const f64 w3 = l0.at[j];
                        const f64 w4 = w2 - w3;
                        const i64 w5 = (i64)x1 + j;
                        const f64 w6 = (f64)w5;
                        const f64 w7 = w4 / w6;
                        r2.at[j] = w7;
                    }
                }
                write_f64x2(p1, r1, count);
                write_f64x2(p2, r2, count);
            }
            carry = join(carry, all);
        }
        if (phase == 0 && inside && threadIdx.x == 0) parts[(u64)blockIdx.y * d.outer + point] = carry;
    }
}
