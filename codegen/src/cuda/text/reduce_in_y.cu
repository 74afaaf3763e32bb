// What the lanes of a group hold together; lane 0 gets it.
static __device__ Folded reduce_in_y(Folded f) {
    __shared__ Folded shared[256];
    if (blockDim.y == 1) return f;
    __syncthreads();
    shared[threadIdx.y * blockDim.x + threadIdx.x] = f;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (i32 lane = 1; lane < (i32)blockDim.y; lane++) f = join(f, shared[lane * blockDim.x + threadIdx.x]);
    }
    return f;
}
