import {
  coreDialects,
  integerRange,
  isInteger,
  isWide,
  makeOp,
  makeValue,
  freshIds,
  opTable,
  opWith,
  typeText,
  type Attr,
  type Attrs,
  type Kernel,
  type Op,
  type OpTable,
  type Region,
  type ScalarType,
  type Value,
} from '@filigree/ir';

/** Kernels that are one but for whole numbers in them: those of the levels of a grid, or of several fields in one memory. */
export interface Alike {
  /** Which ones, by their position. */
  readonly members: readonly number[];
  /** One for all of them, with those numbers as parameters behind its own; where there is one alone, that. */
  readonly kernel: Kernel;
  /** Of each member the numbers. */
  readonly numbers: readonly (readonly Attr[])[];
}

/**
 * Kernels in groups of those that are alike. Numbers that loops within loops count by, those by which something is divided, and those by which the
 * counter of an innermost loop is multiplied, tell kernels apart: code for numbers that are not known would be slower. Compilers that do not know how
 * far iterations lie from each other in memory make no lanes of them, or bad ones.
 */
export const alikeKernels = (kernels: readonly Kernel[]): readonly Alike[] => {
  if (kernels.length === 1) return [{ members: [0], kernel: kernels[0], numbers: [[]] }];
  const table = opTable(coreDialects);
  const groups = new Map<string, { readonly members: number[]; readonly uses: (readonly Use[])[] }>();
  kernels.forEach((kernel, k) => {
    const { key, uses } = shapeOf(kernel, table);
    const group = groups.get(key);
    if (group) {
      group.members.push(k);
      group.uses.push(uses);
    } else groups.set(key, { members: [k], uses: [uses] });
  });
  return [...groups.values()].map(({ members, uses }) => {
    const kernel = kernels[members[0]];
    return members.length === 1 ? { members, kernel, numbers: [[]] } : { members, ...opened(kernel, uses, table) };
  });
};

/**
 * The kernel with these numbers for its last parameters: constants before all else. The attribute `numbers` says how many there are, and from where to
 * where those of all that are alike go.
 */
export const withNumbers = ({ params, body, attrs }: Kernel, name: string, numbers: readonly Attr[]): Kernel => {
  const own = params.length - numbers.length;
  const constants = numbers.map((value, k) =>
    makeOp('arith.constant', [], [params[own + k]], { value }, [], undefined),
  );
  const { [RANGES]: ranges, ...rest } = attrs;
  return {
    name,
    params: params.slice(0, own),
    body: { params: body.params, ops: [...constants, ...body.ops] },
    attrs: numbers.length === 0 ? rest : { ...rest, [NUMBERS]: ranges },
  };
};

/** A kernel without the numbers that `withNumbers` gave it, if it did: they are parameters again, behind its own. */
export const withoutNumbers = (kernel: Kernel): { readonly kernel: Kernel; readonly numbers: readonly Attr[] } => {
  const { [NUMBERS]: ranges, ...attrs } = kernel.attrs;
  if (!Array.isArray(ranges)) return { kernel, numbers: [] };
  const given = kernel.body.ops.slice(0, ranges.length);
  /* A pass may have dropped some of them, or put others there. */
  const isOne = ({ name, attrs: { value } }: Op, k: number): boolean => {
    const [least, most] = ranges[k] as readonly [number, number];
    return name === 'arith.constant' && Number(value) >= least && Number(value) <= most;
  };
  if (!given.every(isOne)) return { kernel, numbers: [] };
  const params = [...kernel.params, ...given.map(({ results }) => results[0])];
  return {
    kernel: {
      ...{ name: kernel.name, params },
      body: { params: kernel.body.params, ops: kernel.body.ops.slice(given.length) },
      attrs: { ...attrs, [RANGES]: ranges },
    },
    numbers: given.map((op) => op.attrs.value),
  };
};

/** An integer constant where it is used. */
interface Use {
  readonly value: Attr;
  readonly type: ScalarType;
}

/** The attribute with the ranges of the constants at the beginning of a kernel that tell it from those that are like it. */
const NUMBERS = 'numbers';

/** The attribute with the least and the greatest that parameters may be, for the last of them. */
const RANGES = 'ranges';

/** The ranges of parameters of which something is known, by the ids of their values. */
export const rangesOfParams = ({ params, attrs }: Kernel): ReadonlyMap<number, readonly [number, number]> => {
  const ranges = (attrs[RANGES] ?? []) as readonly (readonly [number, number])[];
  return new Map(ranges.map((range, k) => [params[params.length - ranges.length + k].id, range]));
};

/** A kernel as text without the numbers that may be others, and these. Values are told by the order in which they are defined. */
const shapeOf = (kernel: Kernel, table: OpTable): { readonly key: string; readonly uses: readonly Use[] } => {
  const parts: string[] = [JSON.stringify(kernel.attrs)];
  const uses: Use[] = [];
  const order = new Map<number, number>();
  const constants = new Map<number, Use>();
  const isFixed = fixedIn(kernel, table);
  const define = (v: Value): void => {
    order.set(v.id, order.size);
    parts.push(typeText(v.type));
  };
  const visit = (region: Region, depth: number): void => {
    region.params.forEach(define);
    for (const op of region.ops) {
      const constant = constantOf(op, table);
      if (constant) {
        constants.set(op.results[0].id, constant);
        continue;
      }
      parts.push(op.name, JSON.stringify(op.attrs));
      const fixed = isFixed(op, depth);
      for (const { id } of op.operands) {
        const use = constants.get(id);
        if (!use) parts.push(`%${order.get(id)}`);
        else if (fixed) parts.push(`${use.type} ${use.value}`);
        else {
          parts.push(use.type);
          uses.push(use);
        }
      }
      op.results.forEach(define);
      for (const inner of op.regions) {
        parts.push('{');
        visit(inner, depth + 1);
        parts.push('}');
      }
    }
  };
  kernel.params.forEach(define);
  visit(kernel.body, 0);
  return { key: parts.join('\n'), uses };
};

