import {
  definitions,
  fail,
  mapKernels,
  pass,
  rewriteOps,
  substitute,
  walk,
  type Attrs,
  type Buffer,
  type Builder,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  type Region,
  type Replacement,
  type RewriteContext,
  type Substitution,
  type Value,
  checkOptions,
  option,
  optionsOf,
  type OptionSpec,
} from '@filigree/ir';
import { rare } from '#lowering';
import { fieldDialects } from '../access/dialects.js';
import { plus, type Emit } from '../access/lower/address.js';
import { writtenBy } from '../access/field-dialect.js';
import { isSparse, nodeOf, pathTo, type Layout } from '../layout/layout.js';
import { HANDS } from '../storage/lots.js';
import { type Storage } from '../storage/storage.js';
import { ordered, type Coordinates } from './cells.js';
import { changesOf, type Changes } from './changes.js';
import { addedOf, firstOf, lengthOf, overElements, overElementsByTeam, type Element, type Place } from './nest.js';
import { runsOnTeam } from './on-team.js';
import type { Scratchpads } from './scratchpad/pads.js';
import { planOf, type LoopGrain, type Plan } from './plan.js';
import { overTasks } from './tasks.js';

/** How loops over active elements are lowered. */
export interface LoopOptions {
  /** Whether the fields that a loop names in `cache` are kept in scratchpads; default true. */
  readonly scratchpads?: boolean;
  /** How loops are cut; default for a processor. */
  readonly grain?: LoopGrain | undefined;
}

/** How loops are cut, as an option. */
export const grainSpec: OptionSpec<LoopGrain> = {
  tasks: option.whole(1),
  least: option.whole(1),
  most: option.whole(1),
  hands: option.whole(1, HANDS),
  team: optionsOf<TeamRoom>({ threads: option.whole(1), sharedBytes: option.whole(0), atomicBytes: option.whole(0) }),
};

type TeamRoom = NonNullable<LoopGrain['team']>;

/**
 * Lowers `field.for` (thesis §4.3): lists of active cells where they are needed, a parallel loop with one task per leaf
 * block, and plain loops within a task.
 *
 * Errors: `loops/nested` for a loop over active elements inside another parallel loop; `loops/cache-…` for fields that
 * cannot be kept in scratchpads (see `scratchpadsOf`).
 */
export const lowerLoops = (storage: Storage, given?: LoopOptions): Pass<Module> => {
  const options = checkOptions<LoopOptions>('lowerLoops', given, {
    scratchpads: option.truth,
    grain: optionsOf(grainSpec),
  });
  const dialects = fieldDialects(storage.layout);
  return pass('lower-loops', (module) => {
    const declared = new Set(module.buffers.map((b) => b.name));
    const added = storage.buffers.filter((b) => !declared.has(b.name));
    const lowered = mapKernels(module, (kernel) => {
      const c: Context = {
        storage,
        grain: options.grain,
        loops: loopsOf(storage, kernel, module.buffers, options),
      };
      const pads = [...c.loops.values()].flatMap((l) => l.cached?.buffers ?? []);
      added.push(...pads);
      return rewriteOps(kernel, dialects, (op, ctx) => lower(op, ctx, c), [...module.buffers, ...added], {
        share: true,
      });
    });
    return lowered === module ? module : { ...lowered, buffers: [...module.buffers, ...added] };
  });
};

interface Context {
  readonly storage: Storage;
  readonly grain: LoopGrain | undefined;
  /** Loops over elements, by the parameters of their regions. */
  readonly loops: ReadonlyMap<readonly Value[], StructFor>;
}

/** What is known of a loop over elements before anything is lowered. */
interface StructFor {
  readonly plan: Plan;
  readonly changes: Changes;
  readonly cached: Scratchpads | undefined;
  /** Whether iterations leave something for the next ones: in memory that is private to a task, or in a word that they share. */
  readonly leaves: boolean;
  /** Whether a team runs each task. */
  readonly team: boolean;
}

