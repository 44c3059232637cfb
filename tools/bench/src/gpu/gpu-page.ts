import { type Table, markdownTable, ms } from '../table.js';
import type { LeftOut } from './bundle/programs.js';
import type { GpuResult, GpuResults } from './results.js';

/** The name of the page of a device. */
export const pageName = ({ device }: GpuResults): string =>
  `gpu-${device.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}.md`;

/** The page of what was found on a device, as Markdown. */
export const gpuPage = (found: GpuResults, leftOut: readonly LeftOut[], command: string): string => {
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
  const wrong = found.results.filter((r) => !r.passed);
  const blocks = [
    `# On a GPU: ${device.name}`,
    `Made by\n\n\`\`\`sh\n${command}\n\`\`\``,
    `Kernels of commit ${commit}, as CUDA C++, compiled by nvcc and run by a runner of the bundle on the device. What is expected was computed without it.`,
    markdownTable(facts),
    '## Memory',
    markdownTable({
      head: ['kernel', 'answer', 'bytes of a launch', 'time', 'bytes a second', 'of the copy'],
      rows: of('rate').map((r) => [
        r.name,
        answer(r),
        r.bytes.toExponential(2),
        `${ms(1e3 * r.seconds)} ms`,
        gigabytes(r.bytes / r.seconds),
        `${Math.round((100 * r.bytes) / r.seconds / device.copy)} %`,
      ]),
    }),
    '- Bytes: what the kernel must read and write, each element once.',
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

const answer = (r: GpuResult): string => (r.passed ? 'right' : 'WRONG');

const gigabytes = (perSecond: number): string => `${(perSecond / 1e9).toPrecision(3)} GB/s`;
