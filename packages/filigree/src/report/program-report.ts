import { byteSize, printKernel, walk, type Buffer, type Module } from '@filigree/ir';
import { layoutOf, nodeText, storageOf } from '@filigree/sparse/fields';
import type { RecordedProgram } from '../cli/compile-record.js';
import { bytesText, countText, msText } from '../cli/text.js';
import { bars, folded, grid, section, table } from './html.js';

/** What a compiled program is: kernels, groups with their templates, memory by part, sources, times of passes. */
export const programSections = (
  { module, sources, groups, layout, passes }: RecordedProgram,
  title: string,
): readonly string[] => [
  section(
    `${title}: kernels`,
    table(module.kernels.map((k) => [k.name, kernelText(k)] as const)) +
      module.kernels.map((k) => folded(k.name, printKernel(k))).join(''),
  ),
  ...(groups.length === 0
    ? []
    : [
        section(
          `${title}: members of kernels and their templates`,
          grid(
            ['kernel', 'members', 'operations of the template', 'reads'],
            groups.map((g) => [String(g.kernel), countText(g.members), countText(g.operations), g.reads.join(', ')]),
          ) + groups.map((g) => folded(`kernel ${g.kernel}, ${countText(g.members)} members`, g.template)).join(''),
        ),
      ]),
  section(`${title}: memory`, memoryOf(module) + (layout === undefined ? '' : storageTable(layout))),
  section(
    `${title}: sources`,
    sources.files
      .map((f) => folded(f.name, typeof f.contents === 'string' ? f.contents : `${f.contents.length} bytes`))
      .join(''),
  ),
  section(`${title}: times of passes`, bars(passes.slice(0, MOST_BARS).map(([name, ms]) => [name, ms, msText(ms)]))),
];

const MOST_BARS = 20;

const kernelText = ({ body, params }: Module['kernels'][number]): string => {
  let [loops, parallel, lanes] = [0, 0, 0];
  walk(body, (op) => {
    loops += op.regions.length > 0 && op.name === 'scf.for' ? 1 : 0;
    parallel += op.attrs['parallel'] === true ? 1 : 0;
    lanes += op.attrs['simd'] === true ? 1 : 0;
  });
  const given = params.length === 0 ? [] : [`${params.length} arguments`];
  return [...given, `${loops} loops`, `${parallel} of them parallel`, ...(lanes > 0 ? [`${lanes} on lanes`] : [])].join(
    ', ',
  );
};

/** Buffers that are one memory, seen as several types, count once. */
const memoryOf = ({ buffers }: Module): string => {
  const parts = new Map<string, { readonly names: string[]; readonly role: string; bytes: number }>();
  for (const b of buffers) {
    const key = b.memory ?? b.name;
    const part = parts.get(key) ?? { names: [], role: b.role, bytes: 0 };
    part.names.push(b.name);
    part.bytes = Math.max(part.bytes, bytesOf(b));
    parts.set(key, part);
  }
  const rows = [...parts.values()].sort((a, b) => b.bytes - a.bytes);
  return grid(
    ['part', 'what it is', 'memory'],
    [
      ...rows
        .slice(0, MOST_ROWS)
        .map(({ names, role, bytes }) => [names.join(', '), ROLES[role] ?? role, bytesText(bytes)]),
      ['all', '', bytesText(rows.reduce((sum, { bytes }) => sum + bytes, 0))],
    ],
  );
};

const MOST_ROWS = 60;

const ROLES: Readonly<Record<string, string>> = {
  const: 'table',
  temp: 'intermediate values',
  scratch: 'for each thread',
};

const bytesOf = ({ type, length }: Buffer): number => length * byteSize(type);

/** Where the memory of a layout goes, as it is without a budget of one's own. */
const storageTable = (tree: NonNullable<RecordedProgram['layout']>): string =>
  grid(
    ['node', 'cells of a container', 'a container', 'pool'],
    storageOf(layoutOf(tree)).nodes.map(({ node, cells, containerBytes, cellBytes, pool }) => [
      nodeText(node),
      node.field ? '' : countText(cells),
      bytesText(containerBytes),
      pool === undefined ? '' : `${countText(pool.capacity)} cells, ${bytesText(pool.capacity * cellBytes)}`,
    ]),
  );
