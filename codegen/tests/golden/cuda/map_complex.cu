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

static __device__ c128 complex_c128(const f64 re, const f64 im) {
    c128 z;
    z.re = re;
    z.im = im;
    return z;
}

// By parts: complex numbers align as those do.
static __device__ c128 load_c128(const u8 *const at) { return complex_c128(((const f64 *)at)[0], ((const f64 *)at)[1]); }

static __device__ void store_f64(u8 *const at, const f64 a) { *(f64 *)at = a; }

static __device__ c128 multiply_c128(const c128 a, const c128 b) {
    return complex_c128(fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re));
}

static __device__ c128 conjugate_c128(const c128 a) { return complex_c128(a.re, -a.im); }

static __device__ u64 bits_f64(const f64 a) { return (u64)__double_as_longlong(a); }

static __device__ u64 sign_bit_f64(void) { return (u64)1 << (8 * sizeof(f64) - 1); }

static __device__ u64 size_bits_f64(const f64 a) { return bits_f64(a) & ~sign_bit_f64(); }

static __device__ f64 from_bits_f64(const u64 a) { return __longlong_as_double((i64)a); }

static __device__ i32 bias_f64(void) { return 1023; }

static __device__ i32 mantissa_width_f64(void) { return 52; }

static __device__ f64 infinity_f64(void) { return from_bits_f64((u64)(2 * bias_f64() + 1) << mantissa_width_f64()); }

static __device__ bool isinf_f64(const f64 a) { return size_bits_f64(a) == bits_f64(infinity_f64()); }

// Brought to where squares neither overflow nor vanish.
static __device__ f64 absolute_c128(const c128 a) {
    if (isinf_f64(a.re) || isinf_f64(a.im)) return infinity_f64();
    const f64 large = fabs(a.re) > fabs(a.im) ? fabs(a.re) : fabs(a.im);
    const f64 up = from_bits_f64(1623ULL << 52);
    const f64 scale = large > 1e153 ? 1 / up : large < 1e-144 ? up : 1, back = 1 / scale;
    const f64 x = a.re * scale, y = a.im * scale;
    return sqrt(x * x + y * y) * back;
}

typedef struct __align__(16) { c128 at[2]; } c128x2;

static __device__ c128x2 read_c128x2(const u8 *const at, const i32 count) {
    c128x2 lot;
    if (count == 2) return *(const c128x2 *)at;
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) lot.at[j] = load_c128(at + j * 16);
    }
    return lot;
}

typedef struct __align__(16) { f64 at[2]; } f64x2;

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

extern "C" __global__ void __launch_bounds__(256) map(const u8 *__restrict__ const m0, u8 *__restrict__ const m1, const c128 s0, const Domain d) {
    const index step = (index)(gridDim.x * blockDim.x);
    for (index lot = (index)(blockIdx.x * blockDim.x + threadIdx.x); lot < d.outer; lot += step) {
        const index x0 = lot * 2;
        const u8 *const p0 = m0 + x0 * 16;
        u8 *const p1 = m1 + x0 * 8;
        const i32 count = (i32)(d.last - x0 < 2 ? d.last - x0 : 2);
        const c128x2 l0 = read_c128x2(p0, count);
        f64x2 r1;
        #pragma unroll
        for (i32 j = 0; j < 2; j++) {
            if (j < count) {
                const c128 v0 = l0.at[j];
                const c128 v2 = multiply_c128(v0, s0);
                const c128 v3 = conjugate_c128(v2);
                const f64 v4 = absolute_c128(v3);
                r1.at[j] = v4;
            }
        }
        write_f64x2(p1, r1, count);
    }
}
