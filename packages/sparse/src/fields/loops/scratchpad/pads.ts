import {
  makeValue,
  SCRATCH_BYTES,
  byteSize,
  declareBuffer,
  fail,
  isFloat,
  useCounts,
  walk,
  type Buffer,
  type Loc,
  type Op,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { activates } from '../../access/field-dialect.js';
import { axisName } from '../../layout/axes.js';
import { axesOf, isSparse, type PlacedField } from '../../layout/layout.js';
import { extentAlong } from '../../access/path.js';
import type { Storage } from '../../storage/storage.js';
import type { Plan } from '../plan.js';
import { formsOf, join, type Anchor, type Form, type Span } from './forms.js';

/**
 * Part of some fields of one type, placed in one node, that a task keeps close while it runs (thesis §4.1). Their
 * values at one place lie side by side, so that the components of a vector are a single access.
 */
export interface Pad {
  /** The node whose elements are kept. */
  readonly node: number;
  readonly fields: readonly PadField[];
  readonly type: ScalarType;
  readonly buffer: string;
  /** Whether the task only adds to the elements; otherwise it only reads them. */
  readonly adds: boolean;
  /** Along each axis of the fields. */
  readonly box: readonly Side[];
  /** Distance from one place to the next along each axis, in elements of the buffer. */
  readonly strides: readonly number[];
  /** Elements of the buffer. */
  readonly size: number;
  /**
   * Where elements that were added to are marked, so that just these become active. Floats need no marks: they begin as −0,
   * to which nothing but −0 can be added and leave it so; under fast math also what a compiler sees to cancel is nothing.
   * Absent also where nothing around can be inactive.
   */
  readonly marks: string | undefined;
}

export interface PadField {
  readonly field: PlacedField;
  /** Which of the elements at a place is this field's. */
  readonly slot: number;
}

/** A side of a box: it begins `lo` after the sum of the terms. */
export interface Side {
  readonly terms: ReadonlyMap<Anchor, number>;
  readonly lo: number;
  readonly extent: number;
}

/** All pads of one loop, and what is known of its coordinates. */
export interface Scratchpads {
  readonly pads: readonly Pad[];
  readonly buffers: readonly Buffer[];
  readonly forms: ReadonlyMap<number, Form>;
  readonly spans: ReadonlyMap<number, Span>;
  /** The region's parameters by axis. */
  readonly params: ReadonlyMap<number, Value>;
  /** Stand-ins for values that are made where the loop is: by axis the first coordinate of a task, and what is added to it. */
  readonly first: ReadonlyMap<number, Value>;
  readonly added: ReadonlyMap<number, Value>;
}

/**
 * The boxes of the fields that a loop over elements names in `cache`. Errors: `loops/cache-bounds` where it is not known
 * which elements a task uses, `loops/cache-size` where they are too many, `loops/cache-use` where a field is not only read
 * or only added to, `loops/cache-field` where it is unknown or lies in lists.
 *
 * @param outside the definition of a value from around the loop
 * @param prefix begins the names of the buffers
 */
export const scratchpadsOf = (
  storage: Storage,
  plan: Plan,
  op: Op,
  outside: (v: Value) => Op | undefined,
  prefix: string,
): Scratchpads | undefined => {
  const names = Array.isArray(op.attrs.cache) ? op.attrs.cache.map(String) : [];
  if (names.length === 0) return undefined;
  const [body] = op.regions;
  const axes = axesOf(storage.layout, plan.node);
  const spans = axes.map((axis) => [axis, spanOf(storage, plan, axis)] as const);
  const forms = formsOf(body, spans, outside);
  const uses = useCounts(body);
  const drafts = names.flatMap((name) => draftOf(storage, body.ops, name, forms, uses, op.loc) ?? []);
  const pads = grouped(drafts).map((group) => padOf(storage, group, prefix, op.loc));
  const buffers = pads.flatMap(buffersOf);
  const bytes = buffers.reduce((sum, b) => sum + b.length * byteSize(b.type), 0);
  if (bytes > SCRATCH_BYTES)
    fail('loops/cache-size', `the cached fields take ${bytes} bytes a task: ${pads.map(padText).join('; ')}`, {
      loc: op.loc,
      remedy: `cache fewer fields, or make the blocks smaller: there is room for ${SCRATCH_BYTES}`,
    });
  let standIn = 0;
  const make = (hint: string): Value => makeValue(--standIn, 'i32', hint);
  return {
    pads,
    buffers,
    forms,
    spans: new Map(spans),
    params: new Map(axes.map((axis, n) => [axis, body.params[n]])),
    first: new Map(axes.map((axis) => [axis, make('first')])),
    added: new Map(axes.map((axis) => [axis, make(axisName(axis))])),
  };
};

/** The pad of a field; and whether an op is an access to it. */
export const padFor = (
  { pads }: Scratchpads,
  op: Op,
): { readonly pad: number; readonly field: PadField } | undefined => {
  if (op.name !== 'field.load' && op.name !== 'field.atomic') return undefined;
  for (const [n, pad] of pads.entries()) {
    const found = pad.fields.find((f) => f.field.field.name === op.attrs.field);
    if (found) return { pad: n, field: found };
  }
  return undefined;
};

/** Coordinates of a task along an axis. */
const spanOf = ({ layout }: Storage, { node, loops, split }: Plan, axis: number): Span => {
  const own = loops.slice(split).filter((l) => l.axis === axis);
  const extent = own.reduce((n, l) => n * l.count, 1);
  const block = own.find((l) => l.part?.is === 'within');
  const whole = block ? block.at.node.extents[axis] : 1;
  const unit = block && whole % block.count !== 0 ? greatestDivisor(whole, block.count) : extent;
  const bound = extentAlong(layout, node, axis);
  return { extent, unit, last: bound === undefined ? undefined : bound - 1 };
};

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** A field that is to be cached, and the bounds of all accesses to it. */
interface Draft {
  readonly field: PlacedField;
  readonly adds: boolean;
  readonly bounds: readonly Form[];
}

const draftOf = (
  { layout }: Storage,
  ops: readonly Op[],
  name: string,
  forms: ReadonlyMap<number, Form>,
  uses: ReadonlyMap<number, number>,
  at: Loc | undefined,
): Draft | undefined => {
  const field = layout.fields.get(name);
  if (!field) return fail('loops/cache-field', `there is no field '${name}' to cache`, { loc: at });
  if (field.path.some((n) => layout.nodes[n].kind === 'dynamic'))
    fail('loops/cache-field', `field '${name}' lies in lists, of which no part can be cached`, {
      loc: at,
      remedy: `leave cache(${name}) out`,
    });
  const accesses: Op[] = [];
  walk({ params: [], ops }, (op) => {
    if (op.attrs.field === name) accesses.push(op);
  });
  const first = accesses[0];
  if (!first) return undefined;
  const adds = first.name === 'field.atomic';
  /* What is added to a number in a format is rounded each time, so it cannot be added up beforehand. */
  if (adds && layout.nodes[field.path[field.path.length - 1]].stored) return undefined;
  for (const op of accesses) {
    const added = op.name === 'field.atomic' && op.attrs.kind === 'add' && activates(op) && !uses.has(op.results[0].id);
    if (adds ? !added : op.name !== 'field.load')
      fail('loops/cache-use', `field '${name}' is cached, and not only ${adds ? 'added to' : 'read'}`, {
        loc: op.loc ?? at,
        remedy: `leave cache(${name}) out, or do this in another loop`,
      });
  }
  const bounds = field.axes.map((axis, n) =>
    accesses
      .map(
        (op) =>
          forms.get(op.operands[op.operands.length - field.axes.length + n].id) ?? unbounded(name, axis, op.loc ?? at),
      )
      .reduce((x, y) => join(x, y) ?? unbounded(name, axis, accesses[accesses.length - 1].loc ?? at)),
  );
  return { field, adds, bounds };
};

const unbounded = (name: string, axis: number, loc: Loc | undefined): never =>
  fail('loops/cache-bounds', `field '${name}' is cached, but its index along ${axisName(axis)} may be anywhere`, {
    loc,
    remedy: `say where it is: assumeInRange(x, ${axisName(axis)}, lo, hi); or leave cache(${name}) out`,
  });

/** Fields of one type and node whose boxes begin from the same place share lookups. */
const grouped = (drafts: readonly Draft[]): readonly (readonly Draft[])[] => {
  const groups = new Map<string, Draft[]>();
  for (const d of drafts) {
    const terms = d.bounds.map((f) =>
      [...f.terms]
        .map(([anchor, c]) => `${anchor}:${c}`)
        .sort()
        .join('+'),
    );
    const key = [d.field.path[d.field.path.length - 2], d.field.field.type, d.adds, ...terms].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), d]);
  }
  return [...groups.values()];
};

