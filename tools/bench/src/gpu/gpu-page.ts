import { type Table, markdownTable, ms } from '../table.js';
import type { LeftOut } from './bundle/programs.js';
import type { Baselines, GpuResult, GpuResults } from './results.js';

/** The name of the page of a device. */
export const pageName = (device: { readonly name: string }): string =>
  `gpu-${device.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}.md`;

/** The page of what was found on a device, as Markdown. */
export const gpuPage = (
  found: GpuResults,
  baselines: Baselines | undefined,
  leftOut: readonly LeftOut[],
  command: string,
): string => {
  const { device, commit } = found;
  const of = (kind: GpuResult['kind']): readonly GpuResult[] => found.results.filter((r) => r.kind === kind);
  const facts: Table = {
    head: ['device', ''],
    rows: [
      ['name', device.name],
      ['architecture', `${device.architecture}, ${device.processors} processors`],
      ['driver', String(device.driver)],
      ['copy within its memory', `${gigabytes(device.copy)}, by the driver`],
      ['commit', commit],
    ],
  };
  const other = baselines?.library ?? 'CuPy';
  const besides = (name: string, seconds: number): string => {
    const theirs = baselines?.seconds[name];
    return theirs === undefined ? 'not measured' : `${ms(1e3 * theirs)} ms, ${(theirs / seconds).toFixed(2)}`;
  };
  const wrong = found.results.filter((r) => !r.passed);
  const blocks = [
    `# On a GPU: ${device.name}`,
    `Made by\n\n\`\`\`sh\n${command}\n\`\`\``,
    `Kernels of commit ${commit}, as CUDA C++, compiled by nvcc and run by a runner of the bundle on the device. What is expected was computed without it.`,
    markdownTable(facts),
    '## Memory',
    markdownTable({
      head: ['kernel', 'answer', 'bytes of a launch', 'time', 'bytes a second', 'of the copy', other],
      rows: of('rate').flatMap((r) =>
        r.parts.map(({ amount, seconds }) => [
          r.name,
          answer(r),
          amount.toExponential(2),
          `${ms(1e3 * seconds)} ms`,
          gigabytes(amount / seconds),
          `${Math.round((100 * amount) / seconds / device.copy)} %`,
          besides(r.name, seconds),
        ]),
      ),
    }),
    '- Bytes: what the kernel must read and write, each element once. `struct-for` goes over every other block of a sparse field.',
    `- ${other}: its time, and how many times longer that is.`,
    '## Sparse algebra',
    markdownTable({
      head: ['expression', 'answer', 'part', 'results', 'time', other],
      rows: of('algebra').flatMap((r) =>
        r.parts.map(({ part, amount, seconds }) => [
          r.name,
          answer(r),
          part,
          String(amount),
          `${ms(1e3 * seconds)} ms`,
          besides(`${r.name} ${part}`, seconds),
        ]),
      ),
    }),
    '- values: the numbers of the result, on the device. The other library finds the pattern of the result each time; ours was found when the kernels were made.',
    '- whole: besides, the numbers of the matrices are sent to the device, and those of the result read.',
    '## Fields',
    markdownTable({
      head: ['program', 'answer', 'part', 'time', 'a second', 'times the first'],
      rows: of('fields').flatMap((r) =>
        r.parts.map(({ part, amount, unit, seconds }) => [
          r.name,
          answer(r),
          part,
          `${ms(1e3 * seconds)} ms`,
          `${(amount / seconds).toExponential(2)} ${unit}`,
          (seconds / r.parts[0].seconds).toFixed(2),
        ]),
      ),
    }),
    '## Programs',
    markdownTable({
      head: ['programs', 'right', 'wrong'],
      rows: (['conformance', 'gallery'] as const).map((kind) => [
        kind,
        String(of(kind).filter((r) => r.passed).length),
        String(of(kind).filter((r) => !r.passed).length),
      ]),
    }),
    ...(wrong.length > 0
      ? ['## Wrong', markdownTable({ head: ['program', 'what'], rows: wrong.map((r) => [r.name, r.why]) })]
      : []),
    ...(leftOut.length > 0
      ? ['## Not run', markdownTable({ head: ['program', 'why'], rows: leftOut.map((l) => [l.name, l.reason]) })]
      : []),
  ];
  return `${blocks.join('\n\n')}\n`;
};

export const answer = (r: GpuResult): string => (r.passed ? 'right' : 'WRONG');

export const gigabytes = (perSecond: number): string => `${Number((perSecond / 1e9).toPrecision(3))} GB/s`;
