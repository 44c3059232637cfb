import { type Module, fail, attempt } from '@filigree/ir';
import type { Backend } from '../contract.js';
import { layoutSlab } from '../slab/layout.js';
import { executableOf } from './executable.js';
import type { CommandList, Library } from './library.js';
import { type Memory, memoryOf } from './memory.js';
import { type Placement, placeModule } from './placement.js';
import type { LoadOptions } from './run-options.js';

/**
 * The same backend where only its sources are wanted: nothing is compiled, programs lie in plain memory of this process, in which they are
 * set up as ever, and a run is `run/emitted`. So sources are written for devices that this machine does not have.
 */
export const emitOnly = ({ name, capabilities, legalize, emit, probe }: Backend): Backend => {
  const load = (module: Module, options: LoadOptions): ReturnType<typeof executableOf> => {
    const placement = options.placement ?? placeModule(module, plainMemory(name), {}, layoutSlab(module));
    return executableOf(module, notRunning(name, module, placement), options);
  };
  return {
    ...{ name, capabilities, legalize, emit, probe },
    compile: () => attempt(async () => ({ backend: name, hash: '', cached: false, compileMs: 0 })),
    sharing: {
      space: name,
      open: () => attempt(async () => plainMemory(name)),
      own: (module, bound) => layoutSlab(module, bound),
    },
    load: (_artifact, module, options = {}) => attempt(async () => load(module, options)),
  };
};

const plainMemory = (space: string): Memory => {
  const state = { next: 64 };
  return memoryOf({
    space,
    allocate: (bytes) => {
      const buffer = new ArrayBuffer(bytes);
      const at = state.next;
      state.next += Math.ceil(bytes / 64 + 1) * 64;
      return { at, host: () => ({ buffer, byteOffset: 0 }) };
    },
    release: () => undefined,
  });
};

const notRunning = (name: string, module: Module, placement: Placement): Library => {
  const list: CommandList = {
    set: () => undefined,
    run: () =>
      fail(
        'run/emitted',
        `module @${module.name} was written for ${name} and not compiled, since ${name} does not work here`,
        {
          remedy: 'run its sources where there is such a device, or use another backend',
        },
      ),
  };
  return { placement, commands: () => list, dispose: () => undefined };
};
