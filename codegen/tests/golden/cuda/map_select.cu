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

static __device__ f32 load_f32(const u8 *const at) { return *(const f32 *)at; }

static __device__ void store_f32(u8 *const at, const f32 a) { *(f32 *)at = a; }

static __device__ bool isnan_f32(const f32 a) { return a != a; }

typedef struct __align__(16) { f32 at[8]; } f32x8;

static __device__ f32x8 read_f32x8(const u8 *const at, const i32 count) {
    f32x8 lot;
    if (count == 8) return *(const f32x8 *)at;
    #pragma unroll
    for (i32 j = 0; j < 8; j++) {
        if (j < count) lot.at[j] = load_f32(at + j * 4);
    }
    return lot;
}

static __device__ void write_f32x8(u8 *const at, const f32x8 lot, const i32 count) {
    if (count == 8) {
        *(f32x8 *)at = lot;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 8; j++) {
        if (j < count) store_f32(at + j * 4, lot.at[j]);
    }
}

extern "C" __global__ void __launch_bounds__(256) map(const u8 *__restrict__ const m0, u8 *__restrict__ const m1, const f32 s0, const Domain d) {
    const index step = (index)(gridDim.x * blockDim.x);
    for (index lot = (index)(blockIdx.x * blockDim.x + threadIdx.x); lot < d.outer; lot += step) {
        const index x0 = lot * 8;
        const u8 *const p0 = m0 + x0 * 4;
        u8 *const p1 = m1 + x0 * 4;
        const i32 count = (i32)(d.last - x0 < 8 ? d.last - x0 : 8);
        const f32x8 l0 = read_f32x8(p0, count);
        f32x8 r1;
        #pragma unroll
        for (i32 j = 0; j < 8; j++) {
            if (j < count) {
                const f32 v0 = l0.at[j];
                const bool v2 = isnan_f32(v0);
                const bool v3 = v0 < s0;
                const bool v4 = v2 | v3;
                const f32 v5 = v4 ? s0 : v0;
                r1.at[j] = v5;
            }
        }
        write_f32x8(p1, r1, count);
    }
}
