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
typedef struct { index outer, inner, last, segment; Axis axis[2]; index stride[1][2]; } Domain;

static __device__ void store_f64(u8 *const at, const f64 a) { *(f64 *)at = a; }

typedef struct __align__(16) { f64 at[4]; } f64x4;

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

extern "C" __global__ void __launch_bounds__(256) map(u8 *__restrict__ const m0, const Domain d) {
    const index step = (index)(gridDim.x * blockDim.x);
    for (index lot = (index)(blockIdx.x * blockDim.x + threadIdx.x); lot < d.outer; lot += step) {
        const index n1 = over(lot, d.axis[1]);
        const index x1 = (lot - n1 * d.axis[1].extent) * 4;
        const index x0 = n1;
        u8 *const p0 = m0 + x0 * d.stride[0][0] + x1 * 8;
        const i32 count = (i32)(d.last - x1 < 4 ? d.last - x1 : 4);
        f64x4 r0;
        #pragma unroll
        for (i32 j = 0; j < 4; j++) {
            if (j < count) {
                const i64 v0 = (i64)x0;
                const i64 v1 = (i64)x1 + j;
                const bool v2 = v0 == v1;
                const f64 v3 = (f64)v2;
                r0.at[j] = v3;
            }
        }
        write_f64x4(p0, r0, count);
    }
}
