import { expandSpellings, layoutSlab, scalarizeVectors } from '@filigree/backend';
import { checkStatus, executableOf, memoryOf, placeModule } from '@filigree/backend/device';
import { argumentsInto, attempt, pass, pipeline } from '@filigree/ir';
import { moduleText } from './module.mjs';

/**
 * The backend `javascript`: kernels as functions of JavaScript, on one thread, over memory of this process. Not for speed: it shows what a
 * language asks for that is none of the C family.
 * @param {{ extensions?: readonly object[] }} [options]
 */
export const javascript = ({ extensions = [] } = {}) => ({
  name: 'javascript',
  capabilities: { types, threads: false, atomics: types, vectorBytes: 0 },
  /* Ops of extensions in ops of the core, and vectors taken apart: what is left is `arith`, `math`, `scf` and `mem` of scalars. */
  legalize: pipeline([expandSpellings(extensions, () => false), scalarizeVectors]),
  emit: pass('javascript-emit', (module) => ({
    backend: 'javascript',
    files: [{ name: 'module.js', language: 'javascript', contents: moduleText(module) }],
  })),
  probe: async () => ({ name: 'javascript', usable: true, reason: '', toolchain: `V8 ${process.versions.v8}` }),
  compile: ({ files: [{ contents }] }) =>
    attempt(async () => ({
      backend: 'javascript',
      hash: '',
      bytes: new TextEncoder().encode(contents),
      cached: false,
      compileMs: 0,
    })),
  sharing: { space: 'javascript', open: () => attempt(async () => open()), own: layoutSlab },
  load: ({ bytes }, module, options = {}) =>
    attempt(async () => {
      const placement = options.placement ?? placeModule(module, open(), {}, layoutSlab(module));
      return executableOf(module, library(new TextDecoder().decode(bytes), module, placement), options);
    }),
});

export default javascript;

const types = ['i1', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'];

/* Each block is an array of its own; its address is a number that no other block has. */
const open = () => {
  let next = 64;
  return memoryOf({
    space: 'javascript',
    allocate: (bytes) => {
      const buffer = new ArrayBuffer(bytes);
      const at = next;
      next += 64 * Math.ceil(bytes / 64 + 1);
      return { at, host: () => ({ buffer, byteOffset: 0 }) };
    },
    release: () => undefined,
  });
};

class Trap {
  constructor(status) {
    this.status = status;
  }
}

const trap = (status) => {
  throw new Trap(status);
};

const library = (text, module, placement) => {
  const view = (name) => {
    const { type, length } = module.buffers.find((b) => b.name === name);
    const { block, offset } = placement.places.get(name);
    return placement.memory.view(block, offset, type, length);
  };
  const kernels = new Function('view', 'trap', text)(view, trap);
  const commands = (list) => {
    const launches = list.map(({ kernel, args }) => {
      const values = [];
      const set = argumentsInto(
        module.kernels.find((k) => k.name === kernel),
        values,
        0,
      );
      set(args);
      return { run: kernels[kernel], values, set };
    });
    return {
      set: (k, args) => launches[k].set(args),
      run: () => {
        try {
          for (const { run, values } of launches) run(...values);
        } catch (e) {
          if (!(e instanceof Trap)) throw e;
          checkStatus(module, e.status);
        }
      },
    };
  };
  return { placement, commands, dispose: () => undefined };
};
