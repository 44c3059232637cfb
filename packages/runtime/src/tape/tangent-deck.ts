import { allocateArray, fail, type Scalar, type TypedArray } from '@filigree/ir';
import type { Executable } from '@filigree/backend';
import { derivativeOf, type TangentKernels } from './derivative-kernels.js';
import type { Recorder } from './recorder.js';

/** How arguments of launches change along the direction: by kernel and parameter, a number, or of an array its elements. */
export type AlongArguments = Readonly<Record<string, Readonly<Record<string, number | ArrayLike<number>>>>>;

/** Runs the kernels of a program with their tangents (forward mode). */
export interface TangentDeck {
  /** The names of scalar fields, each with that of its tangent. */
  readonly fields: Readonly<Record<string, string>>;
  /** The names of the kernels with tangents, each with that of its primal. */
  readonly primals: ReadonlyMap<string, string>;
  /** Sets all tangents of fields to zero. */
  readonly clear: () => void;
  /** Whether launches run with their tangents now. */
  readonly running: () => boolean;
  /** Launches the tangent kernel in place of one that has its arguments; these are there already where they are arrays, in `buffers`. */
  readonly launch: (kernel: string, args: readonly Scalar[], buffers: readonly string[]) => void;
  /** Runs a function whose launches run with their tangents; gives what it gives, and what the numbers that kernels returned last change by, by kernel. */
  readonly run: <T>(
    forward: () => T,
    along: AlongArguments,
  ) => { readonly result: T; readonly returned: Readonly<Record<string, number>> };
  /** Refuses what forward mode does not see, while it runs. Error: `tangent/outside`. */
  readonly refuse: (what: string, remedy: string) => void;
  /** Runs a function of the host's that may write to fields. */
  readonly aside: (run: () => void) => void;
  /** A function that runs later as it would now, with tangents where they run. */
  readonly later: <A extends readonly unknown[]>(run: (...args: A) => void) => (...args: A) => void;
}

/**
 * @param results the buffers of what kernels return, by kernel
 * @param recorder writes down what is launched, where it is to be differentiated again
 */
export const tangentDeck = (
  executable: Executable,
  kernels: TangentKernels,
  check: (launch: string) => void,
  results: ReadonlyMap<string, string>,
  recorder?: Recorder,
): TangentDeck => {
  const { fields, parameters, arrays: names, clear } = kernels;
  let now: { readonly along: AlongArguments; readonly returned: Record<string, number> } | undefined;
  const start = (name: string, args: readonly Scalar[]): void => {
    executable.launch(name, args);
    check(name);
  };
  const as = (other: typeof now, run: () => void): void => {
    const before = now;
    now = other;
    try {
      run();
    } finally {
      now = before;
    }
  };
  return {
    fields,
    primals: new Map([...kernels.of].flatMap(([of, made]) => ('kernel' in made ? [[made.kernel.name, of]] : []))),
    clear: () => start(clear, []),
    running: () => now !== undefined,
    launch: (kernel, args, buffers) => {
      const made = derivativeOf(kernels, kernel);
      const { along, returned } = now!;
      const by = along[kernel] ?? {};
      const own = parameters.get(kernel)!;
      for (const [array, twin] of made.arrays) {
        const name = names.get(array);
        if (name !== undefined) writeTangents(executable, twin, by[name]);
      }
      const given = [...args, ...made.parameters.map((n) => Number(by[own[n]] ?? 0))];
      recorder?.launches(made.kernel.name, given, [...buffers, ...buffers.flatMap((b) => made.arrays.get(b) ?? [])]);
      start(made.kernel.name, given);
      const result = results.get(kernel);
      const twin = result === undefined ? undefined : made.arrays.get(result);
      if (twin !== undefined) {
        const buffer = executable.buffer(twin);
        if (buffer.length > 1)
          fail('tangent/result', `kernel '${kernel}' returns several numbers, whose tangents are not given back`, {
            remedy: 'write them to a field, and ask for its tangent: { of: { field } }',
          });
        returned[kernel] = Number(buffer.read(allocateArray(buffer.type, buffer.length))[0]);
      }
    },
    run: (forward, along) => {
      checkArguments(along, kernels);
      if (now)
        fail('tangent/nested', 'launches run with their tangents already', {
          remedy: 'call valueAndTangent and hessianProduct outside of what they run',
        });
      const returned: Record<string, number> = {};
      now = { along, returned };
      try {
        const result = forward();
        if (result instanceof Promise)
          fail('tangent/outside', 'what is differentiated ends before its launches do', {
            remedy: 'let forward be a plain function, which launches by run',
          });
        return { result, returned };
      } finally {
        now = undefined;
      }
    },
    refuse: (what, remedy) => {
      if (now) fail('tangent/outside', `${what}, whose tangents are not known`, { remedy });
    },
    aside: (run) => as(undefined, run),
    later: (run) => {
      const then = now;
      return (...args) => as(then, () => run(...args));
    },
  };
};

/** Brings the tangents of an array to where the kernel reads them; without any they are zero. */
const writeTangents = (executable: Executable, twin: string, given: number | ArrayLike<number> | undefined): void => {
  const buffer = executable.buffer(twin);
  const values: TypedArray = allocateArray(buffer.type, buffer.length);
  if (given !== undefined && typeof given !== 'number') (values as Float64Array).set(given);
  buffer.write(values);
};

/** Refuses arguments that no kernel takes, that are no floats, or of another shape; those that a kernel does nothing with change nothing. Error: `tangent/argument`. */
const checkArguments = (along: AlongArguments, { floats }: TangentKernels): void => {
  for (const [kernel, by] of Object.entries(along)) {
    const { scalars, lists } = floats.get(kernel) ?? { scalars: [], lists: [] };
    for (const [name, value] of Object.entries(by ?? {})) {
      const isNumber = typeof value === 'number' && scalars.includes(name);
      const isList = typeof value === 'object' && value !== null && lists.includes(name);
      if (!isNumber && !isList)
        fail('tangent/argument', `kernel '${kernel}' has no argument '${name}' that changes by what is given`, {
          remedy: `give numbers for ${listed(scalars)}, and arrays for ${listed(lists)}`,
        });
    }
  }
};

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((n) => `'${n}'`).join(', ');
