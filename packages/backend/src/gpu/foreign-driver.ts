import { byteSize, fail } from '@filigree/ir';
import type { GpuDriver } from './driver.js';
import { type GraphNames, noteGraph } from './graphs.js';
import { lastingViews } from './lasting-views.js';
import { type EventNames, momentsBy } from './moments.js';

/** Calls of C, as koffi has them. */
export interface ForeignFunctions {
  readonly load: (path: string) => ForeignLibrary;
  readonly address: (of: Uint8Array) => bigint;
  readonly view: (at: bigint, bytes: number) => ArrayBuffer;
}

interface ForeignLibrary {
  readonly func: (name: string, result: string, parameters: string[]) => ForeignFunction;
}

type ForeignFunction = (...args: unknown[]) => number;

/** The names of one driver's calls, and the numbers of what is asked for. The calls of all these drivers take the same. */
export interface DriverNames {
  readonly space: string;
  /** Files that the library may be, the likeliest first. */
  readonly libraries: readonly string[];
  readonly init: string;
  readonly allocate: string;
  readonly free: string;
  readonly clear: string;
  readonly toDevice: string;
  readonly toHost: string;
  readonly open: string;
  readonly close: string;
  readonly function: string;
  /** Tells of a kernel how many of its arguments are buffers, and the bytes of each number after them, where the driver must know. */
  readonly takes?: string;
  readonly launch: string;
  readonly finish: string;
  /** Whether all is done; `notReady` if not. */
  readonly ready: string;
  readonly notReady: number;
  /** Calls that note launches as a graph, and begin it. */
  readonly graphs?: GraphNames;
  /** Calls that take the device's time. */
  readonly events?: EventNames;
  readonly deviceName: string;
  readonly deviceAttribute: string;
  /** What makes the device current, by calls that only this driver has. */
  readonly begin: (call: Call) => void;
  /** Numbers of attributes: processors, and the two parts of an architecture where the driver says so. */
  readonly processors: number;
  readonly architecture?: { readonly major: number; readonly minor: number; readonly prefix: string };
  /** Whether addresses of the device are those of this process. */
  readonly shared?: boolean;
  /** Says in words what went wrong last, where the driver does. */
  readonly message?: string;
  /** The results that say that there is no device. */
  readonly noDevice: readonly number[];
  /** What results mean, of those that users can do something about. */
  readonly results: Readonly<Record<number, readonly [what: string, remedy: string]>>;
}

/** One call of the driver with the types of its parameters; a result other than 0 is a diagnostic. */
export type Call = (name: string, types: readonly string[], ...args: readonly unknown[]) => void;

/** The foreign function library koffi, as a package that has it imports it. Error: `load/ffi`. */
export const foreignFunctions = async (
  load: () => Promise<{ readonly default: ForeignFunctions }>,
): Promise<ForeignFunctions> => {
  try {
    return (await load()).default;
  } catch (e) {
    return fail('load/ffi', `the foreign function library koffi does not load: ${String(e)}`, {
      remedy: 'reinstall it for this platform (npm rebuild koffi), or use the wasm backend',
    });
  }
};

/** How a driver is opened. */
export interface DriverOptions {
  /** The file of its library. */
  readonly path?: string | undefined;
  /** Seconds that the host waits for kernels before it gives up on them; default for as long as it takes. */
  readonly limit?: number | undefined;
}

/**
 * Opens the driver. Errors: `NAME/driver` where there is none that can be used, or no device; `NAME/call` where one of its calls fails; `NAME/limit` where kernels
 * take longer than the host waits.
 */
