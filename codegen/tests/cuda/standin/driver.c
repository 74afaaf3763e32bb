/* A stand-in for NVIDIA's driver: the functions that the runtime calls, on the host's memory.
 *
 * What is asked for on a stream waits in a queue until somebody waits for it, as late as a device may do it: memory that is
 * changed or given back too early shows. Addresses outside of what was allocated are errors, which stay, as on a device.
 * A graph's launches run in an order that its edges allow, another each time: an edge that is missing shows.
 *
 * Controls: STANDIN_DEVICES (how many there are, one), STANDIN_VERSION (13000), STANDIN_CAPABILITY (90), STANDIN_MEMORY (bytes
 * of a device), STANDIN_LAUNCH, STANDIN_LOAD (the launch, or the module, of this number, from 1 on, fails), STANDIN_GRAPHS (so
 * many graphs are made, and the next are refused), STANDIN_TOLD (so many launches of graphs are told anything new),
 * STANDIN_REGISTERS, STANDIN_SPILLED (registers and bytes of memory that a thread of a merged kernel takes), STANDIN_LINKS (so many
 * texts are assembled, and the next are refused).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long Address;
typedef enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    DEINITIALIZED = 4,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_SUPPORTED = 801,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719,
} Code;

static const struct { Code code; const char *name, *meaning; } meanings[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

/* What a text that was compiled has for each kernel: how it runs, and the bytes of its arguments, negative of addresses. */
typedef struct { void (*run)(const unsigned *, const unsigned *, void **); const int *sizes; int count; } Kernel;

/* A merged kernel: it runs its parts, one after the other. Its arguments are theirs, and what shape each has. */
typedef struct { Kernel kernel; const Kernel *parts[2]; } Woven;
static const Woven *wovens[256];
static int woven_count;

typedef struct Block { struct Block *next; Address start; size_t bytes; bool pinned; } Block;
typedef struct Kept { struct Kept *next; Address start; size_t bytes; } Kept;
typedef enum { TO_DEVICE, TO_HOST, FILL, FREE, LAUNCH, GRAPH, EVENT } What;
typedef struct Asked {
    struct Asked *next;
    What what;
    void *to;
    const void *from;
    size_t bytes;
    unsigned char byte;
    const Kernel *kernel;
    unsigned grid[2], block[2];
    void **arguments;
    /* What a graph launches, and which of it, bit by bit, each waits for. */
    struct Asked *nodes;
    const unsigned long long *after;
    int count;
} Asked;
typedef struct { int number; } Event;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Block *blocks;
static Kept *kept;
static size_t used, pooled;
static Asked *first, **end = &first;
static Code failed;
static bool initialised;
static __thread void *current;
static int contexts[8], streams[8], pools[8];
/* For tests to ask, and to say that the driver is gone, as it is when a process ends. */
int standin_launches, standin_trims, standin_loads, standin_ended, standin_graphs, standin_graph_launches, standin_told,
    standin_links, standin_woven_launches;

static long control(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value && *value ? atol(value) : otherwise;
}

static size_t memory(void) { return (size_t)control("STANDIN_MEMORY", 1L << 34); }

/* The block that has some bytes, or just ends where there are none. */
static Block *block_of(Address start, size_t bytes) {
    for (Block *b = blocks; b; b = b->next) {
        if (start >= b->start && start + bytes <= b->start + b->bytes) return b;
    }
    return NULL;
}

static bool is_device(Address start, size_t bytes) {
    Block *b = block_of(start, bytes);
    return b && !b->pinned;
}

static void add(Address start, size_t bytes, bool pinned) {
    Block *b = malloc(sizeof *b);
    *b = (Block){blocks, start, bytes, pinned};
    blocks = b;
}

/* What memory is filled with that nobody wrote; not where that would take the host's memory. */
static void spoil(void *start, size_t bytes) {
    if (bytes < 1 << 30) memset(start, 0xa5, bytes);
}

