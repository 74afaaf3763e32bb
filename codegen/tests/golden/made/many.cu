=== map
// with i8 index

// Points, or lots of them, of the outer and the inner domain; points of the last axis; a part's share of lots.
typedef struct { index outer, inner, last, segment; Axis axis[20]; index stride[48][20]; } Domain;

// with Arguments anew load_f64 store_c128 complex_c128 add_c128 multiply_c128 f64x2 read_f64x2 c128x2 write_c128x2

extern "C" __global__ void __launch_bounds__(256) map(const Arguments *const __restrict__ given) {
    const Arguments *const a = given;
    const index step = (index)(gridDim.x * blockDim.x);
    for (index lot = (index)(blockIdx.x * blockDim.x + threadIdx.x); lot < a->d.outer; lot += step) {
        const Arguments *const a = anew(given, lot);
        const f64 s0 = a->s0;
        const i8 s1 = a->s1;
        const c128 s2 = a->s2;
        const index n19 = over(lot, a->d.axis[19]);
        const index x19 = (lot - n19 * a->d.axis[19].extent) * 2;
        const index n18 = over(n19, a->d.axis[18]);
        const index x18 = n19 - n18 * a->d.axis[18].extent;
        const index n17 = over(n18, a->d.axis[17]);
        const index x17 = n18 - n17 * a->d.axis[17].extent;
        const index n16 = over(n17, a->d.axis[16]);
        const index x16 = n17 - n16 * a->d.axis[16].extent;
        const index n15 = over(n16, a->d.axis[15]);
        const index x15 = n16 - n15 * a->d.axis[15].extent;
        const index n14 = over(n15, a->d.axis[14]);
        const index x14 = n15 - n14 * a->d.axis[14].extent;
        const index n13 = over(n14, a->d.axis[13]);
        const index x13 = n14 - n13 * a->d.axis[13].extent;
        const index n12 = over(n13, a->d.axis[12]);
        const index x12 = n13 - n12 * a->d.axis[12].extent;
        const index n11 = over(n12, a->d.axis[11]);
        const index x11 = n12 - n11 * a->d.axis[11].extent;
        const index n10 = over(n11, a->d.axis[10]);
        const index x10 = n11 - n10 * a->d.axis[10].extent;
        const index n9 = over(n10, a->d.axis[9]);
        const index x9 = n10 - n9 * a->d.axis[9].extent;
        const index n8 = over(n9, a->d.axis[8]);
        const index x8 = n9 - n8 * a->d.axis[8].extent;
        const index n7 = over(n8, a->d.axis[7]);
        const index x7 = n8 - n7 * a->d.axis[7].extent;
        const index n6 = over(n7, a->d.axis[6]);
        const index x6 = n7 - n6 * a->d.axis[6].extent;
        const index n5 = over(n6, a->d.axis[5]);
        const index x5 = n6 - n5 * a->d.axis[5].extent;
        const index n4 = over(n5, a->d.axis[4]);
        const index x4 = n5 - n4 * a->d.axis[4].extent;
        const index n3 = over(n4, a->d.axis[3]);
        const index x3 = n4 - n3 * a->d.axis[3].extent;
        const index n2 = over(n3, a->d.axis[2]);
        const index x2 = n3 - n2 * a->d.axis[2].extent;
        const index n1 = over(n2, a->d.axis[1]);
        const index x1 = n2 - n1 * a->d.axis[1].extent;
        const index x0 = n1;
        const u8 *const p0 = a->m0 + x0 * a->d.stride[0][0] + x1 * a->d.stride[0][1] + x2 * a->d.stride[0][2] + x3 * a->d.stride[0][3] + x4 * a->d.stride[0][4] + x5 * a->d.stride[0][5] + x6 * a->d.stride[0][6] + x7 * a->d.stride[0][7] + x8 * a->d.stride[0][8] + x9 * a->d.stride[0][9] + x10 * a->d.stride[0][10] + x11 * a->d.stride[0][11] + x12 * a->d.stride[0][12] + x13 * a->d.stride[0][13] + x14 * a->d.stride[0][14] + x15 * a->d.stride[0][15] + x16 * a->d.stride[0][16] + x17 * a->d.stride[0][17] + x18 * a->d.stride[0][18] + x19 * 8;
        const u8 *const p1 = a->m1 + x0 * a->d.stride[1][0] + x1 * a->d.stride[1][1] + x2 * a->d.stride[1][2] + x3 * a->d.stride[1][3] + x4 * a->d.stride[1][4] + x5 * a->d.stride[1][5] + x6 * a->d.stride[1][6] + x7 * a->d.stride[1][7] + x8 * a->d.stride[1][8] + x9 * a->d.stride[1][9] + x10 * a->d.stride[1][10] + x11 * a->d.stride[1][11] + x12 * a->d.stride[1][12] + x13 * a->d.stride[1][13] + x14 * a->d.stride[1][14] + x15 * a->d.stride[1][15] + x16 * a->d.stride[1][16] + x17 * a->d.stride[1][17] + x18 * a->d.stride[1][18] + x19 * 8;
        const u8 *const p2 = a->m2 + x0 * a->d.stride[2][0] + x1 * a->d.stride[2][1] + x2 * a->d.stride[2][2] + x3 * a->d.stride[2][3] + x4 * a->d.stride[2][4] + x5 * a->d.stride[2][5] + x6 * a->d.stride[2][6] + x7 * a->d.stride[2][7] + x8 * a->d.stride[2][8] + x9 * a->d.stride[2][9] + x10 * a->d.stride[2][10] + x11 * a->d.stride[2][11] + x12 * a->d.stride[2][12] + x13 * a->d.stride[2][13] + x14 * a->d.stride[2][14] + x15 * a->d.stride[2][15] + x16 * a->d.stride[2][16] + x17 * a->d.stride[2][17] + x18 * a->d.stride[2][18] + x19 * 8;
        const u8 *const p3 = a->m3 + x0 * a->d.stride[3][0] + x1 * a->d.stride[3][1] + x2 * a->d.stride[3][2] + x3 * a->d.stride[3][3] + x4 * a->d.stride[3][4] + x5 * a->d.stride[3][5] + x6 * a->d.stride[3][6] + x7 * a->d.stride[3][7] + x8 * a->d.stride[3][8] + x9 * a->d.stride[3][9] + x10 * a->d.stride[3][10] + x11 * a->d.stride[3][11] + x12 * a->d.stride[3][12] + x13 * a->d.stride[3][13] + x14 * a->d.stride[3][14] + x15 * a->d.stride[3][15] + x16 * a->d.stride[3][16] + x17 * a->d.stride[3][17] + x18 * a->d.stride[3][18] + x19 * 8;
        const u8 *const p4 = a->m4 + x0 * a->d.stride[4][0] + x1 * a->d.stride[4][1] + x2 * a->d.stride[4][2] + x3 * a->d.stride[4][3] + x4 * a->d.stride[4][4] + x5 * a->d.stride[4][5] + x6 * a->d.stride[4][6] + x7 * a->d.stride[4][7] + x8 * a->d.stride[4][8] + x9 * a->d.stride[4][9] + x10 * a->d.stride[4][10] + x11 * a->d.stride[4][11] + x12 * a->d.stride[4][12] + x13 * a->d.stride[4][13] + x14 * a->d.stride[4][14] + x15 * a->d.stride[4][15] + x16 * a->d.stride[4][16] + x17 * a->d.stride[4][17] + x18 * a->d.stride[4][18] + x19 * 8;
        const u8 *const p5 = a->m5 + x0 * a->d.stride[5][0] + x1 * a->d.stride[5][1] + x2 * a->d.stride[5][2] + x3 * a->d.stride[5][3] + x4 * a->d.stride[5][4] + x5 * a->d.stride[5][5] + x6 * a->d.stride[5][6] + x7 * a->d.stride[5][7] + x8 * a->d.stride[5][8] + x9 * a->d.stride[5][9] + x10 * a->d.stride[5][10] + x11 * a->d.stride[5][11] + x12 * a->d.stride[5][12] + x13 * a->d.stride[5][13] + x14 * a->d.stride[5][14] + x15 * a->d.stride[5][15] + x16 * a->d.stride[5][16] + x17 * a->d.stride[5][17] + x18 * a->d.stride[5][18] + x19 * 8;
        const u8 *const p6 = a->m6 + x0 * a->d.stride[6][0] + x1 * a->d.stride[6][1] + x2 * a->d.stride[6][2] + x3 * a->d.stride[6][3] + x4 * a->d.stride[6][4] + x5 * a->d.stride[6][5] + x6 * a->d.stride[6][6] + x7 * a->d.stride[6][7] + x8 * a->d.stride[6][8] + x9 * a->d.stride[6][9] + x10 * a->d.stride[6][10] + x11 * a->d.stride[6][11] + x12 * a->d.stride[6][12] + x13 * a->d.stride[6][13] + x14 * a->d.stride[6][14] + x15 * a->d.stride[6][15] + x16 * a->d.stride[6][16] + x17 * a->d.stride[6][17] + x18 * a->d.stride[6][18] + x19 * 8;
        const u8 *const p7 = a->m7 + x0 * a->d.stride[7][0] + x1 * a->d.stride[7][1] + x2 * a->d.stride[7][2] + x3 * a->d.stride[7][3] + x4 * a->d.stride[7][4] + x5 * a->d.stride[7][5] + x6 * a->d.stride[7][6] + x7 * a->d.stride[7][7] + x8 * a->d.stride[7][8] + x9 * a->d.stride[7][9] + x10 * a->d.stride[7][10] + x11 * a->d.stride[7][11] + x12 * a->d.stride[7][12] + x13 * a->d.stride[7][13] + x14 * a->d.stride[7][14] + x15 * a->d.stride[7][15] + x16 * a->d.stride[7][16] + x17 * a->d.stride[7][17] + x18 * a->d.stride[7][18] + x19 * 8;
        const u8 *const p8 = a->m8 + x0 * a->d.stride[8][0] + x1 * a->d.stride[8][1] + x2 * a->d.stride[8][2] + x3 * a->d.stride[8][3] + x4 * a->d.stride[8][4] + x5 * a->d.stride[8][5] + x6 * a->d.stride[8][6] + x7 * a->d.stride[8][7] + x8 * a->d.stride[8][8] + x9 * a->d.stride[8][9] + x10 * a->d.stride[8][10] + x11 * a->d.stride[8][11] + x12 * a->d.stride[8][12] + x13 * a->d.stride[8][13] + x14 * a->d.stride[8][14] + x15 * a->d.stride[8][15] + x16 * a->d.stride[8][16] + x17 * a->d.stride[8][17] + x18 * a->d.stride[8][18] + x19 * 8;
        const u8 *const p9 = a->m9 + x0 * a->d.stride[9][0] + x1 * a->d.stride[9][1] + x2 * a->d.stride[9][2] + x3 * a->d.stride[9][3] + x4 * a->d.stride[9][4] + x5 * a->d.stride[9][5] + x6 * a->d.stride[9][6] + x7 * a->d.stride[9][7] + x8 * a->d.stride[9][8] + x9 * a->d.stride[9][9] + x10 * a->d.stride[9][10] + x11 * a->d.stride[9][11] + x12 * a->d.stride[9][12] + x13 * a->d.stride[9][13] + x14 * a->d.stride[9][14] + x15 * a->d.stride[9][15] + x16 * a->d.stride[9][16] + x17 * a->d.stride[9][17] + x18 * a->d.stride[9][18] + x19 * 8;
        const u8 *const p10 = a->m10 + x0 * a->d.stride[10][0] + x1 * a->d.stride[10][1] + x2 * a->d.stride[10][2] + x3 * a->d.stride[10][3] + x4 * a->d.stride[10][4] + x5 * a->d.stride[10][5] + x6 * a->d.stride[10][6] + x7 * a->d.stride[10][7] + x8 * a->d.stride[10][8] + x9 * a->d.stride[10][9] + x10 * a->d.stride[10][10] + x11 * a->d.stride[10][11] + x12 * a->d.stride[10][12] + x13 * a->d.stride[10][13] + x14 * a->d.stride[10][14] + x15 * a->d.stride[10][15] + x16 * a->d.stride[10][16] + x17 * a->d.stride[10][17] + x18 * a->d.stride[10][18] + x19 * 8;
        const u8 *const p11 = a->m11 + x0 * a->d.stride[11][0] + x1 * a->d.stride[11][1] + x2 * a->d.stride[11][2] + x3 * a->d.stride[11][3] + x4 * a->d.stride[11][4] + x5 * a->d.stride[11][5] + x6 * a->d.stride[11][6] + x7 * a->d.stride[11][7] + x8 * a->d.stride[11][8] + x9 * a->d.stride[11][9] + x10 * a->d.stride[11][10] + x11 * a->d.stride[11][11] + x12 * a->d.stride[11][12] + x13 * a->d.stride[11][13] + x14 * a->d.stride[11][14] + x15 * a->d.stride[11][15] + x16 * a->d.stride[11][16] + x17 * a->d.stride[11][17] + x18 * a->d.stride[11][18] + x19 * 8;
        const u8 *const p12 = a->m12 + x0 * a->d.stride[12][0] + x1 * a->d.stride[12][1] + x2 * a->d.stride[12][2] + x3 * a->d.stride[12][3] + x4 * a->d.stride[12][4] + x5 * a->d.stride[12][5] + x6 * a->d.stride[12][6] + x7 * a->d.stride[12][7] + x8 * a->d.stride[12][8] + x9 * a->d.stride[12][9] + x10 * a->d.stride[12][10] + x11 * a->d.stride[12][11] + x12 * a->d.stride[12][12] + x13 * a->d.stride[12][13] + x14 * a->d.stride[12][14] + x15 * a->d.stride[12][15] + x16 * a->d.stride[12][16] + x17 * a->d.stride[12][17] + x18 * a->d.stride[12][18] + x19 * 8;
        const u8 *const p13 = a->m13 + x0 * a->d.stride[13][0] + x1 * a->d.stride[13][1] + x2 * a->d.stride[13][2] + x3 * a->d.stride[13][3] + x4 * a->d.stride[13][4] + x5 * a->d.stride[13][5] + x6 * a->d.stride[13][6] + x7 * a->d.stride[13][7] + x8 * a->d.stride[13][8] + x9 * a->d.stride[13][9] + x10 * a->d.stride[13][10] + x11 * a->d.stride[13][11] + x12 * a->d.stride[13][12] + x13 * a->d.stride[13][13] + x14 * a->d.stride[13][14] + x15 * a->d.stride[13][15] + x16 * a->d.stride[13][16] + x17 * a->d.stride[13][17] + x18 * a->d.stride[13][18] + x19 * 8;
        const u8 *const p14 = a->m14 + x0 * a->d.stride[14][0] + x1 * a->d.stride[14][1] + x2 * a->d.stride[14][2] + x3 * a->d.stride[14][3] + x4 * a->d.stride[14][4] + x5 * a->d.stride[14][5] + x6 * a->d.stride[14][6] + x7 * a->d.stride[14][7] + x8 * a->d.stride[14][8] + x9 * a->d.stride[14][9] + x10 * a->d.stride[14][10] + x11 * a->d.stride[14][11] + x12 * a->d.stride[14][12] + x13 * a->d.stride[14][13] + x14 * a->d.stride[14][14] + x15 * a->d.stride[14][15] + x16 * a->d.stride[14][16] + x17 * a->d.stride[14][17] + x18 * a->d.stride[14][18] + x19 * 8;
        const u8 *const p15 = a->m15 + x0 * a->d.stride[15][0] + x1 * a->d.stride[15][1] + x2 * a->d.stride[15][2] + x3 * a->d.stride[15][3] + x4 * a->d.stride[15][4] + x5 * a->d.stride[15][5] + x6 * a->d.stride[15][6] + x7 * a->d.stride[15][7] + x8 * a->d.stride[15][8] + x9 * a->d.stride[15][9] + x10 * a->d.stride[15][10] + x11 * a->d.stride[15][11] + x12 * a->d.stride[15][12] + x13 * a->d.stride[15][13] + x14 * a->d.stride[15][14] + x15 * a->d.stride[15][15] + x16 * a->d.stride[15][16] + x17 * a->d.stride[15][17] + x18 * a->d.stride[15][18] + x19 * 8;
        const u8 *const p16 = a->m16 + x0 * a->d.stride[16][0] + x1 * a->d.stride[16][1] + x2 * a->d.stride[16][2] + x3 * a->d.stride[16][3] + x4 * a->d.stride[16][4] + x5 * a->d.stride[16][5] + x6 * a->d.stride[16][6] + x7 * a->d.stride[16][7] + x8 * a->d.stride[16][8] + x9 * a->d.stride[16][9] + x10 * a->d.stride[16][10] + x11 * a->d.stride[16][11] + x12 * a->d.stride[16][12] + x13 * a->d.stride[16][13] + x14 * a->d.stride[16][14] + x15 * a->d.stride[16][15] + x16 * a->d.stride[16][16] + x17 * a->d.stride[16][17] + x18 * a->d.stride[16][18] + x19 * 8;
        const u8 *const p17 = a->m17 + x0 * a->d.stride[17][0] + x1 * a->d.stride[17][1] + x2 * a->d.stride[17][2] + x3 * a->d.stride[17][3] + x4 * a->d.stride[17][4] + x5 * a->d.stride[17][5] + x6 * a->d.stride[17][6] + x7 * a->d.stride[17][7] + x8 * a->d.stride[17][8] + x9 * a->d.stride[17][9] + x10 * a->d.stride[17][10] + x11 * a->d.stride[17][11] + x12 * a->d.stride[17][12] + x13 * a->d.stride[17][13] + x14 * a->d.stride[17][14] + x15 * a->d.stride[17][15] + x16 * a->d.stride[17][16] + x17 * a->d.stride[17][17] + x18 * a->d.stride[17][18] + x19 * 8;
        const u8 *const p18 = a->m18 + x0 * a->d.stride[18][0] + x1 * a->d.stride[18][1] + x2 * a->d.stride[18][2] + x3 * a->d.stride[18][3] + x4 * a->d.stride[18][4] + x5 * a->d.stride[18][5] + x6 * a->d.stride[18][6] + x7 * a->d.stride[18][7] + x8 * a->d.stride[18][8] + x9 * a->d.stride[18][9] + x10 * a->d.stride[18][10] + x11 * a->d.stride[18][11] + x12 * a->d.stride[18][12] + x13 * a->d.stride[18][13] + x14 * a->d.stride[18][14] + x15 * a->d.stride[18][15] + x16 * a->d.stride[18][16] + x17 * a->d.stride[18][17] + x18 * a->d.stride[18][18] + x19 * 8;
        const u8 *const p19 = a->m19 + x0 * a->d.stride[19][0] + x1 * a->d.stride[19][1] + x2 * a->d.stride[19][2] + x3 * a->d.stride[19][3] + x4 * a->d.stride[19][4] + x5 * a->d.stride[19][5] + x6 * a->d.stride[19][6] + x7 * a->d.stride[19][7] + x8 * a->d.stride[19][8] + x9 * a->d.stride[19][9] + x10 * a->d.stride[19][10] + x11 * a->d.stride[19][11] + x12 * a->d.stride[19][12] + x13 * a->d.stride[19][13] + x14 * a->d.stride[19][14] + x15 * a->d.stride[19][15] + x16 * a->d.stride[19][16] + x17 * a->d.stride[19][17] + x18 * a->d.stride[19][18] + x19 * 8;
        const u8 *const p20 = a->m20 + x0 * a->d.stride[20][0] + x1 * a->d.stride[20][1] + x2 * a->d.stride[20][2] + x3 * a->d.stride[20][3] + x4 * a->d.stride[20][4] + x5 * a->d.stride[20][5] + x6 * a->d.stride[20][6] + x7 * a->d.stride[20][7] + x8 * a->d.stride[20][8] + x9 * a->d.stride[20][9] + x10 * a->d.stride[20][10] + x11 * a->d.stride[20][11] + x12 * a->d.stride[20][12] + x13 * a->d.stride[20][13] + x14 * a->d.stride[20][14] + x15 * a->d.stride[20][15] + x16 * a->d.stride[20][16] + x17 * a->d.stride[20][17] + x18 * a->d.stride[20][18] + x19 * 8;
        const u8 *const p21 = a->m21 + x0 * a->d.stride[21][0] + x1 * a->d.stride[21][1] + x2 * a->d.stride[21][2] + x3 * a->d.stride[21][3] + x4 * a->d.stride[21][4] + x5 * a->d.stride[21][5] + x6 * a->d.stride[21][6] + x7 * a->d.stride[21][7] + x8 * a->d.stride[21][8] + x9 * a->d.stride[21][9] + x10 * a->d.stride[21][10] + x11 * a->d.stride[21][11] + x12 * a->d.stride[21][12] + x13 * a->d.stride[21][13] + x14 * a->d.stride[21][14] + x15 * a->d.stride[21][15] + x16 * a->d.stride[21][16] + x17 * a->d.stride[21][17] + x18 * a->d.stride[21][18] + x19 * 8;
        const u8 *const p22 = a->m22 + x0 * a->d.stride[22][0] + x1 * a->d.stride[22][1] + x2 * a->d.stride[22][2] + x3 * a->d.stride[22][3] + x4 * a->d.stride[22][4] + x5 * a->d.stride[22][5] + x6 * a->d.stride[22][6] + x7 * a->d.stride[22][7] + x8 * a->d.stride[22][8] + x9 * a->d.stride[22][9] + x10 * a->d.stride[22][10] + x11 * a->d.stride[22][11] + x12 * a->d.stride[22][12] + x13 * a->d.stride[22][13] + x14 * a->d.stride[22][14] + x15 * a->d.stride[22][15] + x16 * a->d.stride[22][16] + x17 * a->d.stride[22][17] + x18 * a->d.stride[22][18] + x19 * 8;
        const u8 *const p23 = a->m23 + x0 * a->d.stride[23][0] + x1 * a->d.stride[23][1] + x2 * a->d.stride[23][2] + x3 * a->d.stride[23][3] + x4 * a->d.stride[23][4] + x5 * a->d.stride[23][5] + x6 * a->d.stride[23][6] + x7 * a->d.stride[23][7] + x8 * a->d.stride[23][8] + x9 * a->d.stride[23][9] + x10 * a->d.stride[23][10] + x11 * a->d.stride[23][11] + x12 * a->d.stride[23][12] + x13 * a->d.stride[23][13] + x14 * a->d.stride[23][14] + x15 * a->d.stride[23][15] + x16 * a->d.stride[23][16] + x17 * a->d.stride[23][17] + x18 * a->d.stride[23][18] + x19 * 8;
        const u8 *const p24 = a->m24 + x0 * a->d.stride[24][0] + x1 * a->d.stride[24][1] + x2 * a->d.stride[24][2] + x3 * a->d.stride[24][3] + x4 * a->d.stride[24][4] + x5 * a->d.stride[24][5] + x6 * a->d.stride[24][6] + x7 * a->d.stride[24][7] + x8 * a->d.stride[24][8] + x9 * a->d.stride[24][9] + x10 * a->d.stride[24][10] + x11 * a->d.stride[24][11] + x12 * a->d.stride[24][12] + x13 * a->d.stride[24][13] + x14 * a->d.stride[24][14] + x15 * a->d.stride[24][15] + x16 * a->d.stride[24][16] + x17 * a->d.stride[24][17] + x18 * a->d.stride[24][18] + x19 * 8;
        const u8 *const p25 = a->m25 + x0 * a->d.stride[25][0] + x1 * a->d.stride[25][1] + x2 * a->d.stride[25][2] + x3 * a->d.stride[25][3] + x4 * a->d.stride[25][4] + x5 * a->d.stride[25][5] + x6 * a->d.stride[25][6] + x7 * a->d.stride[25][7] + x8 * a->d.stride[25][8] + x9 * a->d.stride[25][9] + x10 * a->d.stride[25][10] + x11 * a->d.stride[25][11] + x12 * a->d.stride[25][12] + x13 * a->d.stride[25][13] + x14 * a->d.stride[25][14] + x15 * a->d.stride[25][15] + x16 * a->d.stride[25][16] + x17 * a->d.stride[25][17] + x18 * a->d.stride[25][18] + x19 * 8;
        const u8 *const p26 = a->m26 + x0 * a->d.stride[26][0] + x1 * a->d.stride[26][1] + x2 * a->d.stride[26][2] + x3 * a->d.stride[26][3] + x4 * a->d.stride[26][4] + x5 * a->d.stride[26][5] + x6 * a->d.stride[26][6] + x7 * a->d.stride[26][7] + x8 * a->d.stride[26][8] + x9 * a->d.stride[26][9] + x10 * a->d.stride[26][10] + x11 * a->d.stride[26][11] + x12 * a->d.stride[26][12] + x13 * a->d.stride[26][13] + x14 * a->d.stride[26][14] + x15 * a->d.stride[26][15] + x16 * a->d.stride[26][16] + x17 * a->d.stride[26][17] + x18 * a->d.stride[26][18] + x19 * 8;
        const u8 *const p27 = a->m27 + x0 * a->d.stride[27][0] + x1 * a->d.stride[27][1] + x2 * a->d.stride[27][2] + x3 * a->d.stride[27][3] + x4 * a->d.stride[27][4] + x5 * a->d.stride[27][5] + x6 * a->d.stride[27][6] + x7 * a->d.stride[27][7] + x8 * a->d.stride[27][8] + x9 * a->d.stride[27][9] + x10 * a->d.stride[27][10] + x11 * a->d.stride[27][11] + x12 * a->d.stride[27][12] + x13 * a->d.stride[27][13] + x14 * a->d.stride[27][14] + x15 * a->d.stride[27][15] + x16 * a->d.stride[27][16] + x17 * a->d.stride[27][17] + x18 * a->d.stride[27][18] + x19 * 8;
        const u8 *const p28 = a->m28 + x0 * a->d.stride[28][0] + x1 * a->d.stride[28][1] + x2 * a->d.stride[28][2] + x3 * a->d.stride[28][3] + x4 * a->d.stride[28][4] + x5 * a->d.stride[28][5] + x6 * a->d.stride[28][6] + x7 * a->d.stride[28][7] + x8 * a->d.stride[28][8] + x9 * a->d.stride[28][9] + x10 * a->d.stride[28][10] + x11 * a->d.stride[28][11] + x12 * a->d.stride[28][12] + x13 * a->d.stride[28][13] + x14 * a->d.stride[28][14] + x15 * a->d.stride[28][15] + x16 * a->d.stride[28][16] + x17 * a->d.stride[28][17] + x18 * a->d.stride[28][18] + x19 * 8;
        const u8 *const p29 = a->m29 + x0 * a->d.stride[29][0] + x1 * a->d.stride[29][1] + x2 * a->d.stride[29][2] + x3 * a->d.stride[29][3] + x4 * a->d.stride[29][4] + x5 * a->d.stride[29][5] + x6 * a->d.stride[29][6] + x7 * a->d.stride[29][7] + x8 * a->d.stride[29][8] + x9 * a->d.stride[29][9] + x10 * a->d.stride[29][10] + x11 * a->d.stride[29][11] + x12 * a->d.stride[29][12] + x13 * a->d.stride[29][13] + x14 * a->d.stride[29][14] + x15 * a->d.stride[29][15] + x16 * a->d.stride[29][16] + x17 * a->d.stride[29][17] + x18 * a->d.stride[29][18] + x19 * 8;
        const u8 *const p30 = a->m30 + x0 * a->d.stride[30][0] + x1 * a->d.stride[30][1] + x2 * a->d.stride[30][2] + x3 * a->d.stride[30][3] + x4 * a->d.stride[30][4] + x5 * a->d.stride[30][5] + x6 * a->d.stride[30][6] + x7 * a->d.stride[30][7] + x8 * a->d.stride[30][8] + x9 * a->d.stride[30][9] + x10 * a->d.stride[30][10] + x11 * a->d.stride[30][11] + x12 * a->d.stride[30][12] + x13 * a->d.stride[30][13] + x14 * a->d.stride[30][14] + x15 * a->d.stride[30][15] + x16 * a->d.stride[30][16] + x17 * a->d.stride[30][17] + x18 * a->d.stride[30][18] + x19 * 8;
        const u8 *const p31 = a->m31 + x0 * a->d.stride[31][0] + x1 * a->d.stride[31][1] + x2 * a->d.stride[31][2] + x3 * a->d.stride[31][3] + x4 * a->d.stride[31][4] + x5 * a->d.stride[31][5] + x6 * a->d.stride[31][6] + x7 * a->d.stride[31][7] + x8 * a->d.stride[31][8] + x9 * a->d.stride[31][9] + x10 * a->d.stride[31][10] + x11 * a->d.stride[31][11] + x12 * a->d.stride[31][12] + x13 * a->d.stride[31][13] + x14 * a->d.stride[31][14] + x15 * a->d.stride[31][15] + x16 * a->d.stride[31][16] + x17 * a->d.stride[31][17] + x18 * a->d.stride[31][18] + x19 * 8;
        const u8 *const p32 = a->m32 + x0 * a->d.stride[32][0] + x1 * a->d.stride[32][1] + x2 * a->d.stride[32][2] + x3 * a->d.stride[32][3] + x4 * a->d.stride[32][4] + x5 * a->d.stride[32][5] + x6 * a->d.stride[32][6] + x7 * a->d.stride[32][7] + x8 * a->d.stride[32][8] + x9 * a->d.stride[32][9] + x10 * a->d.stride[32][10] + x11 * a->d.stride[32][11] + x12 * a->d.stride[32][12] + x13 * a->d.stride[32][13] + x14 * a->d.stride[32][14] + x15 * a->d.stride[32][15] + x16 * a->d.stride[32][16] + x17 * a->d.stride[32][17] + x18 * a->d.stride[32][18] + x19 * 8;
        const u8 *const p33 = a->m33 + x0 * a->d.stride[33][0] + x1 * a->d.stride[33][1] + x2 * a->d.stride[33][2] + x3 * a->d.stride[33][3] + x4 * a->d.stride[33][4] + x5 * a->d.stride[33][5] + x6 * a->d.stride[33][6] + x7 * a->d.stride[33][7] + x8 * a->d.stride[33][8] + x9 * a->d.stride[33][9] + x10 * a->d.stride[33][10] + x11 * a->d.stride[33][11] + x12 * a->d.stride[33][12] + x13 * a->d.stride[33][13] + x14 * a->d.stride[33][14] + x15 * a->d.stride[33][15] + x16 * a->d.stride[33][16] + x17 * a->d.stride[33][17] + x18 * a->d.stride[33][18] + x19 * 8;
        const u8 *const p34 = a->m34 + x0 * a->d.stride[34][0] + x1 * a->d.stride[34][1] + x2 * a->d.stride[34][2] + x3 * a->d.stride[34][3] + x4 * a->d.stride[34][4] + x5 * a->d.stride[34][5] + x6 * a->d.stride[34][6] + x7 * a->d.stride[34][7] + x8 * a->d.stride[34][8] + x9 * a->d.stride[34][9] + x10 * a->d.stride[34][10] + x11 * a->d.stride[34][11] + x12 * a->d.stride[34][12] + x13 * a->d.stride[34][13] + x14 * a->d.stride[34][14] + x15 * a->d.stride[34][15] + x16 * a->d.stride[34][16] + x17 * a->d.stride[34][17] + x18 * a->d.stride[34][18] + x19 * 8;
        const u8 *const p35 = a->m35 + x0 * a->d.stride[35][0] + x1 * a->d.stride[35][1] + x2 * a->d.stride[35][2] + x3 * a->d.stride[35][3] + x4 * a->d.stride[35][4] + x5 * a->d.stride[35][5] + x6 * a->d.stride[35][6] + x7 * a->d.stride[35][7] + x8 * a->d.stride[35][8] + x9 * a->d.stride[35][9] + x10 * a->d.stride[35][10] + x11 * a->d.stride[35][11] + x12 * a->d.stride[35][12] + x13 * a->d.stride[35][13] + x14 * a->d.stride[35][14] + x15 * a->d.stride[35][15] + x16 * a->d.stride[35][16] + x17 * a->d.stride[35][17] + x18 * a->d.stride[35][18] + x19 * 8;
        const u8 *const p36 = a->m36 + x0 * a->d.stride[36][0] + x1 * a->d.stride[36][1] + x2 * a->d.stride[36][2] + x3 * a->d.stride[36][3] + x4 * a->d.stride[36][4] + x5 * a->d.stride[36][5] + x6 * a->d.stride[36][6] + x7 * a->d.stride[36][7] + x8 * a->d.stride[36][8] + x9 * a->d.stride[36][9] + x10 * a->d.stride[36][10] + x11 * a->d.stride[36][11] + x12 * a->d.stride[36][12] + x13 * a->d.stride[36][13] + x14 * a->d.stride[36][14] + x15 * a->d.stride[36][15] + x16 * a->d.stride[36][16] + x17 * a->d.stride[36][17] + x18 * a->d.stride[36][18] + x19 * 8;
        const u8 *const p37 = a->m37 + x0 * a->d.stride[37][0] + x1 * a->d.stride[37][1] + x2 * a->d.stride[37][2] + x3 * a->d.stride[37][3] + x4 * a->d.stride[37][4] + x5 * a->d.stride[37][5] + x6 * a->d.stride[37][6] + x7 * a->d.stride[37][7] + x8 * a->d.stride[37][8] + x9 * a->d.stride[37][9] + x10 * a->d.stride[37][10] + x11 * a->d.stride[37][11] + x12 * a->d.stride[37][12] + x13 * a->d.stride[37][13] + x14 * a->d.stride[37][14] + x15 * a->d.stride[37][15] + x16 * a->d.stride[37][16] + x17 * a->d.stride[37][17] + x18 * a->d.stride[37][18] + x19 * 8;
        const u8 *const p38 = a->m38 + x0 * a->d.stride[38][0] + x1 * a->d.stride[38][1] + x2 * a->d.stride[38][2] + x3 * a->d.stride[38][3] + x4 * a->d.stride[38][4] + x5 * a->d.stride[38][5] + x6 * a->d.stride[38][6] + x7 * a->d.stride[38][7] + x8 * a->d.stride[38][8] + x9 * a->d.stride[38][9] + x10 * a->d.stride[38][10] + x11 * a->d.stride[38][11] + x12 * a->d.stride[38][12] + x13 * a->d.stride[38][13] + x14 * a->d.stride[38][14] + x15 * a->d.stride[38][15] + x16 * a->d.stride[38][16] + x17 * a->d.stride[38][17] + x18 * a->d.stride[38][18] + x19 * 8;
        const u8 *const p39 = a->m39 + x0 * a->d.stride[39][0] + x1 * a->d.stride[39][1] + x2 * a->d.stride[39][2] + x3 * a->d.stride[39][3] + x4 * a->d.stride[39][4] + x5 * a->d.stride[39][5] + x6 * a->d.stride[39][6] + x7 * a->d.stride[39][7] + x8 * a->d.stride[39][8] + x9 * a->d.stride[39][9] + x10 * a->d.stride[39][10] + x11 * a->d.stride[39][11] + x12 * a->d.stride[39][12] + x13 * a->d.stride[39][13] + x14 * a->d.stride[39][14] + x15 * a->d.stride[39][15] + x16 * a->d.stride[39][16] + x17 * a->d.stride[39][17] + x18 * a->d.stride[39][18] + x19 * 8;
        const u8 *const p40 = a->m40 + x0 * a->d.stride[40][0] + x1 * a->d.stride[40][1] + x2 * a->d.stride[40][2] + x3 * a->d.stride[40][3] + x4 * a->d.stride[40][4] + x5 * a->d.stride[40][5] + x6 * a->d.stride[40][6] + x7 * a->d.stride[40][7] + x8 * a->d.stride[40][8] + x9 * a->d.stride[40][9] + x10 * a->d.stride[40][10] + x11 * a->d.stride[40][11] + x12 * a->d.stride[40][12] + x13 * a->d.stride[40][13] + x14 * a->d.stride[40][14] + x15 * a->d.stride[40][15] + x16 * a->d.stride[40][16] + x17 * a->d.stride[40][17] + x18 * a->d.stride[40][18] + x19 * 8;
        const u8 *const p41 = a->m41 + x0 * a->d.stride[41][0] + x1 * a->d.stride[41][1] + x2 * a->d.stride[41][2] + x3 * a->d.stride[41][3] + x4 * a->d.stride[41][4] + x5 * a->d.stride[41][5] + x6 * a->d.stride[41][6] + x7 * a->d.stride[41][7] + x8 * a->d.stride[41][8] + x9 * a->d.stride[41][9] + x10 * a->d.stride[41][10] + x11 * a->d.stride[41][11] + x12 * a->d.stride[41][12] + x13 * a->d.stride[41][13] + x14 * a->d.stride[41][14] + x15 * a->d.stride[41][15] + x16 * a->d.stride[41][16] + x17 * a->d.stride[41][17] + x18 * a->d.stride[41][18] + x19 * 8;
        const u8 *const p42 = a->m42 + x0 * a->d.stride[42][0] + x1 * a->d.stride[42][1] + x2 * a->d.stride[42][2] + x3 * a->d.stride[42][3] + x4 * a->d.stride[42][4] + x5 * a->d.stride[42][5] + x6 * a->d.stride[42][6] + x7 * a->d.stride[42][7] + x8 * a->d.stride[42][8] + x9 * a->d.stride[42][9] + x10 * a->d.stride[42][10] + x11 * a->d.stride[42][11] + x12 * a->d.stride[42][12] + x13 * a->d.stride[42][13] + x14 * a->d.stride[42][14] + x15 * a->d.stride[42][15] + x16 * a->d.stride[42][16] + x17 * a->d.stride[42][17] + x18 * a->d.stride[42][18] + x19 * 8;
        const u8 *const p43 = a->m43 + x0 * a->d.stride[43][0] + x1 * a->d.stride[43][1] + x2 * a->d.stride[43][2] + x3 * a->d.stride[43][3] + x4 * a->d.stride[43][4] + x5 * a->d.stride[43][5] + x6 * a->d.stride[43][6] + x7 * a->d.stride[43][7] + x8 * a->d.stride[43][8] + x9 * a->d.stride[43][9] + x10 * a->d.stride[43][10] + x11 * a->d.stride[43][11] + x12 * a->d.stride[43][12] + x13 * a->d.stride[43][13] + x14 * a->d.stride[43][14] + x15 * a->d.stride[43][15] + x16 * a->d.stride[43][16] + x17 * a->d.stride[43][17] + x18 * a->d.stride[43][18] + x19 * 8;
        const u8 *const p44 = a->m44 + x0 * a->d.stride[44][0] + x1 * a->d.stride[44][1] + x2 * a->d.stride[44][2] + x3 * a->d.stride[44][3] + x4 * a->d.stride[44][4] + x5 * a->d.stride[44][5] + x6 * a->d.stride[44][6] + x7 * a->d.stride[44][7] + x8 * a->d.stride[44][8] + x9 * a->d.stride[44][9] + x10 * a->d.stride[44][10] + x11 * a->d.stride[44][11] + x12 * a->d.stride[44][12] + x13 * a->d.stride[44][13] + x14 * a->d.stride[44][14] + x15 * a->d.stride[44][15] + x16 * a->d.stride[44][16] + x17 * a->d.stride[44][17] + x18 * a->d.stride[44][18] + x19 * 8;
        const u8 *const p45 = a->m45 + x0 * a->d.stride[45][0] + x1 * a->d.stride[45][1] + x2 * a->d.stride[45][2] + x3 * a->d.stride[45][3] + x4 * a->d.stride[45][4] + x5 * a->d.stride[45][5] + x6 * a->d.stride[45][6] + x7 * a->d.stride[45][7] + x8 * a->d.stride[45][8] + x9 * a->d.stride[45][9] + x10 * a->d.stride[45][10] + x11 * a->d.stride[45][11] + x12 * a->d.stride[45][12] + x13 * a->d.stride[45][13] + x14 * a->d.stride[45][14] + x15 * a->d.stride[45][15] + x16 * a->d.stride[45][16] + x17 * a->d.stride[45][17] + x18 * a->d.stride[45][18] + x19 * 8;
        const u8 *const p46 = a->m46 + x0 * a->d.stride[46][0] + x1 * a->d.stride[46][1] + x2 * a->d.stride[46][2] + x3 * a->d.stride[46][3] + x4 * a->d.stride[46][4] + x5 * a->d.stride[46][5] + x6 * a->d.stride[46][6] + x7 * a->d.stride[46][7] + x8 * a->d.stride[46][8] + x9 * a->d.stride[46][9] + x10 * a->d.stride[46][10] + x11 * a->d.stride[46][11] + x12 * a->d.stride[46][12] + x13 * a->d.stride[46][13] + x14 * a->d.stride[46][14] + x15 * a->d.stride[46][15] + x16 * a->d.stride[46][16] + x17 * a->d.stride[46][17] + x18 * a->d.stride[46][18] + x19 * 8;
        u8 *const p47 = a->m47 + x0 * a->d.stride[47][0] + x1 * a->d.stride[47][1] + x2 * a->d.stride[47][2] + x3 * a->d.stride[47][3] + x4 * a->d.stride[47][4] + x5 * a->d.stride[47][5] + x6 * a->d.stride[47][6] + x7 * a->d.stride[47][7] + x8 * a->d.stride[47][8] + x9 * a->d.stride[47][9] + x10 * a->d.stride[47][10] + x11 * a->d.stride[47][11] + x12 * a->d.stride[47][12] + x13 * a->d.stride[47][13] + x14 * a->d.stride[47][14] + x15 * a->d.stride[47][15] + x16 * a->d.stride[47][16] + x17 * a->d.stride[47][17] + x18 * a->d.stride[47][18] + x19 * 16;
        const i32 count = (i32)(a->d.last - x19 < 2 ? a->d.last - x19 : 2);
        const f64x2 l0 = read_f64x2(p0, count);
        const f64x2 l1 = read_f64x2(p1, count);
        const f64x2 l2 = read_f64x2(p2, count);
        const f64x2 l3 = read_f64x2(p3, count);
        const f64x2 l4 = read_f64x2(p4, count);
        const f64x2 l5 = read_f64x2(p5, count);
        const f64x2 l6 = read_f64x2(p6, count);
        const f64x2 l7 = read_f64x2(p7, count);
        const f64x2 l8 = read_f64x2(p8, count);
        const f64x2 l9 = read_f64x2(p9, count);
        const f64x2 l10 = read_f64x2(p10, count);
        const f64x2 l11 = read_f64x2(p11, count);
        const f64x2 l12 = read_f64x2(p12, count);
        const f64x2 l13 = read_f64x2(p13, count);
        const f64x2 l14 = read_f64x2(p14, count);
        const f64x2 l15 = read_f64x2(p15, count);
        const f64x2 l16 = read_f64x2(p16, count);
        const f64x2 l17 = read_f64x2(p17, count);
        const f64x2 l18 = read_f64x2(p18, count);
        const f64x2 l19 = read_f64x2(p19, count);
        const f64x2 l20 = read_f64x2(p20, count);
        const f64x2 l21 = read_f64x2(p21, count);
        const f64x2 l22 = read_f64x2(p22, count);
        const f64x2 l23 = read_f64x2(p23, count);
        const f64x2 l24 = read_f64x2(p24, count);
        const f64x2 l25 = read_f64x2(p25, count);
        const f64x2 l26 = read_f64x2(p26, count);
        const f64x2 l27 = read_f64x2(p27, count);
        const f64x2 l28 = read_f64x2(p28, count);
        const f64x2 l29 = read_f64x2(p29, count);
        const f64x2 l30 = read_f64x2(p30, count);
        const f64x2 l31 = read_f64x2(p31, count);
        const f64x2 l32 = read_f64x2(p32, count);
        const f64x2 l33 = read_f64x2(p33, count);
        const f64x2 l34 = read_f64x2(p34, count);
        const f64x2 l35 = read_f64x2(p35, count);
        const f64x2 l36 = read_f64x2(p36, count);
        const f64x2 l37 = read_f64x2(p37, count);
        const f64x2 l38 = read_f64x2(p38, count);
        const f64x2 l39 = read_f64x2(p39, count);
        const f64x2 l40 = read_f64x2(p40, count);
        const f64x2 l41 = read_f64x2(p41, count);
        const f64x2 l42 = read_f64x2(p42, count);
        const f64x2 l43 = read_f64x2(p43, count);
        const f64x2 l44 = read_f64x2(p44, count);
        const f64x2 l45 = read_f64x2(p45, count);
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
                const f64 v7 = l3.at[j];
                const f64 v8 = v6 + v7;
                const f64 v9 = l4.at[j];
                const f64 v10 = v8 + v9;
                const f64 v11 = l5.at[j];
                const f64 v12 = v10 + v11;
                const f64 v13 = l6.at[j];
                const f64 v14 = v12 + v13;
                const f64 v15 = l7.at[j];
                const f64 v16 = v14 + v15;
                const f64 v17 = l8.at[j];
                const f64 v18 = v16 + v17;
                const f64 v19 = l9.at[j];
                const f64 v20 = v18 + v19;
                const f64 v21 = l10.at[j];
                const f64 v22 = v20 + v21;
                const f64 v23 = l11.at[j];
                const f64 v24 = v22 + v23;
                const f64 v25 = l12.at[j];
                const f64 v26 = v24 + v25;
                const f64 v27 = l13.at[j];
                const f64 v28 = v26 + v27;
                const f64 v29 = l14.at[j];
                const f64 v30 = v28 + v29;
                const f64 v31 = l15.at[j];
                const f64 v32 = v30 + v31;
                const f64 v33 = l16.at[j];
                const f64 v34 = v32 + v33;
                const f64 v35 = l17.at[j];
                const f64 v36 = v34 + v35;
                const f64 v37 = l18.at[j];
                const f64 v38 = v36 + v37;
                const f64 v39 = l19.at[j];
                const f64 v40 = v38 + v39;
                const f64 v41 = l20.at[j];
                const f64 v42 = v40 + v41;
                const f64 v43 = l21.at[j];
                const f64 v44 = v42 + v43;
                const f64 v45 = l22.at[j];
                const f64 v46 = v44 + v45;
                const f64 v47 = l23.at[j];
                const f64 v48 = v46 + v47;
                const f64 v49 = l24.at[j];
                const f64 v50 = v48 + v49;
                const f64 v51 = l25.at[j];
                const f64 v52 = v50 + v51;
                const f64 v53 = l26.at[j];
                const f64 v54 = v52 + v53;
                const f64 v55 = l27.at[j];
                const f64 v56 = v54 + v55;
                const f64 v57 = l28.at[j];
                const f64 v58 = v56 + v57;
                const f64 v59 = l29.at[j];
                const f64 v60 = v58 + v59;
                const f64 v61 = l30.at[j];
                const f64 v62 = v60 + v61;
                const f64 v63 = l31.at[j];
                const f64 v64 = v62 + v63;
                const f64 v65 = l32.at[j];
                const f64 v66 = v64 + v65;
                const f64 v67 = l33.at[j];
                const f64 v68 = v66 + v67;
                const f64 v69 = l34.at[j];
                const f64 v70 = v68 + v69;
                const f64 v71 = l35.at[j];
                const f64 v72 = v70 + v71;
                const f64 v73 = l36.at[j];
                const f64 v74 = v72 + v73;
                const f64 v75 = l37.at[j];
                const f64 v76 = v74 + v75;
                const f64 v77 = l38.at[j];
                const f64 v78 = v76 + v77;
                const f64 v79 = l39.at[j];
                const f64 v80 = v78 + v79;
                const f64 v81 = l40.at[j];
                const f64 v82 = v80 + v81;
                const f64 v83 = l41.at[j];
                const f64 v84 = v82 + v83;
                const f64 v85 = l42.at[j];
                const f64 v86 = v84 + v85;
                const f64 v87 = l43.at[j];
                const f64 v88 = v86 + v87;
                const f64 v89 = l44.at[j];
                const f64 v90 = v88 + v89;
                const f64 v91 = l45.at[j];
                const f64 v92 = v90 + v91;
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

// Points, or lots of them, of the outer and the inner domain; points of the last axis; a part's share of lots.
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

// with further

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

// with is_last_block

extern "C" __global__ void __launch_bounds__(256) reduce(const Arguments *const __restrict__ given, Folded *const parts, u32 *const tickets) {
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
        const index n15 = over(n16, a->d.axis[15]);
        const index x15 = n16 - n15 * a->d.axis[15].extent;
        const index n14 = over(n15, a->d.axis[14]);
        const index x14 = n15 - n14 * a->d.axis[14].extent;
        const index n13 = over(n14, a->d.axis[13]);
        const index x13 = n14 - n13 * a->d.axis[13].extent;
        const index n12 = over(n13, a->d.axis[12]);
        const index x12 = n13 - n12 * a->d.axis[12].extent;
        const index n11 = over(n12, a->d.axis[11]);
        const index x11 = n12 - n11 * a->d.axis[11].extent;
        const index n10 = over(n11, a->d.axis[10]);
        const index x10 = n11 - n10 * a->d.axis[10].extent;
        const index n9 = over(n10, a->d.axis[9]);
        const index x9 = n10 - n9 * a->d.axis[9].extent;
        const index n8 = over(n9, a->d.axis[8]);
        const index x8 = n9 - n8 * a->d.axis[8].extent;
        const index n7 = over(n8, a->d.axis[7]);
        const index x7 = n8 - n7 * a->d.axis[7].extent;
        const index n6 = over(n7, a->d.axis[6]);
        const index x6 = n7 - n6 * a->d.axis[6].extent;
        const index n5 = over(n6, a->d.axis[5]);
        const index x5 = n6 - n5 * a->d.axis[5].extent;
        const index n4 = over(n5, a->d.axis[4]);
        const index x4 = n5 - n4 * a->d.axis[4].extent;
        const index n3 = over(n4, a->d.axis[3]);
        const index x3 = n4 - n3 * a->d.axis[3].extent;
        const index n2 = over(n3, a->d.axis[2]);
        const index x2 = n3 - n2 * a->d.axis[2].extent;
        const index n1 = over(n2, a->d.axis[1]);
        const index x1 = n2 - n1 * a->d.axis[1].extent;
        const index x0 = n1;
        Folded f = nothing();
        if (inside) {
            const u8 *const q0 = a->m0 + x0 * a->d.stride[0][0] + x1 * a->d.stride[0][1] + x2 * a->d.stride[0][2] + x3 * a->d.stride[0][3] + x4 * a->d.stride[0][4] + x5 * a->d.stride[0][5] + x6 * a->d.stride[0][6] + x7 * a->d.stride[0][7] + x8 * a->d.stride[0][8] + x9 * a->d.stride[0][9] + x10 * a->d.stride[0][10] + x11 * a->d.stride[0][11] + x12 * a->d.stride[0][12] + x13 * a->d.stride[0][13] + x14 * a->d.stride[0][14] + x15 * a->d.stride[0][15] + x16 * a->d.stride[0][16] + x17 * a->d.stride[0][17] + x18 * a->d.stride[0][18];
            const u8 *const q1 = a->m1 + x0 * a->d.stride[1][0] + x1 * a->d.stride[1][1] + x2 * a->d.stride[1][2] + x3 * a->d.stride[1][3] + x4 * a->d.stride[1][4] + x5 * a->d.stride[1][5] + x6 * a->d.stride[1][6] + x7 * a->d.stride[1][7] + x8 * a->d.stride[1][8] + x9 * a->d.stride[1][9] + x10 * a->d.stride[1][10] + x11 * a->d.stride[1][11] + x12 * a->d.stride[1][12] + x13 * a->d.stride[1][13] + x14 * a->d.stride[1][14] + x15 * a->d.stride[1][15] + x16 * a->d.stride[1][16] + x17 * a->d.stride[1][17] + x18 * a->d.stride[1][18];
            const u8 *const q2 = a->m2 + x0 * a->d.stride[2][0] + x1 * a->d.stride[2][1] + x2 * a->d.stride[2][2] + x3 * a->d.stride[2][3] + x4 * a->d.stride[2][4] + x5 * a->d.stride[2][5] + x6 * a->d.stride[2][6] + x7 * a->d.stride[2][7] + x8 * a->d.stride[2][8] + x9 * a->d.stride[2][9] + x10 * a->d.stride[2][10] + x11 * a->d.stride[2][11] + x12 * a->d.stride[2][12] + x13 * a->d.stride[2][13] + x14 * a->d.stride[2][14] + x15 * a->d.stride[2][15] + x16 * a->d.stride[2][16] + x17 * a->d.stride[2][17] + x18 * a->d.stride[2][18];
            const u8 *const q3 = a->m3 + x0 * a->d.stride[3][0] + x1 * a->d.stride[3][1] + x2 * a->d.stride[3][2] + x3 * a->d.stride[3][3] + x4 * a->d.stride[3][4] + x5 * a->d.stride[3][5] + x6 * a->d.stride[3][6] + x7 * a->d.stride[3][7] + x8 * a->d.stride[3][8] + x9 * a->d.stride[3][9] + x10 * a->d.stride[3][10] + x11 * a->d.stride[3][11] + x12 * a->d.stride[3][12] + x13 * a->d.stride[3][13] + x14 * a->d.stride[3][14] + x15 * a->d.stride[3][15] + x16 * a->d.stride[3][16] + x17 * a->d.stride[3][17] + x18 * a->d.stride[3][18];
            const u8 *const q4 = a->m4 + x0 * a->d.stride[4][0] + x1 * a->d.stride[4][1] + x2 * a->d.stride[4][2] + x3 * a->d.stride[4][3] + x4 * a->d.stride[4][4] + x5 * a->d.stride[4][5] + x6 * a->d.stride[4][6] + x7 * a->d.stride[4][7] + x8 * a->d.stride[4][8] + x9 * a->d.stride[4][9] + x10 * a->d.stride[4][10] + x11 * a->d.stride[4][11] + x12 * a->d.stride[4][12] + x13 * a->d.stride[4][13] + x14 * a->d.stride[4][14] + x15 * a->d.stride[4][15] + x16 * a->d.stride[4][16] + x17 * a->d.stride[4][17] + x18 * a->d.stride[4][18];
            const u8 *const q5 = a->m5 + x0 * a->d.stride[5][0] + x1 * a->d.stride[5][1] + x2 * a->d.stride[5][2] + x3 * a->d.stride[5][3] + x4 * a->d.stride[5][4] + x5 * a->d.stride[5][5] + x6 * a->d.stride[5][6] + x7 * a->d.stride[5][7] + x8 * a->d.stride[5][8] + x9 * a->d.stride[5][9] + x10 * a->d.stride[5][10] + x11 * a->d.stride[5][11] + x12 * a->d.stride[5][12] + x13 * a->d.stride[5][13] + x14 * a->d.stride[5][14] + x15 * a->d.stride[5][15] + x16 * a->d.stride[5][16] + x17 * a->d.stride[5][17] + x18 * a->d.stride[5][18];
            const u8 *const q6 = a->m6 + x0 * a->d.stride[6][0] + x1 * a->d.stride[6][1] + x2 * a->d.stride[6][2] + x3 * a->d.stride[6][3] + x4 * a->d.stride[6][4] + x5 * a->d.stride[6][5] + x6 * a->d.stride[6][6] + x7 * a->d.stride[6][7] + x8 * a->d.stride[6][8] + x9 * a->d.stride[6][9] + x10 * a->d.stride[6][10] + x11 * a->d.stride[6][11] + x12 * a->d.stride[6][12] + x13 * a->d.stride[6][13] + x14 * a->d.stride[6][14] + x15 * a->d.stride[6][15] + x16 * a->d.stride[6][16] + x17 * a->d.stride[6][17] + x18 * a->d.stride[6][18];
            const u8 *const q7 = a->m7 + x0 * a->d.stride[7][0] + x1 * a->d.stride[7][1] + x2 * a->d.stride[7][2] + x3 * a->d.stride[7][3] + x4 * a->d.stride[7][4] + x5 * a->d.stride[7][5] + x6 * a->d.stride[7][6] + x7 * a->d.stride[7][7] + x8 * a->d.stride[7][8] + x9 * a->d.stride[7][9] + x10 * a->d.stride[7][10] + x11 * a->d.stride[7][11] + x12 * a->d.stride[7][12] + x13 * a->d.stride[7][13] + x14 * a->d.stride[7][14] + x15 * a->d.stride[7][15] + x16 * a->d.stride[7][16] + x17 * a->d.stride[7][17] + x18 * a->d.stride[7][18];
            const u8 *const q8 = a->m8 + x0 * a->d.stride[8][0] + x1 * a->d.stride[8][1] + x2 * a->d.stride[8][2] + x3 * a->d.stride[8][3] + x4 * a->d.stride[8][4] + x5 * a->d.stride[8][5] + x6 * a->d.stride[8][6] + x7 * a->d.stride[8][7] + x8 * a->d.stride[8][8] + x9 * a->d.stride[8][9] + x10 * a->d.stride[8][10] + x11 * a->d.stride[8][11] + x12 * a->d.stride[8][12] + x13 * a->d.stride[8][13] + x14 * a->d.stride[8][14] + x15 * a->d.stride[8][15] + x16 * a->d.stride[8][16] + x17 * a->d.stride[8][17] + x18 * a->d.stride[8][18];
            const u8 *const q9 = a->m9 + x0 * a->d.stride[9][0] + x1 * a->d.stride[9][1] + x2 * a->d.stride[9][2] + x3 * a->d.stride[9][3] + x4 * a->d.stride[9][4] + x5 * a->d.stride[9][5] + x6 * a->d.stride[9][6] + x7 * a->d.stride[9][7] + x8 * a->d.stride[9][8] + x9 * a->d.stride[9][9] + x10 * a->d.stride[9][10] + x11 * a->d.stride[9][11] + x12 * a->d.stride[9][12] + x13 * a->d.stride[9][13] + x14 * a->d.stride[9][14] + x15 * a->d.stride[9][15] + x16 * a->d.stride[9][16] + x17 * a->d.stride[9][17] + x18 * a->d.stride[9][18];
            const u8 *const q10 = a->m10 + x0 * a->d.stride[10][0] + x1 * a->d.stride[10][1] + x2 * a->d.stride[10][2] + x3 * a->d.stride[10][3] + x4 * a->d.stride[10][4] + x5 * a->d.stride[10][5] + x6 * a->d.stride[10][6] + x7 * a->d.stride[10][7] + x8 * a->d.stride[10][8] + x9 * a->d.stride[10][9] + x10 * a->d.stride[10][10] + x11 * a->d.stride[10][11] + x12 * a->d.stride[10][12] + x13 * a->d.stride[10][13] + x14 * a->d.stride[10][14] + x15 * a->d.stride[10][15] + x16 * a->d.stride[10][16] + x17 * a->d.stride[10][17] + x18 * a->d.stride[10][18];
            const u8 *const q11 = a->m11 + x0 * a->d.stride[11][0] + x1 * a->d.stride[11][1] + x2 * a->d.stride[11][2] + x3 * a->d.stride[11][3] + x4 * a->d.stride[11][4] + x5 * a->d.stride[11][5] + x6 * a->d.stride[11][6] + x7 * a->d.stride[11][7] + x8 * a->d.stride[11][8] + x9 * a->d.stride[11][9] + x10 * a->d.stride[11][10] + x11 * a->d.stride[11][11] + x12 * a->d.stride[11][12] + x13 * a->d.stride[11][13] + x14 * a->d.stride[11][14] + x15 * a->d.stride[11][15] + x16 * a->d.stride[11][16] + x17 * a->d.stride[11][17] + x18 * a->d.stride[11][18];
            const u8 *const q12 = a->m12 + x0 * a->d.stride[12][0] + x1 * a->d.stride[12][1] + x2 * a->d.stride[12][2] + x3 * a->d.stride[12][3] + x4 * a->d.stride[12][4] + x5 * a->d.stride[12][5] + x6 * a->d.stride[12][6] + x7 * a->d.stride[12][7] + x8 * a->d.stride[12][8] + x9 * a->d.stride[12][9] + x10 * a->d.stride[12][10] + x11 * a->d.stride[12][11] + x12 * a->d.stride[12][12] + x13 * a->d.stride[12][13] + x14 * a->d.stride[12][14] + x15 * a->d.stride[12][15] + x16 * a->d.stride[12][16] + x17 * a->d.stride[12][17] + x18 * a->d.stride[12][18];
            const u8 *const q13 = a->m13 + x0 * a->d.stride[13][0] + x1 * a->d.stride[13][1] + x2 * a->d.stride[13][2] + x3 * a->d.stride[13][3] + x4 * a->d.stride[13][4] + x5 * a->d.stride[13][5] + x6 * a->d.stride[13][6] + x7 * a->d.stride[13][7] + x8 * a->d.stride[13][8] + x9 * a->d.stride[13][9] + x10 * a->d.stride[13][10] + x11 * a->d.stride[13][11] + x12 * a->d.stride[13][12] + x13 * a->d.stride[13][13] + x14 * a->d.stride[13][14] + x15 * a->d.stride[13][15] + x16 * a->d.stride[13][16] + x17 * a->d.stride[13][17] + x18 * a->d.stride[13][18];
            const u8 *const q14 = a->m14 + x0 * a->d.stride[14][0] + x1 * a->d.stride[14][1] + x2 * a->d.stride[14][2] + x3 * a->d.stride[14][3] + x4 * a->d.stride[14][4] + x5 * a->d.stride[14][5] + x6 * a->d.stride[14][6] + x7 * a->d.stride[14][7] + x8 * a->d.stride[14][8] + x9 * a->d.stride[14][9] + x10 * a->d.stride[14][10] + x11 * a->d.stride[14][11] + x12 * a->d.stride[14][12] + x13 * a->d.stride[14][13] + x14 * a->d.stride[14][14] + x15 * a->d.stride[14][15] + x16 * a->d.stride[14][16] + x17 * a->d.stride[14][17] + x18 * a->d.stride[14][18];
            const u8 *const q15 = a->m15 + x0 * a->d.stride[15][0] + x1 * a->d.stride[15][1] + x2 * a->d.stride[15][2] + x3 * a->d.stride[15][3] + x4 * a->d.stride[15][4] + x5 * a->d.stride[15][5] + x6 * a->d.stride[15][6] + x7 * a->d.stride[15][7] + x8 * a->d.stride[15][8] + x9 * a->d.stride[15][9] + x10 * a->d.stride[15][10] + x11 * a->d.stride[15][11] + x12 * a->d.stride[15][12] + x13 * a->d.stride[15][13] + x14 * a->d.stride[15][14] + x15 * a->d.stride[15][15] + x16 * a->d.stride[15][16] + x17 * a->d.stride[15][17] + x18 * a->d.stride[15][18];
            const u8 *const q16 = a->m16 + x0 * a->d.stride[16][0] + x1 * a->d.stride[16][1] + x2 * a->d.stride[16][2] + x3 * a->d.stride[16][3] + x4 * a->d.stride[16][4] + x5 * a->d.stride[16][5] + x6 * a->d.stride[16][6] + x7 * a->d.stride[16][7] + x8 * a->d.stride[16][8] + x9 * a->d.stride[16][9] + x10 * a->d.stride[16][10] + x11 * a->d.stride[16][11] + x12 * a->d.stride[16][12] + x13 * a->d.stride[16][13] + x14 * a->d.stride[16][14] + x15 * a->d.stride[16][15] + x16 * a->d.stride[16][16] + x17 * a->d.stride[16][17] + x18 * a->d.stride[16][18];
            const u8 *const q17 = a->m17 + x0 * a->d.stride[17][0] + x1 * a->d.stride[17][1] + x2 * a->d.stride[17][2] + x3 * a->d.stride[17][3] + x4 * a->d.stride[17][4] + x5 * a->d.stride[17][5] + x6 * a->d.stride[17][6] + x7 * a->d.stride[17][7] + x8 * a->d.stride[17][8] + x9 * a->d.stride[17][9] + x10 * a->d.stride[17][10] + x11 * a->d.stride[17][11] + x12 * a->d.stride[17][12] + x13 * a->d.stride[17][13] + x14 * a->d.stride[17][14] + x15 * a->d.stride[17][15] + x16 * a->d.stride[17][16] + x17 * a->d.stride[17][17] + x18 * a->d.stride[17][18];
            const u8 *const q18 = a->m18 + x0 * a->d.stride[18][0] + x1 * a->d.stride[18][1] + x2 * a->d.stride[18][2] + x3 * a->d.stride[18][3] + x4 * a->d.stride[18][4] + x5 * a->d.stride[18][5] + x6 * a->d.stride[18][6] + x7 * a->d.stride[18][7] + x8 * a->d.stride[18][8] + x9 * a->d.stride[18][9] + x10 * a->d.stride[18][10] + x11 * a->d.stride[18][11] + x12 * a->d.stride[18][12] + x13 * a->d.stride[18][13] + x14 * a->d.stride[18][14] + x15 * a->d.stride[18][15] + x16 * a->d.stride[18][16] + x17 * a->d.stride[18][17] + x18 * a->d.stride[18][18];
            const u8 *const q19 = a->m19 + x0 * a->d.stride[19][0] + x1 * a->d.stride[19][1] + x2 * a->d.stride[19][2] + x3 * a->d.stride[19][3] + x4 * a->d.stride[19][4] + x5 * a->d.stride[19][5] + x6 * a->d.stride[19][6] + x7 * a->d.stride[19][7] + x8 * a->d.stride[19][8] + x9 * a->d.stride[19][9] + x10 * a->d.stride[19][10] + x11 * a->d.stride[19][11] + x12 * a->d.stride[19][12] + x13 * a->d.stride[19][13] + x14 * a->d.stride[19][14] + x15 * a->d.stride[19][15] + x16 * a->d.stride[19][16] + x17 * a->d.stride[19][17] + x18 * a->d.stride[19][18];
            const u8 *const q20 = a->m20 + x0 * a->d.stride[20][0] + x1 * a->d.stride[20][1] + x2 * a->d.stride[20][2] + x3 * a->d.stride[20][3] + x4 * a->d.stride[20][4] + x5 * a->d.stride[20][5] + x6 * a->d.stride[20][6] + x7 * a->d.stride[20][7] + x8 * a->d.stride[20][8] + x9 * a->d.stride[20][9] + x10 * a->d.stride[20][10] + x11 * a->d.stride[20][11] + x12 * a->d.stride[20][12] + x13 * a->d.stride[20][13] + x14 * a->d.stride[20][14] + x15 * a->d.stride[20][15] + x16 * a->d.stride[20][16] + x17 * a->d.stride[20][17] + x18 * a->d.stride[20][18];
            const u8 *const q21 = a->m21 + x0 * a->d.stride[21][0] + x1 * a->d.stride[21][1] + x2 * a->d.stride[21][2] + x3 * a->d.stride[21][3] + x4 * a->d.stride[21][4] + x5 * a->d.stride[21][5] + x6 * a->d.stride[21][6] + x7 * a->d.stride[21][7] + x8 * a->d.stride[21][8] + x9 * a->d.stride[21][9] + x10 * a->d.stride[21][10] + x11 * a->d.stride[21][11] + x12 * a->d.stride[21][12] + x13 * a->d.stride[21][13] + x14 * a->d.stride[21][14] + x15 * a->d.stride[21][15] + x16 * a->d.stride[21][16] + x17 * a->d.stride[21][17] + x18 * a->d.stride[21][18];
            const u8 *const q22 = a->m22 + x0 * a->d.stride[22][0] + x1 * a->d.stride[22][1] + x2 * a->d.stride[22][2] + x3 * a->d.stride[22][3] + x4 * a->d.stride[22][4] + x5 * a->d.stride[22][5] + x6 * a->d.stride[22][6] + x7 * a->d.stride[22][7] + x8 * a->d.stride[22][8] + x9 * a->d.stride[22][9] + x10 * a->d.stride[22][10] + x11 * a->d.stride[22][11] + x12 * a->d.stride[22][12] + x13 * a->d.stride[22][13] + x14 * a->d.stride[22][14] + x15 * a->d.stride[22][15] + x16 * a->d.stride[22][16] + x17 * a->d.stride[22][17] + x18 * a->d.stride[22][18];
            const u8 *const q23 = a->m23 + x0 * a->d.stride[23][0] + x1 * a->d.stride[23][1] + x2 * a->d.stride[23][2] + x3 * a->d.stride[23][3] + x4 * a->d.stride[23][4] + x5 * a->d.stride[23][5] + x6 * a->d.stride[23][6] + x7 * a->d.stride[23][7] + x8 * a->d.stride[23][8] + x9 * a->d.stride[23][9] + x10 * a->d.stride[23][10] + x11 * a->d.stride[23][11] + x12 * a->d.stride[23][12] + x13 * a->d.stride[23][13] + x14 * a->d.stride[23][14] + x15 * a->d.stride[23][15] + x16 * a->d.stride[23][16] + x17 * a->d.stride[23][17] + x18 * a->d.stride[23][18];
            const u8 *const q24 = a->m24 + x0 * a->d.stride[24][0] + x1 * a->d.stride[24][1] + x2 * a->d.stride[24][2] + x3 * a->d.stride[24][3] + x4 * a->d.stride[24][4] + x5 * a->d.stride[24][5] + x6 * a->d.stride[24][6] + x7 * a->d.stride[24][7] + x8 * a->d.stride[24][8] + x9 * a->d.stride[24][9] + x10 * a->d.stride[24][10] + x11 * a->d.stride[24][11] + x12 * a->d.stride[24][12] + x13 * a->d.stride[24][13] + x14 * a->d.stride[24][14] + x15 * a->d.stride[24][15] + x16 * a->d.stride[24][16] + x17 * a->d.stride[24][17] + x18 * a->d.stride[24][18];
            const u8 *const q25 = a->m25 + x0 * a->d.stride[25][0] + x1 * a->d.stride[25][1] + x2 * a->d.stride[25][2] + x3 * a->d.stride[25][3] + x4 * a->d.stride[25][4] + x5 * a->d.stride[25][5] + x6 * a->d.stride[25][6] + x7 * a->d.stride[25][7] + x8 * a->d.stride[25][8] + x9 * a->d.stride[25][9] + x10 * a->d.stride[25][10] + x11 * a->d.stride[25][11] + x12 * a->d.stride[25][12] + x13 * a->d.stride[25][13] + x14 * a->d.stride[25][14] + x15 * a->d.stride[25][15] + x16 * a->d.stride[25][16] + x17 * a->d.stride[25][17] + x18 * a->d.stride[25][18];
            const u8 *const q26 = a->m26 + x0 * a->d.stride[26][0] + x1 * a->d.stride[26][1] + x2 * a->d.stride[26][2] + x3 * a->d.stride[26][3] + x4 * a->d.stride[26][4] + x5 * a->d.stride[26][5] + x6 * a->d.stride[26][6] + x7 * a->d.stride[26][7] + x8 * a->d.stride[26][8] + x9 * a->d.stride[26][9] + x10 * a->d.stride[26][10] + x11 * a->d.stride[26][11] + x12 * a->d.stride[26][12] + x13 * a->d.stride[26][13] + x14 * a->d.stride[26][14] + x15 * a->d.stride[26][15] + x16 * a->d.stride[26][16] + x17 * a->d.stride[26][17] + x18 * a->d.stride[26][18];
            const u8 *const q27 = a->m27 + x0 * a->d.stride[27][0] + x1 * a->d.stride[27][1] + x2 * a->d.stride[27][2] + x3 * a->d.stride[27][3] + x4 * a->d.stride[27][4] + x5 * a->d.stride[27][5] + x6 * a->d.stride[27][6] + x7 * a->d.stride[27][7] + x8 * a->d.stride[27][8] + x9 * a->d.stride[27][9] + x10 * a->d.stride[27][10] + x11 * a->d.stride[27][11] + x12 * a->d.stride[27][12] + x13 * a->d.stride[27][13] + x14 * a->d.stride[27][14] + x15 * a->d.stride[27][15] + x16 * a->d.stride[27][16] + x17 * a->d.stride[27][17] + x18 * a->d.stride[27][18];
            const u8 *const q28 = a->m28 + x0 * a->d.stride[28][0] + x1 * a->d.stride[28][1] + x2 * a->d.stride[28][2] + x3 * a->d.stride[28][3] + x4 * a->d.stride[28][4] + x5 * a->d.stride[28][5] + x6 * a->d.stride[28][6] + x7 * a->d.stride[28][7] + x8 * a->d.stride[28][8] + x9 * a->d.stride[28][9] + x10 * a->d.stride[28][10] + x11 * a->d.stride[28][11] + x12 * a->d.stride[28][12] + x13 * a->d.stride[28][13] + x14 * a->d.stride[28][14] + x15 * a->d.stride[28][15] + x16 * a->d.stride[28][16] + x17 * a->d.stride[28][17] + x18 * a->d.stride[28][18];
            const u8 *const q29 = a->m29 + x0 * a->d.stride[29][0] + x1 * a->d.stride[29][1] + x2 * a->d.stride[29][2] + x3 * a->d.stride[29][3] + x4 * a->d.stride[29][4] + x5 * a->d.stride[29][5] + x6 * a->d.stride[29][6] + x7 * a->d.stride[29][7] + x8 * a->d.stride[29][8] + x9 * a->d.stride[29][9] + x10 * a->d.stride[29][10] + x11 * a->d.stride[29][11] + x12 * a->d.stride[29][12] + x13 * a->d.stride[29][13] + x14 * a->d.stride[29][14] + x15 * a->d.stride[29][15] + x16 * a->d.stride[29][16] + x17 * a->d.stride[29][17] + x18 * a->d.stride[29][18];
            const u8 *const q30 = a->m30 + x0 * a->d.stride[30][0] + x1 * a->d.stride[30][1] + x2 * a->d.stride[30][2] + x3 * a->d.stride[30][3] + x4 * a->d.stride[30][4] + x5 * a->d.stride[30][5] + x6 * a->d.stride[30][6] + x7 * a->d.stride[30][7] + x8 * a->d.stride[30][8] + x9 * a->d.stride[30][9] + x10 * a->d.stride[30][10] + x11 * a->d.stride[30][11] + x12 * a->d.stride[30][12] + x13 * a->d.stride[30][13] + x14 * a->d.stride[30][14] + x15 * a->d.stride[30][15] + x16 * a->d.stride[30][16] + x17 * a->d.stride[30][17] + x18 * a->d.stride[30][18];
            const u8 *const q31 = a->m31 + x0 * a->d.stride[31][0] + x1 * a->d.stride[31][1] + x2 * a->d.stride[31][2] + x3 * a->d.stride[31][3] + x4 * a->d.stride[31][4] + x5 * a->d.stride[31][5] + x6 * a->d.stride[31][6] + x7 * a->d.stride[31][7] + x8 * a->d.stride[31][8] + x9 * a->d.stride[31][9] + x10 * a->d.stride[31][10] + x11 * a->d.stride[31][11] + x12 * a->d.stride[31][12] + x13 * a->d.stride[31][13] + x14 * a->d.stride[31][14] + x15 * a->d.stride[31][15] + x16 * a->d.stride[31][16] + x17 * a->d.stride[31][17] + x18 * a->d.stride[31][18];
            const u8 *const q32 = a->m32 + x0 * a->d.stride[32][0] + x1 * a->d.stride[32][1] + x2 * a->d.stride[32][2] + x3 * a->d.stride[32][3] + x4 * a->d.stride[32][4] + x5 * a->d.stride[32][5] + x6 * a->d.stride[32][6] + x7 * a->d.stride[32][7] + x8 * a->d.stride[32][8] + x9 * a->d.stride[32][9] + x10 * a->d.stride[32][10] + x11 * a->d.stride[32][11] + x12 * a->d.stride[32][12] + x13 * a->d.stride[32][13] + x14 * a->d.stride[32][14] + x15 * a->d.stride[32][15] + x16 * a->d.stride[32][16] + x17 * a->d.stride[32][17] + x18 * a->d.stride[32][18];
            const u8 *const q33 = a->m33 + x0 * a->d.stride[33][0] + x1 * a->d.stride[33][1] + x2 * a->d.stride[33][2] + x3 * a->d.stride[33][3] + x4 * a->d.stride[33][4] + x5 * a->d.stride[33][5] + x6 * a->d.stride[33][6] + x7 * a->d.stride[33][7] + x8 * a->d.stride[33][8] + x9 * a->d.stride[33][9] + x10 * a->d.stride[33][10] + x11 * a->d.stride[33][11] + x12 * a->d.stride[33][12] + x13 * a->d.stride[33][13] + x14 * a->d.stride[33][14] + x15 * a->d.stride[33][15] + x16 * a->d.stride[33][16] + x17 * a->d.stride[33][17] + x18 * a->d.stride[33][18];
            const u8 *const q34 = a->m34 + x0 * a->d.stride[34][0] + x1 * a->d.stride[34][1] + x2 * a->d.stride[34][2] + x3 * a->d.stride[34][3] + x4 * a->d.stride[34][4] + x5 * a->d.stride[34][5] + x6 * a->d.stride[34][6] + x7 * a->d.stride[34][7] + x8 * a->d.stride[34][8] + x9 * a->d.stride[34][9] + x10 * a->d.stride[34][10] + x11 * a->d.stride[34][11] + x12 * a->d.stride[34][12] + x13 * a->d.stride[34][13] + x14 * a->d.stride[34][14] + x15 * a->d.stride[34][15] + x16 * a->d.stride[34][16] + x17 * a->d.stride[34][17] + x18 * a->d.stride[34][18];
            const u8 *const q35 = a->m35 + x0 * a->d.stride[35][0] + x1 * a->d.stride[35][1] + x2 * a->d.stride[35][2] + x3 * a->d.stride[35][3] + x4 * a->d.stride[35][4] + x5 * a->d.stride[35][5] + x6 * a->d.stride[35][6] + x7 * a->d.stride[35][7] + x8 * a->d.stride[35][8] + x9 * a->d.stride[35][9] + x10 * a->d.stride[35][10] + x11 * a->d.stride[35][11] + x12 * a->d.stride[35][12] + x13 * a->d.stride[35][13] + x14 * a->d.stride[35][14] + x15 * a->d.stride[35][15] + x16 * a->d.stride[35][16] + x17 * a->d.stride[35][17] + x18 * a->d.stride[35][18];
            const u8 *const q36 = a->m36 + x0 * a->d.stride[36][0] + x1 * a->d.stride[36][1] + x2 * a->d.stride[36][2] + x3 * a->d.stride[36][3] + x4 * a->d.stride[36][4] + x5 * a->d.stride[36][5] + x6 * a->d.stride[36][6] + x7 * a->d.stride[36][7] + x8 * a->d.stride[36][8] + x9 * a->d.stride[36][9] + x10 * a->d.stride[36][10] + x11 * a->d.stride[36][11] + x12 * a->d.stride[36][12] + x13 * a->d.stride[36][13] + x14 * a->d.stride[36][14] + x15 * a->d.stride[36][15] + x16 * a->d.stride[36][16] + x17 * a->d.stride[36][17] + x18 * a->d.stride[36][18];
            const u8 *const q37 = a->m37 + x0 * a->d.stride[37][0] + x1 * a->d.stride[37][1] + x2 * a->d.stride[37][2] + x3 * a->d.stride[37][3] + x4 * a->d.stride[37][4] + x5 * a->d.stride[37][5] + x6 * a->d.stride[37][6] + x7 * a->d.stride[37][7] + x8 * a->d.stride[37][8] + x9 * a->d.stride[37][9] + x10 * a->d.stride[37][10] + x11 * a->d.stride[37][11] + x12 * a->d.stride[37][12] + x13 * a->d.stride[37][13] + x14 * a->d.stride[37][14] + x15 * a->d.stride[37][15] + x16 * a->d.stride[37][16] + x17 * a->d.stride[37][17] + x18 * a->d.stride[37][18];
            const u8 *const q38 = a->m38 + x0 * a->d.stride[38][0] + x1 * a->d.stride[38][1] + x2 * a->d.stride[38][2] + x3 * a->d.stride[38][3] + x4 * a->d.stride[38][4] + x5 * a->d.stride[38][5] + x6 * a->d.stride[38][6] + x7 * a->d.stride[38][7] + x8 * a->d.stride[38][8] + x9 * a->d.stride[38][9] + x10 * a->d.stride[38][10] + x11 * a->d.stride[38][11] + x12 * a->d.stride[38][12] + x13 * a->d.stride[38][13] + x14 * a->d.stride[38][14] + x15 * a->d.stride[38][15] + x16 * a->d.stride[38][16] + x17 * a->d.stride[38][17] + x18 * a->d.stride[38][18];
            const u8 *const q39 = a->m39 + x0 * a->d.stride[39][0] + x1 * a->d.stride[39][1] + x2 * a->d.stride[39][2] + x3 * a->d.stride[39][3] + x4 * a->d.stride[39][4] + x5 * a->d.stride[39][5] + x6 * a->d.stride[39][6] + x7 * a->d.stride[39][7] + x8 * a->d.stride[39][8] + x9 * a->d.stride[39][9] + x10 * a->d.stride[39][10] + x11 * a->d.stride[39][11] + x12 * a->d.stride[39][12] + x13 * a->d.stride[39][13] + x14 * a->d.stride[39][14] + x15 * a->d.stride[39][15] + x16 * a->d.stride[39][16] + x17 * a->d.stride[39][17] + x18 * a->d.stride[39][18];
            const u8 *const q40 = a->m40 + x0 * a->d.stride[40][0] + x1 * a->d.stride[40][1] + x2 * a->d.stride[40][2] + x3 * a->d.stride[40][3] + x4 * a->d.stride[40][4] + x5 * a->d.stride[40][5] + x6 * a->d.stride[40][6] + x7 * a->d.stride[40][7] + x8 * a->d.stride[40][8] + x9 * a->d.stride[40][9] + x10 * a->d.stride[40][10] + x11 * a->d.stride[40][11] + x12 * a->d.stride[40][12] + x13 * a->d.stride[40][13] + x14 * a->d.stride[40][14] + x15 * a->d.stride[40][15] + x16 * a->d.stride[40][16] + x17 * a->d.stride[40][17] + x18 * a->d.stride[40][18];
            const u8 *const q41 = a->m41 + x0 * a->d.stride[41][0] + x1 * a->d.stride[41][1] + x2 * a->d.stride[41][2] + x3 * a->d.stride[41][3] + x4 * a->d.stride[41][4] + x5 * a->d.stride[41][5] + x6 * a->d.stride[41][6] + x7 * a->d.stride[41][7] + x8 * a->d.stride[41][8] + x9 * a->d.stride[41][9] + x10 * a->d.stride[41][10] + x11 * a->d.stride[41][11] + x12 * a->d.stride[41][12] + x13 * a->d.stride[41][13] + x14 * a->d.stride[41][14] + x15 * a->d.stride[41][15] + x16 * a->d.stride[41][16] + x17 * a->d.stride[41][17] + x18 * a->d.stride[41][18];
            const u8 *const q42 = a->m42 + x0 * a->d.stride[42][0] + x1 * a->d.stride[42][1] + x2 * a->d.stride[42][2] + x3 * a->d.stride[42][3] + x4 * a->d.stride[42][4] + x5 * a->d.stride[42][5] + x6 * a->d.stride[42][6] + x7 * a->d.stride[42][7] + x8 * a->d.stride[42][8] + x9 * a->d.stride[42][9] + x10 * a->d.stride[42][10] + x11 * a->d.stride[42][11] + x12 * a->d.stride[42][12] + x13 * a->d.stride[42][13] + x14 * a->d.stride[42][14] + x15 * a->d.stride[42][15] + x16 * a->d.stride[42][16] + x17 * a->d.stride[42][17] + x18 * a->d.stride[42][18];
            const u8 *const q43 = a->m43 + x0 * a->d.stride[43][0] + x1 * a->d.stride[43][1] + x2 * a->d.stride[43][2] + x3 * a->d.stride[43][3] + x4 * a->d.stride[43][4] + x5 * a->d.stride[43][5] + x6 * a->d.stride[43][6] + x7 * a->d.stride[43][7] + x8 * a->d.stride[43][8] + x9 * a->d.stride[43][9] + x10 * a->d.stride[43][10] + x11 * a->d.stride[43][11] + x12 * a->d.stride[43][12] + x13 * a->d.stride[43][13] + x14 * a->d.stride[43][14] + x15 * a->d.stride[43][15] + x16 * a->d.stride[43][16] + x17 * a->d.stride[43][17] + x18 * a->d.stride[43][18];
            const u8 *const q44 = a->m44 + x0 * a->d.stride[44][0] + x1 * a->d.stride[44][1] + x2 * a->d.stride[44][2] + x3 * a->d.stride[44][3] + x4 * a->d.stride[44][4] + x5 * a->d.stride[44][5] + x6 * a->d.stride[44][6] + x7 * a->d.stride[44][7] + x8 * a->d.stride[44][8] + x9 * a->d.stride[44][9] + x10 * a->d.stride[44][10] + x11 * a->d.stride[44][11] + x12 * a->d.stride[44][12] + x13 * a->d.stride[44][13] + x14 * a->d.stride[44][14] + x15 * a->d.stride[44][15] + x16 * a->d.stride[44][16] + x17 * a->d.stride[44][17] + x18 * a->d.stride[44][18];
            const u8 *const q45 = a->m45 + x0 * a->d.stride[45][0] + x1 * a->d.stride[45][1] + x2 * a->d.stride[45][2] + x3 * a->d.stride[45][3] + x4 * a->d.stride[45][4] + x5 * a->d.stride[45][5] + x6 * a->d.stride[45][6] + x7 * a->d.stride[45][7] + x8 * a->d.stride[45][8] + x9 * a->d.stride[45][9] + x10 * a->d.stride[45][10] + x11 * a->d.stride[45][11] + x12 * a->d.stride[45][12] + x13 * a->d.stride[45][13] + x14 * a->d.stride[45][14] + x15 * a->d.stride[45][15] + x16 * a->d.stride[45][16] + x17 * a->d.stride[45][17] + x18 * a->d.stride[45][18];
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
                index lot = from;
                for (i32 k = 0; k < 32 && lot < a->d.inner; k++, lot += lanes) {
                    const Arguments *const a = anew(given, lot);
                    const f64 s0 = a->s0;
                    const i8 s1 = a->s1;
                    const c128 s2 = a->s2;
                    const index x19 = lot * 2;
                    const u8 *const p0 = q0 + x19 * 8;
                    const u8 *const p1 = q1 + x19 * 8;
                    const u8 *const p2 = q2 + x19 * 8;
                    const u8 *const p3 = q3 + x19 * 8;
                    const u8 *const p4 = q4 + x19 * 8;
                    const u8 *const p5 = q5 + x19 * 8;
                    const u8 *const p6 = q6 + x19 * 8;
                    const u8 *const p7 = q7 + x19 * 8;
                    const u8 *const p8 = q8 + x19 * 8;
                    const u8 *const p9 = q9 + x19 * 8;
                    const u8 *const p10 = q10 + x19 * 8;
                    const u8 *const p11 = q11 + x19 * 8;
                    const u8 *const p12 = q12 + x19 * 8;
                    const u8 *const p13 = q13 + x19 * 8;
                    const u8 *const p14 = q14 + x19 * 8;
                    const u8 *const p15 = q15 + x19 * 8;
                    const u8 *const p16 = q16 + x19 * 8;
                    const u8 *const p17 = q17 + x19 * 8;
                    const u8 *const p18 = q18 + x19 * 8;
                    const u8 *const p19 = q19 + x19 * 8;
                    const u8 *const p20 = q20 + x19 * 8;
                    const u8 *const p21 = q21 + x19 * 8;
                    const u8 *const p22 = q22 + x19 * 8;
                    const u8 *const p23 = q23 + x19 * 8;
                    const u8 *const p24 = q24 + x19 * 8;
                    const u8 *const p25 = q25 + x19 * 8;
                    const u8 *const p26 = q26 + x19 * 8;
                    const u8 *const p27 = q27 + x19 * 8;
                    const u8 *const p28 = q28 + x19 * 8;
                    const u8 *const p29 = q29 + x19 * 8;
                    const u8 *const p30 = q30 + x19 * 8;
                    const u8 *const p31 = q31 + x19 * 8;
                    const u8 *const p32 = q32 + x19 * 8;
                    const u8 *const p33 = q33 + x19 * 8;
                    const u8 *const p34 = q34 + x19 * 8;
                    const u8 *const p35 = q35 + x19 * 8;
                    const u8 *const p36 = q36 + x19 * 8;
                    const u8 *const p37 = q37 + x19 * 8;
                    const u8 *const p38 = q38 + x19 * 8;
                    const u8 *const p39 = q39 + x19 * 8;
                    const u8 *const p40 = q40 + x19 * 8;
                    const u8 *const p41 = q41 + x19 * 8;
                    const u8 *const p42 = q42 + x19 * 8;
                    const u8 *const p43 = q43 + x19 * 8;
                    const u8 *const p44 = q44 + x19 * 8;
                    const u8 *const p45 = q45 + x19 * 8;
                    const u8 *const p46 = q46 + x19 * 8;
                    const i32 count = (i32)(a->d.last - x19 < 2 ? a->d.last - x19 : 2);
                    const f64x2 l0 = read_f64x2(p0, count);
                    const f64x2 l1 = read_f64x2(p1, count);
                    const f64x2 l2 = read_f64x2(p2, count);
                    const f64x2 l3 = read_f64x2(p3, count);
                    const f64x2 l4 = read_f64x2(p4, count);
                    const f64x2 l5 = read_f64x2(p5, count);
                    const f64x2 l6 = read_f64x2(p6, count);
                    const f64x2 l7 = read_f64x2(p7, count);
                    const f64x2 l8 = read_f64x2(p8, count);
                    const f64x2 l9 = read_f64x2(p9, count);
                    const f64x2 l10 = read_f64x2(p10, count);
                    const f64x2 l11 = read_f64x2(p11, count);
                    const f64x2 l12 = read_f64x2(p12, count);
                    const f64x2 l13 = read_f64x2(p13, count);
                    const f64x2 l14 = read_f64x2(p14, count);
                    const f64x2 l15 = read_f64x2(p15, count);
                    const f64x2 l16 = read_f64x2(p16, count);
                    const f64x2 l17 = read_f64x2(p17, count);
                    const f64x2 l18 = read_f64x2(p18, count);
                    const f64x2 l19 = read_f64x2(p19, count);
                    const f64x2 l20 = read_f64x2(p20, count);
                    const f64x2 l21 = read_f64x2(p21, count);
                    const f64x2 l22 = read_f64x2(p22, count);
                    const f64x2 l23 = read_f64x2(p23, count);
                    const f64x2 l24 = read_f64x2(p24, count);
                    const f64x2 l25 = read_f64x2(p25, count);
                    const f64x2 l26 = read_f64x2(p26, count);
                    const f64x2 l27 = read_f64x2(p27, count);
                    const f64x2 l28 = read_f64x2(p28, count);
                    const f64x2 l29 = read_f64x2(p29, count);
                    const f64x2 l30 = read_f64x2(p30, count);
                    const f64x2 l31 = read_f64x2(p31, count);
                    const f64x2 l32 = read_f64x2(p32, count);
                    const f64x2 l33 = read_f64x2(p33, count);
                    const f64x2 l34 = read_f64x2(p34, count);
                    const f64x2 l35 = read_f64x2(p35, count);
                    const f64x2 l36 = read_f64x2(p36, count);
                    const f64x2 l37 = read_f64x2(p37, count);
                    const f64x2 l38 = read_f64x2(p38, count);
                    const f64x2 l39 = read_f64x2(p39, count);
                    const f64x2 l40 = read_f64x2(p40, count);
                    const f64x2 l41 = read_f64x2(p41, count);
                    const f64x2 l42 = read_f64x2(p42, count);
                    const f64x2 l43 = read_f64x2(p43, count);
                    const f64x2 l44 = read_f64x2(p44, count);
                    const f64x2 l45 = read_f64x2(p45, count);
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
                            const f64 v7 = l3.at[j];
                            const f64 v8 = v6 + v7;
                            const f64 v9 = l4.at[j];
                            const f64 v10 = v8 + v9;
                            const f64 v11 = l5.at[j];
                            const f64 v12 = v10 + v11;
                            const f64 v13 = l6.at[j];
                            const f64 v14 = v12 + v13;
                            const f64 v15 = l7.at[j];
                            const f64 v16 = v14 + v15;
                            const f64 v17 = l8.at[j];
                            const f64 v18 = v16 + v17;
                            const f64 v19 = l9.at[j];
                            const f64 v20 = v18 + v19;
                            const f64 v21 = l10.at[j];
                            const f64 v22 = v20 + v21;
                            const f64 v23 = l11.at[j];
                            const f64 v24 = v22 + v23;
                            const f64 v25 = l12.at[j];
                            const f64 v26 = v24 + v25;
                            const f64 v27 = l13.at[j];
                            const f64 v28 = v26 + v27;
                            const f64 v29 = l14.at[j];
                            const f64 v30 = v28 + v29;
                            const f64 v31 = l15.at[j];
                            const f64 v32 = v30 + v31;
                            const f64 v33 = l16.at[j];
                            const f64 v34 = v32 + v33;
                            const f64 v35 = l17.at[j];
                            const f64 v36 = v34 + v35;
                            const f64 v37 = l18.at[j];
                            const f64 v38 = v36 + v37;
                            const f64 v39 = l19.at[j];
                            const f64 v40 = v38 + v39;
                            const f64 v41 = l20.at[j];
                            const f64 v42 = v40 + v41;
                            const f64 v43 = l21.at[j];
                            const f64 v44 = v42 + v43;
                            const f64 v45 = l22.at[j];
                            const f64 v46 = v44 + v45;
                            const f64 v47 = l23.at[j];
                            const f64 v48 = v46 + v47;
                            const f64 v49 = l24.at[j];
                            const f64 v50 = v48 + v49;
                            const f64 v51 = l25.at[j];
                            const f64 v52 = v50 + v51;
                            const f64 v53 = l26.at[j];
                            const f64 v54 = v52 + v53;
                            const f64 v55 = l27.at[j];
                            const f64 v56 = v54 + v55;
                            const f64 v57 = l28.at[j];
                            const f64 v58 = v56 + v57;
                            const f64 v59 = l29.at[j];
                            const f64 v60 = v58 + v59;
                            const f64 v61 = l30.at[j];
                            const f64 v62 = v60 + v61;
                            const f64 v63 = l31.at[j];
                            const f64 v64 = v62 + v63;
                            const f64 v65 = l32.at[j];
                            const f64 v66 = v64 + v65;
                            const f64 v67 = l33.at[j];
                            const f64 v68 = v66 + v67;
                            const f64 v69 = l34.at[j];
                            const f64 v70 = v68 + v69;
                            const f64 v71 = l35.at[j];
                            const f64 v72 = v70 + v71;
                            const f64 v73 = l36.at[j];
                            const f64 v74 = v72 + v73;
                            const f64 v75 = l37.at[j];
                            const f64 v76 = v74 + v75;
                            const f64 v77 = l38.at[j];
                            const f64 v78 = v76 + v77;
                            const f64 v79 = l39.at[j];
                            const f64 v80 = v78 + v79;
                            const f64 v81 = l40.at[j];
                            const f64 v82 = v80 + v81;
                            const f64 v83 = l41.at[j];
                            const f64 v84 = v82 + v83;
                            const f64 v85 = l42.at[j];
                            const f64 v86 = v84 + v85;
                            const f64 v87 = l43.at[j];
                            const f64 v88 = v86 + v87;
                            const f64 v89 = l44.at[j];
                            const f64 v90 = v88 + v89;
                            const f64 v91 = l45.at[j];
                            const f64 v92 = v90 + v91;
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
        f = across(f);
        const bool head = inside && threadIdx.x == 0;
        if (gridDim.y > 1) {
            if (head) parts[(u64)blockIdx.y * a->d.outer + point] = f;
            if (!is_last_block(&tickets[first / (index)blockDim.y])) continue;
            f = nothing();
            for (u32 part = threadIdx.x; inside && part < gridDim.y; part += blockDim.x) {
                f = join(f, parts[(u64)part * a->d.outer + point]);
            }
            f = across(f);
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

// Points, or lots of them, of the outer and the inner domain; points of the last axis; a part's share of lots.
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

extern "C" __global__ void __launch_bounds__(256) scan(const Arguments *const __restrict__ given, Folded *const parts, const i32 phase) {
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
        const index n15 = over(n16, a->d.axis[15]);
        const index x15 = n16 - n15 * a->d.axis[15].extent;
        const index n14 = over(n15, a->d.axis[14]);
        const index x14 = n15 - n14 * a->d.axis[14].extent;
        const index n13 = over(n14, a->d.axis[13]);
        const index x13 = n14 - n13 * a->d.axis[13].extent;
        const index n12 = over(n13, a->d.axis[12]);
        const index x12 = n13 - n12 * a->d.axis[12].extent;
        const index n11 = over(n12, a->d.axis[11]);
        const index x11 = n12 - n11 * a->d.axis[11].extent;
        const index n10 = over(n11, a->d.axis[10]);
        const index x10 = n11 - n10 * a->d.axis[10].extent;
        const index n9 = over(n10, a->d.axis[9]);
        const index x9 = n10 - n9 * a->d.axis[9].extent;
        const index n8 = over(n9, a->d.axis[8]);
        const index x8 = n9 - n8 * a->d.axis[8].extent;
        const index n7 = over(n8, a->d.axis[7]);
        const index x7 = n8 - n7 * a->d.axis[7].extent;
        const index n6 = over(n7, a->d.axis[6]);
        const index x6 = n7 - n6 * a->d.axis[6].extent;
        const index n5 = over(n6, a->d.axis[5]);
        const index x5 = n6 - n5 * a->d.axis[5].extent;
        const index n4 = over(n5, a->d.axis[4]);
        const index x4 = n5 - n4 * a->d.axis[4].extent;
        const index n3 = over(n4, a->d.axis[3]);
        const index x3 = n4 - n3 * a->d.axis[3].extent;
        const index n2 = over(n3, a->d.axis[2]);
        const index x2 = n3 - n2 * a->d.axis[2].extent;
        const index n1 = over(n2, a->d.axis[1]);
        const index x1 = n2 - n1 * a->d.axis[1].extent;
        const index x0 = n1;
        const u8 *const q0 = a->m0 + x0 * a->d.stride[0][0] + x1 * a->d.stride[0][1] + x2 * a->d.stride[0][2] + x3 * a->d.stride[0][3] + x4 * a->d.stride[0][4] + x5 * a->d.stride[0][5] + x6 * a->d.stride[0][6] + x7 * a->d.stride[0][7] + x8 * a->d.stride[0][8] + x9 * a->d.stride[0][9] + x10 * a->d.stride[0][10] + x11 * a->d.stride[0][11] + x12 * a->d.stride[0][12] + x13 * a->d.stride[0][13] + x14 * a->d.stride[0][14] + x15 * a->d.stride[0][15] + x16 * a->d.stride[0][16] + x17 * a->d.stride[0][17] + x18 * a->d.stride[0][18];
        const u8 *const q1 = a->m1 + x0 * a->d.stride[1][0] + x1 * a->d.stride[1][1] + x2 * a->d.stride[1][2] + x3 * a->d.stride[1][3] + x4 * a->d.stride[1][4] + x5 * a->d.stride[1][5] + x6 * a->d.stride[1][6] + x7 * a->d.stride[1][7] + x8 * a->d.stride[1][8] + x9 * a->d.stride[1][9] + x10 * a->d.stride[1][10] + x11 * a->d.stride[1][11] + x12 * a->d.stride[1][12] + x13 * a->d.stride[1][13] + x14 * a->d.stride[1][14] + x15 * a->d.stride[1][15] + x16 * a->d.stride[1][16] + x17 * a->d.stride[1][17] + x18 * a->d.stride[1][18];
        const u8 *const q2 = a->m2 + x0 * a->d.stride[2][0] + x1 * a->d.stride[2][1] + x2 * a->d.stride[2][2] + x3 * a->d.stride[2][3] + x4 * a->d.stride[2][4] + x5 * a->d.stride[2][5] + x6 * a->d.stride[2][6] + x7 * a->d.stride[2][7] + x8 * a->d.stride[2][8] + x9 * a->d.stride[2][9] + x10 * a->d.stride[2][10] + x11 * a->d.stride[2][11] + x12 * a->d.stride[2][12] + x13 * a->d.stride[2][13] + x14 * a->d.stride[2][14] + x15 * a->d.stride[2][15] + x16 * a->d.stride[2][16] + x17 * a->d.stride[2][17] + x18 * a->d.stride[2][18];
        const u8 *const q3 = a->m3 + x0 * a->d.stride[3][0] + x1 * a->d.stride[3][1] + x2 * a->d.stride[3][2] + x3 * a->d.stride[3][3] + x4 * a->d.stride[3][4] + x5 * a->d.stride[3][5] + x6 * a->d.stride[3][6] + x7 * a->d.stride[3][7] + x8 * a->d.stride[3][8] + x9 * a->d.stride[3][9] + x10 * a->d.stride[3][10] + x11 * a->d.stride[3][11] + x12 * a->d.stride[3][12] + x13 * a->d.stride[3][13] + x14 * a->d.stride[3][14] + x15 * a->d.stride[3][15] + x16 * a->d.stride[3][16] + x17 * a->d.stride[3][17] + x18 * a->d.stride[3][18];
        const u8 *const q4 = a->m4 + x0 * a->d.stride[4][0] + x1 * a->d.stride[4][1] + x2 * a->d.stride[4][2] + x3 * a->d.stride[4][3] + x4 * a->d.stride[4][4] + x5 * a->d.stride[4][5] + x6 * a->d.stride[4][6] + x7 * a->d.stride[4][7] + x8 * a->d.stride[4][8] + x9 * a->d.stride[4][9] + x10 * a->d.stride[4][10] + x11 * a->d.stride[4][11] + x12 * a->d.stride[4][12] + x13 * a->d.stride[4][13] + x14 * a->d.stride[4][14] + x15 * a->d.stride[4][15] + x16 * a->d.stride[4][16] + x17 * a->d.stride[4][17] + x18 * a->d.stride[4][18];
        const u8 *const q5 = a->m5 + x0 * a->d.stride[5][0] + x1 * a->d.stride[5][1] + x2 * a->d.stride[5][2] + x3 * a->d.stride[5][3] + x4 * a->d.stride[5][4] + x5 * a->d.stride[5][5] + x6 * a->d.stride[5][6] + x7 * a->d.stride[5][7] + x8 * a->d.stride[5][8] + x9 * a->d.stride[5][9] + x10 * a->d.stride[5][10] + x11 * a->d.stride[5][11] + x12 * a->d.stride[5][12] + x13 * a->d.stride[5][13] + x14 * a->d.stride[5][14] + x15 * a->d.stride[5][15] + x16 * a->d.stride[5][16] + x17 * a->d.stride[5][17] + x18 * a->d.stride[5][18];
        const u8 *const q6 = a->m6 + x0 * a->d.stride[6][0] + x1 * a->d.stride[6][1] + x2 * a->d.stride[6][2] + x3 * a->d.stride[6][3] + x4 * a->d.stride[6][4] + x5 * a->d.stride[6][5] + x6 * a->d.stride[6][6] + x7 * a->d.stride[6][7] + x8 * a->d.stride[6][8] + x9 * a->d.stride[6][9] + x10 * a->d.stride[6][10] + x11 * a->d.stride[6][11] + x12 * a->d.stride[6][12] + x13 * a->d.stride[6][13] + x14 * a->d.stride[6][14] + x15 * a->d.stride[6][15] + x16 * a->d.stride[6][16] + x17 * a->d.stride[6][17] + x18 * a->d.stride[6][18];
        const u8 *const q7 = a->m7 + x0 * a->d.stride[7][0] + x1 * a->d.stride[7][1] + x2 * a->d.stride[7][2] + x3 * a->d.stride[7][3] + x4 * a->d.stride[7][4] + x5 * a->d.stride[7][5] + x6 * a->d.stride[7][6] + x7 * a->d.stride[7][7] + x8 * a->d.stride[7][8] + x9 * a->d.stride[7][9] + x10 * a->d.stride[7][10] + x11 * a->d.stride[7][11] + x12 * a->d.stride[7][12] + x13 * a->d.stride[7][13] + x14 * a->d.stride[7][14] + x15 * a->d.stride[7][15] + x16 * a->d.stride[7][16] + x17 * a->d.stride[7][17] + x18 * a->d.stride[7][18];
        const u8 *const q8 = a->m8 + x0 * a->d.stride[8][0] + x1 * a->d.stride[8][1] + x2 * a->d.stride[8][2] + x3 * a->d.stride[8][3] + x4 * a->d.stride[8][4] + x5 * a->d.stride[8][5] + x6 * a->d.stride[8][6] + x7 * a->d.stride[8][7] + x8 * a->d.stride[8][8] + x9 * a->d.stride[8][9] + x10 * a->d.stride[8][10] + x11 * a->d.stride[8][11] + x12 * a->d.stride[8][12] + x13 * a->d.stride[8][13] + x14 * a->d.stride[8][14] + x15 * a->d.stride[8][15] + x16 * a->d.stride[8][16] + x17 * a->d.stride[8][17] + x18 * a->d.stride[8][18];
        const u8 *const q9 = a->m9 + x0 * a->d.stride[9][0] + x1 * a->d.stride[9][1] + x2 * a->d.stride[9][2] + x3 * a->d.stride[9][3] + x4 * a->d.stride[9][4] + x5 * a->d.stride[9][5] + x6 * a->d.stride[9][6] + x7 * a->d.stride[9][7] + x8 * a->d.stride[9][8] + x9 * a->d.stride[9][9] + x10 * a->d.stride[9][10] + x11 * a->d.stride[9][11] + x12 * a->d.stride[9][12] + x13 * a->d.stride[9][13] + x14 * a->d.stride[9][14] + x15 * a->d.stride[9][15] + x16 * a->d.stride[9][16] + x17 * a->d.stride[9][17] + x18 * a->d.stride[9][18];
        const u8 *const q10 = a->m10 + x0 * a->d.stride[10][0] + x1 * a->d.stride[10][1] + x2 * a->d.stride[10][2] + x3 * a->d.stride[10][3] + x4 * a->d.stride[10][4] + x5 * a->d.stride[10][5] + x6 * a->d.stride[10][6] + x7 * a->d.stride[10][7] + x8 * a->d.stride[10][8] + x9 * a->d.stride[10][9] + x10 * a->d.stride[10][10] + x11 * a->d.stride[10][11] + x12 * a->d.stride[10][12] + x13 * a->d.stride[10][13] + x14 * a->d.stride[10][14] + x15 * a->d.stride[10][15] + x16 * a->d.stride[10][16] + x17 * a->d.stride[10][17] + x18 * a->d.stride[10][18];
        const u8 *const q11 = a->m11 + x0 * a->d.stride[11][0] + x1 * a->d.stride[11][1] + x2 * a->d.stride[11][2] + x3 * a->d.stride[11][3] + x4 * a->d.stride[11][4] + x5 * a->d.stride[11][5] + x6 * a->d.stride[11][6] + x7 * a->d.stride[11][7] + x8 * a->d.stride[11][8] + x9 * a->d.stride[11][9] + x10 * a->d.stride[11][10] + x11 * a->d.stride[11][11] + x12 * a->d.stride[11][12] + x13 * a->d.stride[11][13] + x14 * a->d.stride[11][14] + x15 * a->d.stride[11][15] + x16 * a->d.stride[11][16] + x17 * a->d.stride[11][17] + x18 * a->d.stride[11][18];
        const u8 *const q12 = a->m12 + x0 * a->d.stride[12][0] + x1 * a->d.stride[12][1] + x2 * a->d.stride[12][2] + x3 * a->d.stride[12][3] + x4 * a->d.stride[12][4] + x5 * a->d.stride[12][5] + x6 * a->d.stride[12][6] + x7 * a->d.stride[12][7] + x8 * a->d.stride[12][8] + x9 * a->d.stride[12][9] + x10 * a->d.stride[12][10] + x11 * a->d.stride[12][11] + x12 * a->d.stride[12][12] + x13 * a->d.stride[12][13] + x14 * a->d.stride[12][14] + x15 * a->d.stride[12][15] + x16 * a->d.stride[12][16] + x17 * a->d.stride[12][17] + x18 * a->d.stride[12][18];
        const u8 *const q13 = a->m13 + x0 * a->d.stride[13][0] + x1 * a->d.stride[13][1] + x2 * a->d.stride[13][2] + x3 * a->d.stride[13][3] + x4 * a->d.stride[13][4] + x5 * a->d.stride[13][5] + x6 * a->d.stride[13][6] + x7 * a->d.stride[13][7] + x8 * a->d.stride[13][8] + x9 * a->d.stride[13][9] + x10 * a->d.stride[13][10] + x11 * a->d.stride[13][11] + x12 * a->d.stride[13][12] + x13 * a->d.stride[13][13] + x14 * a->d.stride[13][14] + x15 * a->d.stride[13][15] + x16 * a->d.stride[13][16] + x17 * a->d.stride[13][17] + x18 * a->d.stride[13][18];
        const u8 *const q14 = a->m14 + x0 * a->d.stride[14][0] + x1 * a->d.stride[14][1] + x2 * a->d.stride[14][2] + x3 * a->d.stride[14][3] + x4 * a->d.stride[14][4] + x5 * a->d.stride[14][5] + x6 * a->d.stride[14][6] + x7 * a->d.stride[14][7] + x8 * a->d.stride[14][8] + x9 * a->d.stride[14][9] + x10 * a->d.stride[14][10] + x11 * a->d.stride[14][11] + x12 * a->d.stride[14][12] + x13 * a->d.stride[14][13] + x14 * a->d.stride[14][14] + x15 * a->d.stride[14][15] + x16 * a->d.stride[14][16] + x17 * a->d.stride[14][17] + x18 * a->d.stride[14][18];
        const u8 *const q15 = a->m15 + x0 * a->d.stride[15][0] + x1 * a->d.stride[15][1] + x2 * a->d.stride[15][2] + x3 * a->d.stride[15][3] + x4 * a->d.stride[15][4] + x5 * a->d.stride[15][5] + x6 * a->d.stride[15][6] + x7 * a->d.stride[15][7] + x8 * a->d.stride[15][8] + x9 * a->d.stride[15][9] + x10 * a->d.stride[15][10] + x11 * a->d.stride[15][11] + x12 * a->d.stride[15][12] + x13 * a->d.stride[15][13] + x14 * a->d.stride[15][14] + x15 * a->d.stride[15][15] + x16 * a->d.stride[15][16] + x17 * a->d.stride[15][17] + x18 * a->d.stride[15][18];
        const u8 *const q16 = a->m16 + x0 * a->d.stride[16][0] + x1 * a->d.stride[16][1] + x2 * a->d.stride[16][2] + x3 * a->d.stride[16][3] + x4 * a->d.stride[16][4] + x5 * a->d.stride[16][5] + x6 * a->d.stride[16][6] + x7 * a->d.stride[16][7] + x8 * a->d.stride[16][8] + x9 * a->d.stride[16][9] + x10 * a->d.stride[16][10] + x11 * a->d.stride[16][11] + x12 * a->d.stride[16][12] + x13 * a->d.stride[16][13] + x14 * a->d.stride[16][14] + x15 * a->d.stride[16][15] + x16 * a->d.stride[16][16] + x17 * a->d.stride[16][17] + x18 * a->d.stride[16][18];
        const u8 *const q17 = a->m17 + x0 * a->d.stride[17][0] + x1 * a->d.stride[17][1] + x2 * a->d.stride[17][2] + x3 * a->d.stride[17][3] + x4 * a->d.stride[17][4] + x5 * a->d.stride[17][5] + x6 * a->d.stride[17][6] + x7 * a->d.stride[17][7] + x8 * a->d.stride[17][8] + x9 * a->d.stride[17][9] + x10 * a->d.stride[17][10] + x11 * a->d.stride[17][11] + x12 * a->d.stride[17][12] + x13 * a->d.stride[17][13] + x14 * a->d.stride[17][14] + x15 * a->d.stride[17][15] + x16 * a->d.stride[17][16] + x17 * a->d.stride[17][17] + x18 * a->d.stride[17][18];
        const u8 *const q18 = a->m18 + x0 * a->d.stride[18][0] + x1 * a->d.stride[18][1] + x2 * a->d.stride[18][2] + x3 * a->d.stride[18][3] + x4 * a->d.stride[18][4] + x5 * a->d.stride[18][5] + x6 * a->d.stride[18][6] + x7 * a->d.stride[18][7] + x8 * a->d.stride[18][8] + x9 * a->d.stride[18][9] + x10 * a->d.stride[18][10] + x11 * a->d.stride[18][11] + x12 * a->d.stride[18][12] + x13 * a->d.stride[18][13] + x14 * a->d.stride[18][14] + x15 * a->d.stride[18][15] + x16 * a->d.stride[18][16] + x17 * a->d.stride[18][17] + x18 * a->d.stride[18][18];
        const u8 *const q19 = a->m19 + x0 * a->d.stride[19][0] + x1 * a->d.stride[19][1] + x2 * a->d.stride[19][2] + x3 * a->d.stride[19][3] + x4 * a->d.stride[19][4] + x5 * a->d.stride[19][5] + x6 * a->d.stride[19][6] + x7 * a->d.stride[19][7] + x8 * a->d.stride[19][8] + x9 * a->d.stride[19][9] + x10 * a->d.stride[19][10] + x11 * a->d.stride[19][11] + x12 * a->d.stride[19][12] + x13 * a->d.stride[19][13] + x14 * a->d.stride[19][14] + x15 * a->d.stride[19][15] + x16 * a->d.stride[19][16] + x17 * a->d.stride[19][17] + x18 * a->d.stride[19][18];
        const u8 *const q20 = a->m20 + x0 * a->d.stride[20][0] + x1 * a->d.stride[20][1] + x2 * a->d.stride[20][2] + x3 * a->d.stride[20][3] + x4 * a->d.stride[20][4] + x5 * a->d.stride[20][5] + x6 * a->d.stride[20][6] + x7 * a->d.stride[20][7] + x8 * a->d.stride[20][8] + x9 * a->d.stride[20][9] + x10 * a->d.stride[20][10] + x11 * a->d.stride[20][11] + x12 * a->d.stride[20][12] + x13 * a->d.stride[20][13] + x14 * a->d.stride[20][14] + x15 * a->d.stride[20][15] + x16 * a->d.stride[20][16] + x17 * a->d.stride[20][17] + x18 * a->d.stride[20][18];
        const u8 *const q21 = a->m21 + x0 * a->d.stride[21][0] + x1 * a->d.stride[21][1] + x2 * a->d.stride[21][2] + x3 * a->d.stride[21][3] + x4 * a->d.stride[21][4] + x5 * a->d.stride[21][5] + x6 * a->d.stride[21][6] + x7 * a->d.stride[21][7] + x8 * a->d.stride[21][8] + x9 * a->d.stride[21][9] + x10 * a->d.stride[21][10] + x11 * a->d.stride[21][11] + x12 * a->d.stride[21][12] + x13 * a->d.stride[21][13] + x14 * a->d.stride[21][14] + x15 * a->d.stride[21][15] + x16 * a->d.stride[21][16] + x17 * a->d.stride[21][17] + x18 * a->d.stride[21][18];
        const u8 *const q22 = a->m22 + x0 * a->d.stride[22][0] + x1 * a->d.stride[22][1] + x2 * a->d.stride[22][2] + x3 * a->d.stride[22][3] + x4 * a->d.stride[22][4] + x5 * a->d.stride[22][5] + x6 * a->d.stride[22][6] + x7 * a->d.stride[22][7] + x8 * a->d.stride[22][8] + x9 * a->d.stride[22][9] + x10 * a->d.stride[22][10] + x11 * a->d.stride[22][11] + x12 * a->d.stride[22][12] + x13 * a->d.stride[22][13] + x14 * a->d.stride[22][14] + x15 * a->d.stride[22][15] + x16 * a->d.stride[22][16] + x17 * a->d.stride[22][17] + x18 * a->d.stride[22][18];
        const u8 *const q23 = a->m23 + x0 * a->d.stride[23][0] + x1 * a->d.stride[23][1] + x2 * a->d.stride[23][2] + x3 * a->d.stride[23][3] + x4 * a->d.stride[23][4] + x5 * a->d.stride[23][5] + x6 * a->d.stride[23][6] + x7 * a->d.stride[23][7] + x8 * a->d.stride[23][8] + x9 * a->d.stride[23][9] + x10 * a->d.stride[23][10] + x11 * a->d.stride[23][11] + x12 * a->d.stride[23][12] + x13 * a->d.stride[23][13] + x14 * a->d.stride[23][14] + x15 * a->d.stride[23][15] + x16 * a->d.stride[23][16] + x17 * a->d.stride[23][17] + x18 * a->d.stride[23][18];
        const u8 *const q24 = a->m24 + x0 * a->d.stride[24][0] + x1 * a->d.stride[24][1] + x2 * a->d.stride[24][2] + x3 * a->d.stride[24][3] + x4 * a->d.stride[24][4] + x5 * a->d.stride[24][5] + x6 * a->d.stride[24][6] + x7 * a->d.stride[24][7] + x8 * a->d.stride[24][8] + x9 * a->d.stride[24][9] + x10 * a->d.stride[24][10] + x11 * a->d.stride[24][11] + x12 * a->d.stride[24][12] + x13 * a->d.stride[24][13] + x14 * a->d.stride[24][14] + x15 * a->d.stride[24][15] + x16 * a->d.stride[24][16] + x17 * a->d.stride[24][17] + x18 * a->d.stride[24][18];
        const u8 *const q25 = a->m25 + x0 * a->d.stride[25][0] + x1 * a->d.stride[25][1] + x2 * a->d.stride[25][2] + x3 * a->d.stride[25][3] + x4 * a->d.stride[25][4] + x5 * a->d.stride[25][5] + x6 * a->d.stride[25][6] + x7 * a->d.stride[25][7] + x8 * a->d.stride[25][8] + x9 * a->d.stride[25][9] + x10 * a->d.stride[25][10] + x11 * a->d.stride[25][11] + x12 * a->d.stride[25][12] + x13 * a->d.stride[25][13] + x14 * a->d.stride[25][14] + x15 * a->d.stride[25][15] + x16 * a->d.stride[25][16] + x17 * a->d.stride[25][17] + x18 * a->d.stride[25][18];
        const u8 *const q26 = a->m26 + x0 * a->d.stride[26][0] + x1 * a->d.stride[26][1] + x2 * a->d.stride[26][2] + x3 * a->d.stride[26][3] + x4 * a->d.stride[26][4] + x5 * a->d.stride[26][5] + x6 * a->d.stride[26][6] + x7 * a->d.stride[26][7] + x8 * a->d.stride[26][8] + x9 * a->d.stride[26][9] + x10 * a->d.stride[26][10] + x11 * a->d.stride[26][11] + x12 * a->d.stride[26][12] + x13 * a->d.stride[26][13] + x14 * a->d.stride[26][14] + x15 * a->d.stride[26][15] + x16 * a->d.stride[26][16] + x17 * a->d.stride[26][17] + x18 * a->d.stride[26][18];
        const u8 *const q27 = a->m27 + x0 * a->d.stride[27][0] + x1 * a->d.stride[27][1] + x2 * a->d.stride[27][2] + x3 * a->d.stride[27][3] + x4 * a->d.stride[27][4] + x5 * a->d.stride[27][5] + x6 * a->d.stride[27][6] + x7 * a->d.stride[27][7] + x8 * a->d.stride[27][8] + x9 * a->d.stride[27][9] + x10 * a->d.stride[27][10] + x11 * a->d.stride[27][11] + x12 * a->d.stride[27][12] + x13 * a->d.stride[27][13] + x14 * a->d.stride[27][14] + x15 * a->d.stride[27][15] + x16 * a->d.stride[27][16] + x17 * a->d.stride[27][17] + x18 * a->d.stride[27][18];
        const u8 *const q28 = a->m28 + x0 * a->d.stride[28][0] + x1 * a->d.stride[28][1] + x2 * a->d.stride[28][2] + x3 * a->d.stride[28][3] + x4 * a->d.stride[28][4] + x5 * a->d.stride[28][5] + x6 * a->d.stride[28][6] + x7 * a->d.stride[28][7] + x8 * a->d.stride[28][8] + x9 * a->d.stride[28][9] + x10 * a->d.stride[28][10] + x11 * a->d.stride[28][11] + x12 * a->d.stride[28][12] + x13 * a->d.stride[28][13] + x14 * a->d.stride[28][14] + x15 * a->d.stride[28][15] + x16 * a->d.stride[28][16] + x17 * a->d.stride[28][17] + x18 * a->d.stride[28][18];
        const u8 *const q29 = a->m29 + x0 * a->d.stride[29][0] + x1 * a->d.stride[29][1] + x2 * a->d.stride[29][2] + x3 * a->d.stride[29][3] + x4 * a->d.stride[29][4] + x5 * a->d.stride[29][5] + x6 * a->d.stride[29][6] + x7 * a->d.stride[29][7] + x8 * a->d.stride[29][8] + x9 * a->d.stride[29][9] + x10 * a->d.stride[29][10] + x11 * a->d.stride[29][11] + x12 * a->d.stride[29][12] + x13 * a->d.stride[29][13] + x14 * a->d.stride[29][14] + x15 * a->d.stride[29][15] + x16 * a->d.stride[29][16] + x17 * a->d.stride[29][17] + x18 * a->d.stride[29][18];
        const u8 *const q30 = a->m30 + x0 * a->d.stride[30][0] + x1 * a->d.stride[30][1] + x2 * a->d.stride[30][2] + x3 * a->d.stride[30][3] + x4 * a->d.stride[30][4] + x5 * a->d.stride[30][5] + x6 * a->d.stride[30][6] + x7 * a->d.stride[30][7] + x8 * a->d.stride[30][8] + x9 * a->d.stride[30][9] + x10 * a->d.stride[30][10] + x11 * a->d.stride[30][11] + x12 * a->d.stride[30][12] + x13 * a->d.stride[30][13] + x14 * a->d.stride[30][14] + x15 * a->d.stride[30][15] + x16 * a->d.stride[30][16] + x17 * a->d.stride[30][17] + x18 * a->d.stride[30][18];
        const u8 *const q31 = a->m31 + x0 * a->d.stride[31][0] + x1 * a->d.stride[31][1] + x2 * a->d.stride[31][2] + x3 * a->d.stride[31][3] + x4 * a->d.stride[31][4] + x5 * a->d.stride[31][5] + x6 * a->d.stride[31][6] + x7 * a->d.stride[31][7] + x8 * a->d.stride[31][8] + x9 * a->d.stride[31][9] + x10 * a->d.stride[31][10] + x11 * a->d.stride[31][11] + x12 * a->d.stride[31][12] + x13 * a->d.stride[31][13] + x14 * a->d.stride[31][14] + x15 * a->d.stride[31][15] + x16 * a->d.stride[31][16] + x17 * a->d.stride[31][17] + x18 * a->d.stride[31][18];
        const u8 *const q32 = a->m32 + x0 * a->d.stride[32][0] + x1 * a->d.stride[32][1] + x2 * a->d.stride[32][2] + x3 * a->d.stride[32][3] + x4 * a->d.stride[32][4] + x5 * a->d.stride[32][5] + x6 * a->d.stride[32][6] + x7 * a->d.stride[32][7] + x8 * a->d.stride[32][8] + x9 * a->d.stride[32][9] + x10 * a->d.stride[32][10] + x11 * a->d.stride[32][11] + x12 * a->d.stride[32][12] + x13 * a->d.stride[32][13] + x14 * a->d.stride[32][14] + x15 * a->d.stride[32][15] + x16 * a->d.stride[32][16] + x17 * a->d.stride[32][17] + x18 * a->d.stride[32][18];
        const u8 *const q33 = a->m33 + x0 * a->d.stride[33][0] + x1 * a->d.stride[33][1] + x2 * a->d.stride[33][2] + x3 * a->d.stride[33][3] + x4 * a->d.stride[33][4] + x5 * a->d.stride[33][5] + x6 * a->d.stride[33][6] + x7 * a->d.stride[33][7] + x8 * a->d.stride[33][8] + x9 * a->d.stride[33][9] + x10 * a->d.stride[33][10] + x11 * a->d.stride[33][11] + x12 * a->d.stride[33][12] + x13 * a->d.stride[33][13] + x14 * a->d.stride[33][14] + x15 * a->d.stride[33][15] + x16 * a->d.stride[33][16] + x17 * a->d.stride[33][17] + x18 * a->d.stride[33][18];
        const u8 *const q34 = a->m34 + x0 * a->d.stride[34][0] + x1 * a->d.stride[34][1] + x2 * a->d.stride[34][2] + x3 * a->d.stride[34][3] + x4 * a->d.stride[34][4] + x5 * a->d.stride[34][5] + x6 * a->d.stride[34][6] + x7 * a->d.stride[34][7] + x8 * a->d.stride[34][8] + x9 * a->d.stride[34][9] + x10 * a->d.stride[34][10] + x11 * a->d.stride[34][11] + x12 * a->d.stride[34][12] + x13 * a->d.stride[34][13] + x14 * a->d.stride[34][14] + x15 * a->d.stride[34][15] + x16 * a->d.stride[34][16] + x17 * a->d.stride[34][17] + x18 * a->d.stride[34][18];
        const u8 *const q35 = a->m35 + x0 * a->d.stride[35][0] + x1 * a->d.stride[35][1] + x2 * a->d.stride[35][2] + x3 * a->d.stride[35][3] + x4 * a->d.stride[35][4] + x5 * a->d.stride[35][5] + x6 * a->d.stride[35][6] + x7 * a->d.stride[35][7] + x8 * a->d.stride[35][8] + x9 * a->d.stride[35][9] + x10 * a->d.stride[35][10] + x11 * a->d.stride[35][11] + x12 * a->d.stride[35][12] + x13 * a->d.stride[35][13] + x14 * a->d.stride[35][14] + x15 * a->d.stride[35][15] + x16 * a->d.stride[35][16] + x17 * a->d.stride[35][17] + x18 * a->d.stride[35][18];
        const u8 *const q36 = a->m36 + x0 * a->d.stride[36][0] + x1 * a->d.stride[36][1] + x2 * a->d.stride[36][2] + x3 * a->d.stride[36][3] + x4 * a->d.stride[36][4] + x5 * a->d.stride[36][5] + x6 * a->d.stride[36][6] + x7 * a->d.stride[36][7] + x8 * a->d.stride[36][8] + x9 * a->d.stride[36][9] + x10 * a->d.stride[36][10] + x11 * a->d.stride[36][11] + x12 * a->d.stride[36][12] + x13 * a->d.stride[36][13] + x14 * a->d.stride[36][14] + x15 * a->d.stride[36][15] + x16 * a->d.stride[36][16] + x17 * a->d.stride[36][17] + x18 * a->d.stride[36][18];
        const u8 *const q37 = a->m37 + x0 * a->d.stride[37][0] + x1 * a->d.stride[37][1] + x2 * a->d.stride[37][2] + x3 * a->d.stride[37][3] + x4 * a->d.stride[37][4] + x5 * a->d.stride[37][5] + x6 * a->d.stride[37][6] + x7 * a->d.stride[37][7] + x8 * a->d.stride[37][8] + x9 * a->d.stride[37][9] + x10 * a->d.stride[37][10] + x11 * a->d.stride[37][11] + x12 * a->d.stride[37][12] + x13 * a->d.stride[37][13] + x14 * a->d.stride[37][14] + x15 * a->d.stride[37][15] + x16 * a->d.stride[37][16] + x17 * a->d.stride[37][17] + x18 * a->d.stride[37][18];
        const u8 *const q38 = a->m38 + x0 * a->d.stride[38][0] + x1 * a->d.stride[38][1] + x2 * a->d.stride[38][2] + x3 * a->d.stride[38][3] + x4 * a->d.stride[38][4] + x5 * a->d.stride[38][5] + x6 * a->d.stride[38][6] + x7 * a->d.stride[38][7] + x8 * a->d.stride[38][8] + x9 * a->d.stride[38][9] + x10 * a->d.stride[38][10] + x11 * a->d.stride[38][11] + x12 * a->d.stride[38][12] + x13 * a->d.stride[38][13] + x14 * a->d.stride[38][14] + x15 * a->d.stride[38][15] + x16 * a->d.stride[38][16] + x17 * a->d.stride[38][17] + x18 * a->d.stride[38][18];
        const u8 *const q39 = a->m39 + x0 * a->d.stride[39][0] + x1 * a->d.stride[39][1] + x2 * a->d.stride[39][2] + x3 * a->d.stride[39][3] + x4 * a->d.stride[39][4] + x5 * a->d.stride[39][5] + x6 * a->d.stride[39][6] + x7 * a->d.stride[39][7] + x8 * a->d.stride[39][8] + x9 * a->d.stride[39][9] + x10 * a->d.stride[39][10] + x11 * a->d.stride[39][11] + x12 * a->d.stride[39][12] + x13 * a->d.stride[39][13] + x14 * a->d.stride[39][14] + x15 * a->d.stride[39][15] + x16 * a->d.stride[39][16] + x17 * a->d.stride[39][17] + x18 * a->d.stride[39][18];
        const u8 *const q40 = a->m40 + x0 * a->d.stride[40][0] + x1 * a->d.stride[40][1] + x2 * a->d.stride[40][2] + x3 * a->d.stride[40][3] + x4 * a->d.stride[40][4] + x5 * a->d.stride[40][5] + x6 * a->d.stride[40][6] + x7 * a->d.stride[40][7] + x8 * a->d.stride[40][8] + x9 * a->d.stride[40][9] + x10 * a->d.stride[40][10] + x11 * a->d.stride[40][11] + x12 * a->d.stride[40][12] + x13 * a->d.stride[40][13] + x14 * a->d.stride[40][14] + x15 * a->d.stride[40][15] + x16 * a->d.stride[40][16] + x17 * a->d.stride[40][17] + x18 * a->d.stride[40][18];
        const u8 *const q41 = a->m41 + x0 * a->d.stride[41][0] + x1 * a->d.stride[41][1] + x2 * a->d.stride[41][2] + x3 * a->d.stride[41][3] + x4 * a->d.stride[41][4] + x5 * a->d.stride[41][5] + x6 * a->d.stride[41][6] + x7 * a->d.stride[41][7] + x8 * a->d.stride[41][8] + x9 * a->d.stride[41][9] + x10 * a->d.stride[41][10] + x11 * a->d.stride[41][11] + x12 * a->d.stride[41][12] + x13 * a->d.stride[41][13] + x14 * a->d.stride[41][14] + x15 * a->d.stride[41][15] + x16 * a->d.stride[41][16] + x17 * a->d.stride[41][17] + x18 * a->d.stride[41][18];
        const u8 *const q42 = a->m42 + x0 * a->d.stride[42][0] + x1 * a->d.stride[42][1] + x2 * a->d.stride[42][2] + x3 * a->d.stride[42][3] + x4 * a->d.stride[42][4] + x5 * a->d.stride[42][5] + x6 * a->d.stride[42][6] + x7 * a->d.stride[42][7] + x8 * a->d.stride[42][8] + x9 * a->d.stride[42][9] + x10 * a->d.stride[42][10] + x11 * a->d.stride[42][11] + x12 * a->d.stride[42][12] + x13 * a->d.stride[42][13] + x14 * a->d.stride[42][14] + x15 * a->d.stride[42][15] + x16 * a->d.stride[42][16] + x17 * a->d.stride[42][17] + x18 * a->d.stride[42][18];
        const u8 *const q43 = a->m43 + x0 * a->d.stride[43][0] + x1 * a->d.stride[43][1] + x2 * a->d.stride[43][2] + x3 * a->d.stride[43][3] + x4 * a->d.stride[43][4] + x5 * a->d.stride[43][5] + x6 * a->d.stride[43][6] + x7 * a->d.stride[43][7] + x8 * a->d.stride[43][8] + x9 * a->d.stride[43][9] + x10 * a->d.stride[43][10] + x11 * a->d.stride[43][11] + x12 * a->d.stride[43][12] + x13 * a->d.stride[43][13] + x14 * a->d.stride[43][14] + x15 * a->d.stride[43][15] + x16 * a->d.stride[43][16] + x17 * a->d.stride[43][17] + x18 * a->d.stride[43][18];
        const u8 *const q44 = a->m44 + x0 * a->d.stride[44][0] + x1 * a->d.stride[44][1] + x2 * a->d.stride[44][2] + x3 * a->d.stride[44][3] + x4 * a->d.stride[44][4] + x5 * a->d.stride[44][5] + x6 * a->d.stride[44][6] + x7 * a->d.stride[44][7] + x8 * a->d.stride[44][8] + x9 * a->d.stride[44][9] + x10 * a->d.stride[44][10] + x11 * a->d.stride[44][11] + x12 * a->d.stride[44][12] + x13 * a->d.stride[44][13] + x14 * a->d.stride[44][14] + x15 * a->d.stride[44][15] + x16 * a->d.stride[44][16] + x17 * a->d.stride[44][17] + x18 * a->d.stride[44][18];
        const u8 *const q45 = a->m45 + x0 * a->d.stride[45][0] + x1 * a->d.stride[45][1] + x2 * a->d.stride[45][2] + x3 * a->d.stride[45][3] + x4 * a->d.stride[45][4] + x5 * a->d.stride[45][5] + x6 * a->d.stride[45][6] + x7 * a->d.stride[45][7] + x8 * a->d.stride[45][8] + x9 * a->d.stride[45][9] + x10 * a->d.stride[45][10] + x11 * a->d.stride[45][11] + x12 * a->d.stride[45][12] + x13 * a->d.stride[45][13] + x14 * a->d.stride[45][14] + x15 * a->d.stride[45][15] + x16 * a->d.stride[45][16] + x17 * a->d.stride[45][17] + x18 * a->d.stride[45][18];
        const u8 *const q46 = a->m46 + x0 * a->d.stride[46][0] + x1 * a->d.stride[46][1] + x2 * a->d.stride[46][2] + x3 * a->d.stride[46][3] + x4 * a->d.stride[46][4] + x5 * a->d.stride[46][5] + x6 * a->d.stride[46][6] + x7 * a->d.stride[46][7] + x8 * a->d.stride[46][8] + x9 * a->d.stride[46][9] + x10 * a->d.stride[46][10] + x11 * a->d.stride[46][11] + x12 * a->d.stride[46][12] + x13 * a->d.stride[46][13] + x14 * a->d.stride[46][14] + x15 * a->d.stride[46][15] + x16 * a->d.stride[46][16] + x17 * a->d.stride[46][17] + x18 * a->d.stride[46][18];
        u8 *const q47 = a->m47 + x0 * a->d.stride[47][0] + x1 * a->d.stride[47][1] + x2 * a->d.stride[47][2] + x3 * a->d.stride[47][3] + x4 * a->d.stride[47][4] + x5 * a->d.stride[47][5] + x6 * a->d.stride[47][6] + x7 * a->d.stride[47][7] + x8 * a->d.stride[47][8] + x9 * a->d.stride[47][9] + x10 * a->d.stride[47][10] + x11 * a->d.stride[47][11] + x12 * a->d.stride[47][12] + x13 * a->d.stride[47][13] + x14 * a->d.stride[47][14] + x15 * a->d.stride[47][15] + x16 * a->d.stride[47][16] + x17 * a->d.stride[47][17] + x18 * a->d.stride[47][18];
        Folded carry = nothing();
        for (u32 part = 0; phase == 1 && part < blockIdx.y; part++) {
            carry = join(carry, parts[(u64)part * a->d.outer + point]);
        }
        for (index from = begin; from < end; from += (index)blockDim.x) {
            const index lot = from + (index)threadIdx.x;
            const Arguments *const a = anew(given, lot);
            const f64 s0 = a->s0;
            const i8 s1 = a->s1;
            const c128 s2 = a->s2;
            const index x19 = lot * 2;
            const u8 *const p0 = q0 + x19 * 8;
            const u8 *const p1 = q1 + x19 * 8;
            const u8 *const p2 = q2 + x19 * 8;
            const u8 *const p3 = q3 + x19 * 8;
            const u8 *const p4 = q4 + x19 * 8;
            const u8 *const p5 = q5 + x19 * 8;
            const u8 *const p6 = q6 + x19 * 8;
            const u8 *const p7 = q7 + x19 * 8;
            const u8 *const p8 = q8 + x19 * 8;
            const u8 *const p9 = q9 + x19 * 8;
            const u8 *const p10 = q10 + x19 * 8;
            const u8 *const p11 = q11 + x19 * 8;
            const u8 *const p12 = q12 + x19 * 8;
            const u8 *const p13 = q13 + x19 * 8;
            const u8 *const p14 = q14 + x19 * 8;
            const u8 *const p15 = q15 + x19 * 8;
            const u8 *const p16 = q16 + x19 * 8;
            const u8 *const p17 = q17 + x19 * 8;
            const u8 *const p18 = q18 + x19 * 8;
            const u8 *const p19 = q19 + x19 * 8;
            const u8 *const p20 = q20 + x19 * 8;
            const u8 *const p21 = q21 + x19 * 8;
            const u8 *const p22 = q22 + x19 * 8;
            const u8 *const p23 = q23 + x19 * 8;
            const u8 *const p24 = q24 + x19 * 8;
            const u8 *const p25 = q25 + x19 * 8;
            const u8 *const p26 = q26 + x19 * 8;
            const u8 *const p27 = q27 + x19 * 8;
            const u8 *const p28 = q28 + x19 * 8;
            const u8 *const p29 = q29 + x19 * 8;
            const u8 *const p30 = q30 + x19 * 8;
            const u8 *const p31 = q31 + x19 * 8;
            const u8 *const p32 = q32 + x19 * 8;
            const u8 *const p33 = q33 + x19 * 8;
            const u8 *const p34 = q34 + x19 * 8;
            const u8 *const p35 = q35 + x19 * 8;
            const u8 *const p36 = q36 + x19 * 8;
            const u8 *const p37 = q37 + x19 * 8;
            const u8 *const p38 = q38 + x19 * 8;
            const u8 *const p39 = q39 + x19 * 8;
            const u8 *const p40 = q40 + x19 * 8;
            const u8 *const p41 = q41 + x19 * 8;
            const u8 *const p42 = q42 + x19 * 8;
            const u8 *const p43 = q43 + x19 * 8;
            const u8 *const p44 = q44 + x19 * 8;
            const u8 *const p45 = q45 + x19 * 8;
            const u8 *const p46 = q46 + x19 * 8;
            u8 *const p47 = q47 + x19 * 16;
            const i32 count = inside && lot < end ? (i32)(a->d.last - x19 < 2 ? a->d.last - x19 : 2) : 0;
            Folded own = nothing(), run[2];
            const f64x2 l0 = read_f64x2(p0, count);
            const f64x2 l1 = read_f64x2(p1, count);
            const f64x2 l2 = read_f64x2(p2, count);
            const f64x2 l3 = read_f64x2(p3, count);
            const f64x2 l4 = read_f64x2(p4, count);
            const f64x2 l5 = read_f64x2(p5, count);
            const f64x2 l6 = read_f64x2(p6, count);
            const f64x2 l7 = read_f64x2(p7, count);
            const f64x2 l8 = read_f64x2(p8, count);
            const f64x2 l9 = read_f64x2(p9, count);
            const f64x2 l10 = read_f64x2(p10, count);
            const f64x2 l11 = read_f64x2(p11, count);
            const f64x2 l12 = read_f64x2(p12, count);
            const f64x2 l13 = read_f64x2(p13, count);
            const f64x2 l14 = read_f64x2(p14, count);
            const f64x2 l15 = read_f64x2(p15, count);
            const f64x2 l16 = read_f64x2(p16, count);
            const f64x2 l17 = read_f64x2(p17, count);
            const f64x2 l18 = read_f64x2(p18, count);
            const f64x2 l19 = read_f64x2(p19, count);
            const f64x2 l20 = read_f64x2(p20, count);
            const f64x2 l21 = read_f64x2(p21, count);
            const f64x2 l22 = read_f64x2(p22, count);
            const f64x2 l23 = read_f64x2(p23, count);
            const f64x2 l24 = read_f64x2(p24, count);
            const f64x2 l25 = read_f64x2(p25, count);
            const f64x2 l26 = read_f64x2(p26, count);
            const f64x2 l27 = read_f64x2(p27, count);
            const f64x2 l28 = read_f64x2(p28, count);
            const f64x2 l29 = read_f64x2(p29, count);
            const f64x2 l30 = read_f64x2(p30, count);
            const f64x2 l31 = read_f64x2(p31, count);
            const f64x2 l32 = read_f64x2(p32, count);
            const f64x2 l33 = read_f64x2(p33, count);
            const f64x2 l34 = read_f64x2(p34, count);
            const f64x2 l35 = read_f64x2(p35, count);
            const f64x2 l36 = read_f64x2(p36, count);
            const f64x2 l37 = read_f64x2(p37, count);
            const f64x2 l38 = read_f64x2(p38, count);
            const f64x2 l39 = read_f64x2(p39, count);
            const f64x2 l40 = read_f64x2(p40, count);
            const f64x2 l41 = read_f64x2(p41, count);
            const f64x2 l42 = read_f64x2(p42, count);
            const f64x2 l43 = read_f64x2(p43, count);
            const f64x2 l44 = read_f64x2(p44, count);
            const f64x2 l45 = read_f64x2(p45, count);
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
                    const f64 v7 = l3.at[j];
                    const f64 v8 = v6 + v7;
                    const f64 v9 = l4.at[j];
                    const f64 v10 = v8 + v9;
                    const f64 v11 = l5.at[j];
                    const f64 v12 = v10 + v11;
                    const f64 v13 = l6.at[j];
                    const f64 v14 = v12 + v13;
                    const f64 v15 = l7.at[j];
                    const f64 v16 = v14 + v15;
                    const f64 v17 = l8.at[j];
                    const f64 v18 = v16 + v17;
                    const f64 v19 = l9.at[j];
                    const f64 v20 = v18 + v19;
                    const f64 v21 = l10.at[j];
                    const f64 v22 = v20 + v21;
                    const f64 v23 = l11.at[j];
                    const f64 v24 = v22 + v23;
                    const f64 v25 = l12.at[j];
                    const f64 v26 = v24 + v25;
                    const f64 v27 = l13.at[j];
                    const f64 v28 = v26 + v27;
                    const f64 v29 = l14.at[j];
                    const f64 v30 = v28 + v29;
                    const f64 v31 = l15.at[j];
                    const f64 v32 = v30 + v31;
                    const f64 v33 = l16.at[j];
                    const f64 v34 = v32 + v33;
                    const f64 v35 = l17.at[j];
                    const f64 v36 = v34 + v35;
                    const f64 v37 = l18.at[j];
                    const f64 v38 = v36 + v37;
                    const f64 v39 = l19.at[j];
                    const f64 v40 = v38 + v39;
                    const f64 v41 = l20.at[j];
                    const f64 v42 = v40 + v41;
                    const f64 v43 = l21.at[j];
                    const f64 v44 = v42 + v43;
                    const f64 v45 = l22.at[j];
                    const f64 v46 = v44 + v45;
                    const f64 v47 = l23.at[j];
                    const f64 v48 = v46 + v47;
                    const f64 v49 = l24.at[j];
                    const f64 v50 = v48 + v49;
                    const f64 v51 = l25.at[j];
                    const f64 v52 = v50 + v51;
                    const f64 v53 = l26.at[j];
                    const f64 v54 = v52 + v53;
                    const f64 v55 = l27.at[j];
                    const f64 v56 = v54 + v55;
                    const f64 v57 = l28.at[j];
                    const f64 v58 = v56 + v57;
                    const f64 v59 = l29.at[j];
                    const f64 v60 = v58 + v59;
                    const f64 v61 = l30.at[j];
                    const f64 v62 = v60 + v61;
                    const f64 v63 = l31.at[j];
                    const f64 v64 = v62 + v63;
                    const f64 v65 = l32.at[j];
                    const f64 v66 = v64 + v65;
                    const f64 v67 = l33.at[j];
                    const f64 v68 = v66 + v67;
                    const f64 v69 = l34.at[j];
                    const f64 v70 = v68 + v69;
                    const f64 v71 = l35.at[j];
                    const f64 v72 = v70 + v71;
                    const f64 v73 = l36.at[j];
                    const f64 v74 = v72 + v73;
                    const f64 v75 = l37.at[j];
                    const f64 v76 = v74 + v75;
                    const f64 v77 = l38.at[j];
                    const f64 v78 = v76 + v77;
                    const f64 v79 = l39.at[j];
                    const f64 v80 = v78 + v79;
                    const f64 v81 = l40.at[j];
                    const f64 v82 = v80 + v81;
                    const f64 v83 = l41.at[j];
                    const f64 v84 = v82 + v83;
                    const f64 v85 = l42.at[j];
                    const f64 v86 = v84 + v85;
                    const f64 v87 = l43.at[j];
                    const f64 v88 = v86 + v87;
                    const f64 v89 = l44.at[j];
                    const f64 v90 = v88 + v89;
                    const f64 v91 = l45.at[j];
                    const f64 v92 = v90 + v91;
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
        if (phase == 0 && inside && threadIdx.x == 0) parts[(u64)blockIdx.y * a->d.outer + point] = carry;
    }
}
