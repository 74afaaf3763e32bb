// The same address, of which the compiler cannot tell that it was the same at another position.
static __device__ const Arguments *anew(const Arguments *at, const index position) {
    asm("" : "+l"(at) : "r"((i32)position));
    return at;
}