static void take_away(Address start) {
    for (Block **at = &blocks; *at; at = &(*at)->next) {
        Block *b = *at;
        if (b->start != start) continue;
        *at = b->next;
        spoil((void *)start, b->bytes);
        Kept *k = malloc(sizeof *k);
        *k = (Kept){kept, start, b->bytes};
        kept = k;
        used -= b->bytes;
        pooled += b->bytes;
        free(b);
        return;
    }
    failed = INVALID_VALUE;
}

static void run(Asked *a) {
    if (a->kernel->run) {
        a->kernel->run(a->grid, a->block, a->arguments);
        return;
    }
    const Woven *woven = (const Woven *)a->kernel;
    standin_woven_launches++;
    unsigned blocks[2];
    for (int p = 0, from = 0; p < 2; from += woven->parts[p++]->count) {
        const unsigned *shape = a->arguments[a->kernel->count - 2 + p];
        blocks[p] = shape[0] * shape[1];
        bool is_right = shape[2] == 1u << shape[4] && shape[2] * shape[3] == 256 && shape[5] == blocks[p];
        if (!is_right || blocks[p] > a->grid[0]) failed = INVALID_VALUE;
        else woven->parts[p]->run(shape, shape + 2, a->arguments + from);
    }
    if (a->grid[0] != (blocks[0] > blocks[1] ? blocks[0] : blocks[1]) || a->block[0] != 256) failed = INVALID_VALUE;
}

static void launch(Asked *a) {
    standin_launches++;
    for (int i = 0; i < a->kernel->count; i++) {
        Address address = *(Address *)a->arguments[i];
        if (a->kernel->sizes[i] < 0 && address && !is_device(address, 0)) failed = ILLEGAL_ADDRESS;
    }
    if (standin_launches == control("STANDIN_LAUNCH", 0)) failed = LAUNCH_FAILED;
    if (!failed) run(a);
}

/* Launches what a graph has: of what waits for nothing any more, any. */
static void launch_all(Asked *a) {
    static unsigned seed = 1;
    unsigned long long done = 0;
    for (int left = a->count; left > 0 && !failed; left--) {
        int ready[64], count = 0;
        for (int i = 0; i < a->count; i++) {
            if (!(done >> i & 1) && !(a->after[i] & ~done)) ready[count++] = i;
        }
        seed = seed * 1664525 + 1013904223;
        int next = ready[(seed >> 16) % (unsigned)count];
        launch(&a->nodes[next]);
        done |= 1ULL << next;
    }
}

static void let_go(Asked *a) {
    for (int i = 0; i < a->count; i++) let_go(&a->nodes[i]);
    if (a->arguments) free(a->arguments[0]);
    free(a->arguments);
    free(a->nodes);
    free((void *)a->after);
}

static void perform(Asked *a) {
    if (failed) return;
    switch (a->what) {
    case TO_DEVICE:
        if (!is_device((Address)a->to, a->bytes)) failed = ILLEGAL_ADDRESS;
        else memcpy(a->to, a->from, a->bytes);
        return;
    case TO_HOST:
        if (!is_device((Address)a->from, a->bytes)) failed = ILLEGAL_ADDRESS;
        else memcpy(a->to, a->from, a->bytes);
        return;
    case FILL:
        if (!is_device((Address)a->to, a->bytes)) failed = ILLEGAL_ADDRESS;
        else memset(a->to, a->byte, a->bytes);
        return;
    case FREE: take_away((Address)a->to); return;
    case LAUNCH: launch(a); return;
    case GRAPH: launch_all(a); return;
    case EVENT: return;
    }
}

/* Does what was asked for, up to the last record of an event, or all. */
static void catch_up(const void *event) {
    int left = 0;
    for (Asked *a = first; a; a = a->next) left += !event || (a->what == EVENT && a->to == event);
    while (first && left > 0) {
        Asked *a = first;
        left -= !event || (a->what == EVENT && a->to == event);
        first = a->next;
        if (!first) end = &first;
        perform(a);
        let_go(a);
        free(a);
    }
}

static Code ask(Asked asked) {
    Code code = standin_ended ? DEINITIALIZED : !current ? INVALID_CONTEXT : failed;
    if (code) return let_go(&asked), code;
    Asked *a = malloc(sizeof *a);
    *a = asked;
    a->next = NULL;
    *end = a;
    end = &a->next;
    return SUCCESS;
}

