// Libraries and the kernels in them.
#pragma once
#include "device.h"

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
