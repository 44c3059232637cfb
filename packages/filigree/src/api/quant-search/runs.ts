import { DiagnosticError, fail, type Diagnostic } from '@filigree/ir';
import type { AnyField } from '@filigree/sparse/fields';
import { program, type FieldProgram, type FieldProgramOptions } from '../program.js';
import { isOfFloats, type Sensitivity } from './formats-for.js';
import { boxesOf, numbersIn, type Boxes } from './outputs.js';
import { noiseKernels, sensitivityOf, type Noisy } from './sensitivities.js';
import { Survey, surveyKernels } from './survey.js';

/** A program to look at, as it is. */
export interface Task {
  readonly options: FieldProgramOptions;
  readonly fields: readonly AnyField[];
  readonly outputs: readonly AnyField[];
  readonly starts: readonly Runs[];
  readonly run: Runs;
  readonly writes: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Does something with a program. */
export type Runs = (sim: FieldProgram) => void;

/** The program in full precision: ranges of fields, outputs for all inputs, and the boxes that they lie in. Error: `search/values`. */
export const fullRuns = async ({ options, fields, outputs, starts, run, writes }: Task) => {
  const sim = await program({
    ...options,
    kernels: { ...options.kernels, ...surveyKernels(fields) },
  } as FieldProgramOptions);
  try {
    const survey = new Survey(sim, fields);
    const every = new Set(fields.map((f) => f.name));
    const fresh = sim.save();
    const exact: (readonly Float64Array[])[] = [];
    const boxes: Boxes[] = [];
    let bytes = 0;
    for (const start of starts) {
      sim.load(fresh);
      start(sim);
      survey.look(every);
      run(watched(sim, writes, (written) => survey.look(written)));
      const around = boxesOf(sim, outputs);
      boxes.push(around);
      exact.push(numbersIn(outputs, around, sim.field));
      bytes = Math.max(bytes, sim.bytes());
    }
    outputs.forEach((f, k) => {
      if (exact.some((o) => !o[k].some((v) => v !== 0) || o[k].some((v) => !Number.isFinite(v))))
        fail('search/values', `the output '${f.name}' is zero everywhere or no number, so no error is relative to it`, {
          remedy: 'name an output that the program computes',
        });
    });
    return { survey, exact, boxes, bytes };
  } finally {
    sim.dispose();
  }
};

type Full = Awaited<ReturnType<typeof fullRuns>>;

/** What rounding each field does to the outputs, for the first of the inputs. */
export const sensitivities = async ({ options, fields, outputs, starts, run, writes }: Task, full: Full) => {
  const floats = fields.filter(isOfFloats);
  const make = (tangents: boolean): Promise<FieldProgram> =>
    program({
      ...options,
      kernels: { ...options.kernels, ...noiseKernels(floats) },
      ...(tangents && { tangents: true }),
    } as FieldProgramOptions);
  let refused: Diagnostic | undefined;
  const sim = await make(true).catch((e: unknown) => {
    if (!(e instanceof DiagnosticError)) throw e;
    [refused] = e.diagnostics;
    return make(false);
  });
  try {
    const fresh = sim.save();
    const noisy: Noisy = {
      sim,
      begin: () => {
        sim.load(fresh);
        starts[0](sim);
      },
      launch: (after) => run(watched(sim, writes, after)),
      outputs,
      read: (of) => numbersIn(outputs, full.boxes[0], of),
      exact: full.exact[0],
    };
    const found = new Map(
      floats.map((f) => {
        const { sensitivity, refused: why } = sensitivityOf(noisy, full.survey.of(f));
        refused ??= why;
        return [f.name, sensitivity] as const;
      }),
    );
    return { of: (field: AnyField): Sensitivity => found.get(field.name)!, refused };
  } finally {
    sim.dispose();
  }
};

/** A program that tells what each launch wrote. */
const watched = (
  sim: FieldProgram,
  writes: ReadonlyMap<string, ReadonlySet<string>>,
  after: (written: ReadonlySet<string>) => void,
): FieldProgram => {
  const writtenBy = (launch: string): ReadonlySet<string> =>
    new Set(
      [...writes].flatMap(([name, written]) => (name === launch || name.startsWith(`${launch} `) ? [...written] : [])),
    );
  const run = Object.fromEntries(
    Object.entries(sim.run as Readonly<Record<string, (...args: readonly unknown[]) => number>>).map(([name, one]) => {
      const written = writtenBy(name);
      return [
        name,
        (...args: readonly unknown[]) => {
          const result = one(...args);
          after(written);
          return result;
        },
      ];
    }),
  );
  return { ...sim, run: run as never };
};
