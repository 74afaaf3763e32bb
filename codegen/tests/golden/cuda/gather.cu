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
typedef struct { index outer, inner, last, segment; Axis axis[1]; index stride[4][1]; } Domain;

static __device__ i32 load_i32(const u8 *const at) { return *(const i32 *)at; }

static __device__ f64 load_f64(const u8 *const at) { return *(const f64 *)at; }

static __device__ void store_f64(u8 *const at, const f64 a) { *(f64 *)at = a; }

static __device__ i64 minimum_i64(const i64 a, const i64 b) { return a < b ? a : b; }

static __device__ i64 multiply_i64(const i64 a, const i64 b) { return (i64)(u64)((u64)a * (u64)b); }

typedef struct __align__(16) { i32 at[4]; } i32x4;

static __device__ i32x4 read_i32x4(const u8 *const at, const i32 count) {
    i32x4 lot;
    if (count == 4) return *(const i32x4 *)at;
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) lot.at[j] = load_i32(at + j * 4);
    }
    return lot;
}

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

static __device__ void write_f64x4(u8 *const at, const f64x4 lot, const i32 count) {
    if (count == 4) {
        *(f64x4 *)at = lot;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) store_f64(at + j * 8, lot.at[j]);
    }
}

extern "C" __global__ void __launch_bounds__(256) map(const u8 *__restrict__ const m0, const u8 *__restrict__ const m1, const u8 *__restrict__ const m2, u8 *__restrict__ const m3, const i64 s0, const Domain d) {
    const index step = (index)(gridDim.x * blockDim.x);
    for (index lot = (index)(blockIdx.x * blockDim.x + threadIdx.x); lot < d.outer; lot += step) {
        const index x0 = lot * 4;
        const u8 *const p0 = m0 + x0 * 4;
        const u8 *const p1 = m1 + x0 * 8;
        const u8 *const p2 = m2 + x0 * 8;
        u8 *const p3 = m3 + x0 * 8;
        const i32 count = (i32)(d.last - x0 < 4 ? d.last - x0 : 4);
        const i32x4 l0 = read_i32x4(p0, count);
        const f64x4 l2 = read_f64x4(p2, count);
        f64x4 r3;
        #pragma unroll
        for (i32 j = 0; j < 4; j++) {
            if (j < count) {
                const i32 v0 = l0.at[j];
                const i64 v1 = (i64)v0;
                const i64 v3 = minimum_i64(v1, s0);
                const i64 v5 = multiply_i64(v3, 8LL);
                const f64 v6 = load_f64((p1 + j * 8) + v5);
                const f64 v7 = l2.at[j];
                const f64 v8 = v6 * v7;
                r3.at[j] = v8;
            }
        }
        write_f64x4(p3, r3, count);
    }
}
