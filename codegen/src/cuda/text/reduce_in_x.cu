// What the lanes of a group hold together; lane 0 gets it.
static __device__ Folded reduce_in_x(Folded f) {
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
