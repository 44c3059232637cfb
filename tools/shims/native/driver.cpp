// The calls of the drivers of CUDA and HIP that Filigree makes, for kernels that were compiled for the CPU: memory of the device is memory
// of this process, and a module is a shared library. Launches run beside the caller, one after the other, on a thread of their own; what is asked for later waits
// for them.
#include "launch.hpp"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <dlfcn.h>
#include <mutex>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <thread>

#ifndef FILIGREE_ORDER
#define FILIGREE_ORDER 0
#endif
#ifndef FILIGREE_SEED
#define FILIGREE_SEED 0
#endif

namespace {
enum { ok = 0, invalidValue = 1, outOfMemory = 2, invalidImage = 200, invalidHandle = 400, captureForbidden = 900, notFound = 500, notReady = 600, launchFailed = 719 };

typedef bool (*Entry)(const filigree_launch*, void**);

// Large memory is that of the system, which is zeros and takes no room until it is touched.
const size_t large = (size_t)1 << 26;
struct Region { uint64_t at; size_t bytes; Region* next; };
Region* regions = nullptr;

void waitForAll();

int map(uint64_t* at, size_t bytes) {
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return outOfMemory;
  regions = new Region{*at = (uint64_t)block, bytes, regions};
  return ok;
}

int release(uint64_t at) {
  waitForAll();
  for (Region** r = &regions; *r; r = &(*r)->next)
    if ((*r)->at == at) {
      Region* gone = *r;
      munmap((void*)at, gone->bytes);
      *r = gone->next;
      delete gone;
      return ok;
    }
  free((void*)at);
  return ok;
}

int clear(uint64_t at, unsigned char value, size_t bytes) {
  waitForAll();
  for (Region* r = regions; r; r = r->next)
    if (value == 0 && r->at == at && r->bytes == bytes) return madvise((void*)at, bytes, MADV_DONTNEED);
  memset((void*)at, value, bytes);
  return ok;
}

int allocate(uint64_t* at, size_t bytes) {
  if (bytes >= large && bytes <= (size_t)1 << 46) return map(at, bytes);
  void* block = nullptr;
  // No byte more than is asked for: a sanitizer sees who goes beyond.
  if (bytes > (size_t)1 << 46 || posix_memalign(&block, 256, bytes) != 0) return outOfMemory;
  memset(block, 0xa5, bytes);  // nobody may rely on zeros
  *at = (uint64_t)block;
  return ok;
}

int open(uint64_t* module, const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *module = (uint64_t)library;
  return library == nullptr ? invalidImage : ok;
}

void* symbolOf(uint64_t module, const char* prefix, const char* name) {
  char symbol[1024];
  snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
  return dlsym((void*)module, symbol);
}

// A kernel, and how many arguments it takes; there for as long as the process is.
struct Function { Entry entry; unsigned arity; };

int find(uint64_t* function, uint64_t module, const char* name) {
  const Entry entry = (Entry)symbolOf(module, "filigree_on_cpu_", name);
  if (entry == nullptr) return notFound;
  *function = (uint64_t) new Function{entry, ((unsigned (*)())symbolOf(module, "filigree_arity_", name))()};
  return ok;
}

// Launches, with their arguments as they were when they were asked for.
struct Noted { const Function* function; unsigned blocks, threads; uint64_t* arguments; Noted* next; };
struct Notes { Noted* first; Noted** last; };
Notes* noting = nullptr;

Noted* note(const Function* f, unsigned blocks, unsigned threads, void** arguments) {
  uint64_t* const held = new uint64_t[f->arity + 1];
  for (unsigned k = 0; k < f->arity; k++) held[k] = *(uint64_t*)arguments[k];
  return new Noted{f, blocks, threads, held, nullptr};
}

void drop(Noted* n) {
  delete[] n->arguments;
  delete n;
}

int run(const Noted* n) {
  void* pointers[1024];
  for (unsigned k = 0; k < n->function->arity; k++) pointers[k] = &n->arguments[k];
  const filigree_launch l = {n->blocks, n->threads, FILIGREE_ORDER, FILIGREE_SEED};
  return n->function->entry(&l, pointers) ? ok : launchFailed;
}

// A place between launches, and when the device was there.
struct Event { bool noted, passed; std::chrono::steady_clock::time_point at; };

// What is to run: one launch, which is let go then, all of a graph, or nothing, where an event wants to know the time. It is there for as long as the process is, which may end while its thread waits.
struct Device {
  struct Work { Noted* first; bool one; Event* event; };
  std::mutex lock;
  std::condition_variable more, done;
  std::deque<Work> waiting;
  bool busy = false;
  int failure = ok;

