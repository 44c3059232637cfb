import { inARow } from '../decompose/in-a-row.js';
import { destinationNumbers } from '../group/destinations.js';
import type { Repetition } from '../group/groups.js';
import { mayRepeat, repeatLevels } from '../group/loops.js';
import { numbered } from '../group/sequences.js';
import type { Column } from './columns.js';
import type { AllUnits } from './elements.js';
import type { Body, HarvestedGroup, ListedGroup, Segment } from './harvested.js';
import { printed } from './template.js';

/**
 * Elements and their sums in a loop over levels, as `group` puts units of the graph in one: steps of time on a mesh are a kernel, not as many as there are steps. What a group
 * computes is only now known.
 *
 * @param listed groups that stand beside them, of whose levels no loop is made
 */
export const repeatHarvested = (
  groups: readonly HarvestedGroup[],
  listed: readonly ListedGroup[],
  units: Pick<AllUnits, 'ptr' | 'destinations'>,
): readonly HarvestedGroup[] => {
  if (!mayRepeat(groups)) return groups;
  const others = new Set(listed.map((g) => g.level));
  for (const { repeated } of groups)
    if (repeated) for (let k = 0; k < repeated.period * repeated.steps; k++) others.add(repeated.first + k);
  const numberOf = numbered<string>();
  const destinationOf = destinationNumbers(units.destinations);
  const all = groups.map((g) => ({ ...g, structure: numberOf(structureOf(g, units.ptr, destinationOf)) }));
  return repeatLevels(all, others, joined).map(({ structure: _, ...g }) => g);
};

interface Numbered extends HarvestedGroup {
  readonly structure: number;
}

const joined = (of: readonly Numbered[], level: number, repeated: Repetition): Numbered => ({
  ...of[0],
  ...{ level, repeated },
  units: inARow(
    of.map((g) => g.units),
    Int32Array,
  ),
  body: of[0].body && joinedBodies(of.map((g) => g.body!)),
  segments: of[0].segments.map((_, k) => joinedSegments(of.map((g) => g.segments[k]))),
  ...(of[0].turns && {
    turns: inARow(
      of.map((g) => g.turns!),
      Int32Array,
    ),
  }),
});

const joinedBodies = <B extends Body>(of: readonly B[]): B => ({
  ...of[0],
  columns: of[0].columns.map((column, c): Column => ({
    ...column,
    nodes: inARow(
      of.map((b) => b.columns[c].nodes),
      Int32Array,
    ),
  })),
  constants: of[0].constants.map((_, c) =>
    inARow(
      of.map((b) => b.constants[c]),
      Float64Array,
    ),
  ),
});

const joinedSegments = (of: readonly Segment[]): Segment => {
  const ptr = new Int32Array(of.reduce((n, s) => n + s.ptr.length - 1, 1));
  let [at, terms] = [0, 0];
  for (const s of of) {
    for (let i = 0; i < s.ptr.length; i++) ptr[at + i] = terms + s.ptr[i];
    at += s.ptr.length - 1;
    terms = ptr[at];
  }
  return { ...joinedBodies(of), ptr };
};

/** What instances of a group compute of which buffers, and where that goes. */
const structureOf = (
  { units, body, segments, turns }: HarvestedGroup,
  ptr: Int32Array,
  destinationOf: (from: number, to: number) => number,
): string => {
  const parts = [
    ...(body ? [bodyText(body)] : []),
    ...segments.map((s) => `${s.operation} ${bodyText(s)}`),
    ...(turns ? ['in turns'] : []),
  ];
  return [destinationOf(ptr[units[0]], ptr[units[0] + 1]), ...parts].join('\n');
};

const bodyText = ({ template, columns, constants }: Body): string =>
  `${printed(template)} of ${columns.map((c) => `${c.kind}${c.arePositions ? '@' : ''}`).join(' ')}, ${constants.length}`;
