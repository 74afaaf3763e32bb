=== map
// with i8 index

// Points, or vectors of them, of the outer and the inner domain; points of the last axis; vectors of a segment.
typedef struct { index outer, inner, last, segment; Axis axis[20]; index stride[48][20]; } Domain;

// with Arguments anew load_f64 store_c128 complex_c128 add_c128 multiply_c128 f64x2 read_f64x2 c128x2 write_c128x2

extern "C" __global__ void __launch_bounds__(256) map(const Arguments *const __restrict__ given) {
    const Arguments *const a = given;
    const index step = (index)(gridDim.x * blockDim.x);
    for (index vector = (index)(blockIdx.x * blockDim.x + threadIdx.x); vector < a->d.outer; vector += step) {
        const Arguments *const a = anew(given, vector);
        const f64 s0 = a->s0;
        const i8 s1 = a->s1;
        const c128 s2 = a->s2;
        const index n19 = over(vector, a->d.axis[19]);
        const index x19 = (vector - n19 * a->d.axis[19].extent) * 2;
        const index n18 = over(n19, a->d.axis[18]);
        const index x18 = n19 - n18 * a->d.axis[18].extent;
        const index n17 = over(n18, a->d.axis[17]);
        const index x17 = n18 - n17 * a->d.axis[17].extent;
        // 15 more like these
        const index n1 = over(n2, a->d.axis[1]);
        const index x1 = n2 - n1 * a->d.axis[1].extent;
        const index x0 = n1;
        const u8 *const p0 = a->m0 + x0 * a->d.stride[0][0] + x1 * a->d.stride[0][1] + x2 * a->d.stride[0][2] + x3 * a->d.stride[0][3] + x4 * a->d.stride[0][4] + x5 * a->d.stride[0][5] + x6 * a->d.stride[0][6] + x7 * a->d.stride[0][7] + x8 * a->d.stride[0][8] + x9 * a->d.stride[0][9] + x10 * a->d.stride[0][10] + x11 * a->d.stride[0][11] + x12 * a->d.stride[0][12] + x13 * a->d.stride[0][13] + x14 * a->d.stride[0][14] + x15 * a->d.stride[0][15] + x16 * a->d.stride[0][16] + x17 * a->d.stride[0][17] + x18 * a->d.stride[0][18] + x19 * 8;
        const u8 *const p1 = a->m1 + x0 * a->d.stride[1][0] + x1 * a->d.stride[1][1] + x2 * a->d.stride[1][2] + x3 * a->d.stride[1][3] + x4 * a->d.stride[1][4] + x5 * a->d.stride[1][5] + x6 * a->d.stride[1][6] + x7 * a->d.stride[1][7] + x8 * a->d.stride[1][8] + x9 * a->d.stride[1][9] + x10 * a->d.stride[1][10] + x11 * a->d.stride[1][11] + x12 * a->d.stride[1][12] + x13 * a->d.stride[1][13] + x14 * a->d.stride[1][14] + x15 * a->d.stride[1][15] + x16 * a->d.stride[1][16] + x17 * a->d.stride[1][17] + x18 * a->d.stride[1][18] + x19 * 8;
        // 44 more like these
        const u8 *const p46 = a->m46 + x0 * a->d.stride[46][0] + x1 * a->d.stride[46][1] + x2 * a->d.stride[46][2] + x3 * a->d.stride[46][3] + x4 * a->d.stride[46][4] + x5 * a->d.stride[46][5] + x6 * a->d.stride[46][6] + x7 * a->d.stride[46][7] + x8 * a->d.stride[46][8] + x9 * a->d.stride[46][9] + x10 * a->d.stride[46][10] + x11 * a->d.stride[46][11] + x12 * a->d.stride[46][12] + x13 * a->d.stride[46][13] + x14 * a->d.stride[46][14] + x15 * a->d.stride[46][15] + x16 * a->d.stride[46][16] + x17 * a->d.stride[46][17] + x18 * a->d.stride[46][18] + x19 * 8;
        u8 *const p47 = a->m47 + x0 * a->d.stride[47][0] + x1 * a->d.stride[47][1] + x2 * a->d.stride[47][2] + x3 * a->d.stride[47][3] + x4 * a->d.stride[47][4] + x5 * a->d.stride[47][5] + x6 * a->d.stride[47][6] + x7 * a->d.stride[47][7] + x8 * a->d.stride[47][8] + x9 * a->d.stride[47][9] + x10 * a->d.stride[47][10] + x11 * a->d.stride[47][11] + x12 * a->d.stride[47][12] + x13 * a->d.stride[47][13] + x14 * a->d.stride[47][14] + x15 * a->d.stride[47][15] + x16 * a->d.stride[47][16] + x17 * a->d.stride[47][17] + x18 * a->d.stride[47][18] + x19 * 16;
        const i32 count = (i32)(a->d.last - x19 < 2 ? a->d.last - x19 : 2);
        const f64x2 l0 = read_f64x2(p0, count);
        const f64x2 l1 = read_f64x2(p1, count);
        // 44 more like these
        const f64x2 l46 = read_f64x2(p46, count);
        c128x2 r47;
        #pragma unroll
        for (i32 j = 0; j < 2; j++) {
            if (j < count) {
                const f64 v1 = l0.at[j];
                const f64 v2 = s0 + v1;
                const f64 v3 = l1.at[j];
                const f64 v4 = v2 + v3;
                const f64 v5 = l2.at[j];
                const f64 v6 = v4 + v5;
                // 43 more like these
                const f64 v93 = l46.at[j];
                const f64 v94 = v92 + v93;
                const c128 v97 = complex_c128(v94, 0);
                const c128 v98 = complex_c128((f64)s1, 0);
                const c128 v99 = add_c128(v97, v98);
                const c128 v100 = multiply_c128(v99, s2);
                r47.at[j] = v100;
            }
        }
        write_c128x2(p47, r47, count);
    }
}

