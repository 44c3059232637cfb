import {
  type DriverNames,
  type DriverOptions,
  type GpuDriver,
  driverReports,
  foreignDriver,
  foreignFunctions,
} from '@filigree/backend/gpu';
import { builtHost } from './host.js';

/**
 * The default GPU of a Mac, by calls of the host (`native`). Errors: `metal/driver` where this is no Mac or has no device, those of
 * `builtHost`, `load/ffi`.
 *
 * @param options `path` of the compiled host: default one that is compiled for this machine, or `$FILIGREE_METAL_DRIVER`
 */
export const metalDriver = async ({
  path = process.env['FILIGREE_METAL_DRIVER'],
  limit,
}: DriverOptions = {}): Promise<GpuDriver> =>
  foreignDriver(names, await foreignFunctions(() => import('koffi')), { path: path ?? (await builtHost()), limit });

const call = (name: string): string => `filigree_metal_${name}`;

const reports = driverReports('metal');

const names: DriverNames = {
  space: 'metal',
  libraries: [],
  init: call('init'),
  allocate: call('allocate'),
  free: call('free'),
  clear: call('clear'),
  toDevice: call('write'),
  toHost: call('read'),
  open: call('open'),
  close: call('close'),
  function: call('kernel'),
  takes: call('takes'),
  launch: call('launch'),
  finish: call('finish'),
  ready: call('ready'),
  notReady: 600,
  graphs: {
    stream: call('stream'),
    noStream: call('no_stream'),
    note: call('note'),
    noted: call('noted'),
    prepare: call('prepare'),
    begin: call('begin'),
    dropNotes: call('drop_notes'),
    drop: call('drop'),
  },
  events: {
    make: call('event'),
    note: call('mark'),
    wait: call('passed'),
    between: call('between'),
    drop: call('forget'),
  },
  deviceName: call('name'),
  deviceAttribute: call('attribute'),
  begin: () => undefined,
  processors: 0,
  shared: true,
  message: call('message'),
  noDevice: [100],
  /* From 1000 on the codes of `MTLCommandBufferError`. */
  results: {
    1: ['the host was asked for what it cannot do', 'please report it with the sources'],
    2: reports.full,
    100: ['there is no device', 'use a Mac that has a GPU for Metal, or another backend'],
    201: ['the text does not compile', 'update macOS; if that does not help, please report it with the sources'],
    202: ['a kernel cannot be made ready', 'use smaller scratch buffers; if that does not help, please report it'],
    203: ['threads of this device go in step by more than 32', 'use a Mac with a chip of Apple, or another backend'],
    204: ['a kernel takes more buffers and numbers than this device binds', 'split the kernel'],
    500: ['there is no such kernel', 'compile the sources of this very module'],
    1001: reports.failed,
    1002: ['a kernel ran too long', 'make it shorter: the system stops what keeps the display waiting'],
    1003: reports.foreign,
    1004: ['the system has taken the device away', 'start again in another process'],
    1008: reports.full,
    1011: ['the device was removed', 'start again in another process'],
    1012: ['a kernel wants more stack than the device has', 'use smaller scratch buffers'],
  },
};
