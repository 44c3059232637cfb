import type { BenchmarkPage } from '../table.js';
import { geometricMean } from '../measure.js';
import type { Instructions } from './instructions.js';
import type { MatrixResult, SpmvAnswer } from './matrix-result.js';
import { PAPER } from './paper.js';

type Section = BenchmarkPage['sections'][number];

/** A kernel of a matrix: instructions executed and speed, both over those of the plain loop. */
interface Point {
  readonly name: string;
  readonly instructions: number;
  readonly speedup: number;
}

/** The products of a matrix were timed, and their instructions counted. */
interface Counted extends MatrixResult {
  readonly spmv: SpmvAnswer;
  readonly instructions: Instructions;
}

const countedOf = (results: readonly MatrixResult[]): readonly Counted[] =>
  results.flatMap((r) =>
    r.row.spmv && r.instructions ? [{ ...r, spmv: r.row.spmv, instructions: r.instructions }] : [],
  );

const chosenOf = (all: readonly Counted[]): readonly Point[] =>
  all.map(({ name, spmv, instructions: n }) => ({ name, instructions: n.chosen / n.csr, speedup: spmv.speedup }));

const aloneOf = (all: readonly Counted[]): readonly Point[] =>
  all.flatMap(({ name, spmv, instructions: n }) =>
    n.affine === null || spmv.speedupAffine === null
      ? []
      : [{ name, instructions: n.affine / n.csr, speedup: spmv.speedupAffine }],
  );

/** Figure 5 as numbers: matrices in each quarter, and those that the paper singles out. None where nothing was counted. */
export const instructionSections = (results: readonly MatrixResult[]): readonly Section[] => {
  const all = countedOf(results);
  return all.length === 0 ? [] : [quarters(all, results.length), singledOut(all)];
};

const quarters = (all: readonly Counted[], of: number): Section => {
  const [chosen, alone] = [chosenOf(all), aloneOf(all)];
  const { quarters: paper, compiled } = PAPER.figure5;
  const counts = (points: readonly Point[]): readonly string[] => [
    ...QUARTERS.map((q) => String(points.filter(q.holds).length)),
    points.length === 0 ? '–' : geometricMean(points.map((p) => p.instructions)).toFixed(2),
    String(points.length),
  ];
  const columns = [
    [...QUARTERS.map((q) => String(paper[q.name])), '–', String(compiled)],
    counts(alone),
    counts(chosen),
  ];
  const rows = [...QUARTERS.map((q) => q.title), 'instructions ÷ plain loop, geometric mean', 'matrices'];
  return {
    title: 'Instructions and speed-up',
    table: {
      head: ['over the plain loop', 'paper', 'pieces alone', 'chosen kernel'],
      rows: rows.map((title, k) => [title, ...columns.map((c) => c[k]!)]),
    },
    notes: [
      'Instructions are counted by callgrind of Valgrind within one call of each product, the same whatever else the machine does. Valgrind does not know AVX-512, so that what is counted, the plain loop and both kernels, is compiled without it (`-march=haswell`, the processor of the paper); what is timed is compiled for the machine that is named above, and may execute fewer.',
      `Counted for ${all.length} of ${of} matrices, with pieces alone for ${alone.length} of the ${all.filter((r) => r.spmv.speedupAffine !== null).length} of them where these were timed.`,
      'In the picture the corners have these counts, and matrices of the paper stand where its text gives their instructions and speed-up; a triangle points to where one is of which it gives only one of them.',
    ],
  };
};

const QUARTERS: readonly {
  readonly name: keyof typeof PAPER.figure5.quarters;
  readonly title: string;
  readonly holds: (p: Point) => boolean;
}[] = [
  { name: 'fewerFaster', title: 'fewer instructions, faster', holds: (p) => p.instructions < 1 && p.speedup >= 1 },
  { name: 'fewerSlower', title: 'fewer instructions, slower', holds: (p) => p.instructions < 1 && p.speedup < 1 },
  { name: 'moreSlower', title: 'more instructions, slower', holds: (p) => p.instructions >= 1 && p.speedup < 1 },
  { name: 'moreFaster', title: 'more instructions, faster', holds: (p) => p.instructions >= 1 && p.speedup >= 1 },
];

const singledOut = (all: readonly Counted[]): Section => ({
  title: 'Instructions of the matrices that the paper singles out',
  table: {
    head: [
      'matrix',
      'plain loop, paper',
      'plain loop',
      'pieces alone',
      'chosen',
      'pieces ÷ plain loop, paper',
      'pieces alone ÷ plain loop',
      'chosen ÷ plain loop',
    ],
    rows: Object.entries(PAPER.figure5.singled).flatMap(([name, paper]) => {
      const r = all.find((x) => x.name === name);
      if (r === undefined) return [];
      const { csr, chosen, affine } = r.instructions;
      return [
        [
          name,
          String(Math.round(paper.csr)),
          String(csr),
          affine === null ? '–' : String(affine),
          String(chosen),
          paper.ratio === undefined ? paper.said : `${paper.ratio} (${paper.said})`,
          affine === null ? '–' : (affine / csr).toFixed(2),
          (chosen / csr).toFixed(2),
        ],
      ];
    }),
  },
  notes: [
    'Instructions of one product. Those that the paper gives of this loop were counted by hardware over 1,000 products.',
  ],
});

