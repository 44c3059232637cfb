import {
  Builder,
  controlBy,
  coreDialects,
  derivative,
  highestId,
  idsFrom,
  isFloat,
  isLoop,
  opTable,
  opWith,
  rewriteOps,
  walk,
  type ControlOf,
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  type OpTable,
  type Region,
  type Value,
} from '@filigree/ir';
import {
  dense,
  field,
  fieldDialect,
  i,
  layoutTree,
  nodeOf,
  type FieldDecl,
  type Layout,
} from '@filigree/sparse/fields';
import { withBeside, withBranches } from '@filigree/sparse/lowering';
import { integerForms, type IntegerForms } from '../indices/integer-forms.js';
import { placeOfField } from '../elements/touched.js';
import type { Needs } from './needs.js';
import { digitsOfLoop } from './open-loops.js';

/** Fields in which kernels keep the places in lists that their appends have returned, and what counters were, by name. */
export type Places = ReadonlyMap<string, Slots>;

export const NO_PLACES: Places = new Map();

/** How many places there is room for, and whether there may be more. */
export interface Slots {
  readonly room: number;
  readonly isOpen: boolean;
}

/** A module whose kernels keep places, and its layout, in which they do. */
export interface WithPlaces {
  readonly module: Module;
  readonly layout: Layout;
  readonly places: Places;
}

/**
 * Lets kernels write down where in lists their appends have put what is differentiated, and what integer counters were before an atomic update by which elements are found: which number that is depends on what
 * other iterations do meanwhile, so adjoints, which run iterations again, look it up (`lookingUp`). Each append has a field of its own, with a slot for each iteration of the parallel loop around it; where it stands in loops within that one, with several, which are counted
 * in another field. Iterations over elements that are too many to be numbered, as those below a hash table are, keep the place beside their element, and nothing where they may append several times.
 *
 * @param adjoined the fields that are differentiated
 */
export const keepingPlaces = (
  module: Module,
  layout: Layout,
  adjoined: ReadonlySet<string>,
  dialects: readonly Dialect[],
): WithPlaces => {
  const table = opTable([...coreDialects, fieldDialect(layout), derivative, ...dialects]);
  const controlOf = controlBy(table);
  const places = new Map<string, Slots>();
  const added: Added[] = [];
  const add = (called: string, where: Where): string => {
    let name = called;
    while (layout.fields.has(name) || added.some((a) => a.field.name === name)) name += '_';
    added.push({ field: field(name, 'i32'), where });
    return name;
  };
  const planned = module.kernels.map((kernel) => {
    const forms = integerForms(kernel, layout);
    const plans = new Map<Op, Plan>();
    walk(kernel.body, (op, parents) => {
      if (!isAsking(op) || !matters(op, kernel, adjoined)) return;
      const found = iterationsAround(parents, kernel, { controlOf, forms, layout });
      if (!found) return;
      const room = found.iterations * found.times;
      const name = add(`${kernel.name}_places`, found.beside ?? room);
      const count = found.isRepeated ? add(`${kernel.name}_appends`, found.iterations) : undefined;
      places.set(name, { room, isOpen: found.isOpen });
      plans.set(op, { ...found, places: name, count });
    });
    return { kernel, plans };
  });
  if (added.length === 0) return { module, layout, places };
  const beside = withBeside(layout, ({ name }) => added.flatMap((a) => (a.where === name ? [a.field] : [])));
  const more = withBranches(
    beside,
    added.flatMap((a) => (typeof a.where === 'number' ? [dense(i, a.where).place(a.field)] : [])),
  );
  const widened = opTable([...coreDialects, fieldDialect(more), derivative, ...dialects]);
  const kernels = planned.map(({ kernel, plans }) => (plans.size === 0 ? kernel : keepingIn(kernel, plans, widened)));
  return { module: { ...module, layout: layoutTree(more), kernels }, layout: more, places };
};

/** Where a field is added: beside another one, or in an array of its own, of so many elements. */
type Where = string | number;

interface Added {
  readonly field: FieldDecl;
  readonly where: Where;
}

