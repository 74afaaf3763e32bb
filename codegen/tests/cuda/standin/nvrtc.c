/* A stand-in for NVIDIA's run-time compiler: the C compiler, over what `device.h` says CUDA C has built in.
 *
 * A program is namespaces, `namespace k0 {` up to a line `}`, with a kernel each. Each becomes a file of C, and all of them one
 * shared object, whose bytes are the machine code.
 *
 * Controls: STANDIN_ARCHITECTURES (as `80,90`), STANDIN_NVRTC (13), STANDIN_REFUSE (a text with this in it does not compile).
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum { SUCCESS = 0, INVALID_INPUT = 3, INVALID_OPTION = 5, COMPILATION = 6 } Result;
typedef struct { char *source, *code, *log, *ptx; size_t bytes; } Program;

/* For tests to ask. */
int standin_compiles;

static const char *control(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

Result nvrtcVersion(int *major, int *minor) { return *major = atoi(control("STANDIN_NVRTC", "13")), *minor = 0, SUCCESS; }

static int architectures(int *list) {
    int count = 0;
    const char *at = control("STANDIN_ARCHITECTURES", "80,86,89,90,100");
    for (;; at++) {
        int number = (int)strtol(at, (char **)&at, 10);
        if (list) list[count] = number;
        count++;
        if (*at != ',') return count;
    }
}

Result nvrtcGetNumSupportedArchs(int *count) { return *count = architectures(NULL), SUCCESS; }
Result nvrtcGetSupportedArchs(int *list) { return architectures(list), SUCCESS; }
const char *nvrtcGetErrorString(Result result) { return result == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }

Result nvrtcCreateProgram(Program **program, const char *source, const char *name, int headers, void *h, void *i) {
    *program = calloc(1, sizeof(Program));
    (*program)->source = strdup(source);
    (*program)->log = strdup("");
    return SUCCESS;
}

Result nvrtcDestroyProgram(Program **program) {
    free((*program)->source);
    free((*program)->code);
    free((*program)->log);
    free((*program)->ptx);
    free(*program);
    return *program = NULL, SUCCESS;
}

/* A path beside this library. */
static void beside(char *path, size_t bytes, const char *name) {
    Dl_info info;
    dladdr((void *)beside, &info);
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(path, bytes, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, name);
}

/* Writes a kernel's arguments, from the text of its parameters, and the entry that the driver looks for. */
static void entry(FILE *out, const char *name, const char *parameters, const char *last) {
    int count = 0;
    char list[1 << 16] = "", sizes[1 << 16] = "";
    for (const char *at = parameters; at < last;) {
        const char *comma = memchr(at, ',', (size_t)(last - at));
        const char *until = comma ? comma : last, *type = until;
        while (isalnum(type[-1]) || type[-1] == '_') type--;
        char one[512];
        snprintf(one, sizeof one, "%.*s", (int)(type - at), at);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s*(%s *)arguments[%d]", count ? ", " : "", one, count);
        bool is_address = strchr(one, '*');
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s(int)sizeof(%s), ", is_address ? "-" : "", one);
        count++;
        at = comma ? comma + 1 : last;
    }
    fprintf(out, "static void kernel(void **arguments) { %s(%s); }\n", name, list);
    fprintf(out, "static const int sizes[] = {%s};\n", sizes);
    fprintf(out, "const struct { void (*run)(const unsigned *, const unsigned *, void **); const int *sizes; int count; } ");
    fprintf(out, "entry_%s = {launch, sizes, %d};\n", name, count);
}

/* Writes one namespace as C; whether it has a kernel. */
static bool write_c(const char *path, const char *text, const char *until) {
    static const char start[] = "extern \"C\" __global__ void __launch_bounds__(256) ";
    const char *kernel = memmem(text, (size_t)(until - text), start, strlen(start));
    FILE *out = fopen(path, "w");
    if (!kernel || !out) return false;
    const char *name = kernel + strlen(start), *open = strchr(name, '('), *close = strstr(open, ") {\n");
    if (memmem(text, (size_t)(until - text), "__sync", 6) || memmem(text, (size_t)(until - text), "__shfl", 6)) {
        fprintf(out, "#define WAITS\n");
    }
    fprintf(out, "#include \"device.h\"\n");
    for (const char *line = text, *next; line < until; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(until - line));
        next = stop ? stop + 1 : until;
        // In C the functions that these lines are are those of `device.h`.
        if (memmem(line, (size_t)(next - line), "asm(", 4)) continue;
        const char *from = line == kernel ? line + strlen("extern \"C\" ") : line;
        fwrite(from, 1, (size_t)(next - from), out);
    }
    char named[256];
    snprintf(named, sizeof named, "%.*s", (int)(open - name), name);
    entry(out, named, open + 1, close);
    return fclose(out) == 0;
}

static char *contents(const char *path, size_t *bytes, size_t before) {
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *out = calloc(1, before + *bytes + 1);
    if (fread(out + before, 1, *bytes, file) != *bytes) return NULL;
    fclose(file);
    return out;
}

static Result refuse(Program *program, const char *why) {
    free(program->log);
    program->log = strdup(why);
    return COMPILATION;
}

static void write_bytes(FILE *out, const char *name, const char *bytes, size_t count) {
    fprintf(out, ".global .align 1 .b8 %s[%zu] = {", name, count);
    for (size_t i = 0; i < count; i++) fprintf(out, i ? ", %d" : "%d", (unsigned char)bytes[i]);
    fprintf(out, "};\n");
}

