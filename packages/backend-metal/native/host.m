// A GPU of Apple's by calls of C, as a driver has them: memory, kernels, launches one after the other, and waiting for them. Metal is asked in Objective-C
// with nothing that only one compiler of it has, so that the same text can be compiled where there is no Metal. Numbers that calls return are those of
// `load/driver.ts`; `filigree_metal_message` says more.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ok = 0, invalidValue = 1, outOfMemory = 2, noDevice = 100, cannotRead = 200, cannotCompile = 201, cannotPrepare = 202, tooWide = 203,
  tooManyArguments = 204, notFound = 500, notReady = 600, failed = 1000
};

static char message[4096];

static int say(int result, const char* what) {
  snprintf(message, sizeof message, "%s", what == NULL ? "" : what);
  return result;
}

static int sayError(int result, NSError* error) {
  return say(result, error == nil ? NULL : [[error localizedDescription] UTF8String]);
}

// One call at a time, whichever thread makes it; what Metal lends is given back when the call is done.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
#define CALL(body) \
  pthread_mutex_lock(&turn); \
  NSAutoreleasePool* pool = [[NSAutoreleasePool alloc] init]; \
  const int result = (body); \
  [pool drain]; \
  pthread_mutex_unlock(&turn); \
  return result;

static id<MTLDevice> device;
static id<MTLCommandQueue> queue;

// There may be no default one, in programs without windows, where there are devices.
static id<MTLDevice> anyDevice(void) {
  id<MTLDevice> found = MTLCreateSystemDefaultDevice();
  if (found != nil) return found;
  NSArray* all = MTLCopyAllDevices();
  if ([all count] > 0) found = [[all objectAtIndex:0] retain];
  [all release];
  return found;
}

static int begin(void) {
  if (queue != nil) return ok;
  device = anyDevice();
  if (device == nil) return say(noDevice, NULL);
  queue = [device newCommandQueue];
  return queue == nil ? say(noDevice, "it has no queue") : ok;
}

// Memory: buffers that the host and the device see, known by where the host sees them.
struct Memory { uint64_t at; size_t bytes; id<MTLBuffer> buffer; struct Memory* next; };
static struct Memory* memories;

static int allocate(uint64_t* at, size_t bytes) {
  if (bytes > [device maxBufferLength]) return say(outOfMemory, "a buffer may not be that large");
  id<MTLBuffer> buffer = [device newBufferWithLength:bytes options:MTLResourceStorageModeShared];
  if (buffer == nil) return say(outOfMemory, NULL);
  struct Memory* m = malloc(sizeof *m);
  *m = (struct Memory){(uint64_t)[buffer contents], bytes, buffer, memories};
  memories = m;
  *at = m->at;
  return ok;
}

// Launches that have begun keep what they use.
static int release(uint64_t at) {
  for (struct Memory** m = &memories; *m != NULL; m = &(*m)->next)
    if ((*m)->at == at) {
      struct Memory* const gone = *m;
      *m = gone->next;
      [gone->buffer release];
      free(gone);
      return ok;
    }
  return say(invalidValue, "no memory begins there");
}

static const struct Memory* memoryAt(uint64_t at) {
  for (const struct Memory* m = memories; m != NULL; m = m->next)
    if (at >= m->at && at < m->at + m->bytes) return m;
  return NULL;
}

// A kernel: its buffers come first, then numbers of so many bytes. More than can be bound one by one lie in a buffer that `arguments` fills.
struct Kernel {
  char* name;
  id<MTLFunction> function;
  id<MTLComputePipelineState> pipeline;
  id<MTLArgumentEncoder> arguments;
  unsigned buffers, scalars;
  unsigned char* bytes;
  struct Kernel* next;
};
struct Code { id<MTLLibrary> library; struct Kernel* kernels; };

// The text is compiled as it is written: arithmetic in other orders would change results.
static id<MTLLibrary> compiled(const char* path, NSError** error) {
  NSString* file = [NSString stringWithUTF8String:path];
  const size_t length = strlen(path);
  if (length > 9 && strcmp(path + length - 9, ".metallib") == 0)
    return [device newLibraryWithURL:[NSURL fileURLWithPath:file] error:error];
  NSString* text = [NSString stringWithContentsOfFile:file encoding:NSUTF8StringEncoding error:error];
  if (text == nil) return nil;
  MTLCompileOptions* options = [[MTLCompileOptions alloc] init];
  [options setFastMathEnabled:NO];
  id<MTLLibrary> library = [device newLibraryWithSource:text options:options error:error];
  [options release];
  return library;
}

static int openCode(uint64_t* code, const char* path) {
  NSError* error = nil;
  id<MTLLibrary> library = compiled(path, &error);
  if (library == nil) return sayError(cannotCompile, error);
  struct Code* c = malloc(sizeof *c);
  *c = (struct Code){library, NULL};
  *code = (uint64_t)c;
  return ok;
}

