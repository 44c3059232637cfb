import { firstOverwrite, type Needs } from '@filigree/autodiff';
import { allocateArray, DiagnosticError, fail } from '@filigree/ir';
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

/** Records launches of a program (thesis §3.4), and runs their adjoints. */
export interface TapeDeck {
  /** The names of scalar fields, each with that of its adjoint. */
  readonly fields: Readonly<Record<string, string>>;
  /** Runs a function and records what it launches. Errors: `tape/…`, and why a kernel that was launched has no adjoint. */
  readonly record: (run: () => void) => Tape;
  /** Sets all adjoints to zero. */
  readonly clear: () => void;
  /** Launches the adjoints of what was recorded, the last first. */
  readonly backward: (tape: Tape) => ByArgument;
  /** The scalar fields that depend on some of others by what was recorded. */
  readonly dependents: (tape: Tape, on: readonly string[]) => ReadonlySet<string>;
}

/**
 * @param check throws what a launch reported
 */
export const tapeDeck = (
  executable: Executable,
  { of, fields, parameters, clear }: AdjointKernels,
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
      for (const { kernel, args, arrays } of [...launches].reverse()) {
        for (const { buffer, values } of arrays) executable.buffer(buffer).write(values);
        const made = adjointOf(kernel);
        launch(made.kernel.name, args);
        for (const [n, buffer] of made.parameters) {
          const by = (sums[kernel] ??= {});
          const name = parameters.get(kernel)![n];
          const cell = executable.buffer(buffer);
          by[name] = (by[name] ?? 0) + Number(cell.read(allocateArray(cell.type, 1))[0]);
        }
      }
      return sums;
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

const areAlike = (a: readonly Launched[], b: readonly Launched[]): boolean =>
  a.length === b.length &&
  a.every(({ kernel, args }, n) => kernel === b[n].kernel && args.every((x, k) => Object.is(x, b[n].args[k])));

const bytesOfLaunch = ({ args, arrays }: Launched): number =>
  arrays.reduce((sum, { values }) => sum + values.byteLength, 8 * args.length);
