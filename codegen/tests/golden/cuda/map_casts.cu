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
typedef struct { index outer, inner, last, segment; Axis axis[1]; index stride[5][1]; } Domain;

static __device__ f64 load_f64(const u8 *const at) { return *(const f64 *)at; }

static __device__ u8 load_u8(const u8 *const at) { return *(const u8 *)at; }

static __device__ void store_c64(u8 *const at, const c64 a) {
    ((f32 *)at)[0] = a.re;
    ((f32 *)at)[1] = a.im;
}

static __device__ void store_i32(u8 *const at, const i32 a) { *(i32 *)at = a; }

static __device__ void store_u8(u8 *const at, const u8 a) { *(u8 *)at = a; }

static __device__ c64 complex_c64(const f32 re, const f32 im) {
    c64 z;
    z.re = re;
    z.im = im;
    return z;
}

static __device__ i32 lowest_i32(void) { return (i32)((u32)1 << (8 * sizeof(i32) - 1)); }

static __device__ i32 i32_of_f64(const f64 a) { return a > (f64)-2147483649.0 && a < (f64)2147483648.0 ? (i32)a : lowest_i32(); }

static __device__ i32 left_shift_i32(const i32 a, const i32 b) { return (u32)b < 8 * sizeof(i32) ? (i32)((u32)a << (u32)b) : (i32)0; }

static __device__ u32 magnitude_i32(const i32 a) { return a < 0 ? (u32)(0 - (u32)a) : (u32)a; }

static __device__ u8 bitwise_count_i32(const i32 a) { return (u8)__popcll((u64)magnitude_i32(a)); }

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

typedef struct __align__(4) { u8 at[4]; } u8x4;

static __device__ u8x4 read_u8x4(const u8 *const at, const i32 count) {
    u8x4 lot;
    if (count == 4) return *(const u8x4 *)at;
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) lot.at[j] = load_u8(at + j * 1);
    }
    return lot;
}

typedef struct __align__(16) { c64 at[4]; } c64x4;

static __device__ void write_c64x4(u8 *const at, const c64x4 lot, const i32 count) {
    if (count == 4) {
        *(c64x4 *)at = lot;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) store_c64(at + j * 8, lot.at[j]);
    }
}

typedef struct __align__(16) { i32 at[4]; } i32x4;

static __device__ void write_i32x4(u8 *const at, const i32x4 lot, const i32 count) {
    if (count == 4) {
        *(i32x4 *)at = lot;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) store_i32(at + j * 4, lot.at[j]);
    }
}

static __device__ void write_u8x4(u8 *const at, const u8x4 lot, const i32 count) {
    if (count == 4) {
        *(u8x4 *)at = lot;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) store_u8(at + j * 1, lot.at[j]);
    }
}

extern "C" __global__ void __launch_bounds__(256) map(const u8 *__restrict__ const m0, const u8 *__restrict__ const m1, u8 *__restrict__ const m2, u8 *__restrict__ const m3, u8 *__restrict__ const m4, const Domain d) {
    const index step = (index)(gridDim.x * blockDim.x);
    for (index lot = (index)(blockIdx.x * blockDim.x + threadIdx.x); lot < d.outer; lot += step) {
        const index x0 = lot * 4;
        const u8 *const p0 = m0 + x0 * 8;
        u8 *const p2 = m2 + x0 * 8;
        const u8 *const p1 = m1 + x0 * 1;
        u8 *const p3 = m3 + x0 * 4;
        u8 *const p4 = m4 + x0 * 1;
        const i32 count = (i32)(d.last - x0 < 4 ? d.last - x0 : 4);
        const f64x4 l0 = read_f64x4(p0, count);
        const u8x4 l1 = read_u8x4(p1, count);
        c64x4 r2;
        i32x4 r3;
        u8x4 r4;
        #pragma unroll
        for (i32 j = 0; j < 4; j++) {
            if (j < count) {
                const f64 v0 = l0.at[j];
                const f32 v1 = (f32)v0;
                const c64 v2 = complex_c64(v1, 0);
                r2.at[j] = v2;
                const i32 v4 = (i32)i32_of_f64(v0);
                const u8 v5 = l1.at[j];
                const i32 v6 = (i32)v5;
                const i32 v7 = left_shift_i32(v4, v6);
                r3.at[j] = v7;
                const u8 v9 = bitwise_count_i32(v7);
                r4.at[j] = v9;
            }
        }
        write_c64x4(p2, r2, count);
        write_i32x4(p3, r3, count);
        write_u8x4(p4, r4, count);
    }
}
