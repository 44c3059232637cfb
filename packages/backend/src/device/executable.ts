import { type Module, type Scalar, type TypedArray, checkOptions, fail } from '@filigree/ir';
import { type DeviceBuffer, deviceBuffer } from './buffer.js';
import type { Command, CommandList, Library } from './library.js';
import type { Memory } from './memory.js';
import { type LoadOptions, type RunOptions, runSpec } from './run-options.js';

/**
 * A loaded module with its memory: constants are filled in, and what is not bound to another program's is zero. What is done to a memory
 * while a program runs in it in the background throws `run/busy`.
 */
export interface Executable {
  readonly memory: Memory;
  /** A buffer in memory, any but scratch. Error: `run/buffer`. */
  readonly buffer: (name: string) => DeviceBuffer;
  /**
   * Views of all buffers but scratch, valid until `dispose`, where the host sees the memory. Each is `memory/apart` elsewhere:
   * read and write `buffer(name)`.
   */
  readonly buffers: Readonly<Record<string, TypedArray>>;
  /** Throws while the memory must not be touched: `run/disposed`, `run/busy`. */
  readonly ready: () => void;
  /** Runs all kernels in module order; returns when they are done. */
  readonly run: (options?: RunOptions) => void;
  /** As `run`, but off the main thread where the backend can; buffers must not be written until it resolves. */
  readonly runAsync: (options?: RunOptions) => Promise<void>;
  /** Runs one kernel with its scalar arguments. */
  readonly launch: (kernel: string, args: readonly Scalar[], options?: RunOptions) => void;
  /** As `launch`, but off the main thread where the backend can; buffers must not be written until it resolves. */
  readonly launchAsync: (kernel: string, args: readonly Scalar[], options?: RunOptions) => Promise<void>;
  /** Launches to be run again and again, in order, each time by one native call. Errors: `run/kernel`, `run/arguments`. */
  readonly commands: (list: readonly Command[]) => Commands;
  readonly dispose: () => void;
}

/** What launching takes, on as many threads as was said when the module was loaded. */
export interface Launches extends Pick<Executable, 'memory' | 'buffer' | 'buffers' | 'ready' | 'dispose'> {
  readonly launch: (kernel: string, args: readonly Scalar[]) => void;
  readonly launchAsync: (kernel: string, args: readonly Scalar[]) => Promise<void>;
}

/** Launches of a program, one after the other. */
export interface Commands {
  /** Gives launch `k` other arguments. Errors: `run/arguments`, `run/busy`. */
  readonly set: (k: number, args: readonly Scalar[]) => void;
  readonly run: (options?: RunOptions) => void;
  readonly runAsync: (options?: RunOptions) => Promise<void>;
}

/**
 * A library as users hold it. Runs throw `DiagnosticError`: `run/…` on misuse, `run/trap` when a kernel divided an integer by zero or the
 * like; its results are then not to be used.
 *
 * @param options what `load` was given, checked
 */
export const executableOf = (
  module: Module,
  library: Library,
  { threads: defaults = 1 }: LoadOptions = {},
): Executable => {
  const { launches, checkKernel, launching, now, inBackground } = launchingOf(module, library, defaults);
  const { ready } = launches;
  const threads = (options: RunOptions | undefined): number =>
    options === undefined ? defaults : (checkOptions('run', options, runSpec).threads ?? defaults);
  const needy = module.kernels.find((k) => k.params.length > 0);
  const whole: { list?: CommandList } = {};
  const all = (): CommandList => {
    if (needy)
      fail('run/arguments', `kernel @${needy.name} takes arguments, so the kernels cannot run all at once`, {
        remedy: `launch them one by one: launch('${needy.name}', […])`,
      });
    return (whole.list ??= library.commands(module.kernels.map((k) => ({ kernel: k.name, args: [] }))));
  };
  return {
    ...launches,
    run: (options) => {
      ready();
      now(all(), threads(options));
    },
    runAsync: async (options) => {
      ready();
      await inBackground(all(), threads(options));
    },
    launch: (name, args, options) => {
      ready();
      now(launching(name, args), threads(options));
    },
    launchAsync: async (name, args, options) => {
      ready();
      await inBackground(launching(name, args), threads(options));
    },
    commands: (given) => {
      ready();
      for (const { kernel } of given) checkKernel(kernel);
      const list = library.commands(given);
      return {
        set: (k, args) => {
          ready();
          list.set(k, args);
        },
        run: (options) => {
          ready();
          now(list, threads(options));
        },
        runAsync: async (options) => {
          ready();
          await inBackground(list, threads(options));
        },
      };
    },
  };
};

