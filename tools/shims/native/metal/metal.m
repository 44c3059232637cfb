// Stands where Metal is on a Mac: what its host asks for (`Foundation/`, `Metal/`), done by the driver that runs launches on the CPU (`driver.cpp`). It keeps
// what Metal keeps: objects are counted, commands hold what they use, nothing runs before it is committed. What Metal would stop a process for, or
// leave undefined, ends the commands with an error here. Text is not compiled here but found: `filigree_compiled` says where its library is.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#include "stand-in.h"
#include <objc/runtime.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int cuMemAlloc_v2(uint64_t* at, size_t bytes);
int cuMemFree_v2(uint64_t at);
int cuModuleLoad(uint64_t* module, const char* path);
int cuModuleUnload(uint64_t module);
int cuModuleGetFunction(uint64_t* function, uint64_t module, const char* name);
unsigned filigree_arguments(uint64_t function);
int cuLaunchKernel(uint64_t function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, uint64_t, void** arguments, void**);
int cuStreamSynchronize(uint64_t stream);
int cuStreamQuery(uint64_t stream);
int cuEventCreate(uint64_t* event, unsigned flags);
int cuEventRecord(uint64_t event, uint64_t stream);
int cuEventElapsedTime(float* milliseconds, uint64_t from, uint64_t to);
int cuEventDestroy_v2(uint64_t event);
enum { notReady = 600 };

// Times are counted from here.
static uint64_t epoch;

// Texts that were compiled for this process: where the library of each is, or what the compiler said of it.
struct Compiled { char *text, *path, *said; struct Compiled* next; };
static struct Compiled* compiled;

int filigree_compiled(const char* text, const char* path, const char* said) {
  struct Compiled* c = malloc(sizeof *c);
  *c = (struct Compiled){strdup(text), strdup(path), strdup(said), compiled};
  compiled = c;
  return 0;
}

@interface Buffer : NSObject <MTLBuffer> {
 @public
  uint64_t at;
  NSUInteger length;
  Buffer* next;
}
@end

static Buffer* buffers;

static Buffer* bufferAt(uint64_t at) {
  for (Buffer* b = buffers; b != nil; b = b->next)
    if (at - b->at < b->length) return b;
  return nil;
}

@implementation Buffer
- (void*)contents { return (void*)at; }
- (void)dealloc {
  for (Buffer** b = &buffers; *b != nil; b = &(*b)->next)
    if (*b == self) {
      *b = next;
      break;
    }
  cuMemFree_v2(at);
  [super dealloc];
}
@end

// A structure of words, as the kernels here read one.
@interface ArgumentEncoder : NSObject <MTLArgumentEncoder> {
 @public
  NSUInteger count;
  uint64_t* words;
}
@end

@implementation ArgumentEncoder
- (NSUInteger)encodedLength { return 8 * count; }
- (void)setArgumentBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset { words = (uint64_t*)((char*)[buffer contents] + offset); }
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  *(uint64_t*)[self constantDataAtIndex:index] = (uint64_t)[buffer contents] + offset;
}
- (void*)constantDataAtIndex:(NSUInteger)index {
  if (words == NULL || index >= count) filigree_stop("an argument is set where there is none");
  return words + index;
}
@end

enum { mostBound = 31 };

@interface Function : NSObject <MTLFunction> {
 @public
  uint64_t handle;
  unsigned count;
}
@end

@implementation Function
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)index {
  if (index != 0 || count <= mostBound) filigree_stop("the function takes no buffer of arguments there");
  ArgumentEncoder* made = [[ArgumentEncoder alloc] init];
  made->count = count;
  return made;
}
@end

@interface Library : NSObject <MTLLibrary> {
 @public
  uint64_t module;
}
@end

@implementation Library
- (id<MTLFunction>)newFunctionWithName:(NSString*)name {
  uint64_t handle;
  if (cuModuleGetFunction(&handle, module, [name UTF8String]) != 0) return nil;
  Function* made = [[Function alloc] init];
  made->handle = handle;
  made->count = filigree_arguments(handle);
  return made;
}
- (void)dealloc {
  cuModuleUnload(module);
  [super dealloc];
}
@end

@interface Pipeline : NSObject <MTLComputePipelineState> {
 @public
  Function* function;
  NSUInteger most;
}
@end

@implementation Pipeline
- (NSUInteger)maxTotalThreadsPerThreadgroup { return most; }
- (NSUInteger)threadExecutionWidth { return 32; }
- (void)dealloc {
  [function release];
  [super dealloc];
}
@end

// A launch as it was encoded: what was bound where.
struct Launch {
  Function* function;
  MTLSize groups, threads;
  bool bound[mostBound];
  uint64_t words[mostBound];
  struct Launch* next;
};

