import { markdownTable, ms } from '../table.js';
import type { GpuResult } from './results.js';

/** A part of a program that was measured by itself. */
type Measured = GpuResult['parts'][number];

/** What a page says of rates, or of algebra, besides what was measured: more columns of its table, and notes below it. */
export interface Besides {
  readonly columns?: readonly { readonly head: string; readonly cell: (r: GpuResult, part: Measured) => string }[];
  readonly notes: readonly string[];
}

/** What was measured on a device, as blocks of its page. */
export const ratesBlocks = (
  found: readonly GpuResult[],
  { rates, algebra }: Readonly<Record<'rates' | 'algebra', Besides>>,
): readonly string[] => {
  const table = (
    kind: GpuResult['kind'],
    head: readonly string[],
    row: (r: GpuResult, part: Measured) => string[],
    { columns = [] }: Partial<Besides> = {},
  ): string =>
    markdownTable({
      head: [...head, ...columns.map((c) => c.head)],
      rows: found
        .filter((r) => r.kind === kind)
        .flatMap((r) => r.parts.map((part) => [...row(r, part), ...columns.map((c) => c.cell(r, part))])),
    });
  return [
    '## Memory',
    table(
      'rate',
      ['kernel', 'answer', 'bytes of a launch', 'time', 'bytes a second'],
      (r, { amount, seconds }) => [
        r.name,
        answer(r),
        amount.toExponential(2),
        milliseconds(seconds),
        gigabytes(amount / seconds),
      ],
      rates,
    ),
    '- Bytes: what the kernel must read and write, each element once. `struct-for` goes over every other block of a sparse field.',
    ...rates.notes,
    '## Sparse algebra',
    table(
      'algebra',
      ['expression', 'answer', 'part', 'results', 'time'],
      (r, { part, amount, seconds }) => [r.name, answer(r), part, String(amount), milliseconds(seconds)],
      algebra,
    ),
    ...algebra.notes,
    '## Fields',
    table(
      'fields',
      ['program', 'answer', 'part', 'time', 'a second', 'times the first'],
      (r, { part, amount, unit, seconds }) => [
        r.name,
        answer(r),
        part,
        milliseconds(seconds),
        `${(amount / seconds).toExponential(2)} ${unit}`,
        (seconds / r.parts[0].seconds).toFixed(2),
      ],
    ),
  ];
};

const answer = (r: GpuResult): string => (r.passed ? 'right' : 'WRONG');

export const milliseconds = (seconds: number): string => `${ms(1e3 * seconds)} ms`;

export const gigabytes = (perSecond: number): string => `${Number((perSecond / 1e9).toPrecision(3))} GB/s`;