#define LOCKED(body) do { pthread_mutex_lock(&lock); Code code = (body); pthread_mutex_unlock(&lock); return code; } while (0)

Code cuInit(unsigned flags) {
    initialised = control("STANDIN_DEVICES", 1) > 0;
    return initialised ? SUCCESS : NO_DEVICE;
}

Code cuDriverGetVersion(int *version) { return *version = (int)control("STANDIN_VERSION", 13000), SUCCESS; }
Code cuDeviceGetCount(int *count) { return *count = (int)control("STANDIN_DEVICES", 1), SUCCESS; }

Code cuDeviceGet(int *device, int ordinal) {
    if (!initialised) return NOT_INITIALIZED;
    return *device = ordinal, ordinal < control("STANDIN_DEVICES", 1) ? SUCCESS : INVALID_DEVICE;
}

Code cuDeviceGetAttribute(int *value, int attribute, int device) {
    int capability = (int)control("STANDIN_CAPABILITY", 90);
    switch (attribute) {
    /* An H200: kilohertz, and bits. */
    case 36: return *value = 3201000, SUCCESS;
    case 37: return *value = 6144, SUCCESS;
    case 75: return *value = capability / 10, SUCCESS;
    case 76: return *value = capability % 10, SUCCESS;
    case 115: return *value = 1, SUCCESS;
    default: return INVALID_VALUE;
    }
}

Code cuDeviceGetName(char *name, int bytes, int device) { return snprintf(name, (size_t)bytes, "stand-in"), SUCCESS; }
Code cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = memory(), SUCCESS; }
Code cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &contexts[device], SUCCESS; }
Code cuDeviceGetDefaultMemPool(void **pool, int device) { return *pool = &pools[device], SUCCESS; }
Code cuCtxGetCurrent(void **context) { return *context = current, standin_ended ? DEINITIALIZED : SUCCESS; }
Code cuCtxSetCurrent(void *context) { return current = context, SUCCESS; }

static __thread void *pushed[4];
static __thread int depth;

Code cuCtxPushCurrent_v2(void *context) {
    if (depth == 4) return INVALID_VALUE;
    pushed[depth++] = current;
    return current = context, SUCCESS;
}

Code cuCtxPopCurrent_v2(void **context) {
    if (depth == 0) return INVALID_CONTEXT;
    *context = current;
    return current = pushed[--depth], SUCCESS;
}

Code cuStreamCreate(void **stream, unsigned flags) {
    if (!current) return INVALID_CONTEXT;
    return *stream = &streams[(int *)current - contexts], SUCCESS;
}

static Code await(const void *event) {
    catch_up(event);
    return failed;
}

Code cuCtxSynchronize(void) { LOCKED(current ? await(NULL) : INVALID_CONTEXT); }
Code cuStreamSynchronize(void *stream) { LOCKED(current ? await(NULL) : INVALID_CONTEXT); }

Code cuEventCreate(void **event, unsigned flags) { return *event = calloc(1, sizeof(Event)), SUCCESS; }
Code cuEventRecord(void *event, void *stream) { LOCKED(ask((Asked){.what = EVENT, .to = event})); }
Code cuEventSynchronize(void *event) { LOCKED(await(event)); }

Code cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
    return attribute == 4 && *(unsigned long long *)value > 0 ? SUCCESS : INVALID_VALUE;
}