/* Writes a parameter: an address, a scalar, or a struct, whose size nobody asks for. */
static void parameter(FILE *out, const char *kernel, int number) {
    fprintf(out, "%s\n\t.param .u64 %s_param_%d", number ? "," : "", kernel, number);
}

/* Writes PTX that says what the program is, for the driver's stand-in to run: kernels that do nothing, but refer to the machine code and
 * to their names. Folds compute more than they load, maps less, so that they are woven with each other. */
static void write_ptx(Program *program) {
    size_t bytes;
    FILE *out = open_memstream(&program->ptx, &bytes);
    fprintf(out, ".version 9.0\n.target sm_90\n.address_size 64\n");
    write_bytes(out, "standin_code", program->code, program->bytes);
    static const char start[] = "extern \"C\" __global__ void __launch_bounds__(256) ";
    for (const char *at = program->source; (at = strstr(at, start));) {
        const char *name = at + strlen(start), *open = strchr(name, '('), *close = strstr(open, ") {\n");
        char kernel[256], symbol[300];
        snprintf(kernel, sizeof kernel, "%.*s", (int)(open - name), name);
        snprintf(symbol, sizeof symbol, "standin_name_%s", kernel);
        write_bytes(out, symbol, kernel, strlen(kernel) + 1);
        fprintf(out, ".visible .entry %s(", kernel);
        int count = 0;
        parameter(out, kernel, count++);
        for (const char *c = open; c < close; c++) {
            if (*c == ',') parameter(out, kernel, count++);
        }
        fprintf(out, "\n)\n.maxntid 256, 1, 1\n{\n.reg .b64 %%rd<4>;\n.reg .f64 %%fd<2>;\n");
        fprintf(out, "mov.u64 %%rd1, standin_code;\nmov.u64 %%rd2, %s;\nld.global.u64 %%rd3, [%%rd1];\n", symbol);
        bool computes = strncmp(kernel, "map", 3);
        for (int i = 0; computes && i < 8; i++) fprintf(out, "sqrt.rn.f64 %%fd1, %%fd0;\n");
        fprintf(out, "ret;\n}\n");
        at = close;
    }
    fclose(out);
}

Result nvrtcCompileProgram(Program *program, int count, const char *const *options) {
    standin_compiles++;
    bool is_exact = false, is_placed = false, is_ptx = false;
    for (int i = 0; i < count; i++) {
        is_exact |= !strcmp(options[i], "--fmad=false");
        is_placed |= !strncmp(options[i], "--gpu-architecture=sm_", 22);
        is_ptx |= !strncmp(options[i], "--gpu-architecture=compute_", 27);
    }
    if (!is_exact || is_placed == is_ptx || count != 2) return INVALID_OPTION;
    const char *unwanted = getenv("STANDIN_REFUSE");
    if (unwanted && strstr(program->source, unwanted)) return refuse(program, "kernels.cu(1): error: unwanted");
    char folder[] = "/tmp/fastnp-nvrtc-XXXXXX", here[4096], path[4200];
    if (!mkdtemp(folder)) return refuse(program, "no folder");
    beside(here, sizeof here, "");
    char command[9000], object[64], log[64];
    snprintf(object, sizeof object, "%s/out.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(command, sizeof command,
             "cc " KERNEL_FLAGS " -shared -Wl,-z,defs -pipe -I'%s' -o %s %s/*.c -lm 2>%s",
             here, object, folder, log);
    int number = 0;
    bool is_right = true;
    for (const char *at = program->source; is_right && *at;) {
        char open[32];
        int length = snprintf(open, sizeof open, "namespace k%d {\n", number);
        const char *close = strstr(at, "\n}\nnamespace ");
        if (!close) close = at + strlen(at) - 3;
        is_right = !strncmp(at, open, (size_t)length) && close > at && !strncmp(close, "\n}\n", 3);
        snprintf(path, sizeof path, "%s/k%d.c", folder, number++);
        is_right = is_right && write_c(path, at + length, close + 1);
        at = close + 3;
    }
    Result result = SUCCESS;
    size_t bytes = 0;
    if (!is_right) {
        result = refuse(program, "no namespaces of kernels");
    } else if (system(command) != 0) {
        char *said = contents(log, &bytes, 0);
        result = refuse(program, said ? said : "no log");
        free(said);
    } else {
        program->code = contents(object, &bytes, 16);
        program->bytes = bytes + 16;
        unsigned long long length = bytes;
        memcpy(program->code, "STANDIN\0", 8);
        memcpy(program->code + 8, &length, 8);
        if (is_ptx) write_ptx(program);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command)) return INVALID_INPUT;
    return result;
}

Result nvrtcGetCUBINSize(Program *program, size_t *bytes) { return *bytes = program->bytes, SUCCESS; }
Result nvrtcGetCUBIN(Program *program, char *out) { return memcpy(out, program->code, program->bytes), SUCCESS; }
Result nvrtcGetPTXSize(Program *program, size_t *bytes) { return *bytes = strlen(program->ptx) + 1, SUCCESS; }
Result nvrtcGetPTX(Program *program, char *out) { return strcpy(out, program->ptx), SUCCESS; }
Result nvrtcGetProgramLogSize(Program *program, size_t *bytes) { return *bytes = strlen(program->log) + 1, SUCCESS; }
Result nvrtcGetProgramLog(Program *program, char *out) { return strcpy(out, program->log), SUCCESS; }
