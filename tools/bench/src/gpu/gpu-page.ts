import { type Table, markdownTable } from '../table.js';
import type { LeftOut } from './bundle/bundled-program.js';
import { gigabytes, milliseconds, ratesBlocks } from './rates-blocks.js';
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
    return theirs === undefined ? 'not measured' : `${milliseconds(theirs)}, ${(theirs / seconds).toFixed(2)}`;
  };
  const wrong = found.results.filter((r) => !r.passed);
  const blocks = [
    `# On a GPU: ${device.name}`,
    `Made by\n\n\`\`\`sh\n${command}\n\`\`\``,
    `Kernels of commit ${commit}, as CUDA C++, compiled by nvcc and run by a runner of the bundle on the device. What is expected was computed without it.`,
    markdownTable(facts),
    ...ratesBlocks(found.results, {
      rates: {
        columns: [
          {
            head: 'of the copy',
            cell: (_, { amount, seconds }) => `${Math.round((100 * amount) / seconds / device.copy)} %`,
          },
          { head: other, cell: (r, { seconds }) => besides(r.name, seconds) },
        ],
        notes: [`- ${other}: its time, and how many times longer that is.`],
      },
      algebra: {
        columns: [{ head: other, cell: (r, { part, seconds }) => besides(`${r.name} ${part}`, seconds) }],
        notes: [
          '- values: the numbers of the result, on the device. The other library finds the pattern of the result each time; ours was found when the kernels were made.',
          '- whole: besides, the numbers of the matrices are sent to the device, and those of the result read.',
        ],
      },
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
