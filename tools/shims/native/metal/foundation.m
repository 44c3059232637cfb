// Foundation as far as the host of Metal knows it: objects that are counted, pools of those that are lent, texts and errors.
#import <Foundation/Foundation.h>
#include "stand-in.h"
#include <objc/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How many objects there are.
static long alive;
long filigree_alive(void) { return alive; }

void filigree_stop(const char* what) {
  fprintf(stderr, "the stand-in of Metal: %s\n", what);
  abort();
}

static NSAutoreleasePool* current;
static void holdUntilDrained(id object);

@implementation NSObject
+ (Class)class { return self; }
+ (id)alloc {
  NSObject* made = class_createInstance(self, 0);
  made->references = 1;
  alive++;
  return made;
}
- (id)init { return self; }
- (id)retain {
  references++;
  return self;
}
- (void)release {
  if (references == 0) filigree_stop("an object is released too often");
  if (--references == 0) [self dealloc];
}
- (id)autorelease {
  holdUntilDrained(self);
  return self;
}
- (void)dealloc {
  alive--;
  object_dispose(self);
}
@end

static void holdUntilDrained(id object) {
  if (current == nil) filigree_stop("an object is lent where there is no pool");
  if (current->count == current->room) {
    current->room = 2 * current->room + 8;
    current->held = realloc(current->held, current->room * sizeof(id));
  }
  current->held[current->count++] = object;
}

@implementation NSAutoreleasePool
- (id)init {
  outer = current;
  current = self;
  return self;
}
- (void)drain {
  for (size_t k = 0; k < count; k++) [held[k] release];
  free(held);
  current = outer;
  [self release];
}
@end

@implementation NSString
+ (id)stringWithUTF8String:(const char*)text {
  NSString* made = [[[NSString alloc] init] autorelease];
  made->bytes = strdup(text);
  return made;
}
+ (id)stringWithContentsOfFile:(NSString*)path encoding:(NSUInteger)encoding error:(NSError**)error {
  FILE* const file = encoding == NSUTF8StringEncoding ? fopen([path UTF8String], "rb") : NULL;
  if (file == NULL) {
    *error = filigree_error(260, "the file cannot be read");
    return nil;
  }
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  rewind(file);
  NSString* made = [[[NSString alloc] init] autorelease];
  made->bytes = calloc(length + 1, 1);
  if (fread(made->bytes, 1, length, file) != (size_t)length) filigree_stop("a file is shorter than it was");
  fclose(file);
  return made;
}
- (const char*)UTF8String { return bytes; }
- (void)dealloc {
  free(bytes);
  [super dealloc];
}
@end

// Of one or of none.
@implementation NSArray
- (NSUInteger)count { return only == nil ? 0 : 1; }
- (id)objectAtIndex:(NSUInteger)index {
  if (index >= [self count]) filigree_stop("an array does not have that many");
  return only;
}
- (void)dealloc {
  [only release];
  [super dealloc];
}
@end

@implementation NSURL
+ (id)fileURLWithPath:(NSString*)path {
  NSURL* made = [[[NSURL alloc] init] autorelease];
  made->path = [path retain];
  return made;
}
- (void)dealloc {
  [path release];
  [super dealloc];
}
@end

@implementation NSError
- (NSInteger)code { return code; }
- (NSString*)localizedDescription { return said; }
- (void)dealloc {
  [said release];
  [super dealloc];
}
@end

NSError* filigree_error(NSInteger code, const char* said) {
  NSError* made = [[[NSError alloc] init] autorelease];
  made->code = code;
  made->said = [[NSString stringWithUTF8String:said] retain];
  return made;
}