export const foreignDriver = (
  names: DriverNames,
  ffi: ForeignFunctions,
  { path, limit = Infinity }: DriverOptions = {},
): GpuDriver => {
  const library = openFirst(names, ffi, path);
  const known = new Map<string, ForeignFunction>();
  const look = (name: string, types: readonly string[]): ForeignFunction | undefined => {
    try {
      const found = known.get(name) ?? library.func(name, 'int', [...types]);
      known.set(name, found);
      return found;
    } catch {
      return undefined;
    }
  };
  const functionOf = (name: string, types: readonly string[]): ForeignFunction =>
    look(name, types) ??
    fail(`${names.space}/driver`, `the driver has no call ${name}`, {
      remedy: 'install a newer driver, or use another backend',
    });
  /** What the driver says in words of what went wrong. */
  const said = (): string => {
    if (names.message === undefined) return '';
    const into = new Uint8Array(longestMessage);
    functionOf(names.message, ['void *', 'int'])(into, into.length);
    return textOf(into);
  };
  const check = (name: string, result: number): void => {
    if (result === 0) return;
    const [what, remedy] = names.results[result] ?? [`error ${result}`, 'see what the driver says of this number'];
    const more = said();
    fail(
      `${names.space}/${names.noDevice.includes(result) ? 'driver' : 'call'}`,
      `${name} failed: ${what}${more && `: ${more}`}`,
      {
        remedy,
      },
    );
  };
  /* Set once the host has given up: nearly every call would wait for the kernels that still run. */
  const state = { lost: false };
  const giveUp = (): never => {
    state.lost = true;
    return fail(`${names.space}/limit`, `kernels are not done after ${limit} s`, {
      remedy:
        'look for a loop that does not end, or set a higher limit; the device is busy until this process ends, so go on in another one',
    });
  };
  const call: Call = (name, types, ...args) => (state.lost ? giveUp() : check(name, functionOf(name, types)(...args)));
  /** What is let go stays where the host has given up. */
  const letGo: Call = (...what) => {
    if (!state.lost) call(...what);
  };
  const has = (name: string, types: readonly string[]): boolean => look(name, types) !== undefined;
  const number = (begin: (into: Int32Array) => void): number => {
    const into = new Int32Array(1);
    begin(into);
    return into[0]!;
  };
  const handle = (begin: (into: BigUint64Array) => void): bigint => {
    const into = new BigUint64Array(1);
    begin(into);
    return into[0]!;
  };
  const attribute = (which: number): number =>
    number((into) => call(names.deviceAttribute, ['void *', 'int', 'int'], into, which, 0));

  /** Whether all that was begun is done. Errors: `NAME/limit` where that has taken too long, `NAME/call`. */
  const done = (began: number): boolean => {
    const result = functionOf(names.ready, ['uint64_t'])(0n);
    if (result !== names.notReady) {
      forAll(() => check(names.ready, result));
      return true;
    }
    return performance.now() - began > limit * 1000 && giveUp();
  };
  /* Who waits beside whoever asked. */
  const waiting = waits.get(names.space) ?? new Set<Wait>();
  waits.set(names.space, waiting);
  const forAll = (ask: () => void): void => {
    try {
      ask();
    } catch (e) {
      for (const wait of waiting) wait.failed ??= e;
      throw e;
    }
  };

  call(names.init, ['uint'], 0);
  names.begin(call);
  const text = new Uint8Array(256);
  call(names.deviceName, ['void *', 'int', 'int'], text, text.length, 0);
  const { architecture: parts, graphs, events } = names;
  const release = (at: number): void => letGo(names.free, ['uint64_t'], BigInt(at));
  /* Where launches go: graphs are noted on a stream of their own. */
  let stream = 0n;
  return {
    device: {
      name: textOf(text),
      processors: attribute(names.processors),
      ...(parts ? { architecture: `${parts.prefix}${attribute(parts.major)}${attribute(parts.minor)}` } : {}),
    },
    allocate: (bytes) => Number(handle((into) => call(names.allocate, ['void *', 'size_t'], into, Math.max(1, bytes)))),
    release,
    ...(names.shared ? lastingViews({ view: (at, bytes) => ffi.view(BigInt(at), bytes), release }) : {}),
    clear: (at, bytes) => call(names.clear, ['uint64_t', 'uint8_t', 'size_t'], BigInt(at), 0, bytes),
    read: (from, into) => {
      if (into.length > 0) call(names.toHost, ['void *', 'uint64_t', 'size_t'], into, BigInt(from), into.length);
    },
    write: (to, from) => {
      if (from.length > 0) call(names.toDevice, ['uint64_t', 'void *', 'size_t'], BigInt(to), from, from.length);
    },
    open: (file) => {
      const code = handle((into) => call(names.open, ['void *', 'str'], into, file));
      return {
        kernel: (name, { buffers, scalars }) => {
          const kernel = handle((into) => call(names.function, ['void *', 'uint64_t', 'str'], into, code, name));
          if (names.takes !== undefined) {
            const bytes = Uint8Array.from([...scalars.map(byteSize), 0]);
            call(names.takes, ['uint64_t', 'uint', 'void *', 'uint'], kernel, buffers, bytes, scalars.length);
          }
          return kernel;
        },
        close: () => letGo(names.close, ['uint64_t'], code),
      };
    },
    launch: (kernel, blocks, threads, frame) =>
      call(names.launch, launchTypes, kernel, blocks, 1, 1, threads, 1, 1, 0, stream, frame, null),
    ...(graphs
      ? {
          graph: (begin) =>
            noteGraph(names.space, graphs, { has, call, handle }, (on) => {
              stream = on;
              try {
                begin();
              } finally {
                stream = 0n;
              }
            }),
        }
      : {}),
    ...(events ? { moment: momentsBy(names.space, events, { has, call, letGo, handle }) } : {}),
    finish: () => {
      if (limit < Infinity) for (const began = performance.now(); !done(began);) pause();
      forAll(() => call(names.finish, ['uint64_t'], 0n));
    },
    /* Asked again and again: another thread would have to take the device over first. */
    finishAsync: async () => {
      const began = performance.now();
      const self: Wait = {};
      waiting.add(self);
      try {
        for (let wait = 0; !done(began); wait = Math.min(2 * wait + 1, longestWait)) {
          await new Promise((resolve) => setTimeout(resolve, wait));
          if (self.failed !== undefined) throw self.failed;
        }
      } finally {
        waiting.delete(self);
      }
    },
    addressOf: (bytes) => ffi.address(bytes),
  };
};

