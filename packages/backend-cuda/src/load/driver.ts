import {
  type DriverNames,
  type DriverOptions,
  type GpuDriver,
  driverReports,
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

const reports = driverReports('cuda');

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
    2: reports.full,
    35: reports.old,
    46: ['another process has the device for itself', 'end it, or have its compute mode set to default'],
    100: reports.none('a GPU of NVIDIA'),
    200: reports.broken,
    209: reports.elsewhere,
    218: ['the kernels cannot be compiled by this driver', 'install a newer driver, or an older toolchain'],
    222: ['the driver is too old for the kernels', 'install a newer driver'],
    700: reports.foreign,
    716: reports.foreign,
    717: reports.foreign,
    701: reports.greedy,
    702: reports.long,
    719: reports.failed,
  },
};