=== reduce
// with i8 index

// Points, or vectors of them, of the outer and the inner domain; points of the last axis; vectors of a segment.
typedef struct { index outer, inner, last, segment; Axis axis[20]; index stride[48][20]; } Domain;

// with Arguments anew load_f64 complex_c128 add_c128 multiply_c128 store_c128 f64x2 read_f64x2

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

// with further reduce_in_x is_last_block

extern "C" __global__ void __launch_bounds__(256) reduce(const Arguments *const __restrict__ given, Folded *const partials, u32 *const tickets) {
    const Arguments *const a = given;
    const index lane = (index)(blockIdx.y * blockDim.x + threadIdx.x);
    const index lanes = (index)(gridDim.y * blockDim.x);
    const index step = (index)(gridDim.x * blockDim.y);
    for (index first = (index)(blockIdx.x * blockDim.y); first < a->d.outer; first += step) {
        const Arguments *const a = anew(given, first);
        const f64 s0 = a->s0;
        const i8 s1 = a->s1;
        const c128 s2 = a->s2;
        const index point = first + (index)threadIdx.y;
        const bool inside = point < a->d.outer;
        const index n18 = over(point, a->d.axis[18]);
        const index x18 = point - n18 * a->d.axis[18].extent;
        const index n17 = over(n18, a->d.axis[17]);
        const index x17 = n18 - n17 * a->d.axis[17].extent;
        const index n16 = over(n17, a->d.axis[16]);
        const index x16 = n17 - n16 * a->d.axis[16].extent;
        // 14 more like these
        const index n1 = over(n2, a->d.axis[1]);
        const index x1 = n2 - n1 * a->d.axis[1].extent;
        const index x0 = n1;
        Folded f = nothing();
        if (inside) {
            const u8 *const q0 = a->m0 + x0 * a->d.stride[0][0] + x1 * a->d.stride[0][1] + x2 * a->d.stride[0][2] + x3 * a->d.stride[0][3] + x4 * a->d.stride[0][4] + x5 * a->d.stride[0][5] + x6 * a->d.stride[0][6] + x7 * a->d.stride[0][7] + x8 * a->d.stride[0][8] + x9 * a->d.stride[0][9] + x10 * a->d.stride[0][10] + x11 * a->d.stride[0][11] + x12 * a->d.stride[0][12] + x13 * a->d.stride[0][13] + x14 * a->d.stride[0][14] + x15 * a->d.stride[0][15] + x16 * a->d.stride[0][16] + x17 * a->d.stride[0][17] + x18 * a->d.stride[0][18];
            const u8 *const q1 = a->m1 + x0 * a->d.stride[1][0] + x1 * a->d.stride[1][1] + x2 * a->d.stride[1][2] + x3 * a->d.stride[1][3] + x4 * a->d.stride[1][4] + x5 * a->d.stride[1][5] + x6 * a->d.stride[1][6] + x7 * a->d.stride[1][7] + x8 * a->d.stride[1][8] + x9 * a->d.stride[1][9] + x10 * a->d.stride[1][10] + x11 * a->d.stride[1][11] + x12 * a->d.stride[1][12] + x13 * a->d.stride[1][13] + x14 * a->d.stride[1][14] + x15 * a->d.stride[1][15] + x16 * a->d.stride[1][16] + x17 * a->d.stride[1][17] + x18 * a->d.stride[1][18];
            // 44 more like these
            const u8 *const q46 = a->m46 + x0 * a->d.stride[46][0] + x1 * a->d.stride[46][1] + x2 * a->d.stride[46][2] + x3 * a->d.stride[46][3] + x4 * a->d.stride[46][4] + x5 * a->d.stride[46][5] + x6 * a->d.stride[46][6] + x7 * a->d.stride[46][7] + x8 * a->d.stride[46][8] + x9 * a->d.stride[46][9] + x10 * a->d.stride[46][10] + x11 * a->d.stride[46][11] + x12 * a->d.stride[46][12] + x13 * a->d.stride[46][13] + x14 * a->d.stride[46][14] + x15 * a->d.stride[46][15] + x16 * a->d.stride[46][16] + x17 * a->d.stride[46][17] + x18 * a->d.stride[46][18];
            Folded total[2], run[2];
            #pragma unroll
            for (i32 j = 0; j < 2; j++) {
                total[j] = nothing();
            }
            for (index from = lane; from < a->d.inner; from += 32 * lanes) {
                #pragma unroll
                for (i32 j = 0; j < 2; j++) {
                    run[j] = nothing();
                }
                index vector = from;
                for (i32 k = 0; k < 32 && vector < a->d.inner; k++, vector += lanes) {
                    const Arguments *const a = anew(given, vector);
                    const f64 s0 = a->s0;
                    const i8 s1 = a->s1;
                    const c128 s2 = a->s2;
                    const index x19 = vector * 2;
                    const u8 *const p0 = q0 + x19 * 8;
                    const u8 *const p1 = q1 + x19 * 8;
                    // 44 more like these
                    const u8 *const p46 = q46 + x19 * 8;
                    const i32 count = (i32)(a->d.last - x19 < 2 ? a->d.last - x19 : 2);
                    const f64x2 l0 = read_f64x2(p0, count);
                    const f64x2 l1 = read_f64x2(p1, count);
                    // 44 more like these
                    const f64x2 l46 = read_f64x2(p46, count);
                    #pragma unroll
                    for (i32 j = 0; j < 2; j++) {
                        if (j < count) {
                            const f64 v1 = l0.at[j];
                            const f64 v2 = s0 + v1;
                            const f64 v3 = l1.at[j];
                            const f64 v4 = v2 + v3;
                            const f64 v5 = l2.at[j];
                            const f64 v6 = v4 + v5;
                            // 43 more like these
                            const f64 v93 = l46.at[j];
                            const f64 v94 = v92 + v93;
                            Folded g;
                            g.a0 = v94;
                            run[j] = join(run[j], g);
                        }
                    }
                }
                #pragma unroll
                for (i32 j = 0; j < 2; j++) {
                    total[j] = join(total[j], run[j]);
                }
            }
            #pragma unroll
            for (i32 j = 0; j < 2; j++) {
                f = join(f, total[j]);
            }
        }
        f = reduce_in_x(f);
        const bool head = inside && threadIdx.x == 0;
        if (gridDim.y > 1) {
            if (head) partials[(u64)blockIdx.y * a->d.outer + point] = f;
            if (!is_last_block(&tickets[first / (index)blockDim.y])) continue;
            f = nothing();
            for (u32 block = threadIdx.x; inside && block < gridDim.y; block += blockDim.x) {
                f = join(f, partials[(u64)block * a->d.outer + point]);
            }
            f = reduce_in_x(f);
        }
        if (head) {
            u8 *const p47 = a->m47 + x0 * a->d.stride[47][0] + x1 * a->d.stride[47][1] + x2 * a->d.stride[47][2] + x3 * a->d.stride[47][3] + x4 * a->d.stride[47][4] + x5 * a->d.stride[47][5] + x6 * a->d.stride[47][6] + x7 * a->d.stride[47][7] + x8 * a->d.stride[47][8] + x9 * a->d.stride[47][9] + x10 * a->d.stride[47][10] + x11 * a->d.stride[47][11] + x12 * a->d.stride[47][12] + x13 * a->d.stride[47][13] + x14 * a->d.stride[47][14] + x15 * a->d.stride[47][15] + x16 * a->d.stride[47][16] + x17 * a->d.stride[47][17] + x18 * a->d.stride[47][18];
            const f64 w0 = f.a0;
            const c128 w3 = complex_c128(w0, 0);
            const c128 w4 = complex_c128((f64)s1, 0);
            const c128 w5 = add_c128(w3, w4);
            const c128 w6 = multiply_c128(w5, s2);
            store_c128(p47, w6);
        }
    }
}

