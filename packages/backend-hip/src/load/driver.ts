import {
  type DriverNames,
  type DriverOptions,
  type GpuDriver,
  driverReports,
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

const reports = driverReports('hip');

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
    2: reports.full,
    35: reports.old,
    100: reports.none('a GPU of AMD'),
    101: reports.none('a GPU of AMD'),
    200: reports.broken,
    209: reports.elsewhere,
    700: reports.foreign,
    701: reports.greedy,
    702: reports.long,
    719: reports.failed,
  },
};
