// Threads of a block take turns at accesses to memory, so that what must be one step and is two is seen. The compiler tells of accesses by calls
// that are meant for a detector of races (-fsanitize=thread); here they stand for places where another thread may go on.
#pragma once
#include "teams.hpp"

static unsigned filigree_dice = 1;

// At one access in four, whatever the thread.
extern "C" FILIGREE_UNSEEN __attribute__((visibility("hidden"))) void filigree_access() {
  if (filigree_running == nullptr) return;
  filigree_dice = filigree_dice * 1664525u + 1013904223u;
  if (filigree_dice >> 30 == 0) filigree_go(*filigree_running, filigree_scheduler);
}

#define FILIGREE_HOOK(name) \
  extern "C" FILIGREE_UNSEEN __attribute__((visibility("hidden"))) void __tsan_##name(void*) { filigree_access(); }
#define FILIGREE_HOOKS(bytes) FILIGREE_HOOK(read##bytes) FILIGREE_HOOK(write##bytes)
FILIGREE_HOOKS(1) FILIGREE_HOOKS(2) FILIGREE_HOOKS(4) FILIGREE_HOOKS(8) FILIGREE_HOOKS(16)
FILIGREE_HOOK(unaligned_read2) FILIGREE_HOOK(unaligned_read4) FILIGREE_HOOK(unaligned_read8) FILIGREE_HOOK(unaligned_read16)
FILIGREE_HOOK(unaligned_write2) FILIGREE_HOOK(unaligned_write4) FILIGREE_HOOK(unaligned_write8) FILIGREE_HOOK(unaligned_write16)

#define FILIGREE_NOTHING(name, ...) extern "C" __attribute__((visibility("hidden"))) void __tsan_##name(__VA_ARGS__) {}
FILIGREE_NOTHING(init) FILIGREE_NOTHING(func_entry, void*) FILIGREE_NOTHING(func_exit) FILIGREE_NOTHING(vptr_update, void**, void*)
FILIGREE_NOTHING(read_range, void*, unsigned long) FILIGREE_NOTHING(write_range, void*, unsigned long) FILIGREE_NOTHING(atomic_thread_fence, int)
