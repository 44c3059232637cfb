import { forEachRun, type InterestRegion } from '@filigree/sparse/equations';
import { type CsrPattern } from '@filigree/sparse/formats';
import type { RegionsRun } from '../cli/regions/regions-run.js';
import { bytesText, countText, msText } from '../cli/text.js';
import { bars, escape, folded, page, section, table } from './html.js';
import { spyFigure } from './spy-picture.js';

/** The report of a program's interest regions: a page of HTML that needs nothing else. */
export const regionsReport = ({ regions, inputs, summary: s, code }: RegionsRun): string =>
  page(s.program, [
    section(
      'Summary',
      table([
        [
          'sizes',
          Object.entries(s.sizes)
            .map(([n, v]) => `${n} = ${v}`)
            .join(', ') || 'those of the program',
        ],
        ...s.statements.map((x) => [x.name, `${countText(x.count)} of ${countText(x.dense)} iterations`] as const),
        ['solved in', msText(s.ms.solve)],
        ['evaluated in', msText(s.ms.evaluate)],
        ['memory at most', `${s.peakRssMB.toFixed(0)} MB`],
        [
          'check against the dense program',
          s.check.skipped === undefined
            ? s.check.passed
              ? `passed, ${countText(s.check.compared)} iterations`
              : `FAILED: ${s.check.wrong}`
            : `not made: ${s.check.skipped}`,
        ],
      ]),
    ),
    section(
      'Equations',
      s.statements.map((x) => folded(x.name, `${x.recurrence}\n\n${x.equation}\n${x.solution}`, true)).join('') +
        folded('Letters', s.letters.join('\n')),
    ),
    section(
      'Inputs',
      Object.entries(inputs)
        .map(([name, p]) => spyFigure(name, p))
        .join(''),
    ),
    section('Interest regions', regions.statements.map((r, k) => regionFigure(s.statements[k].name, r)).join('')),
    ...(s.code === undefined
      ? []
      : [
          section(
            'Specialised program',
            table([
              ...s.code.statements.map(
                (x) =>
                  [
                    x.name,
                    `${countText(x.iterations)} iterations, ${x.pieces === undefined ? x.form : `${x.pieces} pieces`}`,
                  ] as const,
              ),
              ['tables', bytesText(s.code.indexBytes)],
            ]) +
              (s.code.ms.run === undefined || s.code.ms.dense === undefined
                ? ''
                : bars([
                    ['regions', s.code.ms.run, msText(s.code.ms.run)],
                    ['dense', s.code.ms.dense, msText(s.code.ms.dense)],
                  ])),
          ),
        ]),
    ...(code === undefined
      ? []
      : [
          section(
            'Sources',
            code.sources.files
              .map((f) => folded(f.name, typeof f.contents === 'string' ? f.contents : `${f.contents.length} bytes`))
              .join(''),
          ),
        ]),
  ]);

/** Iterations that a picture is made of at most. */
const MOST_SHOWN = 2 ** 22;

/** A region projected to its first and last iterators that make a plane. */
const regionFigure = (name: string, r: InterestRegion): string => {
  const dims = r.iterators.length;
  if (dims === 0 || r.count > MOST_SHOWN)
    return `<p>${escape(`${name}: ${countText(r.count)} iterations${dims === 0 ? '' : ', too many for a picture'}`)}</p>`;
  /* Iterators that go furthest: time steps are many pictures in one. */
  const longest = r.box.extent.map((n, d) => ({ n, d })).sort((a, b) => b.n - a.n || a.d - b.d);
  const axes = longest
    .slice(0, 2)
    .map(({ d }) => d)
    .sort((a, b) => a - b);
  const [rowAxis, colAxis] = axes.length === 2 ? axes : [-1, axes[0]];
  return spyFigure(`${name} over (${axes.map((d) => r.iterators[d]).join(', ')})`, projected(r, rowAxis, colAxis));
};

const projected = (r: InterestRegion, rowAxis: number, colAxis: number): CsrPattern => {
  const { extent, strides } = r.box;
  const rows = rowAxis < 0 ? 1 : extent[rowAxis];
  const cols = extent[colAxis];
  const places = new Set<number>();
  forEachRun(r.points(), (from, to) => {
    for (let c = from; c < to; c++) {
      const i = rowAxis < 0 ? 0 : Math.floor(c / strides[rowAxis]) % extent[rowAxis];
      places.add(i * cols + (Math.floor(c / strides[colAxis]) % cols));
    }
  });
  const codes = Float64Array.from(places).sort();
  const rowPtr = new Int32Array(rows + 1);
  for (const c of codes) rowPtr[Math.floor(c / cols) + 1]++;
  for (let i = 0; i < rows; i++) rowPtr[i + 1] += rowPtr[i];
  return { rows, cols, rowPtr, colIdx: Int32Array.from(codes, (c) => c % cols) };
};