  void serve() {
    std::unique_lock<std::mutex> held(lock);
    for (;;) {
      more.wait(held, [&] { return !waiting.empty(); });
      const Work work = waiting.front();
      waiting.pop_front();
      busy = true;
      held.unlock();
      int result = ok;
      for (Noted* n = work.first; n != nullptr && result == ok; n = work.one ? nullptr : n->next) result = run(n);
      if (work.one) drop(work.first);
      held.lock();
      if (work.event != nullptr) {
        work.event->at = std::chrono::steady_clock::now();
        work.event->passed = true;
      }
      busy = false;
      if (failure == ok) failure = result;
      if (waiting.empty()) done.notify_all();
    }
  }
  void add(Work work) {
    const std::lock_guard<std::mutex> held(lock);
    waiting.push_back(work);
    more.notify_one();
  }
  // Waits until all is done, or asks whether it is, and says what went wrong.
  int finish(bool wait = true) {
    std::unique_lock<std::mutex> held(lock);
    if (!wait && (busy || !waiting.empty())) return notReady;
    done.wait(held, [&] { return !busy && waiting.empty(); });
    const int said = failure;
    failure = ok;
    return said;
  }
  // What it was that went wrong is said later, to those who ask.
  void quiet() {
    std::unique_lock<std::mutex> held(lock);
    done.wait(held, [&] { return !busy && waiting.empty(); });
  }
};

Device& device() {
  static Device* const d = [] {
    Device* const made = new Device;
    std::thread([made] { made->serve(); }).detach();
    return made;
  }();
  return *d;
}

void waitForAll() { device().quiet(); }

int copy(void* to, const void* from, size_t bytes) {
  waitForAll();
  memcpy(to, from, bytes);
  return ok;
}

int launch(uint64_t function, unsigned blocks, unsigned threads, uint64_t stream, void** arguments) {
  if (blocks == 0 || threads == 0 || threads > 1024) return invalidValue;
  const Function* f = (const Function*)function;
  if ((stream == 0) != (noting == nullptr)) return stream == 0 ? captureForbidden : invalidValue;
  Noted* const n = note(f, blocks, threads, arguments);
  if (stream == 0) {
    device().add({n, true, nullptr});
    return ok;
  }
  *noting->last = n;
  noting->last = &n->next;
  return ok;
}

int beginNotes(uint64_t) {
  if (noting != nullptr) return invalidValue;
  noting = new Notes{nullptr, nullptr};
  noting->last = &noting->first;
  return ok;
}

int noted(uint64_t* graph) {
  if (noting == nullptr) return invalidValue;
  *graph = (uint64_t)noting;
  noting = nullptr;
  return ok;
}

int replay(uint64_t graph) {
  device().add({((Notes*)graph)->first, false, nullptr});
  return ok;
}

// A graph that is ready is its notes, which are let go with it.
int dropReady(uint64_t graph) {
  waitForAll();
  for (Noted* n = ((Notes*)graph)->first; n;) {
    Noted* const gone = n;
    n = n->next;
    drop(gone);
  }
  delete (Notes*)graph;
  return ok;
}

int makeEvent(uint64_t* event) {
  *event = (uint64_t) new Event{};
  return ok;
}

int noteEvent(uint64_t event, uint64_t stream) {
  if (stream != 0 || noting != nullptr) return invalidValue;
  ((Event*)event)->noted = true;
  ((Event*)event)->passed = false;
  device().add({nullptr, false, (Event*)event});
  return ok;
}

int waitForEvent(uint64_t) {
  waitForAll();
  return ok;
}

int between(float* milliseconds, uint64_t from, uint64_t to) {
  const Event& a = *(Event*)from;
  const Event& b = *(Event*)to;
  if (!a.noted || !b.noted) return invalidHandle;
  if (!a.passed || !b.passed) return notReady;
  *milliseconds = std::chrono::duration<float, std::milli>(b.at - a.at).count();
  return ok;
}

int dropEvent(uint64_t event) {
  waitForAll();
  delete (Event*)event;
  return ok;
}

int name(char* into, int length) {
  strncpy(into, "CPU", length);
  return ok;
}

int processors(int* into) {
  *into = 2;
  return ok;
}
}  // namespace

