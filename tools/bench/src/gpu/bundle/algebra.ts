import { compileProblem, maxRelError } from '@filigree/e2e';
import { benchCase } from '../../cases.js';
import { problemOf } from '../../filigree.js';
import type { BundledProgram, LeftOut } from './programs.js';
import type { Recorder } from './recorder.js';
import { byRelative } from './relative.js';

/** Expressions on sparse matrices: their values alone, and with what is sent to the device and read from it. Beside them lie the matrices, for other libraries. */
export async function* algebra(elements: number, recorder: Recorder): AsyncGenerator<BundledProgram | LeftOut> {
  for (const name of ['power-2', 'lmlt-plus-k']) yield expression(name, Math.min(elements, 224 * 224), recorder);
}

const expression = async (
  name: string,
  n: number,
  { backend, part, take }: Recorder,
): Promise<BundledProgram | LeftOut> => {
  const made = benchCase(name, { n });
  const compiled = await compileProblem(problemOf(made), {
    backend,
    dtype: 'f64',
    threads: 1,
    ablate: [],
    cache: false,
  });
  try {
    const expected = made.expected();
    const of = { amount: expected.length, unit: 'results' } as const;
    const found = part({ part: 'whole', calls: 'all', ...of }, () => {
      for (const [input, values] of Object.entries(compiled.inputs)) compiled.set(input, values);
      part({ part: 'values', calls: 'launches', ...of }, compiled.run);
      return compiled.get('R');
    });
    const recording = take();
    if (!(maxRelError(found, expected) <= made.tolerance)) return { name, reason: 'its result is wrong' };
    return {
      name,
      kind: 'algebra',
      recording,
      tolerance: byRelative,
      files: { ...filesOf(made.problem), 'expected.f64': bytesOf(expected) },
    };
  } finally {
    compiled.instance.dispose();
    take();
  }
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
