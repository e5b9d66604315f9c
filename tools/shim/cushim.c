// Stands in for -lcuda, so that a program which uses the driver starts on machines that have none.
//
// Every function of symbols.inc is a jump through a slot. The driver is opened, and the slots are set,
// when the program first asks for cushim_init_result(); until then, and where there is no driver,
// calls return CUDA_ERROR_NOT_INITIALIZED as the driver itself does before cuInit.
//
// cuInit alone always succeeds and does nothing: gorgonia.org/cu calls it before main and ends the
// process if it fails. What the driver's own cuInit says is the value of cushim_init_result().
//
// WW_LIBCUDA names another library than libcuda.so.1.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Hidden, or the real driver, opened later, would find these instead of its own.
#pragma GCC visibility push(hidden)

enum { kNotInitialized = 3, kNotFound = 500 };

static int not_initialized(void) { return kNotInitialized; }
// For a symbol that is newer than the driver.
static int not_exported(void) { return kNotFound; }

// A trampoline must leave registers and stack as they are, hence assembly; it names its slot through a
// global symbol, since the compiler may rename static ones.
#if defined(__x86_64__)
#define CUSHIM_JUMP(slot) "endbr64\n jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define CUSHIM_JUMP(slot) "hint #34\n adrp x16, " slot "\n ldr x16, [x16, :lo12:" slot "]\n br x16\n"
#else
#error "cushim: no trampoline for this architecture: requires x86_64 or aarch64"
#endif

#define CUSHIM(symbol)                                                                    \
  __attribute__((used)) void *cushim_slot_##symbol = (void *)not_initialized;             \
  __asm__(".pushsection .text\n .globl " #symbol "\n .hidden " #symbol "\n"               \
          " .type " #symbol ", %function\n" #symbol ":\n " CUSHIM_JUMP("cushim_slot_" #symbol) \
          " .size " #symbol ", .-" #symbol "\n .popsection\n");
#include "symbols.inc"
#undef CUSHIM

static const struct {
  const char *name;
  void **slot;
} table[] = {
#define CUSHIM(symbol) {#symbol, &cushim_slot_##symbol},
#include "symbols.inc"
#undef CUSHIM
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int init_result = kNotInitialized;
static const char *load_error;

static void fail(const char *why) {
  load_error = why ? strdup(why) : NULL;
  if (!load_error) load_error = "the dynamic linker does not say why";
}

static void start(void) {
  const char *library = secure_getenv("WW_LIBCUDA");
  if (!library || !*library) library = "libcuda.so.1";
  void *driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!driver) {
    fail(dlerror());
    return;
  }
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  if (!init) {
    fail(dlerror());
    return;
  }
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    void *found = dlsym(driver, table[i].name);
    *table[i].slot = found ? found : (void *)not_exported;
  }
  init_result = init(0);
}

int cuInit(unsigned flags) {
  (void)flags;
  return 0;
}

// Opens the driver, the first time, and returns what its cuInit returned.
int cushim_init_result(void) {
  pthread_once(&once, start);
  return init_result;
}

// Says why there is no driver, or returns NULL. For after cushim_init_result().
const char *cushim_load_error(void) { return load_error; }
