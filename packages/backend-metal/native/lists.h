// Lists of launches, which one call begins.
#pragma once
#include "commands.h"

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