/** Whether the numbers that an op of a kernel takes, inside of so many others, make it another one. */
const fixedIn = ({ body }: Kernel, table: OpTable): ((op: Op, depth: number) => boolean) => {
  const counters = new Set<number>();
  countersIn(body, counters);
  return (op, depth) => {
    const def = table.get(op.name);
    return (
      !def ||
      (op.regions.length > 0 && depth > 0) ||
      (def.traits.elementwise === true && def.traits.mayTrap === true) ||
      (op.name === 'arith.mul' && op.operands.some((v) => counters.has(v.id)))
    );
  };
};

/** Finds what loops count in which there are no others. Whether there are loops in a region. */
const countersIn = (region: Region, found: Set<number>): boolean => {
  let loops = false;
  for (const { regions } of region.ops)
    for (const inner of regions) {
      const [counter] = inner.params;
      const within = countersIn(inner, found);
      if (counter && !within) found.add(counter.id);
      loops ||= within || counter !== undefined;
    }
  return loops;
};

const constantOf = ({ name, attrs: { value }, results: [result] }: Op, table: OpTable): Use | undefined =>
  table.get(name)?.traits.constant === true &&
  value !== undefined &&
  typeof result.type === 'string' &&
  isInteger(result.type)
    ? { value, type: result.type }
    : undefined;

/**
 * The first of kernels that are alike with parameters for the numbers in which they differ. One that is as far from another in all of them is that and a
 * distance: then whoever reads the kernel sees that neighbours in memory are neighbours, as compilers must that make lanes of them.
 */
const opened = (
  kernel: Kernel,
  uses: readonly (readonly Use[])[],
  table: OpTable,
): Pick<Alike, 'kernel' | 'numbers'> => {
  const ids = freshIds(kernel);
  const columns = new Map<string, Column>();
  const params: Column[] = [];
  const distances: Op[] = [];
  const columnOf = (type: ScalarType, values: readonly Attr[]): Column => {
    const value = makeValue(ids.next(), type, undefined);
    for (const from of params) {
      const distance = from.value.type === type ? distanceOf(type, from.values, values) : undefined;
      if (distance === undefined) continue;
      const constant = makeValue(ids.next(), type, undefined);
      distances.push(
        makeOp('arith.constant', [], [constant], { value: distance }, [], undefined),
        makeOp('arith.add', [from.value, constant], [value], {}, [], undefined),
      );
      return { value, values };
    }
    const column = { value, values };
    params.push(column);
    return column;
  };
  const numbers = uses[0].map(({ type }, k) => {
    const values = uses.map((list) => list[k].value);
    if (values.every((v) => v === values[0])) return undefined;
    const key = `${type} ${values.join()}`;
    const known = columns.get(key) ?? columnOf(type, values);
    columns.set(key, known);
    return known.value;
  });
  let at = 0;
  const isFixed = fixedIn(kernel, table);
  const constants = new Set<number>();
  const regionOf = (region: Region, depth: number): Region => ({
    params: region.params,
    ops: region.ops.map((op) => {
      if (constantOf(op, table)) {
        constants.add(op.results[0].id);
        return op;
      }
      const fixed = isFixed(op, depth);
      const operands = op.operands.map((v) => (constants.has(v.id) && !fixed ? (numbers[at++] ?? v) : v));
      return opWith(op, { operands, regions: op.regions.map((inner) => regionOf(inner, depth + 1)) });
    }),
  });
  const ranges = params.map(({ values }) => [Math.min(...values.map(Number)), Math.max(...values.map(Number))]);
  const attrs: Attrs = { ...kernel.attrs, [RANGES]: ranges };
  const body = regionOf(kernel.body, 0);
  return {
    kernel: {
      ...kernel,
      params: [...kernel.params, ...params.map((c) => c.value)],
      body: { params: body.params, ops: [...distances, ...body.ops] },
      attrs,
    },
    numbers: uses.map((_, m) => params.map(({ values }) => values[m])),
  };
};

/** A number in which kernels differ, and what it is in each of them. */
interface Column {
  readonly value: Value;
  readonly values: readonly Attr[];
}

/** How far numbers are from others, if they are all as far and the type has that number. */
const distanceOf = (type: ScalarType, from: readonly Attr[], to: readonly Attr[]): Attr | undefined => {
  const distances = to.map((value, k) => BigInt(value as string | number) - BigInt(from[k] as string | number));
  const [distance] = distances;
  const [least, most] = integerRange(type);
  if (distance < least || distance > most || distances.some((d) => d !== distance)) return undefined;
  return isWide(type) ? String(distance) : Number(distance);
};