/**
 * Figure 5: how many times faster than the plain loop, by the instructions executed over those of the plain loop; the lines at 1 divide
 * it into four, with how many of the paper's matrices are in each, and the paper's own where it gives a number.
 * `undefined` where nothing was counted.
 */
export const speedupPicture = (results: readonly MatrixResult[]): string | undefined => {
  const all = countedOf(results);
  if (all.length === 0) return undefined;
  const [chosen, alone] = [chosenOf(all), aloneOf(all)];
  const one = { x: x(1), y: y(1) };
  const corners = [
    { name: 'fewerFaster', at: [left + 8, top + 16], anchor: 'start' },
    { name: 'moreFaster', at: [left + width - 8, top + 16], anchor: 'end' },
    { name: 'fewerSlower', at: [left + 8, top + height - 8], anchor: 'start' },
    { name: 'moreSlower', at: [left + width - 8, top + height - 8], anchor: 'end' },
  ] as const;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="680" height="440" viewBox="0 0 680 440" font-family="sans-serif" font-size="12">`,
    '<rect width="680" height="440" fill="#ffffff"/>',
    `<text x="12" y="24" font-size="15">Times faster than the plain loop: <tspan fill="${CHOSEN}">chosen kernel</tspan>, <tspan fill="${ALONE}">pieces alone</tspan>, <tspan fill="${THEIRS}">the paper</tspan></text>`,
    ...SPEEDUPS.map(
      (v) =>
        `<path d="M${left} ${y(v).toFixed(1)}h${width}" stroke="#ddd"/><text x="${left - 6}" y="${(y(v) + 4).toFixed(1)}" text-anchor="end">${mark(v)}</text>`,
    ),
    ...RATIOS.map(
      (v) =>
        `<path d="M${x(v).toFixed(1)} ${top}v${height}" stroke="#ddd"/><text x="${x(v).toFixed(1)}" y="${top + height + 18}" text-anchor="middle">${mark(v)}</text>`,
    ),
    `<path d="M${left} ${one.y.toFixed(1)}h${width}M${one.x.toFixed(1)} ${top}v${height}" stroke="#333" stroke-dasharray="6 4"/>`,
    ...alone.map((p) => dot(p, ALONE)),
    ...chosen.map((p) => dot(p, CHOSEN)),
    ...Object.entries(PAPER.figure5.singled).flatMap(([name, paper]) => theirs(name, paper.ratio, PAPER.singled[name])),
    ...corners.map(({ name, at, anchor }) => {
      const holds = QUARTERS.find((q) => q.name === name)!.holds;
      const count = (points: readonly Point[], colour: string): string =>
        `<tspan fill="${colour}">${points.filter(holds).length}</tspan>`;
      return `<text x="${at[0]}" y="${at[1]}" text-anchor="${anchor}" font-weight="bold">${count(chosen, CHOSEN)} · ${count(alone, ALONE)} · <tspan fill="${THEIRS}">${PAPER.figure5.quarters[name]}</tspan></text>`;
    }),
    `<text x="${left + width / 2}" y="${top + height + 38}" text-anchor="middle">instructions executed ÷ those of the plain loop</text>`,
    '</svg>',
    '',
  ].join('\n');
};

const [left, top, width, height] = [50, 40, 600, 350];
const RATIOS = [0.03125, 0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32];
const SPEEDUPS = [0.03125, 0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16];
const [CHOSEN, ALONE, THEIRS] = ['#0072b2', '#d55e00', '#009e73'];

const mark = (v: number): string => (v < 1 ? `1/${1 / v}` : String(v));

/** The share of the way from the first of a scale's marks to the last; what is outside stands at the edge. */
const share = (v: number, marks: readonly number[]): number => {
  const [low, high] = [marks[0]!, marks.at(-1)!];
  return Math.log(Math.min(high, Math.max(low, v)) / low) / Math.log(high / low);
};
const x = (ratio: number): number => left + width * share(ratio, RATIOS);
const y = (speedup: number): number => top + height * (1 - share(speedup, SPEEDUPS));

const dot = (p: Point, colour: string): string =>
  `<circle cx="${x(p.instructions).toFixed(1)}" cy="${y(p.speedup).toFixed(1)}" r="3" fill="${colour}" fill-opacity=".75"><title>${p.name}: ${p.instructions.toFixed(2)} of the instructions, ${p.speedup.toFixed(2)} times faster</title></circle>`;

/** A matrix of the paper where its text places it; a triangle points to where it must be if the text gives one number only. */
const theirs = (name: string, ratio: number | undefined, speedup: number | undefined): readonly string[] => {
  if (ratio === undefined && speedup === undefined) return [];
  const [cx, cy] = [x(ratio ?? 1), y(speedup ?? 1)];
  const shape =
    ratio === undefined
      ? `<path d="M${(cx - 12).toFixed(1)} ${cy.toFixed(1)}l10 -5v10z"`
      : speedup === undefined
        ? `<path d="M${cx.toFixed(1)} ${(cy + 12).toFixed(1)}l-5 -10h10z"`
        : `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="5"`;
  return [
    `${shape} fill="#ffffff" stroke="${THEIRS}" stroke-width="2"/>`,
    `<text x="${(cx + 9).toFixed(1)}" y="${(cy + (speedup === undefined ? 14 : -6)).toFixed(1)}" fill="${THEIRS}" stroke="#ffffff" stroke-width="3" paint-order="stroke">${name}</text>`,
  ];
};
