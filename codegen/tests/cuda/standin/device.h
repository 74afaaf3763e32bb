/* A processor's stand-in for a GPU: what CUDA C has built in, for the texts that the backend writes.
 *
 * Blocks run one after the other. In texts with barriers (`WAITS`) the threads of a block are contexts that run in turn, up to a
 * barrier of theirs or of their warp; a barrier that not all reach ends the process. Elsewhere they are a loop.
 */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(n)
#define __align__(n) __attribute__((aligned(n)))

typedef struct { unsigned x, y; } Dim;
static Dim threadIdx, blockIdx, blockDim, gridDim;

#ifdef WAITS
enum { MOST = 256, STACK = 64 << 10 };
typedef enum { READY, AT_BLOCK, AT_WARP, DONE } State;
static struct { ucontext_t start; jmp_buf here; State state; bool runs; unsigned word; } fibers[MOST];
static char stacks[MOST][STACK];
static jmp_buf scheduler;
static unsigned current;

/* Once they run, contexts are left and entered by jumps: what else there is asks the system each time. */
static void wait_for(State barrier) {
    fibers[current].state = barrier;
    if (!_setjmp(fibers[current].here)) _longjmp(scheduler, 1);
}

static void __syncthreads(void) { wait_for(AT_BLOCK); }
static void __threadfence(void) {}

static unsigned shuffled(unsigned word, int from, int is_in_group) {
    fibers[current].word = word;
    wait_for(AT_WARP);
    unsigned found = is_in_group ? fibers[from].word : word;
    wait_for(AT_WARP);
    return found;
}

static unsigned __shfl_down_sync(unsigned mask, unsigned word, unsigned by, int width) {
    return shuffled(word, (int)(current + by), current % width + by < (unsigned)width);
}

static unsigned __shfl_up_sync(unsigned mask, unsigned word, unsigned by, int width) {
    return shuffled(word, (int)(current - by), current % width >= by);
}

#endif

static unsigned atomicAdd(unsigned *at, unsigned n) {
    unsigned was = *at;
    *at += n;
    return was;
}

static unsigned long long atomicCAS(unsigned long long *at, unsigned long long expected, unsigned long long n) {
    unsigned long long was = *at;
    if (was == expected) *at = n;
    return was;
}

static unsigned long long atomicMax(unsigned long long *at, unsigned long long n) {
    unsigned long long was = *at;
    if (n > was) *at = n;
    return was;
}

static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static float __uint_as_float(unsigned a) { float x; __builtin_memcpy(&x, &a, 4); return x; }
static unsigned __float_as_uint(float x) { unsigned a; __builtin_memcpy(&a, &x, 4); return a; }
static double __longlong_as_double(long long a) { double x; __builtin_memcpy(&x, &a, 8); return x; }
static long long __double_as_longlong(double x) { long long a; __builtin_memcpy(&a, &x, 8); return a; }

/* In the texts these are instructions of the GPU. */
static float f32_of_f16(unsigned short a) { _Float16 x; __builtin_memcpy(&x, &a, 2); return (float)x; }
static unsigned short f16_of_f32(float a) { _Float16 x = (_Float16)a; unsigned short b; __builtin_memcpy(&b, &x, 2); return b; }
static unsigned short f16_of_f64(double a) { _Float16 x = (_Float16)a; unsigned short b; __builtin_memcpy(&b, &x, 2); return b; }

static void kernel(void **arguments);
static void **given;

#ifdef WAITS
static void thread(void) {
    for (;;) {
        kernel(given);
        wait_for(DONE);
    }
}

static __attribute__((noinline)) void resume(void) {
    if (_setjmp(scheduler)) return;
    if (fibers[current].runs) _longjmp(fibers[current].here, 1);
    fibers[current].runs = true;
    setcontext(&fibers[current].start);
}

/* Lets all that wait at a barrier go on, where all do that are not done; whether there are such. */
static bool release(unsigned from, unsigned to, State barrier) {
    bool any = false;
    for (unsigned t = from; t < to; t++) {
        if (fibers[t].state != barrier && fibers[t].state != DONE) return false;
        any |= fibers[t].state == barrier;
    }
    for (unsigned t = from; t < to; t++) {
        if (fibers[t].state == barrier) fibers[t].state = READY;
    }
    return any;
}

static void block(unsigned threads) {
    for (unsigned t = 0; t < threads; t++) {
        fibers[t].state = READY;
        if (fibers[t].runs) continue;
        getcontext(&fibers[t].start);
        fibers[t].start.uc_stack.ss_sp = stacks[t];
        fibers[t].start.uc_stack.ss_size = STACK;
        makecontext(&fibers[t].start, thread, 0);
    }
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (current = 0; current < threads; current++) {
            if (fibers[current].state != READY) continue;
            threadIdx = (Dim){current % blockDim.x, current / blockDim.x};
            resume();
            goes_on = true;
        }
        for (unsigned t = 0; t < threads; t += 32) goes_on |= release(t, t + 32 < threads ? t + 32 : threads, AT_WARP);
        goes_on |= release(0, threads, AT_BLOCK);
    }
    for (unsigned t = 0; t < threads; t++) {
        if (fibers[t].state == DONE) continue;
        fprintf(stderr, "thread %u waits for ever\n", t);
        abort();
    }
}
#else
static void block(unsigned threads) {
    for (unsigned t = 0; t < threads; t++) {
        threadIdx = (Dim){t % blockDim.x, t / blockDim.x};
        kernel(given);
    }
}
#endif

static void launch(const unsigned *grid, const unsigned *threads, void **arguments) {
    gridDim = (Dim){grid[0], grid[1]};
    blockDim = (Dim){threads[0], threads[1]};
    given = arguments;
    for (blockIdx.y = 0; blockIdx.y < grid[1]; blockIdx.y++) {
        for (blockIdx.x = 0; blockIdx.x < grid[0]; blockIdx.x++) block(threads[0] * threads[1]);
    }
}
