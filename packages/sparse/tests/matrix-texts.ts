import type { FileField, Symmetry } from '@filigree/sparse/formats';

/* Matrix Market text without the package: written line by line as the format's page describes it, and read by splitting. */

/** Entries by place, row · columns + column from 0, both triangles. */
export type Entries = ReadonlyMap<number, number>;

export interface MatrixText {
  readonly name: string;
  readonly text: string;
  readonly rows: number;
  readonly cols: number;
  readonly stored: number;
  readonly symmetry: Symmetry;
  readonly field: FileField;
  readonly entries: Entries;
}

/** The magnitudes of a complex number's parts give a Pythagorean triple, so that its absolute value is exact. */
const COMPLEX = [
  [3, 4],
  [-5, 12],
  [8, -15],
  [-7, -24],
] as const;

/** How files spell a number: all of these are the same. */
const SPELLINGS: readonly ((x: number) => string)[] = [
  (x) => String(x),
  (x) => x.toExponential(),
  (x) => x.toExponential().replace('e', 'E'),
  (x) => `${x < 0 ? '' : '+'}${x}`,
];

/** A text of each field and symmetry, of matrices of some sizes: places and values follow from small formulas. */
export const matrixTexts = (): readonly MatrixText[] =>
  [1, 7, 40].flatMap((n) =>
    (['real', 'integer', 'pattern', 'complex'] as const).flatMap((field) =>
      (['general', 'symmetric', 'skew-symmetric', 'hermitian'] as const)
        .filter((symmetry) => (field === 'pattern' ? symmetry !== 'skew-symmetric' : true))
        .filter((symmetry) => (field === 'complex' ? true : symmetry !== 'hermitian'))
        .map((symmetry) => matrixText(n, field, symmetry)),
    ),
  );

const matrixText = (n: number, field: FileField, symmetry: Symmetry): MatrixText => {
  const cols = symmetry === 'general' ? n + 2 : n;
  const places: [number, number][] = [];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < cols; j++) {
      const below = symmetry === 'general' || j < i || (j === i && symmetry !== 'skew-symmetric');
      if (below && ((3 * i + 5 * j) % 7 === 1 || i === j)) places.push([i, j]);
    }
  /* In no order, as files may be. */
  places.sort(([a, b], [c, d]) => ((17 * a + 31 * b) % 23) - ((17 * c + 31 * d) % 23));
  const entries = new Map<number, number>();
  const lines = places.map(([i, j], k) => {
    const [re, im] = symmetry === 'hermitian' && i === j ? [-6, 0] : COMPLEX[k % COMPLEX.length];
    const whole = ((5 * i + 11 * j) % 19) - 9 || 4;
    const value = { real: whole / 8, integer: whole, pattern: 1, complex: Math.sqrt(re * re + im * im) }[field];
    const spelled = SPELLINGS[k % SPELLINGS.length];
    const numbers = {
      real: [spelled(whole / 8)],
      integer: [String(whole)],
      pattern: [],
      complex: [`${re}`, `${im}.0`],
    };
    entries.set(i * cols + j, value);
    if (symmetry !== 'general' && i !== j)
      entries.set(j * cols + i, symmetry === 'skew-symmetric' && field !== 'complex' ? -value : value);
    return [`${i + 1}`, `${j + 1}`, ...numbers[field]].join(k % 3 === 0 ? '  ' : ' ') + (k % 5 === 0 ? ' ' : '');
  });
  const head = `%%MatrixMarket matrix coordinate ${n === 7 ? field.toUpperCase() : field} ${symmetry}`;
  const comment = n === 40 ? '% a comment\n%\n' : '';
  return {
    name: `${field} ${symmetry} ${n} × ${cols}`,
    text: `${head}\n${comment}${n} ${cols} ${lines.length}\n${lines.map((l) => `${l}\n`).join('')}`,
    rows: n,
    cols,
    stored: lines.length,
    symmetry,
    field,
    entries,
  };
};

/** Absolute values of a text's entries read by nothing but `split`; skew-symmetric ones keep their sign. */
export const readPlainly = (text: string): Entries => {
  const [head, ...rest] = text.split('\n').filter((line) => line.trim() !== '');
  const [, , , field, symmetry] = head.toLowerCase().split(/\s+/);
  const [sizes, ...lines] = rest.filter((line) => !line.startsWith('%'));
  const cols = Number(sizes.trim().split(/\s+/)[1]);
  const entries = new Map<number, number>();
  for (const line of lines) {
    const [row, col, re = '1', im = '0'] = line.trim().split(/\s+/);
    const [i, j] = [Number(row) - 1, Number(col) - 1];
    const value = field === 'complex' ? Math.hypot(Number(re), Number(im)) : Number(re);
    entries.set(i * cols + j, value);
    if (symmetry !== 'general' && i !== j)
      entries.set(j * cols + i, symmetry === 'skew-symmetric' && field !== 'complex' ? -value : value);
  }
  return entries;
};
