// The device that is used, and what is said of what went wrong.
#pragma once
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
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
