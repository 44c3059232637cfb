import {
  allocateArray,
  DiagnosticError,
  fail,
  isFloat,
  isWide,
  type Kernel,
  type Scalar,
  type ScalarType,
  type TypedArray,
  once,
} from '@filigree/ir';
import type { Launches } from '@filigree/backend/device';
import type { KernelSignature, LaunchParam, Shown, Sides } from '@filigree/lang/kernels';
import type { AccessDeck } from '../tape/access-deck.js';
import type { Recorder } from '../tape/recorder.js';
import type { TangentDeck } from '../tape/tangent-deck.js';
import { checkedArray, scalarCheck, shapedCheck } from './arguments.js';
import type { notesReader } from './notes.js';

/** What a launch of one or several kernels takes, checks and gives. */
export interface Launcher {
  /** Launches and waits; what the last kernel that returns something returned. */
  readonly run: (given: readonly unknown[]) => Returned;
  /** The same without blocking, where the backend can; `given` must not change meanwhile. */
  readonly runAsync: (given: readonly unknown[]) => Promise<Returned>;
}

/** What a launch gives back: a number, of a vector a list, of a matrix its rows, and nothing of a kernel that returns nothing. */
export type Returned =
  | undefined
  | number
  | readonly number[]
  | readonly (readonly number[])[]
  | Readonly<Record<string, number>>;

/** A kernel, and how it is launched. */
export interface Launchable {
  /** As it was lowered. */
  readonly kernel: Kernel;
  /** The buffers that it writes. */
  readonly writes: ReadonlySet<string>;
  readonly signature: Pick<KernelSignature, 'launch' | 'result' | 'seed' | 'notes'>;
  /** Shows a place of its source, for messages. */
  readonly shown?: Shown;
}

/** What surrounds a launch. */
export interface LaunchContext {
  readonly executable: Launches;
  /** A seed for the next kernel that draws random numbers. */
  readonly nextSeed: () => number;
  /** Called after each kernel, with its name where it was one; throws what it reported. */
  readonly check: (launch: string, shown: Shown | undefined, kernel?: string) => void;
  /** What launches wait in, if they do not run at once. */
  readonly queue?: (call: Call) => (given: readonly unknown[], before: Returned) => Returned;
  /** Writes launches down while it records. */
  readonly recorder?: Recorder | undefined;
  /** Watches the accesses of those that are recorded, where these are checked. */
  readonly accesses?: AccessDeck | undefined;
  /** Runs them with their tangents, while somebody asks for these. */
  readonly tangents?: TangentDeck | undefined;
  /** Reads what kernels that are debugged wrote down. */
  readonly notesOf?: typeof notesReader;
}

/**
 * A launcher of kernels that run one after the other. Their parameters are put together by name, in the order in which they
 * first come. Errors of a launch: `launch/arguments`, `launch/argument`, `launch/array`, `launch/array-length`, `launch/aliasing`,
 * `launch/wide`.
 */
export const launcherOf = (name: string, kernels: readonly Launchable[], context: LaunchContext): Launcher => {
  const parameters = parametersOf(name, kernels);
  const calls = kernels.map((k) => callOf(name, k, parameters, context));
  const runs = calls.map(context.queue ?? atOnce);
  const needed = kernels.flatMap((k) => k.signature.launch.filter((p) => !mayBeLeftOut(p)));
  const fewest = needed.reduce((most, p) => Math.max(most, positionOf(parameters, p) + 1), 0);
  const counted = (given: readonly unknown[]): void => {
    if (given.length < fewest || given.length > parameters.length)
      fail('launch/arguments', `kernel '${name}' takes ${countText(parameters)}, got ${given.length}`, {
        remedy: `write run.${name}(${parameters.map((p) => p.name).join(', ')})`,
      });
  };
  const [only] = runs;
  return {
    run:
      runs.length === 1
        ? (given) => {
            counted(given);
            return only(given, undefined);
          }
        : (given) => {
            counted(given);
            let result: Returned;
            for (let k = 0; k < runs.length; k++) result = runs[k](given, result);
            return result;
          },
    runAsync: async (given) => {
      counted(given);
      let result: Returned;
      for (const c of calls) {
        c.bind(given);
        await c.startAsync();
        result = c.finish(given, result);
      }
      return result;
    },
  };
};

const atOnce =
  (call: Call) =>
  (given: readonly unknown[], before: Returned): Returned => {
    call.bind(given);
    call.start();
    return call.finish(given, before);
  };

/** One kernel of a launch. */
export interface Call {
  readonly launch: string;
  readonly kernel: string;
  readonly shown: Shown | undefined;
  /** As `bind` left them. */
  readonly args: readonly Scalar[];
  /** Buffers that `bind` writes. */
  readonly inputs: readonly string[];
  /** Whether `finish` copies arrays out. */
  readonly copiesOut: boolean;
  readonly returns: boolean;
  readonly bind: (given: readonly unknown[]) => void;
  /** Takes note of a launch with what `bind` left, where somebody records. */
  readonly record: (() => void) | undefined;
  readonly start: () => void;
  /** As `start`, with arguments that `bind` left earlier. */
  readonly startWith: (args: readonly Scalar[]) => void;
  readonly startAsync: () => Promise<void>;
  readonly finish: (given: readonly unknown[], before: Returned) => Returned;
}

