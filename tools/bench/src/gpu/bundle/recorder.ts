import type { Backend, Executable } from '@filigree/backend';
import {
  type GpuCode,
  type GpuDriver,
  type GpuKernel,
  type GpuMachine,
  threadsPerProcessor,
  gpuBackend,
} from '@filigree/backend/gpu';
import { cudaFlags, cudaLanguage } from '@filigree/backend-cuda';
import { type Module, byteSize, fail } from '@filigree/ir';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Argument, At, DataType, Part, RecordedModule, Recording, Step } from './recording.js';

/** A backend for CUDA that does what it is asked to on a machine, and notes what it asks of the driver. */
export interface Recorder {
  readonly backend: Backend;
  /** Notes that what is asked meanwhile is to be measured. */
  readonly part: <T>(part: Part, run: () => T) => T;
  /** What was asked until now, and nothing of it from then on. */
  readonly take: () => Recording;
}

/** Records on a machine that stands for a GPU. */
export const recorderOn = (machine: GpuMachine): Recorder => {
  const compiled = new Map<string, RecordedModule>();
  const notes = notebook();
  const backend = gpuBackend(cudaLanguage, {
    probe: machine.probe,
    compile: (sources, options) =>
      pipe(
        machine.compile!(sources, options),
        TE.map((artifact) => {
          const text = String(sources.files.find((f) => f.name === cudaLanguage.file)!.contents);
          compiled.set(artifact.path!, { text, flags: cudaFlags(options?.fastMath ?? true) });
          return artifact;
        }),
      ),
    driver: async () => noting(await machine.driver!(), notes, (path) => compiled.get(path)!),
  });
  return {
    backend: {
      ...backend,
      load: (artifact, module, options) =>
        pipe(
          backend.load!(artifact, module, options),
          TE.map((x) => {
            typesOf(module, x, notes);
            return x;
          }),
        ),
    },
    part: (part, run) => {
      notes.note({ call: 'begin', ...part });
      const result = run();
      notes.note({ call: 'end' });
      return result;
    },
    take: notes.take,
  };
};

/** Tells the notes of which type the bytes of buffers are. */
const typesOf = (module: Module, x: Executable, notes: Notebook): void => {
  for (const { name, role } of module.buffers) {
    if (role === 'scratch') continue;
    const { block, offset, type, length } = x.buffer(name);
    notes.typed(block.at + offset, length * byteSize(type), type);
  }
};

/** What is kept while a program runs. */
interface Notebook {
  readonly note: (step: Step) => void;
  readonly module: (module: RecordedModule) => number;
  /** The place of an address, and of which type the bytes from there on are. */
  readonly place: (address: number) => At;
  readonly typeAt: (address: number, bytes: number) => DataType;
  readonly allocated: (address: number, bytes: number) => void;
  readonly freed: (address: number) => void;
  readonly typed: (address: number, bytes: number, type: DataType) => void;
  readonly take: () => Recording;
}

const notebook = (): Notebook => {
  let modules: RecordedModule[] = [];
  let steps: Step[] = [];
  let count = 0;
  const blocks = new Map<number, { readonly block: number; readonly bytes: number }>();
  const types = new Map<number, { readonly bytes: number; readonly type: DataType }>();
  const within = <R extends { readonly bytes: number }>(regions: ReadonlyMap<number, R>, address: number, bytes = 0) =>
    [...regions].find(([from, r]) => from <= address && address + bytes <= from + r.bytes);
  const place = (address: number): At => {
    const found = within(blocks, address);
    if (!found) return fail('gpu/recording', `address ${address} lies in no block`, { remedy: 'please report it' });
    return { block: found[1].block, offset: address - found[0] };
  };
  return {
    note: (step) => void steps.push(step),
    module: (module) => modules.push(module) - 1,
    place,
    typeAt: (address, bytes) => within(types, address, bytes)?.[1].type ?? 'bytes',
    allocated: (address, bytes) => {
      blocks.set(address, { block: count++, bytes });
      steps.push({ call: 'allocate', bytes });
    },
    freed: (address) => {
      const known = blocks.get(address);
      if (!known) return; /* that was another recording's */
      const { block, bytes } = known;
      for (const from of [...types.keys()]) if (from >= address && from < address + bytes) types.delete(from);
      blocks.delete(address);
      steps.push({ call: 'free', block });
    },
    typed: (address, bytes, type) => void types.set(address, { bytes, type }),
    take: () => {
      const taken = { modules, steps };
      [modules, steps, count] = [[], [], 0];
      blocks.clear();
      types.clear();
      return taken;
    },
  };
};

/* More than any device has, so that the number of blocks is said by what there is to do. */
const PROCESSORS = 1 << 20;

const noting = (driver: GpuDriver, notes: Notebook, moduleOf: (path: string) => RecordedModule): GpuDriver => {
  const slots = new Map<bigint, { readonly bytes: Uint8Array; readonly at: number }>();
  const kernels = new Map<
    GpuKernel,
    { readonly module: number; readonly name: string; readonly pointers: boolean[] }
  >();
  const open = (path: string): GpuCode => {
    const code = driver.open(path);
    const { text, flags } = moduleOf(path);
    const module = notes.module({ text, flags });
    return {
      close: code.close,
      kernel: (name, takes) => {
        const kernel = code.kernel(name, takes);
        kernels.set(kernel, { module, name, pointers: pointersOf(text, name) });
        return kernel;
      },
    };
  };
  return {
    ...driver,
    device: { ...driver.device, processors: PROCESSORS },
    open,
    allocate: (bytes) => {
      const at = driver.allocate(bytes);
      notes.allocated(at, bytes);
      return at;
    },
    release: (at) => {
      notes.freed(at);
      driver.release(at);
    },
    clear: (at, bytes) => {
      notes.note({ call: 'clear', at: notes.place(at), bytes });
      driver.clear(at, bytes);
    },
    write: (to, from) => {
      const type = notes.typeAt(to, from.length);
      notes.note({ call: 'write', at: notes.place(to), type, data: from.slice() });
      driver.write(to, from);
    },
    read: (from, into) => {
      driver.read(from, into);
      const type = notes.typeAt(from, into.length);
      notes.note({ call: 'read', at: notes.place(from), type, data: into.slice() });
    },
    addressOf: (bytes) => {
      const address = driver.addressOf(bytes);
      for (let at = 0; at < bytes.length; at += 8) slots.set(address + BigInt(at), { bytes, at });
      return address;
    },
    launch: (kernel, blocks, threads, frame) => {
      const { module, name, pointers } = kernels.get(kernel)!;
      const given = new BigUint64Array(frame.buffer, frame.byteOffset, pointers.length);
      const args = pointers.map((isPointer, k): Argument => {
        const { bytes, at } = slots.get(given[k])!;
        const bits = bytes.slice(at, at + 8);
        return isPointer ? notes.place(Number(new BigUint64Array(bits.buffer)[0])) : { bits };
      });
      notes.note({ call: 'launch', module, kernel: name, blocks, threads, args });
      driver.launch(
        kernel,
        Math.min(blocks, driver.device.processors * Math.ceil(threadsPerProcessor / threads)),
        threads,
        frame,
      );
    },
  };
};

/** Of each parameter of a kernel, whether it is an address. */
const pointersOf = (text: string, kernel: string): boolean[] => {
  const parameters = new RegExp(`\\b${kernel}\\(([^;\\n]*)\\) \\{$`, 'm').exec(text)?.[1] ?? '';
  return parameters === '' ? [] : parameters.split(', ').map((p) => p.includes('*'));
};
