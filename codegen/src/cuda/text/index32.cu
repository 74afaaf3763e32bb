// Positions and offsets in 32 bits. Division by an extent is a product and a shift.
typedef i32 index;
typedef struct { index extent; u32 multiplier, shift; } Axis;
static __device__ index over(const index n, const Axis axis) {
    return axis.extent == 1 ? n : (index)(__umulhi((u32)n, axis.multiplier) >> axis.shift);
}