Code cuMemPoolTrimTo(void *pool, size_t keep) {
    pthread_mutex_lock(&lock);
    standin_trims++;
    while (kept) {
        Kept *k = kept;
        kept = k->next;
        pooled -= k->bytes;
        free((void *)k->start);
        free(k);
    }
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

static Code allocate(Address *start, size_t bytes) {
    if (!current) return INVALID_CONTEXT;
    if (failed) return failed;
    if (bytes == 0) return INVALID_VALUE;
    for (Kept **at = &kept; *at; at = &(*at)->next) {
        Kept *k = *at;
        if (k->bytes != bytes) continue;
        *at = k->next;
        *start = k->start;
        pooled -= bytes;
        free(k);
        used += bytes;
        return add(*start, bytes, false), SUCCESS;
    }
    if (used + pooled + bytes > memory()) return OUT_OF_MEMORY;
    void *memory;
    if (posix_memalign(&memory, 256, bytes)) return OUT_OF_MEMORY;
    spoil(memory, bytes);
    used += bytes;
    *start = (Address)memory;
    return add(*start, bytes, false), SUCCESS;
}

Code cuMemAllocAsync(Address *start, size_t bytes, void *stream) { LOCKED(allocate(start, bytes)); }
Code cuMemFreeAsync(Address start, void *stream) { LOCKED(ask((Asked){.what = FREE, .to = (void *)start})); }

Code cuMemGetInfo_v2(size_t *left, size_t *total) {
    *total = memory();
    return *left = *total - used - pooled, SUCCESS;
}

Code cuMemHostAlloc(void **start, size_t bytes, unsigned flags) {
    if (posix_memalign(start, 4096, bytes)) return OUT_OF_MEMORY;
    LOCKED((add((Address)*start, bytes, true), SUCCESS));
}

static Code copy(Asked asked, Address host) {
    Block *b = block_of(host, asked.bytes);
    if (b && !b->pinned) return INVALID_VALUE;
    Code code = ask(asked);
    // Memory that is not pinned is copied at once.
    if (code == SUCCESS && !b) catch_up(NULL);
    return code;
}

Code cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
    LOCKED(copy((Asked){.what = TO_DEVICE, .to = (void *)to, .from = from, .bytes = bytes}, (Address)from));
}

Code cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
    LOCKED(copy((Asked){.what = TO_HOST, .to = to, .from = (void *)from, .bytes = bytes}, (Address)to));
}

Code cuMemsetD8Async(Address to, unsigned char byte, size_t bytes, void *stream) {
    LOCKED(ask((Asked){.what = FILL, .to = (void *)to, .byte = byte, .bytes = bytes}));
}

static void *open_code(const char *image) {
    unsigned long long bytes;
    memcpy(&bytes, image + 8, 8);
    char path[] = "/tmp/fastnp-module-XXXXXX";
    int file = mkstemp(path);
    const char *from = image + 16;
    for (unsigned long long done = 0; done < bytes;) {
        ssize_t n = write(file, from + done, bytes - done);
        if (n <= 0) return NULL;
        done += (unsigned long long)n;
    }
    close(file);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    return module;
}

/* The bytes of an array of a merged text, whose name begins and ends so. */
static char *array(const char *text, const char *begin, const char *end) {
    for (const char *at = text; (at = strstr(at, begin)); at++) {
        const char *open = strchr(at, '['), *equals = strstr(at, " = {");
        if (!open || !equals || strncmp(open - strlen(end), end, strlen(end))) continue;
        char *bytes = calloc((size_t)atol(open + 1) + 1, 1);
        const char *number = equals + 4;
        for (size_t i = 0; *number != '}'; i++) {
            bytes[i] = (char)strtol(number, (char **)&number, 10);
            while (*number == ',' || *number == ' ') number++;
        }
        return bytes;
    }
    return NULL;
}

/* A merged kernel, of a text that refers to its parts' machine code and names. */
static void *load_woven(const char *text) {
    Woven *woven = calloc(1, sizeof *woven);
    int *sizes = calloc(256, sizeof *sizes), count = 0;
    for (int p = 0; p < 2; p++) {
        char *code = array(text, ".b8 standin_code", p ? "_b" : "_a"), symbol[256];
        char *name = array(text, ".b8 standin_name", p ? "_b" : "_a");
        void *module = code && name ? open_code(code) : NULL;
        if (!module) return NULL;
        snprintf(symbol, sizeof symbol, "entry_%s", name);
        woven->parts[p] = dlsym(module, symbol);
        for (int i = 0; i < woven->parts[p]->count; i++) sizes[count++] = woven->parts[p]->sizes[i];
    }
    sizes[count++] = 24;
    sizes[count++] = 24;
    woven->kernel = (Kernel){NULL, sizes, count};
    wovens[woven_count++] = woven;
    return woven;
}