static int closeCode(struct Code* code) {
  while (code->kernels != NULL) {
    struct Kernel* const k = code->kernels;
    code->kernels = k->next;
    [k->arguments release];
    [k->pipeline release];
    [k->function release];
    free(k->bytes);
    free(k->name);
    free(k);
  }
  [code->library release];
  free(code);
  return ok;
}

// The compiler is told how many threads a team may have, so that each gets no more registers than there are for all.
static id<MTLComputePipelineState> pipelineOf(id<MTLFunction> function, NSError** error) {
  MTLComputePipelineDescriptor* wanted = [[MTLComputePipelineDescriptor alloc] init];
  [wanted setComputeFunction:function];
  [wanted setMaxTotalThreadsPerThreadgroup:FILIGREE_MOST_THREADS];
  id<MTLComputePipelineState> pipeline =
      [device newComputePipelineStateWithDescriptor:wanted options:MTLPipelineOptionNone reflection:NULL error:error];
  [wanted release];
  return pipeline;
}

static int find(uint64_t* kernel, struct Code* code, const char* name) {
  for (struct Kernel* k = code->kernels; k != NULL; k = k->next)
    if (strcmp(k->name, name) == 0) {
      *kernel = (uint64_t)k;
      return ok;
    }
  id<MTLFunction> function = [code->library newFunctionWithName:[NSString stringWithUTF8String:name]];
  if (function == nil) return say(notFound, name);
  NSError* error = nil;
  id<MTLComputePipelineState> pipeline = pipelineOf(function, &error);
  if (pipeline == nil || [pipeline threadExecutionWidth] > FILIGREE_WARP) {
    const int result = pipeline == nil ? sayError(cannotPrepare, error) : say(tooWide, NULL);
    [pipeline release];
    [function release];
    return result;
  }
  struct Kernel* k = malloc(sizeof *k);
  *k = (struct Kernel){strdup(name), function, pipeline, nil, 0, 0, NULL, code->kernels};
  code->kernels = k;
  *kernel = (uint64_t)k;
  return ok;
}

static int takes(struct Kernel* k, unsigned buffers, const unsigned char* bytes, unsigned scalars) {
  k->buffers = buffers;
  k->scalars = scalars;
  free(k->bytes);
  k->bytes = memcpy(malloc(scalars + 1), bytes, scalars);
  if (buffers + scalars <= FILIGREE_MOST_BINDINGS || k->arguments != nil) return ok;
  if ([device argumentBuffersSupport] < MTLArgumentBuffersTier2) return say(tooManyArguments, k->name);
  k->arguments = [k->function newArgumentEncoderWithBufferIndex:0];
  return ok;
}

// Launches go into one buffer of commands, which is handed to the device when somebody waits, or when it is long. Those of one encoder run one after the
// other, and each sees what those before it wrote; so it is from buffer to buffer of one queue.
enum { longBuffer = 256 };
static id<MTLCommandBuffer> noted;
static id<MTLComputeCommandEncoder> encoder;
static unsigned launches;

// What was handed over and nobody has waited for, and the events that come behind it.
struct Event { double at; struct Event* next; };
struct Begun { id<MTLCommandBuffer> commands; struct Event* events; struct Begun* next; };
static struct Begun* oldest;
static struct Begun* newest;

static void handOver(void) {
  if (noted == nil) return;
  [encoder endEncoding];
  [encoder release];
  encoder = nil;
  [noted commit];
  struct Begun* b = malloc(sizeof *b);
  *b = (struct Begun){noted, NULL, NULL};
  if (newest == NULL) oldest = b;
  else newest->next = b;
  newest = b;
  noted = nil;
  launches = 0;
}

// Seconds for which the device has been at work.
static double busy;

// What went wrong, until somebody asks.
static int failure;

static void settle(void) {
  handOver();
  while (oldest != NULL) {
    struct Begun* const b = oldest;
    [b->commands waitUntilCompleted];
    if ([b->commands status] == MTLCommandBufferStatusError && failure == ok)
      failure = sayError(failed + (int)[[b->commands error] code], [b->commands error]);
    busy += [b->commands GPUEndTime] - [b->commands GPUStartTime];
    for (struct Event* e = b->events; e != NULL; e = e->next) e->at = busy;
    [b->commands release];
    oldest = b->next;
    free(b);
  }
  newest = NULL;
}

static int finish(void) {
  settle();
  const int result = failure;
  failure = ok;
  return result;
}

static int ready(void) {
  handOver();
  if (newest != NULL && [newest->commands status] < MTLCommandBufferStatusCompleted) return notReady;
  return finish();
}

static int copy(void* to, const void* from, size_t bytes) {
  settle();
  memcpy(to, from, bytes);
  return ok;
}

static int clear(uint64_t at, unsigned char value, size_t bytes) {
  settle();
  memset((void*)at, value, bytes);
  return ok;
}

// A launch, with the words of its arguments.
struct Launch { struct Kernel* kernel; unsigned blocks, threads; uint64_t* words; struct Launch* next; };