/** A kernel that keeps the places that some ops have returned. */
const keepingIn = (kernel: Kernel, plans: ReadonlyMap<Op, Plan>, table: OpTable): Kernel => {
  const b = new Builder(table, new Map(), idsFrom(highestId(kernel) + 1));
  const numbers = new Map<Plan, readonly Value[]>();
  const inside = (region: Region): Region => {
    const { ops } = b.collect(() => {
      for (const plan of plans.values()) {
        if (plan.within !== region) continue;
        const number = plan.number(b);
        numbers.set(plan, number);
        if (plan.count !== undefined) b.op('field.store', [b.i32(0), ...number], { field: plan.count });
      }
      for (const op of region.ops) {
        b.loc = op.loc;
        const plan = plans.get(op);
        if (!plan) {
          b.append(op.regions.length === 0 ? op : opWith(op, { regions: op.regions.map(inside) }));
          continue;
        }
        const slot = slotOf(b, plan, numbers.get(plan)!);
        b.append(op);
        b.op('field.store', [op.results[0], ...slot], { field: plan.places });
      }
    });
    return { params: region.params, ops };
  };
  return { ...kernel, body: inside(kernel.body) };
};

/** Where places of an append are kept. */
interface Plan extends Iterations {
  readonly places: string;
  /** The field that counts appends of each iteration; none where there is one at most. */
  readonly count: string | undefined;
}

/** The slot of an append; one beyond the last where there is no room. */
const slotOf = (b: Builder, { count, iterations, times }: Plan, number: readonly Value[]): readonly Value[] => {
  if (count === undefined) return number;
  const n = b.value('field.load', number, { field: count });
  b.op('field.store', [b.add(n, b.i32(1)), ...number], { field: count });
  const [of] = number;
  const isRoom = b.and(b.cmp('lt', n, b.i32(times)), b.cmp('lt', of, b.i32(iterations)));
  return [b.select(isRoom, b.add(b.mul(of, b.i32(times)), n), b.i32(iterations * times))];
};

/** Ops that give a number which depends on what other iterations do meanwhile. */
const isAsking = ({ name, results: [result] }: Op): boolean =>
  name === 'field.append' || (name === 'field.atomic' && result.type === 'i32');

/** Whether a derivative may ask for what an op has returned: by it elements are found that are differentiated, it is computed with, or it is asked what it is. */
const matters = (asking: Op, { body }: Kernel, adjoined: ReadonlySet<string>): boolean => {
  const from = new Set(asking.results.map((r) => r.id));
  let found = false;
  const visit = (op: Op): boolean => {
    const isFrom = op.operands.some((v) => from.has(v.id));
    if (isFrom) {
      for (const { params } of op.regions) for (const p of params) from.add(p.id);
      const element = op.name.startsWith('field.') && op.attrs.field !== undefined;
      found ||= element
        ? adjoined.has(String(op.attrs.field))
        : op.regions.length > 0 || op.results.some((r) => isFloat(r.type));
    }
    const within = op.regions.map(({ ops }) => ops.map(visit).some((x) => x));
    if (!isFrom && !within.some((x) => x)) return false;
    for (const r of op.results) from.add(r.id);
    return true;
  };
  /* What loops hand on is known when they have been gone through once. */
  for (let pass = 0; pass < 2; pass++) body.ops.forEach(visit);
  return found;
};

interface Around {
  readonly controlOf: ControlOf;
  readonly forms: IntegerForms;
  readonly layout: Layout;
}

/** Which iterations an append stands in. */
interface Iterations {
  /** What they run: the body of the innermost parallel loop around it. */
  readonly within: Region;
  readonly iterations: number;
  /** How often each may come to the append. */
  readonly times: number;
  readonly isRepeated: boolean;
  readonly isOpen: boolean;
  /** The field beside whose elements there is a slot for each, where iterations go over these and have no numbers that there is room for. */
  readonly beside?: string;
  /** What tells an iteration: its number, or its element. */
  readonly number: (b: Builder) => readonly Value[];
}

