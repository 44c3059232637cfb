import {
  type DriverNames,
  type DriverOptions,
  type GpuDriver,
  foreignDriver,
  foreignFunctions,
} from '@filigree/backend/gpu';

/**
 * The driver of NVIDIA's GPUs, with device 0 made current. Errors: `cuda/driver` where there is no driver or no device, `load/ffi`.
 *
 * @param options `path` of its library: default `libcuda.so.1` (`nvcuda.dll`), or `$FILIGREE_CUDA_DRIVER`
 */
export const cudaDriver = async ({
  path = process.env['FILIGREE_CUDA_DRIVER'],
  limit,
}: DriverOptions = {}): Promise<GpuDriver> =>
  foreignDriver(names, await foreignFunctions(() => import('koffi')), { path, limit });

const names: DriverNames = {
  space: 'cuda',
  libraries: [process.platform === 'win32' ? 'nvcuda.dll' : 'libcuda.so.1'],
  init: 'cuInit',
  allocate: 'cuMemAlloc_v2',
  free: 'cuMemFree_v2',
  clear: 'cuMemsetD8_v2',
  toDevice: 'cuMemcpyHtoD_v2',
  toHost: 'cuMemcpyDtoH_v2',
  open: 'cuModuleLoad',
  close: 'cuModuleUnload',
  function: 'cuModuleGetFunction',
  launch: 'cuLaunchKernel',
  finish: 'cuStreamSynchronize',
  ready: 'cuStreamQuery',
  notReady: 600,
  graphs: {
    stream: 'cuStreamCreate',
    noStream: 'cuStreamDestroy_v2',
    note: 'cuStreamBeginCapture_v2',
    noted: 'cuStreamEndCapture',
    prepare: 'cuGraphInstantiateWithFlags',
    begin: 'cuGraphLaunch',
    dropNotes: 'cuGraphDestroy',
    drop: 'cuGraphExecDestroy',
  },
  events: {
    make: 'cuEventCreate',
    note: 'cuEventRecord',
    wait: 'cuEventSynchronize',
    between: 'cuEventElapsedTime',
    drop: 'cuEventDestroy_v2',
  },
  deviceName: 'cuDeviceGetName',
  deviceAttribute: 'cuDeviceGetAttribute',
  begin: (call) => {
    const context = new BigUint64Array(1);
    call('cuDevicePrimaryCtxRetain', ['void *', 'int'], context, 0);
    call('cuCtxSetCurrent', ['uint64_t'], context[0]);
  },
  processors: 16,
  architecture: { major: 75, minor: 76, prefix: 'sm_' },
  noDevice: [46, 100],
  results: {
    2: ['the device is out of memory', 'use smaller buffers, or dispose of programs that are not needed'],
    35: ['the driver is older than the toolchain', 'install a newer driver'],
    46: ['another process has the device for itself', 'end it, or have its compute mode set to default'],
    100: ['there is no device', 'use a machine with a GPU of NVIDIA, or another backend'],
    200: ['the compiled kernels are broken', 'clear the cache folder and compile again'],
    209: ['the kernels were compiled for another architecture', 'compile for this one: cuda({ architecture })'],
    218: ['the kernels cannot be compiled by this driver', 'install a newer driver, or an older toolchain'],
    222: ['the driver is too old for the kernels', 'install a newer driver'],
    700: ['a kernel touched memory that is not its own', 'run it with cuda({ checked: true })'],
    701: ['a kernel wants more registers or memory than the device has', 'use smaller scratch buffers'],
    702: ['a kernel ran too long', 'make it shorter, or use a device without a display'],
    719: ['a kernel failed on the device', 'run it with cuda({ checked: true })'],
  },
};