/* All that can be is made here, once: a launch itself makes no objects. */
const callOf = (
  name: string,
  { kernel, writes: written, signature, shown }: Launchable,
  parameters: readonly LaunchParam[],
  { executable, nextSeed, check, recorder, accesses, tangents, notesOf }: LaunchContext,
): Call => {
  const { launch: own, seed } = signature;
  const places = own.map((_, n) => own.slice(0, n).reduce((at, p) => at + valuesOf(p), 0));
  const count = own.reduce((all, p) => all + valuesOf(p), 0);
  const args = new Array<Scalar>(count + (seed ? 1 : 0)).fill(0);
  const result = signature.result && executable.buffer(signature.result.buffer);
  const returned = result && allocateArray(result.type, result.length);
  const { shape, names } = signature.result ?? {};
  const binders = own.map((p, n) => binderOf(name, p, positionOf(parameters, p), places[n], args, executable, written));
  const copies = own.flatMap((p) =>
    p.is === 'array' && written.has(p.buffer)
      ? [{ buffer: executable.buffer(p.buffer), at: positionOf(parameters, p) }]
      : [],
  );
  const arrays = own.filter((p) => p.is === 'array').map((p) => positionOf(parameters, p));
  const buffers = own.flatMap((p) => (p.is === 'array' ? [p.buffer] : []));
  const apart = copies.flatMap(({ at }) => arrays.filter((other) => other !== at).map((other) => [at, other] as const));
  const notes = signature.notes && notesOf?.(name, signature.notes, executable, shown);
  const checked = (): void => {
    const failed = notes?.();
    check(name, shown, kernel.name);
    if (failed) throw failed;
  };
  /* What the kernel reported before it stopped says more. */
  const stopped = (cause: unknown): never => {
    checked();
    throw inKernel(name, cause);
  };
  const startWith = (given: readonly Scalar[]): void => {
    try {
      executable.launch(kernel.name, given);
    } catch (e) {
      stopped(e);
    }
    checked();
  };
  /* Before it runs: what it overwrites is kept as it was. */
  const record = recorder && ((): void => recorder.launches(kernel.name, args, buffers));
  return {
    launch: name,
    kernel: kernel.name,
    shown,
    args,
    inputs: buffers,
    copiesOut: copies.length > 0,
    returns: result !== undefined,
    bind: (given) => {
      for (let n = 0; n < binders.length; n++) binders[n](given);
      for (let k = 0; k < apart.length; k++) {
        const [a, b] = apart[k];
        if (overlap(given[a] as TypedArray, given[b] as TypedArray)) refuseAliases(name, parameters[a], parameters[b]);
      }
      if (seed) args[count] = nextSeed();
    },
    record,
    start: () => {
      if (tangents?.running()) {
        try {
          return tangents.launch(kernel.name, args, buffers);
        } catch (e) {
          return stopped(e);
        }
      }
      record?.();
      if (recorder?.recording() && accesses?.launch(kernel.name, args, shown)) return;
      startWith(args);
    },
    startWith,
    startAsync: async () => {
      try {
        await executable.launchAsync(kernel.name, args);
      } catch (e) {
        stopped(e);
      }
      checked();
    },
    finish: (given, before) => {
      for (const { buffer, at } of copies) copyOut(name, buffer, given[at] as TypedArray | Scalar[]);
      if (result === undefined) return before;
      const values = result.read(returned);
      if (names) return Object.fromEntries(names.map((key, k) => [key, numberOf(name, values[k])]));
      return shape ? packed(name, values, shape) : numberOf(name, values[0]);
    },
  };
};

/** What a kernel left in an array goes into the one that was given; in a list numbers stay numbers, and so on. */
const copyOut = (name: string, buffer: ReturnType<Launches['buffer']>, to: TypedArray | Scalar[]): void => {
  if (!Array.isArray(to)) return void buffer.read(to);
  const values = buffer.read(allocateArray(buffer.type, to.length));
  for (let k = 0; k < to.length; k++)
    to[k] =
      typeof to[k] === 'bigint' ? values[k] : typeof to[k] === 'boolean' ? values[k] !== 0 : numberOf(name, values[k]);
};

/** How many numbers a kernel receives for an argument. */
const valuesOf = (p: LaunchParam): number => (p.is === 'shaped' ? p.shape.reduce((all, side) => all * side, 1) : 1);

