import {
  type DriverNames,
  type DriverOptions,
  type GpuDriver,
  foreignDriver,
  foreignFunctions,
} from '@filigree/backend/gpu';

/**
 * The runtime of AMD's GPUs, with device 0 made current. Errors: `hip/driver` where there is none or no device, `load/ffi`.
 *
 * @param options `path` of its library: default `libamdhip64.so`, or `$FILIGREE_HIP_DRIVER`
 */
export const hipDriver = async ({
  path = process.env['FILIGREE_HIP_DRIVER'],
  limit,
}: DriverOptions = {}): Promise<GpuDriver> =>
  foreignDriver(names, await foreignFunctions(() => import('koffi')), { path, limit });

const names: DriverNames = {
  space: 'hip',
  libraries:
    process.platform === 'win32'
      ? ['amdhip64_6.dll', 'amdhip64.dll']
      : ['libamdhip64.so', 'libamdhip64.so.6', 'libamdhip64.so.5'],
  init: 'hipInit',
  allocate: 'hipMalloc',
  free: 'hipFree',
  clear: 'hipMemsetD8',
  toDevice: 'hipMemcpyHtoD',
  toHost: 'hipMemcpyDtoH',
  open: 'hipModuleLoad',
  close: 'hipModuleUnload',
  function: 'hipModuleGetFunction',
  launch: 'hipModuleLaunchKernel',
  finish: 'hipStreamSynchronize',
  ready: 'hipStreamQuery',
  notReady: 600,
  graphs: {
    stream: 'hipStreamCreateWithFlags',
    noStream: 'hipStreamDestroy',
    note: 'hipStreamBeginCapture',
    noted: 'hipStreamEndCapture',
    prepare: 'hipGraphInstantiateWithFlags',
    begin: 'hipGraphLaunch',
    dropNotes: 'hipGraphDestroy',
    drop: 'hipGraphExecDestroy',
  },
  events: {
    make: 'hipEventCreateWithFlags',
    note: 'hipEventRecord',
    wait: 'hipEventSynchronize',
    between: 'hipEventElapsedTime',
    drop: 'hipEventDestroy',
  },
  deviceName: 'hipDeviceGetName',
  deviceAttribute: 'hipDeviceGetAttribute',
  begin: (call) => call('hipSetDevice', ['int'], 0),
  /* hipDeviceAttributeMultiprocessorCount, of version 5 on */
  processors: 63,
  noDevice: [100, 101],
  results: {
    2: ['the device is out of memory', 'use smaller buffers, or dispose of programs that are not needed'],
    35: ['the driver is older than the toolchain', 'install a newer driver'],
    100: ['there is no device', 'use a machine with a GPU of AMD, or another backend'],
    101: ['there is no device', 'use a machine with a GPU of AMD, or another backend'],
    200: ['the compiled kernels are broken', 'clear the cache folder and compile again'],
    209: ['the kernels were compiled for another architecture', 'compile for this one: hip({ architecture })'],
    700: ['a kernel touched memory that is not its own', 'run it with hip({ checked: true })'],
    701: ['a kernel wants more registers or memory than the device has', 'use smaller scratch buffers'],
    702: ['a kernel ran too long', 'make it shorter, or use a device without a display'],
    719: ['a kernel failed on the device', 'run it with hip({ checked: true })'],
  },
};
