// What the lane `by` further on in groups of `width` lanes holds.
static __device__ Folded further(const Folded f, const i32 by, const i32 width) {
    union { Folded f; u32 word[sizeof(Folded) / 4]; } here, there;
    here.f = f;
    #pragma unroll
    for (i32 i = 0; i < (i32)(sizeof(Folded) / 4); i++) there.word[i] = __shfl_down_sync(0xffffffffU, here.word[i], by, width);
    return there.f;
}

// What the lane `by` before in groups of `width` lanes holds.
static __device__ Folded former(const Folded f, const i32 by, const i32 width) {
    union { Folded f; u32 word[sizeof(Folded) / 4]; } here, there;
    here.f = f;
    #pragma unroll
    for (i32 i = 0; i < (i32)(sizeof(Folded) / 4); i++) there.word[i] = __shfl_up_sync(0xffffffffU, here.word[i], by, width);
    return there.f;
}