=== scan
// with i8 index

// Points, or vectors of them, of the outer and the inner domain; points of the last axis; vectors of a segment.
typedef struct { index outer, inner, last, segment; Axis axis[20]; index stride[48][20]; } Domain;

// with Arguments anew load_f64 store_c128 complex_c128 add_c128 multiply_c128 f64x2 read_f64x2 c128x2 write_c128x2

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

// with former before

extern "C" __global__ void __launch_bounds__(256) scan(const Arguments *const __restrict__ given, Folded *const partials, const i32 phase) {
    const Arguments *const a = given;
    const index step = (index)(gridDim.x * blockDim.y);
    const index begin = (index)blockIdx.y * a->d.segment;
    const index end = a->d.inner - begin < a->d.segment ? a->d.inner : begin + a->d.segment;
    for (index first = (index)(blockIdx.x * blockDim.y); first < a->d.outer; first += step) {
        const Arguments *const a = anew(given, first);
        const f64 s0 = a->s0;
        const i8 s1 = a->s1;
        const c128 s2 = a->s2;
        const bool inside = first + (index)threadIdx.y < a->d.outer;
        const index point = inside ? first + (index)threadIdx.y : 0;
        const index n18 = over(point, a->d.axis[18]);
        const index x18 = point - n18 * a->d.axis[18].extent;
        const index n17 = over(n18, a->d.axis[17]);
        const index x17 = n18 - n17 * a->d.axis[17].extent;
        const index n16 = over(n17, a->d.axis[16]);
        const index x16 = n17 - n16 * a->d.axis[16].extent;
        // 14 more like these
        const index n1 = over(n2, a->d.axis[1]);
        const index x1 = n2 - n1 * a->d.axis[1].extent;
        const index x0 = n1;
        const u8 *const q0 = a->m0 + x0 * a->d.stride[0][0] + x1 * a->d.stride[0][1] + x2 * a->d.stride[0][2] + x3 * a->d.stride[0][3] + x4 * a->d.stride[0][4] + x5 * a->d.stride[0][5] + x6 * a->d.stride[0][6] + x7 * a->d.stride[0][7] + x8 * a->d.stride[0][8] + x9 * a->d.stride[0][9] + x10 * a->d.stride[0][10] + x11 * a->d.stride[0][11] + x12 * a->d.stride[0][12] + x13 * a->d.stride[0][13] + x14 * a->d.stride[0][14] + x15 * a->d.stride[0][15] + x16 * a->d.stride[0][16] + x17 * a->d.stride[0][17] + x18 * a->d.stride[0][18];
        const u8 *const q1 = a->m1 + x0 * a->d.stride[1][0] + x1 * a->d.stride[1][1] + x2 * a->d.stride[1][2] + x3 * a->d.stride[1][3] + x4 * a->d.stride[1][4] + x5 * a->d.stride[1][5] + x6 * a->d.stride[1][6] + x7 * a->d.stride[1][7] + x8 * a->d.stride[1][8] + x9 * a->d.stride[1][9] + x10 * a->d.stride[1][10] + x11 * a->d.stride[1][11] + x12 * a->d.stride[1][12] + x13 * a->d.stride[1][13] + x14 * a->d.stride[1][14] + x15 * a->d.stride[1][15] + x16 * a->d.stride[1][16] + x17 * a->d.stride[1][17] + x18 * a->d.stride[1][18];
        // 44 more like these
        const u8 *const q46 = a->m46 + x0 * a->d.stride[46][0] + x1 * a->d.stride[46][1] + x2 * a->d.stride[46][2] + x3 * a->d.stride[46][3] + x4 * a->d.stride[46][4] + x5 * a->d.stride[46][5] + x6 * a->d.stride[46][6] + x7 * a->d.stride[46][7] + x8 * a->d.stride[46][8] + x9 * a->d.stride[46][9] + x10 * a->d.stride[46][10] + x11 * a->d.stride[46][11] + x12 * a->d.stride[46][12] + x13 * a->d.stride[46][13] + x14 * a->d.stride[46][14] + x15 * a->d.stride[46][15] + x16 * a->d.stride[46][16] + x17 * a->d.stride[46][17] + x18 * a->d.stride[46][18];
        u8 *const q47 = a->m47 + x0 * a->d.stride[47][0] + x1 * a->d.stride[47][1] + x2 * a->d.stride[47][2] + x3 * a->d.stride[47][3] + x4 * a->d.stride[47][4] + x5 * a->d.stride[47][5] + x6 * a->d.stride[47][6] + x7 * a->d.stride[47][7] + x8 * a->d.stride[47][8] + x9 * a->d.stride[47][9] + x10 * a->d.stride[47][10] + x11 * a->d.stride[47][11] + x12 * a->d.stride[47][12] + x13 * a->d.stride[47][13] + x14 * a->d.stride[47][14] + x15 * a->d.stride[47][15] + x16 * a->d.stride[47][16] + x17 * a->d.stride[47][17] + x18 * a->d.stride[47][18];
        Folded carry = nothing();
        for (u32 block = 0; phase == 1 && block < blockIdx.y; block++) {
            carry = join(carry, partials[(u64)block * a->d.outer + point]);
        }
        for (index from = begin; from < end; from += (index)blockDim.x) {
            const index vector = from + (index)threadIdx.x;
            const Arguments *const a = anew(given, vector);
            const f64 s0 = a->s0;
            const i8 s1 = a->s1;
            const c128 s2 = a->s2;
            const index x19 = vector * 2;
            const u8 *const p0 = q0 + x19 * 8;
            const u8 *const p1 = q1 + x19 * 8;
            // 44 more like these
            const u8 *const p46 = q46 + x19 * 8;
            u8 *const p47 = q47 + x19 * 16;
            const i32 count = inside && vector < end ? (i32)(a->d.last - x19 < 2 ? a->d.last - x19 : 2) : 0;
            Folded own = nothing(), run[2];
            const f64x2 l0 = read_f64x2(p0, count);
            const f64x2 l1 = read_f64x2(p1, count);
            // 44 more like these
            const f64x2 l46 = read_f64x2(p46, count);
            #pragma unroll
            for (i32 j = 0; j < 2; j++) {
                if (j < count) {
                    const f64 v1 = l0.at[j];
                    const f64 v2 = s0 + v1;
                    const f64 v3 = l1.at[j];
                    const f64 v4 = v2 + v3;
                    const f64 v5 = l2.at[j];
                    const f64 v6 = v4 + v5;
                    // 43 more like these
                    const f64 v93 = l46.at[j];
                    const f64 v94 = v92 + v93;
                    Folded g;
                    g.a0 = v94;
                    own = join(own, g);
                }
                run[j] = own;
            }
            Folded all;
            const Folded prior = join(carry, before(own, &all));
            if (phase == 1) {
                c128x2 r47;
                #pragma unroll
                for (i32 j = 0; j < 2; j++) {
                    if (j < count) {
                        const Folded f = join(prior, run[j]);
                        const f64 w0 = f.a0;
                        const c128 w3 = complex_c128(w0, 0);
                        const c128 w4 = complex_c128((f64)s1, 0);
                        const c128 w5 = add_c128(w3, w4);
                        const c128 w6 = multiply_c128(w5, s2);
                        r47.at[j] = w6;
                    }
                }
                write_c128x2(p47, r47, count);
            }
            carry = join(carry, all);
        }
        if (phase == 0 && inside && threadIdx.x == 0) partials[(u64)blockIdx.y * a->d.outer + point] = carry;
    }
}