const loopsOf = (
  storage: Storage,
  kernel: Kernel,
  buffers: readonly Buffer[],
  { scratchpads = true, grain }: LoopOptions,
): Context['loops'] => {
  const scratch = new Set(buffers.flatMap((b) => (b.role === 'scratch' ? [`@${b.name}`] : [])));
  const found = new Map<readonly Value[], StructFor>();
  let defined: ReadonlyMap<number, Op> | undefined;
  const outside = (v: Value): Op | undefined => (defined ??= definitions(kernel.body)).get(v.id);
  walk(kernel.body, (op) => {
    if (op.name !== 'field.for') return;
    const node = nodeOf(storage.layout, op)!.id;
    const caches = scratchpads && Array.isArray(op.attrs.cache) && op.attrs.cache.length > 0;
    const changes = changesOf(storage.layout, op.regions[0], node);
    const snapshot = changes.nodes.has(node) && storage.nodes[node].snapshot !== undefined;
    const plan = planOf(storage, node, { block: numberAttr(op, 'block'), blocks: caches, snapshot, grain });
    const prefix = `${kernel.name}_pad${found.size === 0 ? '' : found.size}_`;
    const cached = caches ? rare().scratchpadsOf(storage, plan, op, outside, prefix) : undefined;
    let leaves = false;
    walk(op.regions[0], (inner) => {
      leaves ||= scratch.has(String(inner.attrs.buffer)) || writesBits(storage.layout, inner);
    });
    const team = !leaves && runsOnTeam(plan, cached, grain?.team);
    found.set(op.regions[0].params, { plan, changes, cached, leaves, team });
  });
  return found;
};

/**
 * What happens to the ops of serial code: loops over elements become plain ones, and after what may have deactivated cells
 * of pools, these are collected.
 */
const lower = (op: Op, ctx: RewriteContext, c: Context): Replacement | undefined => {
  const { storage } = c;
  const parallel = ctx.parents.find(isParallel);
  if (parallel) {
    if (op.name === 'field.for' || op.name === 'field.clear_all')
      fail('loops/nested', `${what[op.name]} stands inside a parallel loop`, {
        loc: op.loc,
        remedy: 'put it before or after that loop',
      });
    const { cached, team = false } = c.loops.get(parallel.regions[0].params) ?? {};
    return cached && rare().cachedAccess(op, ctx, cached, team);
  }
  const lowering = lowerings[op.name];
  const lost = isParallel(op) || op.regions.length === 0 ? poolsLost(storage, op) : [];
  if (!lowering && lost.length === 0) return undefined;
  return ctx.build((b) => {
    const e = { b, storage, grain: c.grain };
    const results = lowering ? void lowering(e, op, c) : b.append(op);
    for (const n of lost) rare().collect(e, storage.nodes[n]);
    return results;
  });
};

const what: Readonly<Record<string, string>> = {
  'field.for': 'a loop over active elements',
  'field.clear_all': 'the deactivation of all cells of a node',
};

/** Pools of which an op may deactivate cells, from the root down: what hangs below a cell is given back with it. */
const poolsLost = ({ layout, nodes }: Storage, op: Op): readonly number[] =>
  [...changesOf(layout, { params: [], ops: [op] }).lost].filter((n) => nodes[n].pool).sort((a, b) => a - b);

const emitStructFor = (e: Emit, op: Op, c: Context): void => {
  const { storage, b } = e;
  const [region] = op.regions;
  const { plan, changes, cached, leaves, team } = c.loops.get(region.params)!;
  const { node, source } = plan;
  const known = knownActive(storage, node, changes);
  const adds = cached?.pads.some((p) => p.adds) === true;
  if (plan.snapshot) rare().takeSnapshot(e, node);
  const listed = op.attrs.list !== undefined;
  overTasks(
    e,
    plan,
    { changing: changes.nodes.has(source), listed, attrs: taskAttrsOf(op)(plan, storage) },
    (place) => {
      if (known.includes(source)) promise(e, source, place.source);
      /* What iterations add to a pad depends on one another, and what they keep in private memory they would share on lanes. */
      const over = (body: (element: Element) => void): void =>
        team
          ? overElementsByTeam(e, plan, place, body)
          : overElements(e, plan, place, adds || leaves ? {} : { simd: true }, body);
      const run = (pads?: Pads): void =>
        over((element) => {
          if (known.includes(node) && node !== source) promise(e, node, element.coordinates);
          const own = ordered(storage, node, element.coordinates);
          const stand = pads && cached ? standIns(e, cached, pads.first, element) : [];
          inline(b, region, new Map([...region.params.map((p, n) => [p.id, own[n]] as const), ...stand]));
        });
      if (!cached) return run();
      whereAny(e, plan, place, () => {
        const pads = fillPads(e, plan, place, cached, team);
        run(pads);
        pads.finish();
      });
    },
  );
};

/** Runs `body` unless the task is a list with nothing in it. */
const whereAny = (e: Emit, plan: Plan, place: Place, body: () => void): void => {
  const [{ at } = {}, ...more] = plan.loops.slice(plan.split);
  if (at?.length === undefined || more.length > 0) return body();
  const { b } = e;
  b.if(b.cmp('gt', lengthOf(e, at, plus(place.around, at.offset), plan.snapshot), b.i32(0)), body);
};

/** The pads of a task: the first coordinates, and what is to be done in the end. */
interface Pads {
  readonly first: ReadonlyMap<number, Value>;
  readonly finish: () => void;
}