static bool is_woven(const void *it) {
    for (int i = 0; i < woven_count; i++) {
        if (wovens[i] == it) return true;
    }
    return false;
}

Code cuModuleLoadData(void **module, const void *image) {
    if (failed) return failed;
    if (!memcmp(image, "WOVEN\0\0\0", 8)) return (*module = load_woven((const char *)image + 8)) ? SUCCESS : INVALID_IMAGE;
    if (memcmp(image, "STANDIN\0", 8) || ++standin_loads == control("STANDIN_LOAD", 0)) return INVALID_IMAGE;
    *module = open_code(image);
    return *module ? SUCCESS : INVALID_IMAGE;
}

Code cuModuleGetFunction(void **function, void *module, const char *name) {
    if (is_woven(module)) return *function = module, strcmp(name, "woven") ? NOT_FOUND : SUCCESS;
    char symbol[256];
    snprintf(symbol, sizeof symbol, "entry_%s", name);
    *function = dlsym(module, symbol);
    return *function ? SUCCESS : NOT_FOUND;
}

Code cuFuncGetAttribute(int *value, unsigned attribute, const void *function) {
    bool is_merged = is_woven(function);
    switch (attribute) {
    case 1: return *value = 0, SUCCESS;
    case 3: return *value = is_merged ? (int)control("STANDIN_SPILLED", 0) : 0, SUCCESS;
    case 4: return *value = is_merged ? (int)control("STANDIN_REGISTERS", 64) : 32, SUCCESS;
    default: return INVALID_VALUE;
    }
}

/* The assembler: its machine code is the text. */
typedef struct { char *code; size_t bytes; } Link;

Code cuLinkCreate_v2(unsigned count, void *options, void *values, Link **link) {
    return *link = calloc(1, sizeof(Link)), count ? INVALID_VALUE : SUCCESS;
}

Code cuLinkAddData_v2(Link *link, unsigned kind, const char *text, size_t bytes, const char *name, unsigned count, void *o, void *v) {
    if (kind != 1 || count || text[bytes - 1] || strncmp(text, ".version 7.8\n", 13)) return INVALID_VALUE;
    if (++standin_links > control("STANDIN_LINKS", 1 << 30)) return NOT_SUPPORTED;
    link->bytes = bytes + 8;
    link->code = calloc(1, link->bytes);
    memcpy(link->code, "WOVEN", 5);
    return memcpy(link->code + 8, text, bytes), SUCCESS;
}

Code cuLinkComplete(Link *link, void **code, size_t *bytes) {
    *code = link->code;
    return *bytes = link->bytes, SUCCESS;
}

Code cuLinkDestroy(Link *link) { return free(link->code), free(link), SUCCESS; }

/* A launch with its arguments, which are copied when they are given; each at a multiple of sixteen bytes. */
static Asked with_arguments(Asked asked, void **given) {
    const Kernel *kernel = asked.kernel;
    size_t bytes = 0;
    for (int i = 0; i < kernel->count; i++) bytes += ((size_t)abs(kernel->sizes[i]) + 15) & ~(size_t)15;
    char *copies = aligned_alloc(16, bytes + 16);
    asked.arguments = calloc((size_t)kernel->count + 1, sizeof(void *));
    asked.arguments[0] = copies;
    for (int i = 0; i < kernel->count; i++) {
        size_t size = (size_t)abs(kernel->sizes[i]);
        asked.arguments[i] = copies;
        memcpy(copies, given[i], size);
        copies += (size + 15) & ~(size_t)15;
    }
    return asked;
}

typedef struct {
    void *function;
    unsigned x, y, z, bx, by, bz, shared;
    void **arguments, **extra;
} Told;

static Code checked(const Told *t) {
    if (!t->function) return INVALID_HANDLE;
    bool is_wrong = t->x == 0 || t->y == 0 || t->y > 65535 || t->z != 1 || t->bx * t->by == 0 || t->bx * t->by > 256 || t->bz != 1;
    return is_wrong || t->shared || t->extra ? INVALID_VALUE : SUCCESS;
}

