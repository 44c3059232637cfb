import { type Buffer, type Module, type Op, type Value, isVector, scalarOf } from '@filigree/ir';
import type { CFamilyDialect, TeamSpelling } from './dialect.js';
import { type Expr, binds, call, expr, infix, sum } from './expr.js';
import type { Extreme } from './extremes.js';
import type { Names } from './names.js';
import { type Place, type Places } from './places.js';
import type { Site } from './spellings/spelling.js';
import { cppTokens } from './tokens.js';
import type { Usage } from './usage.js';

/** A team that runs an iteration. */
export interface TeamAtWork extends TeamSpelling {
  /** Whether its threads are in a loop that they divide. */
  readonly divided: boolean;
  /** Whether none waits for another (`goAtTheirPace`). */
  readonly apart: boolean;
}

/** What all functions of a kernel share while it is written. */
export interface Shared {
  readonly module: Module;
  readonly dialect: CFamilyDialect;
  readonly kernelName: string;
  readonly names: Names;
  readonly pointers: ReadonlyMap<string, string>;
  readonly usage: Usage;
  /** How ops with regions are written. */
  readonly structures: Readonly<Record<string, (w: Writer, op: Op) => void>>;
  /** Accesses that share a pointer, and the pointers that the function being written has. */
  readonly places: Places;
  readonly placed: Map<Place, string>;
  readonly indices: { readonly has: (id: number) => boolean };
  readonly checked: boolean;
  readonly values: Map<number, Expr>;
  readonly constants: Map<number, Op['attrs'][string]>;
  /** Sums of two values, by their results. */
  readonly sums: Map<number, Op>;
  readonly helpers: Set<string>;
  /** The functions written so far, and the number of parallel loops among them. */
  readonly parts: { readonly head: string; readonly text: string }[];
  partCount: number;
  /**
   * Where the loop being written is to run on vector lanes, its values that grow evenly: the others are gathered indices,
   * and as narrow as they come they fill most lanes.
   */
  lanes: { readonly has: (id: number) => boolean } | undefined;
  /** In such a loop the values that are made of what it carries. */
  accumulated: ReadonlySet<number>;
  /** In such a loop the values that may differ from lane to lane. */
  varying: ReadonlySet<number>;
  /** In such a loop what is added to where some buffers are written. */
  apart: ReadonlyMap<string, string>;
  /** In such a loop indices of reads that lie far apart, see `sparseReads`, its counter, and what is added to their distance. */
  strides: { readonly indices: ReadonlySet<number>; readonly counter: Value; readonly more: string } | undefined;
  /** In an iteration that a team runs, how it is spelled; `divided` in a loop of which each thread has a share. */
  team: TeamAtWork | undefined;
  /** Loops that are sums over rows, see `sumsInRows`, as far as loops around them are written. */
  readonly rows: Set<Op>;
  /** Scratch buffers that teams share and the kernel's own function declares. */
  readonly handed: Set<Buffer>;
  /** Ids of results that are the same as without a limit to their type. */
  readonly exact: { readonly has: (id: number) => boolean };
  /** Ids of indices of loads that conditions choose of two. */
  readonly choices: { readonly has: (id: number) => boolean };
  /** Ids of products from which something is taken. */
  readonly minuends: { readonly has: (id: number) => boolean };
  /** Stores that are not to become one with what is stored beside, see `exchangesIn`. */
  readonly exchanges: ReadonlySet<Op>;
  /** Choices between two floats by how they compare, by id. */
  readonly extremes: ReadonlyMap<number, Extreme>;
  /** Minima and maxima that serial loops hand on, see `recurrencesIn`. */
  readonly recurrences: ReadonlyMap<number, 0 | 1>;
}

/**
 * What a function is: a kernel's own, or a part of a parallel loop that runs beside other parts or alone. Alone, atomic
 * updates are plain ones, which cost a fraction.
 */
export type Role = 'kernel' | 'beside others' | 'alone';

/** A line of a function. */
export interface Line {
  readonly text: string;
  /** The variable that it declares, if later statements of its block may use it; without a value it is assigned later. */
  readonly declares?: { readonly type: string; readonly name: string; readonly value?: string };
  /** How many loops and chunks of the function it stands in. */
  readonly loops: number;
}

/** One function being written. */
export interface Writer {
  readonly shared: Shared;
  readonly lines: Line[];
  /** `atomic`: something in it would be written otherwise if it ran alone. */
  readonly flags: { status: boolean; atomic: boolean; depth: number; loops: number };
  readonly role: Role;
  readonly site: Site;
}

