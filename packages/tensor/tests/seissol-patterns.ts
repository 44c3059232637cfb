import { existsSync, readFileSync } from 'node:fs';
import { patternOf, type BooleanTensor } from '@filigree/sparse/eqspp';

/** Basis functions of a scheme of some order in three dimensions. */
export const basis = (order: number): number => (order * (order + 1) * (order + 2)) / 6;

export interface SeisSolPatterns {
  /** K̂ and K̃ᵀ, for the three directions. */
  readonly kDivM: readonly BooleanTensor[];
  readonly kDivMT: readonly BooleanTensor[];
  /** R̂ (volume × face), f for a rotated and for a mirrored neighbour (face × face), R (volume × face). */
  readonly rDivM: BooleanTensor;
  readonly fRotated: BooleanTensor;
  readonly fMirrored: BooleanTensor;
  readonly r: BooleanTensor;
  readonly star: BooleanTensor;
}

/**
 * Patterns of SeisSol's matrices: its own where they are at hand, otherwise of the same structure, by the degrees of an
 * orthogonal basis: derivatives lower the degree, traces do not raise it, rotations of a face keep it.
 */
export const seissolPatterns = (order: number): SeisSolPatterns => {
  const folder = `${process.env.FILIGREE_DATA ?? '../shared/data'}/seissol`;
  const file = `${folder}/matrices_${basis(order)}.xml`;
  if (!existsSync(file) || !existsSync(`${folder}/star.xml`)) return generated(order);
  const m = { ...readPatterns(file), ...readPatterns(`${folder}/star.xml`) };
  return {
    kDivM: [0, 1, 2].map((d) => m[`kDivM(${d})`]),
    kDivMT: [0, 1, 2].map((d) => m[`kDivMT(${d})`]),
    rDivM: m['rDivM(1)'],
    fRotated: m['fP(0)'],
    fMirrored: m['fP(1)'],
    r: transposed(m['rT(2)']),
    star: m['star'],
  };
};

const readPatterns = (file: string): Record<string, BooleanTensor> => {
  const attribute = (text: string, name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(text)![1];
  return Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/<matrix ([^>]*)>([\s\S]*?)<\/matrix>/g)].map(([, head, body]) => {
      const entries = [...body.matchAll(/<entry ([^>]*)\/>/g)].map(([, e]) =>
        ['row', 'column'].map((name) => Number(attribute(e, name)) - 1),
      );
      const shape = ['rows', 'columns'].map((name) => Number(attribute(head, name)));
      return [attribute(head, 'name'), patternOf(shape, entries)];
    }),
  );
};

const generated = (order: number): SeisSolPatterns => {
  const degrees = (count: (degree: number) => number): number[] =>
    Array.from({ length: order }, (_, n) => new Array<number>(count(n)).fill(n)).flat();
  const volume = degrees((n) => ((n + 1) * (n + 2)) / 2);
  const face = degrees((n) => n + 1);
  const make = (
    rows: readonly number[],
    columns: readonly number[],
    kept: (row: number, column: number, i: number, j: number) => boolean,
  ): BooleanTensor =>
    patternOf(
      [rows.length, columns.length],
      rows.flatMap((x, i) => columns.flatMap((y, j) => (kept(x, y, i, j) ? [[i, j]] : []))),
    );
  const kDivM = [0, 1, 2].map((d) => make(volume, volume, (x, y, i, j) => y < x && (i + j + d) % 2 === 0));
  const stress = [0, 1, 2, 3, 4, 5];
  return {
    kDivM,
    kDivMT: kDivM.map(transposed),
    rDivM: make(volume, face, (x, y, i, j) => y <= x && (i + j) % 2 === 0),
    fRotated: make(face, face, (x, y) => x === y),
    fMirrored: make(face, face, (_x, _y, i, j) => i === j),
    r: make(volume, face, (x, y) => y <= x),
    star: patternOf(
      [9, 9],
      stress.flatMap((s) =>
        [6, 7, 8]
          .filter((v) => s !== v - 3)
          .flatMap((v) => [
            [v, s],
            [s, v],
          ]),
      ),
    ),
  };
};

const transposed = ({ shape: [rows, columns], bits }: BooleanTensor): BooleanTensor => {
  const entries: number[][] = [];
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) if (bits[i + rows * j] === 1) entries.push([j, i]);
  return patternOf([columns, rows], entries);
};