static Asked asked_of(const Told *t) {
    Asked asked = {.what = LAUNCH, .kernel = t->function, .grid = {t->x, t->y}, .block = {t->bx, t->by}};
    return with_arguments(asked, t->arguments);
}

Code cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                    void *stream, void **arguments, void **extra) {
    Told told = {function, x, y, z, bx, by, bz, shared, arguments, extra};
    Code code = checked(&told);
    if (code) return code;
    LOCKED(ask(asked_of(&told)));
}

/* A graph, and one that can be launched, which is a copy: a node is its place in both, from one on. */
typedef struct { Asked nodes[64]; unsigned long long after[64]; int count; } Graph;

static Asked copy_of(const Asked *a) { return with_arguments(*a, a->arguments); }

static Graph *graph_like(const Graph *from) {
    Graph *graph = calloc(1, sizeof *graph);
    *graph = *from;
    for (int i = 0; i < from->count; i++) graph->nodes[i] = copy_of(&from->nodes[i]);
    return graph;
}

Code cuGraphCreate(Graph **graph, unsigned flags) { return *graph = calloc(1, sizeof(Graph)), flags ? INVALID_VALUE : SUCCESS; }

Code cuGraphAddKernelNode(void **node, Graph *graph, void *const *after, size_t count, const Told *told) {
    Code code = graph->count == 64 ? INVALID_VALUE : checked(told);
    if (code) return code;
    unsigned long long bits = 0;
    for (size_t i = 0; i < count; i++) {
        size_t number = (size_t)after[i] - 1;
        if (number >= (size_t)graph->count || bits >> number & 1) return INVALID_VALUE;
        bits |= 1ULL << number;
    }
    graph->nodes[graph->count] = asked_of(told);
    graph->after[graph->count++] = bits;
    return *node = (void *)(size_t)graph->count, SUCCESS;
}

Code cuGraphInstantiateWithFlags(Graph **made, const Graph *graph, unsigned long long flags) {
    if (standin_graphs >= control("STANDIN_GRAPHS", 1 << 30)) return NOT_SUPPORTED;
    standin_graphs++;
    return *made = graph_like(graph), SUCCESS;
}

Code cuGraphExecKernelNodeSetParams(Graph *graph, void *node, const Told *told) {
    size_t number = (size_t)node - 1;
    if (number >= (size_t)graph->count || graph->nodes[number].kernel != told->function) return INVALID_VALUE;
    if (standin_told >= control("STANDIN_TOLD", 1 << 30)) return NOT_SUPPORTED;
    Code code = checked(told);
    if (code) return code;
    standin_told++;
    let_go(&graph->nodes[number]);
    return graph->nodes[number] = asked_of(told), SUCCESS;
}

static Code launch_graph(const Graph *graph) {
    Graph *copy = graph_like(graph);
    Asked asked = {.what = GRAPH, .nodes = calloc(64, sizeof(Asked)), .after = calloc(64, 8), .count = copy->count};
    memcpy(asked.nodes, copy->nodes, sizeof copy->nodes);
    memcpy((void *)asked.after, copy->after, sizeof copy->after);
    free(copy);
    standin_graph_launches++;
    return ask(asked);
}

Code cuGraphLaunch(const Graph *graph, void *stream) { LOCKED(launch_graph(graph)); }

Code cuGraphDestroy(Graph *graph) {
    for (int i = 0; i < graph->count; i++) let_go(&graph->nodes[i]);
    return free(graph), SUCCESS;
}

Code cuGraphExecDestroy(Graph *graph) { return cuGraphDestroy(graph); }

static const char *meaning(unsigned code, bool name) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (meanings[i].code == code) return name ? meanings[i].name : meanings[i].meaning;
    }
    return NULL;
}

Code cuGetErrorName(unsigned code, const char **text) { return (*text = meaning(code, true)) ? SUCCESS : INVALID_VALUE; }
Code cuGetErrorString(unsigned code, const char **text) { return (*text = meaning(code, false)) ? SUCCESS : INVALID_VALUE; }