/** As `executableOf`, for those who only launch. */
export const launchesOf = (module: Module, library: Library, { threads = 1 }: LoadOptions = {}): Launches =>
  launchingOf(module, library, threads).launches;

const launchingOf = (module: Module, library: Library, defaults: number) => {
  const { placement } = library;
  const { memory, places } = placement;
  const work = workOn(memory);
  const state = { disposed: false, running: false };

  const ready = (): void => {
    if (state.disposed)
      fail('run/disposed', `module @${module.name} was disposed of and cannot run`, { remedy: 'load it again' });
    if (work.by !== undefined)
      fail('run/busy', `module @${work.by} is still running${work.by === module.name ? '' : ' in the same memory'}`, {
        remedy: 'await runAsync before the next run; load it twice, each with its memory, to run twice at once',
      });
  };
  const release = (): void => {
    library.dispose();
    placement.release();
  };
  const now = (list: CommandList, count: number): void => {
    memory.publish();
    try {
      list.run(count);
    } finally {
      memory.outdate();
    }
  };
  const inBackground = async (list: CommandList, count: number): Promise<void> => {
    memory.publish();
    work.by = module.name;
    state.running = true;
    try {
      if (list.runAsync) await list.runAsync(count);
      else {
        await Promise.resolve();
        list.run(count);
      }
    } finally {
      memory.outdate();
      work.by = undefined;
      state.running = false;
      if (state.disposed) release();
    }
  };

  const known = new Set(module.kernels.map((k) => k.name));
  const checkKernel = (name: string): void => {
    if (!known.has(name))
      fail('run/kernel', `module @${module.name} has no kernel @${name}`, {
        remedy: `use one of ${[...known].map((k) => `@${k}`).join(', ')}`,
      });
  };
  const single = new Map<string, CommandList>();
  const launching = (name: string, args: readonly Scalar[]): CommandList => {
    let list = single.get(name);
    if (list === undefined) {
      checkKernel(name);
      list = library.commands([{ kernel: name, args }]);
      single.set(name, list);
    }
    list.set(0, args);
    return list;
  };
  const buffers = new Map(
    module.buffers.flatMap((b) => {
      const place = places.get(b.name);
      return place === undefined ? [] : [[b.name, deviceBuffer({ ...b, ...place })] as const];
    }),
  );
  const launches: Launches = {
    memory,
    buffer: (name) =>
      buffers.get(name) ??
      fail('run/buffer', `module @${module.name} has no buffer '${name}'`, {
        remedy: `use one of ${[...buffers.keys()].join(', ')}`,
      }),
    buffers: viewsOf(memory, buffers),
    ready,
    launch: (name, args) => {
      ready();
      now(launching(name, args), defaults);
    },
    launchAsync: async (name, args) => {
      ready();
      await inBackground(launching(name, args), defaults);
    },
    dispose: () => {
      if (state.disposed) return;
      state.disposed = true;
      if (!state.running) release();
    },
  };
  return { launches, checkKernel, launching, now, inBackground };
};

/* Made at once where they can be: an access to one is then no more than an access. */
const viewsOf = (memory: Memory, buffers: ReadonlyMap<string, DeviceBuffer>): Readonly<Record<string, TypedArray>> => {
  const views: Record<string, TypedArray> = {};
  for (const [name, buffer] of buffers)
    if (memory.mapped) views[name] = buffer.view();
    else Object.defineProperty(views, name, { enumerable: true, get: buffer.view });
  return views;
};

/** Which module runs in a memory in the background, if one does. */
interface Work {
  by: string | undefined;
}

const works = new WeakMap<Memory, Work>();

const workOn = (memory: Memory): Work => {
  let work = works.get(memory);
  if (work === undefined) works.set(memory, (work = { by: undefined }));
  return work;
};
