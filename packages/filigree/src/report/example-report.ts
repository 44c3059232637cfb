import { basename } from 'node:path';
import type { Loss } from '@filigree/quant';
import type { ExampleSummary } from '../cli/example-run.js';
import { msText } from '../cli/text.js';
import type { RecordedProgram } from '../cli/compile-record.js';
import { bars, grid, page, section, table } from './html.js';
import { programSections } from './program-report.js';

/** The report of a gallery example: a page of HTML that needs nothing else. */
export const exampleReport = (
  s: ExampleSummary,
  pictures: readonly (readonly [title: string, svg: string])[],
  programs: readonly RecordedProgram[],
): string =>
  page(s.example, [
    section(
      'Summary',
      table([
        ['target', `${s.backend}, ${s.dtype}, ${s.threads} thread${s.threads === 1 ? '' : 's'}`],
        ...(s.nodes === undefined ? [] : [['nodes of the expression graph', String(s.nodes)] as const]),
        ...(s.kernels === undefined ? [] : [['kernels', String(s.kernels)] as const]),
        ['memory at most', `${s.memoryMB.toFixed(0)} MB`],
        [
          'check',
          `${s.check.passed ? 'passed' : 'FAILED'}${s.check.maxRelError === undefined ? '' : `, largest relative error ${s.check.maxRelError.toExponential(1)}`}`,
        ],
      ]),
    ),
    section('Results', table(Object.entries(s.metrics).map(([name, value]) => [name, String(value)] as const))),
    section('Times', bars(Object.entries(s.ms).map(([name, ms]) => [name, ms, msText(ms)] as const))),
    ...(s.baselines === undefined
      ? []
      : [section('Baselines', bars(Object.entries(s.baselines).map(([name, ms]) => [name, ms, msText(ms)] as const)))]),
    ...(s.losses ?? []).map(({ program, places }) => section(`What ${program} loses in few bits`, lossTable(places))),
    ...pictures.map(([title, svg]) => section(title, svg)),
    ...programs
      .slice(0, MOST_PROGRAMS)
      .flatMap((p, k) => programSections(p, p.name ?? `Program ${k + 1}, ${p.module.name}`)),
    ...(programs.length > MOST_PROGRAMS
      ? [section('Further programs', `<p>${programs.length - MOST_PROGRAMS} more were compiled.</p>`)]
      : []),
  ]);

/** Those of an example that are shown in full. */
const MOST_PROGRAMS = 12;

const lossTable = (places: readonly Loss[]): string =>
  grid(
    ['field', 'kernel', 'place', 'stored', 'overflowed', 'saturated', 'flushed', 'NaN', 'largest relative error'],
    places.map((p) => [
      p.field,
      p.kernel,
      p.loc ? `${basename(p.loc.file)}:${p.loc.line}` : '',
      ...[p.stores, p.overflowed, p.saturated, p.flushed, p.nan].map(String),
      p.maxRelError.toExponential(1),
    ]),
  );
