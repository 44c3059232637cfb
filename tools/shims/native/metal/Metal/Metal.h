// No header of Apple's: the few words of Metal that its host says, for places where there is none. Written from what they do.
#pragma once
#include <Foundation/Foundation.h>

typedef struct { NSUInteger width, height, depth; } MTLSize;
static inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) { return (MTLSize){width, height, depth}; }

enum { MTLResourceStorageModeShared = 0, MTLResourceStorageModePrivate = 32 };
enum { MTLResourceUsageRead = 1, MTLResourceUsageWrite = 2 };
enum { MTLPipelineOptionNone = 0 };
enum { MTLArgumentBuffersTier1 = 0, MTLArgumentBuffersTier2 = 1 };
typedef enum {
  MTLCommandBufferStatusNotEnqueued, MTLCommandBufferStatusEnqueued, MTLCommandBufferStatusCommitted, MTLCommandBufferStatusScheduled,
  MTLCommandBufferStatusCompleted, MTLCommandBufferStatusError
} MTLCommandBufferStatus;
enum { MTLCommandBufferErrorInternal = 1, MTLCommandBufferErrorPageFault = 3, MTLCommandBufferErrorInvalidResource = 9 };

@protocol MTLBuffer <NSObject>
- (void*)contents;
@end

@protocol MTLArgumentEncoder <NSObject>
- (NSUInteger)encodedLength;
- (void)setArgumentBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void*)constantDataAtIndex:(NSUInteger)index;
@end

@protocol MTLFunction <NSObject>
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)index;
@end

@protocol MTLLibrary <NSObject>
- (id<MTLFunction>)newFunctionWithName:(NSString*)name;
@end

@protocol MTLComputePipelineState <NSObject>
- (NSUInteger)maxTotalThreadsPerThreadgroup;
- (NSUInteger)threadExecutionWidth;
@end

@protocol MTLComputeCommandEncoder <NSObject>
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setBytes:(const void*)bytes length:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)useResource:(id)resource usage:(NSUInteger)usage;
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
- (void)endEncoding;
@end

@protocol MTLCommandBuffer <NSObject>
- (id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (void)commit;
- (void)waitUntilCompleted;
- (MTLCommandBufferStatus)status;
- (NSError*)error;
- (CFTimeInterval)GPUStartTime;
- (CFTimeInterval)GPUEndTime;
@end

@protocol MTLCommandQueue <NSObject>
- (id<MTLCommandBuffer>)commandBuffer;
@end

@interface MTLCompileOptions : NSObject {
 @public
  BOOL exact;
}
- (void)setFastMathEnabled:(BOOL)enabled;
@end

@interface MTLComputePipelineDescriptor : NSObject {
 @public
  id<MTLFunction> function;
  NSUInteger most;
}
- (void)setComputeFunction:(id<MTLFunction>)function;
- (void)setMaxTotalThreadsPerThreadgroup:(NSUInteger)threads;
@end

@protocol MTLDevice <NSObject>
- (NSString*)name;
- (NSUInteger)maxBufferLength;
- (NSUInteger)argumentBuffersSupport;
- (id<MTLCommandQueue>)newCommandQueue;
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(NSUInteger)options;
- (id<MTLLibrary>)newLibraryWithSource:(NSString*)source options:(MTLCompileOptions*)options error:(NSError**)error;
- (id<MTLLibrary>)newLibraryWithURL:(NSURL*)url error:(NSError**)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor*)descriptor
                                                             options:(NSUInteger)options
                                                          reflection:(void*)reflection
                                                               error:(NSError**)error;
@end

id<MTLDevice> MTLCreateSystemDefaultDevice(void);
NSArray* MTLCopyAllDevices(void);