const iterationsAround = (
  parents: readonly Op[],
  kernel: Kernel,
  { controlOf, forms, layout }: Around,
): Iterations | undefined => {
  const loops = parents.filter((op) => {
    const control = controlOf(op);
    return control !== undefined && isLoop(control);
  });
  const innermost = loops.findLastIndex((op) => controlOf(op)!.parallel === true);
  const [outer, inner] = [loops.slice(0, innermost + 1), loops.slice(innermost + 1)];
  const within = innermost < 0 ? kernel.body : outer[innermost].regions[0];
  const elements = outer.length === 1 && inner.length === 0 ? besideOf(outer[0], layout) : undefined;
  const alone: Iterations | undefined =
    elements === undefined
      ? undefined
      : {
          within,
          iterations: 1,
          times: 1,
          isRepeated: false,
          isOpen: false,
          beside: elements,
          number: () => within.params,
        };
  const digits = outer.flatMap((loop, n) => {
    const known = digitsOfLoop(loop, controlOf, forms);
    if (known) return known.map((d) => ({ ...d, isOpen: false }));
    const [counter] = loop.regions[0].params;
    const least = loop.name === 'scf.for' ? forms.liesIn(counter)[0] : -Infinity;
    /* A number of iterations that an argument says. */
    return n === 0 && Number.isFinite(least)
      ? [{ value: counter, least, extent: mostOf(loop, counter, layout) - least, isOpen: true }]
      : [undefined];
  });
  if (!digits.every((d) => d !== undefined && d.value.type === 'i32' && d.extent > 0)) return alone;
  const all = digits as readonly { value: Value; least: number; extent: number; isOpen: boolean }[];
  const iterations = all.reduce((n, { extent }) => n * extent, 1);
  if (iterations > MOST_ITERATIONS) return alone;
  const trips = inner.reduce((n, loop) => {
    const known = digitsOfLoop(loop, controlOf, forms);
    return known ? known.reduce((m, { extent }) => m * extent, n) : Infinity;
  }, 1);
  const room = Math.max(LEAST_TIMES, Math.floor(MOST / iterations));
  const times = Math.min(trips, room);
  if (iterations * times > MOST_ITERATIONS) return undefined;
  return {
    within,
    iterations,
    times,
    isRepeated: inner.length > 0,
    isOpen: times < trips || all.some((d) => d.isOpen),
    number: (b) => [
      all.reduce<Value | undefined>((sum, { value, least, extent }) => {
        const digit = least === 0 ? value : b.sub(value, b.i32(least));
        return sum ? b.add(b.mul(sum, b.i32(extent)), digit) : digit;
      }, undefined) ?? b.i32(0),
    ],
  };
};

/** A field of the cells that a loop goes over. */
const besideOf = (loop: Op, layout: Layout): string | undefined =>
  loop.name === 'field.for'
    ? nodeOf(layout, loop)!.children.flatMap((c) => layout.nodes[c].field?.name ?? [])[0]
    : undefined;

/** How many iterations a loop up to an argument may have: those for which there are elements of the fields that it counts along. */
const mostOf = (loop: Op, counter: Value, layout: Layout): number => {
  let most = 0;
  walk(loop.regions[0], ({ name, attrs, operands }) => {
    const placed = name.startsWith('field.') ? layout.fields.get(String(attrs.field)) : undefined;
    if (!placed || placed.unbounded) return;
    const index = operands.slice(operands.length - placed.extents.length);
    index.forEach((v, n) => {
      if (v.id === counter.id) most = Math.max(most, placed.extents[n]);
    });
  });
  return most > 0 ? most : UNKNOWN;
};

/** Places that there is room for: in all, where nobody knows how many there are; for each iteration at least; and beyond which none are kept. */
const MOST = 2 ** 20;
const LEAST_TIMES = 16;
const MOST_ITERATIONS = 2 ** 24;
/** Iterations of a loop of which nothing tells how many it may have. */
const UNKNOWN = 2 ** 16;

/** What a derivative needs of the primal, with the fields in which that keeps places. */
export const alsoKeeping = (needs: Needs, { body }: Kernel, places: Places): Needs => {
  const kept = new Set<string>();
  walk(body, (op) => void (isKeeping(op, places) && kept.add(String(op.attrs.field))));
  return {
    ...needs,
    written: [...needs.written, ...[...kept].map((f) => ({ place: placeOfField(f), index: [undefined] }))],
    writes: [...needs.writes, ...kept],
  };
};

const isKeeping = ({ name, attrs }: Op, places: Places): boolean =>
  name === 'field.store' && places.has(String(attrs.field));

/** A kernel that looks up, in the fields in which its places are kept, what its appends have returned, and appends nothing. */
export const lookingUp = (kernel: Kernel, places: Places, dialects: readonly Dialect[]): Kernel => {
  if (places.size === 0) return kernel;
  const kept = new Map<number, Op>();
  walk(kernel.body, (op) => {
    if (isKeeping(op, places)) kept.set(op.operands[0].id, op);
  });
  if (kept.size === 0) return kernel;
  return rewriteOps(kernel, dialects, (op, ctx) => {
    if (isKeeping(op, places)) return { ops: [], values: [] };
    const store = isAsking(op) ? kept.get(op.results[0].id) : undefined;
    if (!store) return undefined;
    const { field: name } = store.attrs;
    return ctx.build((b) => b.value('field.load', store.operands.slice(1), { field: name }));
  });
};
