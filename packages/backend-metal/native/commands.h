// Launches, one after the other, and waiting for them.
#pragma once
#include "kernels.h"
#include "buffers.h"

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
