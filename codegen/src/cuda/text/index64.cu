// Positions and offsets in 64 bits.
typedef i64 index;
typedef struct { index extent; } Axis;
static __device__ index over(const index n, const Axis axis) { return n / axis.extent; }
