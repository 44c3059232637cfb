import { fail } from '@filigree/ir';
import type { BooleanTensor } from '@filigree/sparse/eqspp';
import type { ReadOptions } from '@filigree/sparse/formats';
import { layoutKinds, scalarsOf, type KernelDecl, type LayoutKind } from '@filigree/tensor/einsum';
import { declareKernel } from '../../api/tensors/compile.js';
import { tensorsIn } from '../../api/tensors/declare.js';
import { readMatrixFile } from '../../files/read-matrix.js';
import type { EinsumRunOptions } from './einsum-options.js';

/** The formula with the shapes, patterns, values and layouts that options give. */
export const declarationOf = async (formula: string, options: EinsumRunOptions): Promise<KernelDecl> => {
  const shapes = Object.fromEntries(
    Object.entries(options.shape ?? {}).map(([name, text]) => [name, shapeOf(name, text)]),
  );
  const declared = tensorsIn(formula);
  const read = async (name: string, file: string, how: ReadOptions): Promise<DenseTensor> => {
    const matrix = await matrixOf(name, file, how);
    return declared[name]?.shape.length === 1 ? asVector(matrix) : matrix;
  };
  const patterns: Record<string, BooleanTensor> = {};
  for (const [name, file] of Object.entries(options.pattern ?? {}))
    patterns[name] = (await read(name, file, { patternOnly: true })).pattern;
  const values: Record<string, Float64Array> = {};
  for (const [name, file] of Object.entries(options.known ?? {})) {
    const matrix = await read(name, file, options.complex ? { complex: options.complex } : {});
    values[name] = matrix.values;
    patterns[name] ??= matrix.pattern;
    const [own, given] = [matrix.pattern.shape, patterns[name].shape].map((shape) => shape.join(' × '));
    if (own !== given)
      fail('einsum/shape', `the known values of ${name} are ${own}, its pattern is ${given}`, {
        remedy: 'give both for the same matrix, or the values alone',
      });
  }
  const layouts = Object.fromEntries(
    Object.entries(options.layout ?? {}).map(([name, kind]): [string, LayoutKind] => [
      name,
      layoutKinds.find((l) => l === kind) ??
        fail('einsum/layout', `there is no layout '${kind}' for ${name}`, {
          remedy: `use one of ${layoutKinds.join(', ')}`,
        }),
    ]),
  );
  const decl = declareKernel(formula, { shapes, patterns, values, layouts }, options.name);
  const scalars = scalarsOf(decl);
  const unknown = Object.keys(options.scalar ?? {}).find((s) => !scalars.includes(s));
  if (unknown !== undefined)
    fail('einsum/unknown', `the formula has no scalar '${unknown}'`, {
      remedy: scalars.length > 0 ? `its scalars are ${scalars.join(', ')}` : `it has none: leave --scalar out`,
    });
  return decl;
};

const shapeOf = (name: string, text: string): readonly number[] | number => {
  const isLetter = /^[A-Za-z]$/.test(name);
  const words = text.split(',');
  const extents = words.map((t) => Number(t.trim() === '' ? NaN : t));
  const wrong = extents.findIndex((n) => !Number.isSafeInteger(n) || n < 1);
  if (wrong >= 0)
    fail(
      'einsum/shape',
      `'${text}' is not a shape of ${name}: its extent '${words[wrong]}' is no whole number from 1`,
      {
        remedy: `write --shape ${name}=${isLetter ? '8' : '8,56,9'}`,
      },
    );
  return isLetter && extents.length === 1 ? extents[0]! : extents;
};

/** A scalar's value as given, if it is. Error: `einsum/scalar`. */
export const numberOf = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  const x = Number(text);
  return Number.isFinite(x) && text.trim() !== ''
    ? x
    : fail('einsum/scalar', `'${text}' is no value for the scalar ${name}`, { remedy: `write --scalar ${name}=0.5` });
};

interface DenseTensor {
  readonly pattern: BooleanTensor;
  readonly values: Float64Array;
}

/* Matrix files have no vectors: a matrix of one column or one row is one. */
const asVector = ({ pattern: { shape, bits }, values }: DenseTensor): DenseTensor => ({
  pattern: { shape: shape.includes(1) ? [bits.length] : shape, bits },
  values,
});

/** The most entries of a small tensor. */
const MOST_ENTRIES = 2 ** 27;

/** A matrix file as a dense tensor of two dimensions. Error: `einsum/size`, and those of reading. */
const matrixOf = async (name: string, file: string, options: ReadOptions): Promise<DenseTensor> => {
  const { pattern, values } = await readMatrixFile(file, options);
  const { rows, cols, rowPtr, colIdx } = pattern;
  if (rows * cols > MOST_ENTRIES)
    fail('einsum/size', `${file} has ${rows} × ${cols} entries, too many for the small tensor ${name}`, {
      remedy: `give a matrix of fewer than 2^27 entries, zeros included; filigree expr takes large sparse ones`,
    });
  const bits = new Uint8Array(rows * cols);
  const dense = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++)
    for (let p = rowPtr[i]!; p < rowPtr[i + 1]!; p++) {
      bits[i + colIdx[p]! * rows] = 1;
      dense[i + colIdx[p]! * rows]! += values[p]!;
    }
  return { pattern: { shape: [rows, cols], bits }, values: dense };
};