static int bindEach(struct Kernel* k, const uint64_t* words) {
  for (unsigned n = 0; n < k->buffers; n++) {
    const struct Memory* m = memoryAt(words[n]);
    if (m == NULL) return say(invalidValue, k->name);
    [encoder setBuffer:m->buffer offset:words[n] - m->at atIndex:n];
  }
  for (unsigned n = 0; n < k->scalars; n++)
    [encoder setBytes:words + k->buffers + n length:k->bytes[n] atIndex:k->buffers + n];
  return ok;
}

// Of buffers that no command names, Metal is told that they are used.
static int bindInBuffer(struct Kernel* k, const uint64_t* words) {
  id<MTLBuffer> table = [device newBufferWithLength:[k->arguments encodedLength] options:MTLResourceStorageModeShared];
  if (table == nil) return say(outOfMemory, NULL);
  [k->arguments setArgumentBuffer:table offset:0];
  int result = ok;
  for (unsigned n = 0; n < k->buffers && result == ok; n++) {
    const struct Memory* m = memoryAt(words[n]);
    if (m == NULL) result = say(invalidValue, k->name);
    else {
      [k->arguments setBuffer:m->buffer offset:words[n] - m->at atIndex:n];
      [encoder useResource:m->buffer usage:MTLResourceUsageRead | MTLResourceUsageWrite];
    }
  }
  for (unsigned n = 0; n < k->scalars; n++)
    memcpy([k->arguments constantDataAtIndex:k->buffers + n], words + k->buffers + n, k->bytes[n]);
  [encoder setBuffer:table offset:0 atIndex:0];
  [table release];
  return result;
}

static int encode(const struct Launch* l) {
  if (noted == nil) {
    noted = [[queue commandBuffer] retain];
    encoder = [[noted computeCommandEncoder] retain];
    if (encoder == nil) {
      [noted release];
      noted = nil;
      return say(outOfMemory, "there is no room for commands");
    }
  }
  [encoder setComputePipelineState:l->kernel->pipeline];
  const int result = l->kernel->arguments == nil ? bindEach(l->kernel, l->words) : bindInBuffer(l->kernel, l->words);
  if (result != ok) return result;
  [encoder dispatchThreadgroups:MTLSizeMake(l->blocks, 1, 1) threadsPerThreadgroup:MTLSizeMake(l->threads, 1, 1)];
  if (++launches == longBuffer) handOver();
  return ok;
}

// Launches that are noted to be begun again by one call.
struct Notes { struct Launch* first; struct Launch** last; };
static struct Notes* notes;

static int note(const struct Launch* l) {
  const size_t words = l->kernel->buffers + l->kernel->scalars;
  struct Launch* n = malloc(sizeof *n);
  *n = *l;
  n->words = memcpy(malloc(8 * words + 8), l->words, 8 * words);
  n->next = NULL;
  *notes->last = n;
  notes->last = &n->next;
  return ok;
}

static int launch(struct Kernel* k, unsigned blocks, unsigned threads, void** arguments) {
  const unsigned count = k->buffers + k->scalars;
  if (blocks == 0 || threads == 0 || threads > [k->pipeline maxTotalThreadsPerThreadgroup]) return say(invalidValue, k->name);
  uint64_t* const words = malloc(8 * (size_t)count + 8);
  for (unsigned n = 0; n < count; n++) memcpy(words + n, arguments[n], 8);
  const struct Launch l = {k, blocks, threads, words, NULL};
  const int result = notes == NULL ? encode(&l) : note(&l);
  free(words);
  return result;
}

static int beginNotes(void) {
  if (notes != NULL) return say(invalidValue, "launches are noted already");
  notes = malloc(sizeof *notes);
  notes->first = NULL;
  notes->last = &notes->first;
  return ok;
}

static int endNotes(uint64_t* list) {
  if (notes == NULL) return say(invalidValue, "no launches are noted");
  *list = (uint64_t)notes;
  notes = NULL;
  return ok;
}

static int replay(const struct Notes* list) {
  int result = ok;
  for (const struct Launch* l = list->first; l != NULL && result == ok; l = l->next) result = encode(l);
  return result;
}

static int drop(struct Notes* list) {
  while (list->first != NULL) {
    struct Launch* const l = list->first;
    list->first = l->next;
    free(l->words);
    free(l);
  }
  free(list);
  return ok;
}

// The time of an event is how long the device was at work until then: what lies between two, it worked on.
static int mark(struct Event* e) {
  handOver();
  if (newest == NULL) e->at = busy;
  else {
    e->next = newest->events;
    newest->events = e;
  }
  return ok;
}

static int forget(struct Event* e) {
  for (struct Begun* b = oldest; b != NULL; b = b->next)
    for (struct Event** at = &b->events; *at != NULL; at = &(*at)->next)
      if (*at == e) {
        *at = e->next;
        free(e);
        return ok;
      }
  free(e);
  return ok;
}

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
