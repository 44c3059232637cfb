import type { ExampleSummary } from '../cli/example-run.js';
import { msText } from '../cli/text.js';
import { bars, page, section, table } from './html.js';

/** The report of a gallery example: a page of HTML that needs nothing else. */
export const exampleReport = (
  s: ExampleSummary,
  pictures: readonly (readonly [title: string, svg: string])[] = [],
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
    ...pictures.map(([title, svg]) => section(title, svg)),
  ]);