const fillPads = (e: Emit, plan: Plan, place: Place, cached: Scratchpads, team: boolean): Pads => {
  const first = new Map([...cached.params.keys()].map((axis) => [axis, firstOf(e, plan, place, axis)]));
  const bases = cached.pads.map((pad) => pad.box.map((side) => rare().sumOf(e.b, cached, side.terms, first)));
  cached.pads.forEach((pad, n) => rare().fill(e, pad, bases[n], team));
  return { first, finish: () => cached.pads.forEach((pad, n) => rare().flush(e, pad, bases[n], team)) };
};

/** Values for the stand-ins of the accesses to pads. */
const standIns = (
  e: Emit,
  cached: Scratchpads,
  first: ReadonlyMap<number, Value>,
  element: Element,
): readonly (readonly [id: number, value: Value])[] =>
  [...cached.params.keys()].flatMap((axis) => [
    [cached.first.get(axis)!.id, first.get(axis)!] as const,
    [cached.added.get(axis)!.id, addedOf(e, element, axis)] as const,
  ]);

/** Sparse nodes around an element that stay active for as long as its iteration runs. */
const knownActive = (storage: Storage, node: number, { lost }: Changes): readonly number[] => {
  const path = pathTo(storage.layout.nodes, node);
  const first = path.findIndex((n) => lost.has(n));
  return (first < 0 ? path : path.slice(0, first)).filter((n) => isSparse(storage.layout.nodes[n]));
};

const promise = ({ b, storage }: Emit, node: number, coordinates: Coordinates): void => {
  b.op('snode.assume_active', ordered(storage, node, coordinates), { node: storage.layout.nodes[node].name });
};

/** The ops of a region in place, its parameters and stand-ins replaced. */
const inline = (b: Builder, region: Region, values: Substitution): void => {
  const { ops } = substitute(region, values);
  for (const op of ops) if (op.name !== 'scf.yield') b.append(op);
};

/** Whether an op writes an element of a bit array, which shares its word with others. */
const writesBits = (layout: Layout, op: Op): boolean => {
  const placed = layout.fields.get(String(op.attrs.field));
  const leaf = placed && layout.nodes[placed.path[placed.path.length - 1]];
  return leaf?.stored?.inArray === true && writtenBy(op) > 0;
};

const numberAttr = (op: Op, name: string): number | undefined => {
  const value = op.attrs[name];
  return typeof value === 'number' ? value : undefined;
};

const taskAttrsOf =
  (op: Op) =>
  (plan: Plan, storage: Storage): Attrs => {
    const { mask, length } = storage.nodes[plan.node];
    const uneven = plan.split < plan.loops.length && (mask !== undefined || length !== undefined);
    const threads = numberAttr(op, 'threads');
    return { ...(uneven ? { schedule: 'dynamic' } : {}), ...(threads === undefined ? {} : { threads }) };
  };

const isParallel = (op: Op): boolean => op.name === 'field.for' || op.attrs.parallel === true;

/** Deactivates every cell of a node, one by one; for lists, every container. */
const clearAll = (e: Emit, op: Op, { grain }: Context): void =>
  clearNode(e, nodeOf(e.storage.layout, op)!.id, taskAttrsOf(op), grain);

const clearNode = (
  e: Emit,
  node: number,
  attrsOf: (plan: Plan, storage: Storage) => Attrs,
  grain: LoopGrain | undefined,
): void => {
  const { storage } = e;
  const { nodes } = storage.layout;
  const { name, kind, parent, children } = nodes[node];
  /* Of a node that is not sparse it is enough to clear what holds values, or may be inactive. */
  if (!isSparse(nodes[node]) && !children.some((c) => nodes[c].field))
    return children.forEach((c) => clearNode(e, c, attrsOf, grain));
  const list = kind === 'dynamic';
  const visited = list ? parent : node;
  const attrs = { node: name };
  if (visited === 0) return void e.b.op('field.clear', [], attrs);
  const plan = planOf(storage, visited, { grain });
  /* All cells of a pool go on one list: threads of a processor would take a counter from each other for next to no work. Collecting them is divided. */
  const alone = !list && storage.nodes[node].pool !== undefined && (grain?.least ?? 0) !== 1;
  overTasks(e, plan, { changing: false, alone, attrs: attrsOf(plan, storage) }, (place) =>
    overElements(e, plan, place, {}, ({ coordinates }) => {
      e.b.op(list ? 'field.clear' : 'field.deactivate', ordered(storage, visited, coordinates), attrs);
    }),
  );
};

const lowerings: Readonly<Record<string, (e: Emit, op: Op, c: Context) => void>> = {
  'field.for': emitStructFor,
  'field.clear_all': clearAll,
  'field.list': (e, op) => void rare().makeList(e, nodeOf(e.storage.layout, op)!.id),
};
