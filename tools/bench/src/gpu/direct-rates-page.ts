import { markdownTable, ms } from '../table.js';
import { answer, gigabytes } from './gpu-page.js';
import type { GpuResult } from './results.js';

/** What was measured on a device, as blocks of its page. */
export const ratesBlocks = (found: readonly GpuResult[]): readonly string[] => {
  const rows = (kind: GpuResult['kind'], row: (r: GpuResult, part: GpuResult['parts'][number]) => string[]) =>
    found.filter((r) => r.kind === kind).flatMap((r) => r.parts.map((part) => row(r, part)));
  return [
    '## Memory',
    markdownTable({
      head: ['kernel', 'answer', 'bytes of a launch', 'time', 'bytes a second'],
      rows: rows('rate', (r, { amount, seconds }) => [
        r.name,
        answer(r),
        amount.toExponential(2),
        `${ms(1e3 * seconds)} ms`,
        gigabytes(amount / seconds),
      ]),
    }),
    '- Bytes: what the kernel must read and write, each element once. `struct-for` goes over every other block of a sparse field.',
    '- Times are medians, of launches by the clock of the device where it has one; all others by this process, which waits.',
    '## Sparse algebra',
    markdownTable({
      head: ['expression', 'answer', 'part', 'results', 'time'],
      rows: rows('algebra', (r, { part, amount, seconds }) => [
        r.name,
        answer(r),
        part,
        String(amount),
        `${ms(1e3 * seconds)} ms`,
      ]),
    }),
    '- values: the numbers of the result, on the device; whole: besides, those of the matrices are sent, and those of the result read.',
    '## Fields',
    markdownTable({
      head: ['program', 'answer', 'part', 'time', 'a second', 'times the first'],
      rows: rows('fields', (r, { part, amount, unit, seconds }) => [
        r.name,
        answer(r),
        part,
        `${ms(1e3 * seconds)} ms`,
        `${(amount / seconds).toExponential(2)} ${unit}`,
        (seconds / r.parts[0].seconds).toFixed(2),
      ]),
    }),
  ];
};
