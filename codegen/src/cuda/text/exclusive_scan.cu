// What the lanes of a group before this one hold together, and in `all` what all of them do.
static __device__ Folded before(const Folded f, Folded *const all) {
    __shared__ Folded shared[64];
    const i32 width = blockDim.x < 32 ? blockDim.x : 32, warps = blockDim.x / width;
    const i32 lane = threadIdx.x % width, warp = threadIdx.x / width, slot = threadIdx.y * warps;
    Folded sum = f;
    for (i32 by = 1; by < width; by *= 2) {
        const Folded other = former(sum, by, width);
        if (lane >= by) sum = join(other, sum);
    }
    const Folded neighbour = former(sum, 1, width);
    __syncthreads();
    if (lane == width - 1) shared[slot + warp] = sum;
    __syncthreads();
    Folded others = nothing();
    *all = nothing();
    for (i32 i = 0; i < warps; i++) {
        if (i < warp) others = join(others, shared[slot + i]);
        *all = join(*all, shared[slot + i]);
    }
    return lane == 0 ? others : join(others, neighbour);
}
