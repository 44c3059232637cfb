import type { CompileSummary } from '../cli/compile-module.js';
import type { RecordedProgram } from '../cli/compile-record.js';
import { msText } from '../cli/text.js';
import { bars, grid, page, section } from './html.js';
import { programSections } from './program-report.js';

/** The report of the programs that a module exports: a page of HTML that needs nothing else. */
export const moduleReport = (
  path: string,
  { kernels, ms, backend, dtype }: CompileSummary,
  programs: readonly RecordedProgram[],
): string =>
  page(path, [
    section(
      'Summary',
      grid(
        ['kernel', 'tasks', 'backend', 'type', 'compiled code'],
        kernels.map((k) => [k.name, String(k.tasks), k.backend || backend, dtype, k.artifact ?? '']),
      ),
    ),
    section('Time to build', bars(Object.entries(ms).map(([stage, t]) => [stage, t, msText(t)] as const))),
    ...programs.flatMap((p, k) => programSections(p, `Program ${k + 1}, ${p.module.name}`)),
  ]);