const packed = (
  name: string,
  values: ArrayLike<number | bigint>,
  [side, width]: Sides | readonly [number, undefined],
): Returned => {
  const numbers = Array.from({ length: values.length }, (_, k) => numberOf(name, values[k]));
  return width === undefined
    ? numbers
    : Array.from({ length: side }, (_, row) => numbers.slice(row * width, (row + 1) * width));
};

/** Puts the argument at `from` of a launch into place `to` of the kernel's, and those after it. */
const binderOf = (
  name: string,
  parameter: LaunchParam,
  from: number,
  to: number,
  args: Scalar[],
  executable: Launches,
  written: ReadonlySet<string>,
): ((given: readonly unknown[]) => void) => {
  if (parameter.is === 'array') {
    const buffer = executable.buffer(parameter.buffer);
    /* Beyond its end an array has no elements, as kernels see that read one: NaN, of integers 0. */
    const nothing = once(() => {
      const values = allocateArray(parameter.type, buffer.length);
      return isFloat(parameter.type) ? (values as Float64Array).fill(NaN) : values;
    });
    let used = buffer.length;
    return (given) => {
      const values = checkedArray(name, parameter, given[from]);
      buffer.write(values);
      if (values.length < used) buffer.write(nothing().subarray(0, used - values.length), values.length);
      used = written.has(parameter.buffer) ? buffer.length : values.length;
      args[to] = values.length;
    };
  }
  const left = parameter.default?.map((text) => fromText(text, parameter.type));
  if (parameter.is === 'shaped') {
    const elements = shapedCheck(name, parameter);
    return (given) => {
      const values = left && given[from] === undefined ? left : elements(given[from]);
      for (let k = 0; k < values.length; k++) args[to + k] = values[k];
    };
  }
  const check = scalarCheck(name, parameter.name, parameter.type);
  return (given) => {
    args[to] = left && given[from] === undefined ? left[0] : check(given[from]);
  };
};

const mayBeLeftOut = (p: LaunchParam): boolean => p.is !== 'array' && p.default !== undefined;

/** A number of a default. */
const fromText = (text: string, type: ScalarType): Scalar =>
  type === 'i1' ? text === 'true' : isWide(type) ? BigInt(text) : Number(text);

/** A trap, with the kernel that it happened in, and how to find the place. */
export const inKernel = (name: string, cause: unknown): unknown =>
  cause instanceof DiagnosticError && cause.diagnostics[0].code === 'run/trap'
    ? new DiagnosticError(
        cause.diagnostics.map((d) => ({
          ...d,
          message: `kernel '${name}': ${d.message}`,
          remedy: 'check the inputs; a program made with `debug: true` says where',
        })),
      )
    : cause;

/** Whether two arrays share memory. The kernel works on copies of both, and one would come back over the other. */
const overlap = (a: TypedArray | Scalar[], b: TypedArray | Scalar[]): boolean =>
  Array.isArray(a) || Array.isArray(b)
    ? a === b
    : a.buffer === b.buffer && a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;

const refuseAliases = (kernel: string, written: LaunchParam, other: LaunchParam): never =>
  fail(
    'launch/aliasing',
    `arguments '${written.name}' and '${other.name}' of kernel '${kernel}' share memory, and '${written.name}' is written`,
    { remedy: 'give a copy of one: a.slice()' },
  );

const positionOf = (parameters: readonly LaunchParam[], p: LaunchParam): number =>
  parameters.findIndex((q) => q.name === p.name);

/** The parameters of all kernels, by name. Error: `program/parameter` where a name is of two types. */
const parametersOf = (name: string, kernels: readonly Launchable[]): readonly LaunchParam[] => {
  const all: LaunchParam[] = [];
  for (const p of kernels.flatMap((k) => k.signature.launch)) {
    const known = all.find((q) => q.name === p.name);
    if (!known) all.push(p);
    else if (known.type !== p.type || known.is !== p.is || shapeOf(known) !== shapeOf(p))
      fail('program/parameter', `the kernels of '${name}' disagree on the parameter '${p.name}'`, {
        remedy: 'give it one type, or two names',
      });
  }
  return all;
};

/** `[3]`, `[2][2]`; nothing of what is no vector or matrix. */
const shapeOf = (p: LaunchParam): string => (p.is === 'shaped' ? p.shape.map((side) => `[${side}]`).join('') : '');

const countText = (parameters: readonly LaunchParam[]): string =>
  `${parameters.length} ${parameters.length === 1 ? 'argument' : 'arguments'}` +
  (parameters.length === 0
    ? ''
    : ` (${parameters.map((p) => `${p.name}${mayBeLeftOut(p) ? '?' : ''}: ${p.type}${p.is === 'array' ? '[]' : shapeOf(p)}`).join(', ')})`);

const numberOf = (name: string, value: number | bigint): number => {
  if (typeof value === 'number') return value;
  const number = Number(value);
  return Number.isSafeInteger(number)
    ? number
    : fail('launch/wide', `kernel '${name}' returned ${value}, which is no exact number`, {
        remedy: 'return an f64, or write the value into a field',
      });
};