@interface Commands : NSObject <MTLCommandBuffer> {
 @public
  struct Launch* first;
  struct Launch** last;
  id* held;
  size_t count, room;
  uint64_t start, end;
  bool encoding, committed, settled;
  int failure;
  const char* said;
}
- (void)hold:(id)object;
- (BOOL)holds:(id)object;
- (void)failWith:(int)code because:(const char*)what;
- (void)settle:(int)result;
@end

@interface Encoder : NSObject <MTLComputeCommandEncoder> {
 @public
  Commands* commands;
  struct Launch next;
}
@end

@implementation Encoder
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  Pipeline* p = (Pipeline*)state;
  [commands hold:p];
  next.function = p->function;
}
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  Buffer* b = (Buffer*)buffer;
  if (index >= mostBound || offset >= b->length) return [commands failWith:MTLCommandBufferErrorInvalidResource because:"a buffer is bound where it is not"];
  [commands hold:b];
  next.words[index] = b->at + offset;
  next.bound[index] = true;
}
- (void)setBytes:(const void*)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
  if (index >= mostBound || length == 0 || length > 8) return [commands failWith:MTLCommandBufferErrorInvalidResource because:"a number is bound where none is"];
  next.words[index] = 0xa5a5a5a5a5a5a5a5;
  memcpy(&next.words[index], bytes, length);
  next.bound[index] = true;
}
- (void)useResource:(id)resource usage:(NSUInteger)usage {
  if (usage != (MTLResourceUsageRead | MTLResourceUsageWrite)) filigree_stop("kernels may read and write what they are given");
  [commands hold:resource];
}
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {
  struct Launch* l = malloc(sizeof *l);
  *l = next;
  l->groups = groups;
  l->threads = threads;
  l->next = NULL;
  *commands->last = l;
  commands->last = &l->next;
}
- (void)endEncoding {
  if (!commands->encoding) filigree_stop("an encoder is ended twice");
  commands->encoding = false;
}
- (void)dealloc {
  if (commands->encoding) filigree_stop("an encoder is let go before its end");
  [commands release];
  [super dealloc];
}
@end

@implementation Commands
- (void)hold:(id)object {
  if (count == room) {
    room = 2 * room + 8;
    held = realloc(held, room * sizeof(id));
  }
  held[count++] = [object retain];
}
- (BOOL)holds:(id)object {
  for (size_t k = 0; k < count; k++)
    if (held[k] == object) return YES;
  return NO;
}
- (void)failWith:(int)code because:(const char*)what {
  if (failure != 0) return;
  failure = code;
  said = what;
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
  if (encoding || committed) filigree_stop("commands have one encoder at a time");
  Encoder* made = [[[Encoder alloc] init] autorelease];
  made->commands = [self retain];
  encoding = true;
  return made;
}
- (void)launch:(struct Launch*)l {
  void* arguments[1024];
  const unsigned given = l->function->count <= mostBound ? l->function->count : 1;
  for (unsigned k = 0; k < given; k++) {
    if (!l->bound[k]) return [self failWith:MTLCommandBufferErrorInvalidResource because:"a kernel has an argument that is not bound"];
    arguments[k] = &l->words[k];
  }
  if (l->function->count > mostBound) {
    uint64_t* const table = (uint64_t*)l->words[0];
    for (unsigned k = 0; k < l->function->count; k++) {
      Buffer* b = bufferAt(table[k]);
      if (b != nil && ![self holds:b]) return [self failWith:MTLCommandBufferErrorPageFault because:"a kernel is given a buffer that is not there"];
      arguments[k] = table + k;
    }
  }
  if (cuLaunchKernel(l->function->handle, l->groups.width, 1, 1, l->threads.width, 1, 1, 0, 0, arguments, NULL) != 0)
    [self failWith:MTLCommandBufferErrorInternal because:"a launch is none"];
}
- (void)commit {
  if (encoding || committed) filigree_stop("commands are committed once, when their encoder has ended");
  committed = true;
  cuEventRecord(start, 0);
  for (struct Launch* l = first; l != NULL && failure == 0; l = l->next) [self launch:l];
  cuEventRecord(end, 0);
}
- (void)settle:(int)result {
  settled = true;
  if (result != 0) [self failWith:MTLCommandBufferErrorInternal because:"a kernel failed"];
}
- (void)waitUntilCompleted {
  if (!committed) filigree_stop("commands that nobody has committed do not end");
  if (!settled) [self settle:cuStreamSynchronize(0)];
}
- (MTLCommandBufferStatus)status {
  if (!committed) return MTLCommandBufferStatusNotEnqueued;
  if (!settled) {
    const int result = cuStreamQuery(0);
    if (result == notReady) return MTLCommandBufferStatusScheduled;
    [self settle:result];
  }
  return failure == 0 ? MTLCommandBufferStatusCompleted : MTLCommandBufferStatusError;
}
- (NSError*)error { return failure == 0 ? nil : filigree_error(failure, said); }
- (CFTimeInterval)secondsFrom:(uint64_t)from to:(uint64_t)to {
  float milliseconds = 0;
  if (!settled || cuEventElapsedTime(&milliseconds, from, to) != 0) filigree_stop("commands that have not ended have no time");
  return milliseconds / 1000.0;
}
// A float holds a time since the epoch to some microseconds after a minute, so that what commands took is not the difference of two of them.
- (CFTimeInterval)GPUStartTime { return [self secondsFrom:epoch to:start]; }
- (CFTimeInterval)GPUEndTime { return [self GPUStartTime] + [self secondsFrom:start to:end]; }
- (void)dealloc {
  while (first != NULL) {
    struct Launch* const l = first;
    first = l->next;
    free(l);
  }
  for (size_t k = 0; k < count; k++) [held[k] release];
  free(held);
  cuEventDestroy_v2(start);
  cuEventDestroy_v2(end);
  [super dealloc];
}
@end

