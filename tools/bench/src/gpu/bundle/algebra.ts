import { compileProblem, maxRelError } from '@filigree/e2e';
import { benchCase } from '../../cases.js';
import { problemOf } from '../../filigree.js';
import type { BundledProgram, LeftOut } from './bundled-program.js';
import type { Float } from './rates.js';
import type { Recorder } from './recorder.js';
import { byRelative } from './relative.js';

/** Expressions on sparse matrices: their values alone, and with what is sent to the device and read from it. Beside them lie the matrices, for other libraries. */
export async function* algebra(elements: number, recorder: Recorder): AsyncGenerator<BundledProgram | LeftOut> {
  for (const name of expressions) yield recorded(name, elements, recorder);
}

/** The expressions that are measured. */
export const expressions = ['power-2', 'lmlt-plus-k'] as const;

const recorded = async (name: string, elements: number, recorder: Recorder): Promise<BundledProgram | LeftOut> => {
  const { problem, expected, isRight, close } = await expression(name, elements, recorder, 'f64');
  const recording = recorder.take();
  close();
  recorder.take();
  if (!isRight) return { name, reason: 'its result is wrong' };
  return {
    name,
    kind: 'algebra',
    recording,
    tolerance: byRelative,
    files: { ...filesOf(problem), 'expected.f64': bytesOf(expected) },
  };
};

/** An expression on a backend, of matrices of so many rows or fewer: its values, and with what is sent and read. It is there until it is closed. */
export const expression = async (
  name: string,
  elements: number,
  { backend, part }: Pick<Recorder, 'backend' | 'part'>,
  dtype: Float,
) => {
  const made = benchCase(name, { n: Math.min(elements, 224 * 224), dtype });
  const compiled = await compileProblem(problemOf(made), {
    backend,
    dtype,
    threads: 1,
    ablate: [],
    cache: false,
  });
  const expected = made.expected();
  const of = { amount: expected.length, unit: 'results' } as const;
  const found = part({ part: 'whole', calls: 'all', ...of }, () => {
    for (const [input, values] of Object.entries(compiled.inputs)) compiled.set(input, values);
    part({ part: 'values', calls: 'launches', ...of }, compiled.run);
    return compiled.get('R');
  });
  return {
    problem: made.problem,
    expected,
    isRight: maxRelError(found, expected) <= made.tolerance,
    close: () => compiled.instance.dispose(),
  };
};

/* Compressed rows of each matrix, and the result's entries in that order. */
const filesOf = (problem: BenchProblem): Readonly<Record<string, Uint8Array | string>> =>
  problem.kind === 'expression'
    ? Object.fromEntries(
        Object.entries(problem.matrices).flatMap(([name, { pattern, values }]) => [
          [`${name}.shape.txt`, `${pattern.rows} ${pattern.cols}\n`],
          [`${name}.starts.i32`, bytesOf(pattern.rowPtr)],
          [`${name}.columns.i32`, bytesOf(pattern.colIdx)],
          [`${name}.values.f64`, bytesOf(values)],
        ]),
      )
    : {};

type BenchProblem = ReturnType<typeof benchCase>['problem'];

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
