// No header of Apple's: the few words of Foundation that the host of Metal says, for places where there is none. Written from what they do.
#pragma once
#include "../classes.h"
#include <objc/objc.h>
#include <stddef.h>

typedef unsigned long NSUInteger;
typedef long NSInteger;
typedef double CFTimeInterval;
enum { NSUTF8StringEncoding = 4 };

@protocol NSObject
- (id)retain;
- (void)release;
- (id)autorelease;
@end

__attribute__((objc_root_class)) @interface NSObject <NSObject> {
  Class isa;
  NSUInteger references;
}
+ (Class)class;
+ (id)alloc;
- (id)init;
- (void)dealloc;
@end

@class NSError;

@interface NSString : NSObject {
 @public
  char* bytes;
}
+ (id)stringWithUTF8String:(const char*)text;
+ (id)stringWithContentsOfFile:(NSString*)path encoding:(NSUInteger)encoding error:(NSError**)error;
- (const char*)UTF8String;
@end

@interface NSArray : NSObject {
 @public
  id only;
}
- (NSUInteger)count;
- (id)objectAtIndex:(NSUInteger)index;
@end

@interface NSURL : NSObject {
 @public
  NSString* path;
}
+ (id)fileURLWithPath:(NSString*)path;
@end

@interface NSError : NSObject {
 @public
  NSInteger code;
  NSString* said;
}
- (NSInteger)code;
- (NSString*)localizedDescription;
@end

@interface NSAutoreleasePool : NSObject {
 @public
  NSAutoreleasePool* outer;
  id* held;
  size_t count, room;
}
- (void)drain;
@end
