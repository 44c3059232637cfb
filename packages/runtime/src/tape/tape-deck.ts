import { firstOverwrite, type Needs, type Overflow } from '@filigree/autodiff';
import { allocateArray, DiagnosticError, fail, type TypedArray } from '@filigree/ir';
import type { Executable } from '@filigree/backend';
import type { Frames } from '../program/frames.js';
import type { AdjointKernels } from './adjoint-kernels.js';
import type { Launched, Recorder } from './recorder.js';

/** Launches in their order, which can be run backwards. */
export interface Tape {
  readonly launches: readonly Launched[];
  /** Bytes that it holds. */
  readonly bytes: number;
}

/** The derivatives of a loss by scalar arguments, summed over all launches: by kernel and name of the parameter. */
export type ByArgument = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** As `ByArgument`, by the elements of array arguments, as long as the arrays may be. */
export type ByArray = Readonly<Record<string, Readonly<Record<string, Float64Array>>>>;

/** What adjoints found beside the adjoints of fields. */
export interface ByArguments {
  readonly byArgument: ByArgument;
  readonly byArray: ByArray;
}

/** Records launches of a program (thesis §3.4), and runs their adjoints. */
export interface TapeDeck {
  /** The names of scalar fields, each with that of its adjoint. */
  readonly fields: Readonly<Record<string, string>>;
  /** Runs a function and records what it launches. Errors: `tape/…`, and why a kernel that was launched has no adjoint. */
  readonly record: (run: () => void) => Tape;
  /** Sets all adjoints to zero. */
  readonly clear: () => void;
  /** Launches the adjoints of what was recorded, the last first. */
  readonly backward: (tape: Tape) => ByArguments;
  /** The scalar fields that depend on some of others by what was recorded. */
  readonly dependents: (tape: Tape, on: readonly string[]) => ReadonlySet<string>;
}

/**
 * @param check throws what a launch reported
 */
export const tapeDeck = (
  executable: Executable,
  { of, fields, parameters, arrays: arrayNames, clear }: AdjointKernels,
  recorder: Recorder,
  check: (launch: string, frames: Frames | undefined) => void,
): TapeDeck => {
  const launch = (name: string, args: Launched['args']): void => {
    executable.launch(name, args);
    check(name, undefined);
  };
  const adjointOf = (kernel: string): Extract<ReturnType<(typeof of)['get']>, { readonly kernel: unknown }> => {
    const found = of.get(kernel);
    if (found && 'kernel' in found) return found;
    if (found) throw new DiagnosticError(found);
    return fail('tape/unknown', `kernel '${kernel}' has no adjoint`);
  };
  /* What is optimised is recorded again and again, mostly with the same arguments. */
  let checked: readonly Launched[] = [];
  return {
    fields,
    record: (run) => {
      const launches = recorder.record(run);
      if (!areAlike(launches, checked))
        refuseOverwrites(launches.map(({ kernel, args }) => ({ kernel, args, needs: adjointOf(kernel).needs })));
      checked = launches.map(({ kernel, args }) => ({ kernel, args, arrays: [] }));
      return { launches, bytes: launches.reduce((sum, l) => sum + bytesOfLaunch(l), 0) };
    },
    clear: () => launch(clear, []),
    backward: ({ launches }) => {
      const sums: Record<string, Record<string, number>> = {};
      const arraySums: Record<string, Record<string, Float64Array>> = {};
      const valuesOf = (buffer: string): TypedArray => {
        const at = executable.buffer(buffer);
        return at.read(allocateArray(at.type, at.length));
      };
      for (const { kernel, args, arrays } of [...launches].reverse()) {
        for (const { buffer, values } of arrays) executable.buffer(buffer).write(values);
        const made = adjointOf(kernel);
        launch(made.kernel.name, args);
        if (made.overflow) refuseOverflow(kernel, made.overflow, Number(valuesOf(made.overflow.buffer)[0]));
        for (const [n, buffer] of made.parameters) {
          const by = (sums[kernel] ??= {});
          const name = parameters.get(kernel)![n];
          by[name] = (by[name] ?? 0) + Number(valuesOf(buffer)[0]);
        }
        for (const [array, buffer] of made.arrays) {
          const by = (arraySums[kernel] ??= {});
          const name = arrayNames.get(array) ?? array;
          const values = valuesOf(buffer);
          const sum = (by[name] ??= new Float64Array(values.length));
          for (let k = 0; k < sum.length; k++) sum[k] += Number(values[k]);
        }
      }
      return { byArgument: sums, byArray: arraySums };
    },
    dependents: ({ launches }, on) => {
      const reached = new Set(on);
      for (const { kernel } of launches) {
        const { reads, writes } = adjointOf(kernel);
        if (reads.some((f) => reached.has(f))) for (const f of writes) reached.add(f);
      }
      return reached;
    },
  };
};

/** Refuses launches whose adjoints would read what later ones have overwritten. Error: `tape/overwritten`. */
const refuseOverwrites = (
  launches: readonly (Pick<Launched, 'kernel' | 'args'> & { readonly needs: Needs })[],
): void => {
  const found = firstOverwrite(launches);
  if (!found) return;
  const { by, needs, place } = found;
  const [later, earlier] = [launches[by].kernel, launches[needs].kernel];
  fail(
    'tape/overwritten',
    `launch ${by + 1}, of '${later}', may overwrite elements of ${place} that the derivative of launch ${needs + 1}, of '${earlier}', needs`,
    { remedy: 'let each step write elements of its own, told apart by an argument: x[t + 1][i]' },
  );
};

/** Refuses what an adjoint computed that had no room for what a loop carried. Error: `tape/history`. */
const refuseOverflow = (kernel: string, { loops }: Overflow, code: number): void => {
  const loop = loops.get(code - 1);
  if (!loop) return;
  fail(
    'tape/history',
    `a loop of kernel '${kernel}' ran more than ${loop.most} times, and its derivative needs what it carried each time`,
    { loc: loop.op.loc, remedy: 'bound the loop by a number, or launch a kernel for each part of it' },
  );
};

const areAlike = (a: readonly Launched[], b: readonly Launched[]): boolean =>
  a.length === b.length &&
  a.every(({ kernel, args }, n) => kernel === b[n].kernel && args.every((x, k) => Object.is(x, b[n].args[k])));

const bytesOfLaunch = ({ args, arrays }: Launched): number =>
  arrays.reduce((sum, { values }) => sum + values.byteLength, 8 * args.length);
