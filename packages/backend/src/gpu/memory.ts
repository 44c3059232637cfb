import { fail } from '@filigree/ir';
import { type Memory, memoryOf } from '../device/memory.js';
import type { GpuDriver } from './driver.js';

/** The memory of a device. Where the host sees none of it, `read` and `write` copy. */
export const gpuMemory = (space: string, driver: GpuDriver): Memory =>
  memoryOf({
    space,
    allocate: (bytes) => {
      if (!(bytes <= MOST_BYTES))
        fail('load/memory', `no device has ${bytes} bytes for the module's buffers`, { remedy: 'use smaller buffers' });
      const at = driver.allocate(bytes);
      driver.clear(at, bytes);
      const { view } = driver;
      return view ? { at, host: () => ({ buffer: view(at, bytes), byteOffset: 0 }) } : { at };
    },
    release: ({ at }) => driver.release(at),
    mapped: driver.view !== undefined,
    /* Where there are views, too: a copy needs none, and who has none keeps no memory from being given back. */
    read: driver.read,
    write: driver.write,
    synchronize: driver.finishAsync,
  });

const MOST_BYTES = 2 ** 48;
