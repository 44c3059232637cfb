import { printKernel, scalarOps, type Graph } from '@filigree/ir';
import type { CsrPattern } from '@filigree/sparse/formats';
import type { ExpressionRun } from '../cli/expr/expression-run.js';
import { bytesText, countText, msText } from '../cli/text.js';
import { bars, folded, page, runTimes, section, table } from './html.js';
import { spyFigure } from './spy-picture.js';

/** The report of an expression: a page of HTML that needs nothing else. */
export const expressionReport = ({ problem, built, summary: s }: ExpressionRun): string => {
  const { instance, specialized, trace } = built;
  const patterns = Object.entries(problem.program.inputs) as [string, CsrPattern][];
  return page(s.expression, [
    section(
      'Summary',
      table([
        ['result', `${s.rows} × ${s.cols}, ${countText(s.nnzOut)} entries`],
        ['target', `${s.backend}, ${s.dtype}, ${s.threads} thread${s.threads === 1 ? '' : 's'}`],
        ['kernels', `${s.kernels}, launched ${s.launches} times a run`],
        ['index tables', bytesText(s.indexBytes)],
        ['operations of a plain evaluation', countText(s.flops)],
        ['memory at most', `${s.peakRssMB.toFixed(0)} MB`],
        ['switched off', s.ablated.join(', ') || 'nothing'],
        [
          'check against a plain evaluation',
          `${s.check.passed ? 'passed' : 'FAILED'}, largest relative error ${s.check.maxRelError?.toExponential(1) ?? 'not finite'}`,
        ],
      ]),
    ),
    section(
      'Sparsity',
      [...patterns, ['result', problem.pattern] as const].map(([name, p]) => spyFigure(name, p)).join(''),
    ),
    section('Time of a run', runTimes(s.ms.run, s.baselines)),
    section(
      'Time to build',
      bars((['trace', 'analyse', 'generate', 'compile'] as const).map((k) => [k, s.ms[k], msText(s.ms[k])] as const)),
    ),
    section('Expression graph', graphTables(trace.graph)),
    section(
      'Memory',
      table(specialized.module.buffers.map((b) => [b.name, `${b.role}, ${countText(b.length)} × ${b.type}`] as const)),
    ),
    section(
      'Kernels after specialisation',
      specialized.module.kernels.map((k, i) => folded(k.name, printKernel(k), i === 0)).join(''),
    ),
    section(
      `Kernels legalised for ${s.backend}`,
      instance.module.kernels.map((k) => folded(k.name, printKernel(k))).join(''),
    ),
    section(
      'Sources',
      instance.sources.files
        .map((f) => folded(f.name, typeof f.contents === 'string' ? f.contents : `${f.contents.length} bytes`))
        .join(''),
    ),
  ]);
};

const graphTables = (graph: Graph): string => {
  const counts = new Map<string, number>();
  const depth = new Int32Array(graph.length);
  let deepest = 0;
  for (let id = 0; id < graph.length; id++) {
    const { name, arity } = scalarOps[graph.op[id]];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (arity > 0) depth[id] = depth[graph.left[id]] + 1;
    if (arity > 1) depth[id] = Math.max(depth[id], depth[graph.right[id]] + 1);
    deepest = Math.max(deepest, depth[id]);
  }
  const rows = [...counts].sort((a, b) => b[1] - a[1]);
  return (
    table([
      ['nodes', countText(graph.length)],
      ['longest chain of operations', countText(deepest)],
    ]) + bars(rows.map(([name, n]) => [name, n, countText(n)] as const))
  );
};
