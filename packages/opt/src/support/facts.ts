import {
  accessesBy,
  controlBy,
  isLoop,
  mayTrap as trapsOn,
  opTable,
  isVector,
  type Access,
  type AccessesOf,
  type ControlOf,
  type Dialect,
  type Effect,
  type Op,
  type OpDef,
} from '@filigree/ir';

/** A set of buffers by bare name; `any` stands for all there are. */
export interface BufferSet {
  readonly any: boolean;
  readonly names: ReadonlySet<string>;
}

/** What an op and all ops in its regions may do to memory and control. */
export interface Footprint {
  readonly reads: BufferSet;
  readonly writes: BufferSet;
  /** Allocates, frees or speaks to the outside. */
  readonly external: boolean;
  /** May trap, or may not end. */
  readonly mayTrap: boolean;
}

/** What the given dialects say about ops. An op of none of them may do anything: passes leave it, and what it touches, alone. */
export interface Facts {
  readonly def: (op: Op) => OpDef | undefined;
  readonly footprint: (op: Op) => Footprint;
  /**
   * Whether it has no effects on memory, regions included: then it may be dropped when unused, and merged with its
   * equal.
   */
  readonly pure: (op: Op) => boolean;
  /** Pure, and cannot trap: it may also be moved to where it did not run before. */
  readonly speculatable: (op: Op) => boolean;
  readonly terminator: (op: Op) => boolean;
  /** How control flows through the regions of an op; undefined where no dialect says so. */
  readonly control: ControlOf;
  /** Which elements an op touches, as far as its operands say; undefined where no dialect knows the op. */
  readonly accesses: AccessesOf;
}

/** The facts of these dialects. Footprints are computed once for each op with regions, and for others of the same effects. */
export const factsOf = (dialects: readonly Dialect[]): Facts => {
  const table = opTable(dialects);
  const control = controlBy(table);
  const known = new WeakMap<Op, Footprint>();
  /* Loads of one buffer have the same. */
  const alike = new Map<string, Footprint>();
  const footprint = (op: Op): Footprint => {
    const def = table.get(op.name);
    if (!def) return anything;
    /* Most ops, asked by most passes: these do nothing to memory. */
    const { elementwise, constant } = def.traits;
    if (elementwise === true || constant === true) return trapsOn(def, op) ? trapping : nothing;
    if (op.regions.length > 0) {
      const seen = known.get(op) ?? computed(def, op, def.effects(op));
      known.set(op, seen);
      return seen;
    }
    const effects = def.effects(op);
    if (effects.length === 0) return trapsOn(def, op) ? trapping : nothing;
    let key = '';
    for (const { kind, buffer } of effects) key += `${kind} ${buffer ?? ''};`;
    const seen = alike.get(key) ?? computed(def, op, effects);
    alike.set(key, seen);
    return seen;
  };
  const computed = (def: OpDef, op: Op, effects: readonly Effect[]): Footprint => {
    const reads = new Set<string>();
    const writes = new Set<string>();
    let readsAny = false;
    let writesAny = false;
    let external = false;
    // A loop without a bound that one could see may not end, and an access to memory may be out of bounds.
    const flow = control(op);
    let mayTrap = trapsOn(def, op) || effects.length > 0 || (flow !== undefined && !flow.count && isLoop(flow));
    for (const e of effects) {
      if (e.kind === 'read' || e.kind === 'atomic') {
        if (e.buffer === undefined) readsAny = true;
        else reads.add(e.buffer);
      }
      if (e.kind === 'write' || e.kind === 'atomic') {
        if (e.buffer === undefined) writesAny = true;
        else writes.add(e.buffer);
      }
      if (e.kind === 'allocate' || e.kind === 'free' || e.kind === 'io') {
        external = true;
        if (e.buffer !== undefined) {
          reads.add(e.buffer);
          writes.add(e.buffer);
        }
      }
    }
    for (const region of op.regions)
      for (const inner of region.ops) {
        const f = footprint(inner);
        if (f === nothing) continue;
        for (const b of f.reads.names) reads.add(b);
        for (const b of f.writes.names) writes.add(b);
        readsAny ||= f.reads.any;
        writesAny ||= f.writes.any;
        external ||= f.external;
        mayTrap ||= f.mayTrap;
      }
    return { reads: { any: readsAny, names: reads }, writes: { any: writesAny, names: writes }, external, mayTrap };
  };
  const pure = (op: Op): boolean => {
    const f = footprint(op);
    if (table.get(op.name)?.traits.hint === true) return false;
    return f === nothing || (!f.external && isEmpty(f.reads) && isEmpty(f.writes));
  };
  return {
    def: (op) => table.get(op.name),
    footprint,
    pure,
    speculatable: (op) => pure(op) && !footprint(op).mayTrap,
    terminator: (op) => table.get(op.name)?.traits.terminator === true,
    control,
    accesses: accessesBy(table),
  };
};

/**
 * What an op touches if that is all that it does to memory: the elements at one index and no others. What only names elements touches
 * nothing.
 */
export const accessIn = (op: Op, facts: Facts): Access | undefined => {
  const [access, ...others] = facts.accesses(op) ?? [];
  if (!access || others.length > 0 || access.kind === 'hint' || access.index.some((v) => isVector(v.type)))
    return undefined;
  const { reads, writes, external } = facts.footprint(op);
  const only = (set: BufferSet): boolean => !set.any && [...set.names].every((name) => name === access.place);
  return !external && only(reads) && only(writes) ? access : undefined;
};

/** Whether an op repeats a region, for all that is known: one of which nobody says how it runs its regions may. */
export const isLoopOp = (op: Op, facts: Facts): boolean => {
  if (op.regions.length === 0) return false;
  const control = facts.control(op);
  return control === undefined || isLoop(control);
};

/** Whether at most one of the regions of an op runs, and once: each then sees the memory that was there before the op. */
export const branches = (op: Op, facts: Facts): boolean => {
  const control = facts.control(op);
  return control !== undefined && control.edges.every(({ from, to }) => from === 'start' || to === 'end');
};

/** Whether `name` is in the set. */
export const touches = (set: BufferSet, name: string): boolean => set.any || set.names.has(name);

export const isEmpty = (set: BufferSet): boolean => !set.any && set.names.size === 0;

/** The buffers whose contents may differ after the op. */
export const clobbered = (f: Footprint): BufferSet => (f.external ? all : f.writes);

/** The buffers that the op may look at, or that something outside may look at because of it. */
export const observed = (f: Footprint): BufferSet => (f.external ? all : f.reads);

const none: BufferSet = { any: false, names: new Set() };
const all: BufferSet = { any: true, names: new Set() };
const nothing: Footprint = { reads: none, writes: none, external: false, mayTrap: false };
const trapping: Footprint = { ...nothing, mayTrap: true };
const anything: Footprint = { reads: all, writes: all, external: true, mayTrap: true };