export const writer = (shared: Shared, role: Role): Writer => {
  const flags = { status: false, atomic: false, depth: 1, loops: 0 };
  return {
    shared,
    lines: [],
    flags,
    role,
    site: {
      helper: (name) => {
        shared.helpers.add(name);
        return name;
      },
      status: () => {
        flags.status = true;
        return 'status';
      },
      tokens: shared.dialect.tokens ?? cppTokens,
      scalar: (t) => shared.dialect.scalar[t]!,
      declared: (v) => scalarName(shared, v),
      element: (name, index) =>
        expr(
          index.from
            ? `${index.from.pointer}[${index.from.plus}]`
            : `${shared.pointers.get(name)!}[${shared.checked ? inBounds(shared, flags, name, index) : index.text}]`,
        ),
      pointer: (name) => shared.pointers.get(name)!,
      stored: (name) =>
        storedName(
          shared,
          shared.module.buffers.find((b) => b.name === name)!,
        ),
      wraps: (v) => !shared.indices.has(v.id) && !shared.exact.has(v.id),
      used: (v) => shared.usage.count(v.id) > 0,
      constant: (v) => shared.constants.get(v.id),
      apart: (buffer) => shared.apart.get(buffer),
      index: (v, e) => {
        const { unknownZero } = shared.dialect;
        const { strides } = shared;
        if (strides?.indices.has(v.id))
          return sum(e, infix(shared.values.get(strides.counter.id)!, '*', expr(strides.more), binds.product));
        if (unknownZero === undefined || !shared.choices.has(v.id)) return e;
        shared.helpers.add(unknownZero);
        return sum(e, call(unknownZero));
      },
      product: (v, e) => {
        const { rounded } = shared.dialect;
        if (rounded === undefined || isVector(v.type) || !shared.minuends.has(v.id)) return e;
        const name = `${rounded}_${scalarOf(v.type)}`;
        shared.helpers.add(name);
        return call(name, e);
      },
      extreme: (v) => (shared.lanes === undefined ? shared.extremes.get(v.id) : undefined),
      recurrence: (v) => (shared.lanes === undefined ? shared.recurrences.get(v.id) : undefined),
      alone: (op, value) => {
        const { alone } = shared.dialect;
        if (alone === undefined || !shared.exchanges.has(op)) return value;
        const name = `${alone}_${scalarOf(op.operands[0]!.type)}`;
        shared.helpers.add(name);
        return call(name, value);
      },
      onLanes: (v) => shared.lanes !== undefined && !shared.accumulated.has(v.id),
      sameOnLanes: (v) => shared.lanes !== undefined && !shared.varying.has(v.id),
      update: (buffer) => {
        const own = isScratch(shared, buffer);
        if (role !== 'beside others' || (own && shared.team === undefined)) return 'serial';
        flags.atomic = true;
        return (own ? shared.team?.handed?.atomic : undefined) ?? 'atomic';
      },
      thread: () => (role === 'beside others' ? shared.dialect.part.thread : undefined),
      team: () => shared.team,
    },
  };
};

const isScratch = (s: Shared, buffer: string): boolean =>
  s.module.buffers.find((b) => b.name === buffer)?.role === 'scratch';

const inBounds = (s: Shared, flags: Writer['flags'], name: string, index: Expr): string => {
  s.helpers.add('in_bounds');
  flags.status = true;
  return `in_bounds(${index.text}, ${s.module.buffers.find((b) => b.name === name)!.length}, status)`;
};

export const line = (w: Writer, text: string): void => {
  w.lines.push({ text: '  '.repeat(w.flags.depth) + text, loops: w.flags.loops });
};

/** Declares a variable, or a constant with its value, that later statements of the block may use. */
export const declaration = (w: Writer, type: string, name: string, value?: string, constant?: 'constant'): void => {
  const declares = { type, name, ...(value === undefined ? {} : { value }) };
  const typed = !constant ? type : type.endsWith('*') ? `${type} const` : `const ${type}`;
  const text = `${'  '.repeat(w.flags.depth)}${typed} ${name}${value === undefined ? '' : ` = ${value}`};`;
  w.lines.push({ text, declares, loops: w.flags.loops });
};

export const block = (w: Writer, open: string, inside: () => void, close = '}'): void => {
  line(w, open);
  w.flags.depth++;
  inside();
  w.flags.depth--;
  line(w, close);
};

/** A block that runs again and again. */
export const loopBlock = (w: Writer, open: string, inside: () => void): void =>
  block(w, open, () => {
    w.flags.loops++;
    inside();
    w.flags.loops--;
  });

/** The type that a value is declared with. */
export const scalarName = (s: Shared, v: Value): string => {
  if (!isVector(v.type)) return nameOfScalar(s, v);
  const { helper, name } = s.dialect.vector!(v.type.lanes, v.type.of === 'i1' ? 'i32' : v.type.of);
  s.helpers.add(helper);
  return name;
};

const nameOfScalar = (s: Shared, v: Value): string =>
  (v.type === 'i32' && s.indices.has(v.id) && (s.lanes?.has(v.id) ?? true) ? s.dialect.index : undefined) ??
  s.dialect.scalar[scalarOf(v.type)]!;

/** The type of counts of iterations. */
export const wideName = (s: Shared): string => s.dialect.scalar.i64 ?? 'long long';

/** Gives a value a name of its own. */
export const named = (s: Shared, v: Value, wish = v.hint): string => {
  const name = s.names.take(wish ?? `v${v.id}`);
  s.values.set(v.id, expr(name));
  return name;
};

export const valueOf = (w: Writer, v: Value): Expr => w.shared.values.get(v.id)!;

export const storedName = (s: Shared, b: Buffer): string => s.dialect.stored[b.type] ?? s.dialect.scalar[b.type]!;

export const pointer = (s: Shared, b: Buffer, readOnly: boolean): string =>
  s.dialect.pointer(storedName(s, b), readOnly) + s.pointers.get(b.name)!;
