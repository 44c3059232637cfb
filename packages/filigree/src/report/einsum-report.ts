import { printKernel } from '@filigree/ir';
import type { BooleanTensor } from '@filigree/sparse/eqspp';
import type { CsrPattern } from '@filigree/sparse/formats';
import type { EinsumRun } from '../cli/einsum/einsum-run.js';
import { speedRows } from '../cli/einsum/speed-rows.js';
import { countText } from '../cli/text.js';
import { folded, page, runTimes, section, table } from './html.js';
import { spyFigure } from './spy-picture.js';

/** The report of a tensor kernel: plan, patterns and equivalent patterns as pictures, kernel IR, sources; a page of HTML. */
export const einsumReport = ({ program, patterns, summary: s }: EinsumRun): string =>
  page(s.formula, [
    section(
      'Summary',
      table([
        ['target', `${s.backend}, ${s.dtype}, vectors of ${s.vectorBytes} bytes`],
        ['operations on non-zeros', countText(s.flops.nonzero)],
        ['operations in hardware, stored zeros included', countText(s.flops.hardware)],
        ['operations of plain loops', countText(s.flops.naive)],
        ...speedRows(s),
        [
          'check against nested loops',
          `${s.check.passed ? 'passed' : 'FAILED'}, largest relative error ${s.check.maxRelError?.toExponential(1) ?? 'not finite'}`,
        ],
      ]),
    ),
    section(
      'Plan',
      table(
        s.steps.map((step) => [
          step.text,
          step.m === null ? step.kind : `${step.m} × ${step.n} × ${step.k}${step.loops.map((n) => ` · ${n}`).join('')}`,
        ]),
      ),
    ),
    section(
      'Patterns, and what of them the result depends on',
      Object.entries(patterns)
        .map(([name, { declared, equivalent }]) => {
          const before = spyFigure(name, unfolded(declared));
          return same(declared, equivalent) ? before : before + spyFigure(`${name}, needed`, unfolded(equivalent));
        })
        .join(''),
    ),
    section(
      'Memory',
      table(
        Object.entries(s.tensors).map(([name, t]) => [
          name,
          `${t.layout} of ${countText(t.size)} for ${t.shape.join(' × ') || 'a number'}`,
        ]),
      ),
    ),
    section('Time of a run', runTimes(s.ms.run, s.baselines)),
    section('Kernels', program.module.kernels.map((k, i) => folded(k.name, printKernel(k), i === 0)).join('')),
    section(
      'Sources',
      program.sources.files
        .map((f) => folded(f.name, typeof f.contents === 'string' ? f.contents : `${f.contents.length} bytes`))
        .join(''),
    ),
  ]);

const same = (a: BooleanTensor, b: BooleanTensor): boolean => a.bits.every((x, k) => x === b.bits[k]);

/** A tensor as a matrix: rows are the first index, columns all others, the second fastest. */
const unfolded = ({ shape, bits }: BooleanTensor): CsrPattern => {
  const rows = shape[0] ?? 1;
  const cols = bits.length / rows;
  const rowPtr = new Int32Array(rows + 1);
  const colIdx: number[] = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) if (bits[i + j * rows]) colIdx.push(j);
    rowPtr[i + 1] = colIdx.length;
  }
  return { rows, cols, rowPtr, colIdx: Int32Array.from(colIdx) };
};
