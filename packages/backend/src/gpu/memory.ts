import { fail } from '@filigree/ir';
import { type Memory, memoryOf } from '../device/memory.js';
import type { GpuDriver } from './driver.js';

/** The memory of a device. The host sees none of it: `read` and `write` copy. */
export const gpuMemory = (space: string, driver: GpuDriver): Memory =>
  memoryOf({
    space,
    allocate: (bytes) => {
      if (!(bytes <= MOST_BYTES))
        fail('load/memory', `no device has ${bytes} bytes for the module's buffers`, { remedy: 'use smaller buffers' });
      const at = driver.allocate(bytes);
      driver.clear(at, bytes);
      return { at };
    },
    release: ({ at }) => driver.release(at),
    read: driver.read,
    write: driver.write,
    synchronize: driver.finishAsync,
  });

const MOST_BYTES = 2 ** 48;