/** One who waits, and what went wrong while somebody else did: a driver says it once, and does not say whose launch it was. */
interface Wait {
  failed?: unknown;
}

/* By the space of the device, which is one, however often its driver is opened. */
const waits = new Map<string, Set<Wait>>();

/* koffi unloads what nobody has any more, and drivers have threads and classes of their own that go on. */
const kept = new Set<ForeignLibrary>();

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));

/* Bytes. What compilers say may be long; the beginning tells. */
const longestMessage = 4096;

/* Milliseconds between two questions whether the device is done. */
const longestWait = 16;

/* A tenth of a millisecond: many kernels take no longer. */
const pause = (): void => void Atomics.wait(nobody, 0, 0, 0.1);
const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Function, three dimensions of blocks and of threads, bytes of shared memory, stream, arguments, more of them. */
const launchTypes = ['uint64_t', ...Array<string>(7).fill('uint'), 'uint64_t', 'void *', 'void *'];

const openFirst = ({ space, libraries }: DriverNames, ffi: ForeignFunctions, path?: string): ForeignLibrary => {
  const reasons: string[] = [];
  for (const file of path === undefined ? libraries : [path])
    try {
      const library = ffi.load(file);
      kept.add(library);
      return library;
    } catch (e) {
      reasons.push(`${file}: ${(e instanceof Error ? e.message : String(e)).replace(/^.*: /, '')}`);
    }
  return fail(`${space}/driver`, `the driver of the device is not on this machine: ${reasons.join('; ')}`, {
    remedy: `install the driver for ${space}, or use another backend`,
  });
};
