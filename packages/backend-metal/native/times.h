// What launches take.
#pragma once
#include "commands.h"

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
