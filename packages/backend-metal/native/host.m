// A GPU of Apple's by calls of C, as a driver has them: memory, kernels, launches one after the other, and waiting for them. Metal is asked in Objective-C
// with nothing that only one compiler of it has, so that the same text can be compiled where there is no Metal. Numbers that calls return are those of
// `load/driver.ts`; `filigree_metal_message` says more.
#include "lists.h"
#include "times.h"
#include <pthread.h>

// One call at a time, whichever thread makes it; what Metal lends is given back when the call is done.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
#define CALL(body) \
  pthread_mutex_lock(&turn); \
  NSAutoreleasePool* pool = [[NSAutoreleasePool alloc] init]; \
  const int result = (body); \
  [pool drain]; \
  pthread_mutex_unlock(&turn); \
  return result;

static int copyText(char* into, int length, const char* text) {
  snprintf(into, length, "%s", text);
  return ok;
}

static int attribute(int* into, int which) {
  (void)which;
  // Metal does not say how many processors there are. No chip of today has more; blocks that are too many wait for their turn.
  *into = 80;
  return ok;
}

int filigree_metal_init(unsigned flags) { (void)flags; CALL(begin()) }
int filigree_metal_name(char* into, int length, int n) { (void)n; CALL(copyText(into, length, [[device name] UTF8String])) }
int filigree_metal_attribute(int* into, int which, int n) { (void)n; CALL(attribute(into, which)) }
int filigree_metal_message(char* into, int length) { CALL(copyText(into, length, message)) }
int filigree_metal_allocate(uint64_t* at, size_t bytes) { CALL(allocate(at, bytes)) }
int filigree_metal_free(uint64_t at) { CALL(release(at)) }
int filigree_metal_clear(uint64_t at, unsigned char value, size_t bytes) { CALL(clear(at, value, bytes)) }
int filigree_metal_write(uint64_t to, const void* from, size_t bytes) { CALL(copy((void*)to, from, bytes)) }
int filigree_metal_read(void* to, uint64_t from, size_t bytes) { CALL(copy(to, (void*)from, bytes)) }
int filigree_metal_open(uint64_t* code, const char* path) { CALL(openCode(code, path)) }
int filigree_metal_close(uint64_t code) { CALL(closeCode((struct Code*)code)) }
int filigree_metal_kernel(uint64_t* kernel, uint64_t code, const char* name) { CALL(find(kernel, (struct Code*)code, name)) }
int filigree_metal_takes(uint64_t kernel, unsigned buffers, const void* bytes, unsigned scalars) {
  CALL(takes((struct Kernel*)kernel, buffers, bytes, scalars))
}
int filigree_metal_launch(uint64_t kernel, unsigned blocks, unsigned by, unsigned bz, unsigned threads, unsigned ty, unsigned tz, unsigned shared,
                          uint64_t stream, void** arguments, void** more) {
  (void)by, (void)bz, (void)ty, (void)tz, (void)shared, (void)stream, (void)more;
  CALL(launch((struct Kernel*)kernel, blocks, threads, arguments))
}
int filigree_metal_finish(uint64_t stream) { (void)stream; CALL(finish()) }
int filigree_metal_ready(uint64_t stream) { (void)stream; CALL(ready()) }

int filigree_metal_stream(uint64_t* stream, unsigned flags) { (void)flags; *stream = 1; return ok; }
int filigree_metal_no_stream(uint64_t stream) { (void)stream; return ok; }
int filigree_metal_note(uint64_t stream, int mode) { (void)stream, (void)mode; CALL(beginNotes()) }
int filigree_metal_noted(uint64_t stream, uint64_t* list) { (void)stream; CALL(endNotes(list)) }
int filigree_metal_prepare(uint64_t* ready, uint64_t list, uint64_t flags) { (void)flags; *ready = list; return ok; }
int filigree_metal_begin(uint64_t list, uint64_t stream) { (void)stream; CALL(replay((struct Notes*)list)) }
int filigree_metal_drop_notes(uint64_t list) { (void)list; return ok; }
int filigree_metal_drop(uint64_t list) { CALL(drop((struct Notes*)list)) }

int filigree_metal_event(uint64_t* event, unsigned flags) { (void)flags; *event = (uint64_t)calloc(1, sizeof(struct Event)); return ok; }
int filigree_metal_mark(uint64_t event, uint64_t stream) { (void)stream; CALL(mark((struct Event*)event)) }
int filigree_metal_passed(uint64_t event) { (void)event; CALL((settle(), ok)) }
int filigree_metal_between(float* milliseconds, uint64_t from, uint64_t to) {
  *milliseconds = (float)(1000 * (((struct Event*)to)->at - ((struct Event*)from)->at));
  return ok;
}
int filigree_metal_forget(uint64_t event) { CALL(forget((struct Event*)event)) }
