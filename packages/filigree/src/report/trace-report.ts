import { groupByShape, printPiece, type Piece } from '@filigree/sparse/trace';
import { sourcesOf } from '../cli/trace/spmv-kernels.js';
import type { TraceRun, TraceSummary } from '../cli/trace/trace-run.js';
import { countText, msText } from '../cli/text.js';
import { bars, escape, folded, page, section, table } from './html.js';
import { pieceColour, pieceFigure } from './piece-picture.js';

/** The report of a matrix rebuilt as pieces: a page of HTML that needs nothing else. */
export const traceReport = ({ matrix, found, summary: s, kernels, backend }: TraceRun): string =>
  page(s.file, [
    section(
      'Summary',
      table([
        ['matrix', `${s.rows} × ${s.cols}, ${countText(s.nnz)} non-zeros, ${s.field} ${s.symmetry}`],
        ['pieces', `${countText(s.pieces)} of ${countText(s.shapes)} shapes`],
        ['loops of a piece', `at most ${s.maxDims}, ${s.meanDims.toFixed(2)} in the geometric mean`],
        ['cover', s.exact ? 'every non-zero once and in order' : `${countText(s.covered)} non-zeros`],
        ['rebuilt in', `${msText(s.ms.reconstruct)}, ${msText(s.msPerPiece)} a piece`],
      ]),
    ),
    section('Non-zeros by piece', pieceFigure(matrix.pattern, found)),
    ...(found.pieces.length === 0
      ? []
      : [section('Points of a piece', sizeBars(found.pieces)), section('Pieces', pieceList(found.pieces))]),
    ...(s.spmv === undefined ? [] : [section('A product with a vector', timeBars(s.spmv))]),
    ...(kernels && backend
      ? [
          section(
            `Sources of the chosen kernel for ${backend.name}`,
            sourcesOf(kernels.chosen.module, backend)
              .files.map((f) =>
                folded(f.name, typeof f.contents === 'string' ? f.contents : `${f.contents.length} bytes`),
              )
              .join(''),
          ),
        ]
      : []),
  ]);

/** How many pieces have so many points, in powers of two. */
const sizeBars = (pieces: readonly Piece[]): string => {
  const counts: number[] = [];
  for (const { count } of pieces) {
    const bin = Math.floor(Math.log2(count));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const rangeText = (bin: number): string => (bin === 0 ? '1' : `${2 ** bin} to ${2 ** (bin + 1) - 1}`);
  return bars(Array.from(counts, (n = 0, bin) => [rangeText(bin), n, countText(n)] as const));
};

/** The largest pieces as loops, each shape once. */
const pieceList = (pieces: readonly Piece[]): string => {
  const groups = groupByShape(pieces).map(({ members }) => ({
    first: members[0],
    alike: members.length,
    points: pieces[members[0]].count,
  }));
  groups.sort((a, b) => b.points * b.alike - a.points * a.alike);
  const shown = groups.slice(0, SHOWN).map(({ first, alike, points }) => {
    const mark = `<span style="color:${pieceColour(first)}">■</span> `;
    const title = `piece ${first + 1}: ${countText(points)} points${alike > 1 ? `, one of ${countText(alike)} of this shape` : ''}`;
    return folded(title, printPiece(pieces[first])).replace('<summary>', `<summary>${mark}`);
  });
  const rest = groups.length - shown.length;
  return shown.join('') + (rest > 0 ? `<p>${escape(`and ${countText(rest)} shapes with fewer points`)}</p>` : '');
};

const SHOWN = 40;

const timeBars = (m: NonNullable<TraceSummary['spmv']>): string =>
  bars(
    (
      [
        ['chosen kernel', m.chosenMs],
        ['compressed rows', m.csrMs],
        ['with vectors', m.csrTunedMs],
        ['pieces alone', m.affineMs],
      ] as const
    ).flatMap(([name, ms]) => (ms === null ? [] : [[name, ms, msText(ms)] as const])),
  );
