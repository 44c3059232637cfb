// Buffers: memory that the host and the device see.
#pragma once
#include "device.h"

// Buffers, known by where the host sees them.
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