extern "C" {
unsigned filigree_arguments(uint64_t function) { return ((const Function*)function)->arity; }

int cuInit(unsigned) { return ok; }
int cuDevicePrimaryCtxRetain(uint64_t* context, int) { *context = 1; return ok; }
int cuCtxSetCurrent(uint64_t) { return ok; }
int cuDeviceGetName(char* into, int length, int) { return name(into, length); }
int cuDeviceGetAttribute(int* into, int, int) { return processors(into); }
int cuMemAlloc_v2(uint64_t* at, size_t bytes) { return allocate(at, bytes); }
int cuMemFree_v2(uint64_t at) { return release(at); }
int cuMemsetD8_v2(uint64_t at, unsigned char value, size_t bytes) { return clear(at, value, bytes); }
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) { return copy((void*)to, from, bytes); }
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) { return copy(to, (void*)from, bytes); }
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) { return copy((void*)to, (void*)from, bytes); }
int cuDriverGetVersion(int* into) { *into = 0; return ok; }
int cuModuleLoad(uint64_t* module, const char* path) { return open(module, path); }
int cuModuleUnload(uint64_t module) { waitForAll(); dlclose((void*)module); return ok; }
int cuModuleGetFunction(uint64_t* function, uint64_t module, const char* name) { return find(function, module, name); }
int cuLaunchKernel(uint64_t function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned, uint64_t stream, void** arguments, void**) {
  return launch(function, blocks, threads, stream, arguments);
}
int cuStreamCreate(uint64_t* stream, unsigned) { *stream = 1; return ok; }
int cuStreamDestroy_v2(uint64_t) { return ok; }
int cuStreamBeginCapture_v2(uint64_t stream, int) { return beginNotes(stream); }
int cuStreamEndCapture(uint64_t, uint64_t* graph) { return noted(graph); }
int cuGraphInstantiateWithFlags(uint64_t* ready, uint64_t graph, uint64_t) { *ready = graph; return ok; }
int cuGraphLaunch(uint64_t graph, uint64_t) { return replay(graph); }
int cuGraphDestroy(uint64_t) { return ok; }
int cuGraphExecDestroy(uint64_t graph) { return dropReady(graph); }
int cuStreamSynchronize(uint64_t) { return device().finish(); }
int cuStreamQuery(uint64_t) { return device().finish(false); }
int cuEventCreate(uint64_t* event, unsigned) { return makeEvent(event); }
int cuEventRecord(uint64_t event, uint64_t stream) { return noteEvent(event, stream); }
int cuEventSynchronize(uint64_t event) { return waitForEvent(event); }
int cuEventElapsedTime(float* milliseconds, uint64_t from, uint64_t to) { return between(milliseconds, from, to); }
int cuEventDestroy_v2(uint64_t event) { return dropEvent(event); }

int hipInit(unsigned) { return ok; }
int hipSetDevice(int) { return ok; }
int hipDeviceGetName(char* into, int length, int) { return name(into, length); }
int hipDeviceGetAttribute(int* into, int, int) { return processors(into); }
int hipMalloc(uint64_t* at, size_t bytes) { return allocate(at, bytes); }
int hipFree(uint64_t at) { return release(at); }
int hipMemsetD8(uint64_t at, unsigned char value, size_t bytes) { return clear(at, value, bytes); }
int hipMemcpyHtoD(uint64_t to, const void* from, size_t bytes) { return copy((void*)to, from, bytes); }
int hipMemcpyDtoH(void* to, uint64_t from, size_t bytes) { return copy(to, (void*)from, bytes); }
int hipModuleLoad(uint64_t* module, const char* path) { return open(module, path); }
int hipModuleUnload(uint64_t module) { waitForAll(); dlclose((void*)module); return ok; }
int hipModuleGetFunction(uint64_t* function, uint64_t module, const char* name) { return find(function, module, name); }
int hipModuleLaunchKernel(uint64_t function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned, uint64_t stream, void** arguments, void**) {
  return launch(function, blocks, threads, stream, arguments);
}
int hipStreamCreateWithFlags(uint64_t* stream, unsigned) { *stream = 1; return ok; }
int hipStreamDestroy(uint64_t) { return ok; }
int hipStreamBeginCapture(uint64_t stream, int) { return beginNotes(stream); }
int hipStreamEndCapture(uint64_t, uint64_t* graph) { return noted(graph); }
int hipGraphInstantiateWithFlags(uint64_t* ready, uint64_t graph, uint64_t) { *ready = graph; return ok; }
int hipGraphLaunch(uint64_t graph, uint64_t) { return replay(graph); }
int hipGraphDestroy(uint64_t) { return ok; }
int hipGraphExecDestroy(uint64_t graph) { return dropReady(graph); }
int hipStreamSynchronize(uint64_t) { return device().finish(); }
int hipStreamQuery(uint64_t) { return device().finish(false); }
int hipEventCreateWithFlags(uint64_t* event, unsigned) { return makeEvent(event); }
int hipEventRecord(uint64_t event, uint64_t stream) { return noteEvent(event, stream); }
int hipEventSynchronize(uint64_t event) { return waitForEvent(event); }
int hipEventElapsedTime(float* milliseconds, uint64_t from, uint64_t to) { return between(milliseconds, from, to); }
int hipEventDestroy(uint64_t event) { return dropEvent(event); }
}