@interface Queue : NSObject <MTLCommandQueue>
@end

@implementation Queue
- (id<MTLCommandBuffer>)commandBuffer {
  Commands* made = [[[Commands alloc] init] autorelease];
  made->last = &made->first;
  cuEventCreate(&made->start, 0);
  cuEventCreate(&made->end, 0);
  return made;
}
@end

@implementation MTLCompileOptions
- (void)setFastMathEnabled:(BOOL)enabled { exact = !enabled; }
@end

@implementation MTLComputePipelineDescriptor
- (void)setComputeFunction:(id<MTLFunction>)given {
  [function release];
  function = [given retain];
}
- (void)setMaxTotalThreadsPerThreadgroup:(NSUInteger)threads { most = threads; }
- (void)dealloc {
  [function release];
  [super dealloc];
}
@end

@interface Device : NSObject <MTLDevice>
- (id<MTLLibrary>)libraryOf:(const char*)text error:(NSError**)error;
@end

@implementation Device
- (NSString*)name { return [NSString stringWithUTF8String:"CPU"]; }
- (NSUInteger)maxBufferLength { return (NSUInteger)1 << 46; }
- (NSUInteger)argumentBuffersSupport { return MTLArgumentBuffersTier2; }
- (id<MTLCommandQueue>)newCommandQueue { return [[Queue alloc] init]; }
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(NSUInteger)options {
  uint64_t at;
  if (options != MTLResourceStorageModeShared || length == 0 || cuMemAlloc_v2(&at, length) != 0) return nil;
  Buffer* made = [[Buffer alloc] init];
  made->at = at;
  made->length = length;
  made->next = buffers;
  return buffers = made;
}
- (id<MTLLibrary>)libraryOf:(const char*)text error:(NSError**)error {
  for (const struct Compiled* c = compiled; c != NULL; c = c->next) {
    if (strcmp(c->text, text) != 0) continue;
    uint64_t module;
    if (c->path[0] == 0 || cuModuleLoad(&module, c->path) != 0) break;
    Library* made = [[Library alloc] init];
    made->module = module;
    return made;
  }
  const char* said = "nobody has compiled this text";
  for (const struct Compiled* c = compiled; c != NULL; c = c->next)
    if (strcmp(c->text, text) == 0) said = c->said;
  *error = filigree_error(3, said);
  return nil;
}
- (id<MTLLibrary>)newLibraryWithSource:(NSString*)source options:(MTLCompileOptions*)options error:(NSError**)error {
  if (options == nil || !options->exact) filigree_stop("arithmetic is to be as it is written");
  return [self libraryOf:[source UTF8String] error:error];
}
// A library is the text behind a first line.
- (id<MTLLibrary>)newLibraryWithURL:(NSURL*)url error:(NSError**)error {
  NSString* whole = [NSString stringWithContentsOfFile:url->path encoding:NSUTF8StringEncoding error:error];
  if (whole == nil) return nil;
  if (strncmp(whole->bytes, "MTLB\n", 5) != 0) {
    *error = filigree_error(1, "the file is no library");
    return nil;
  }
  return [self libraryOf:whole->bytes + 5 error:error];
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor*)descriptor
                                                             options:(NSUInteger)options
                                                          reflection:(void*)reflection
                                                               error:(NSError**)error {
  (void)error;
  if (options != MTLPipelineOptionNone || reflection != NULL) filigree_stop("nobody asks what a pipeline binds");
  Pipeline* made = [[Pipeline alloc] init];
  made->function = [descriptor->function retain];
  made->most = descriptor->most;
  return made;
}
@end

static id<MTLDevice> newDevice(void) {
  cuEventCreate(&epoch, 0);
  cuEventRecord(epoch, 0);
  cuStreamSynchronize(0);
  return [[Device alloc] init];
}

id<MTLDevice> MTLCreateSystemDefaultDevice(void) { return newDevice(); }

NSArray* MTLCopyAllDevices(void) {
  NSArray* made = [[NSArray alloc] init];
  made->only = newDevice();
  return made;
}