const buffersOf = ({ buffer, type, size, marks }: Pad): readonly Buffer[] => [
  declareBuffer(buffer, type, size, 'scratch'),
  ...(marks === undefined ? [] : [declareBuffer(marks, 'i1', size, 'scratch')]),
];

const padOf = ({ layout }: Storage, group: readonly Draft[], prefix: string, loc: Loc | undefined): Pad => {
  const [{ field, adds, bounds }] = group;
  const box = bounds.map((form, n): Side => {
    const all = group.map((d) => d.bounds[n]);
    const [lo, hi] = [Math.min(...all.map((f) => f.lo)), Math.max(...all.map((f) => f.hi))];
    return { terms: form.terms, lo, extent: hi - lo + 1 };
  });
  const strides = box.map((_, n) => box.slice(n + 1).reduce((x, s) => x * s.extent, group.length));
  const { name, type } = field.field;
  const marked = adds && !isFloat(type) && field.path.some((n) => isSparse(layout.nodes[n]));
  const pad: Pad = {
    node: field.path[field.path.length - 2] ?? 0,
    fields: group.map((d, slot) => ({ field: d.field, slot })),
    type,
    buffer: `${prefix}${name}`,
    adds,
    box,
    strides,
    size: strides[0] * box[0].extent,
    marks: marked ? `${prefix}${name}_marks` : undefined,
  };
  if (pad.size * byteSize(type) > SCRATCH_BYTES)
    fail('loops/cache-size', `a task uses too much of ${padText(pad)}`, {
      loc,
      remedy: 'make the blocks smaller, with smaller nodes or the hint block, or leave cache out',
    });
  return pad;
};

const padText = ({ fields, box }: Pad): string =>
  `${fields.map((f) => `'${f.field.field.name}'`).join(', ')}: ${box.map((s) => s.extent).join(' × ')} elements`;
