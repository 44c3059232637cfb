import { walk, type Op, type OpTable, type Region, type Value, onceEach } from '@filigree/ir';
import { definedIn } from '@filigree/opt';
import { elementOf, valueName } from '../access/field-dialect.js';
import type { Layout } from '../layout/layout.js';
import { determines, functionsIn } from './determines.js';

/**
 * Whether the iterations of a serial loop depend on one another by nothing in memory: each element that it writes is of one iteration, which alone reads it, since coordinates that all accesses of a field have in common tell
 * which iteration it is. What is read at a coordinate before the first of the iterations is none of these: of `for (j = k + 1; …) a[i][j] -= a[i][k] * a[k][j]` the element `a[i][k]`; and
 * nothing that is read in another row than is written, as of `for (j …) a[t][j] = f(a[t - 1][k])`. Nothing else in it has effects; in it are branches and serial loops.
 *
 * @param ops what is around the loop and in it, by result
 */
export const areIterationsApart = (layout: Layout, table: OpTable, ops: ReadonlyMap<number, Op>, loop: Op): boolean => {
  const region = loop.regions[0]!;
  const functionOf = functionsIn(region, ops);
  const before = beforeFirst(loop, ops);
  const rowOf = rowsAround(region, ops);
  const elements = new Map<string, Access[]>();
  const [written, vague] = [new Set<string>(), new Set<string>()];
  let plain = true;
  walk(region, (op) => {
    const def = table.get(op.name);
    plain &&=
      def !== undefined && (op.regions.length === 0 || (isSerial.has(op.name) && op.attrs['parallel'] !== true));
    const element = elementOf(layout, op);
    const leaf = element && layout.nodes[element.placed.path.at(-1)!];
    for (const { kind, buffer } of plain ? def!.effects(op) : []) {
      const index =
        leaf && leaf.stored === undefined && buffer === valueName(leaf)
          ? element!.index
          : onBuffers.has(op.name)
            ? op.operands.slice(-1)
            : undefined;
      if (index && buffer !== undefined) {
        const reads = kind === 'read';
        const access = {
          reads,
          at: index.map(functionOf),
          before: reads ? index.map(before) : [],
          rows: index.map(rowOf),
        };
        elements.set(buffer, [...(elements.get(buffer) ?? []), access]);
      }
      if (index && (kind === 'write' || (kind === 'atomic' && op.attrs.alone === true))) written.add(buffer!);
      else if (kind !== 'read') plain = false;
      else if (!index) vague.add(buffer!);
    }
  });
  return plain && [...written].every((name) => !vague.has(name) && isTold(elements.get(name)!, region));
};

const isSerial: ReadonlySet<string> = new Set(['scf.if', 'scf.for', 'scf.while']);

const onBuffers: ReadonlySet<string> = new Set(['mem.load', 'mem.store']);

/** Coordinates of an access as functions of the counter, and for a read whether they are the same in all iterations, and less than the counter in each. */
interface Access {
  readonly reads: boolean;
  readonly at: readonly (string | undefined)[];
  readonly before: readonly boolean[];
  /** Coordinates that are the same in all iterations, as how far they are from a value. */
  readonly rows: readonly (Row | undefined)[];
}

interface Row {
  /** By its id; nothing of a number. */
  readonly from: number | undefined;
  readonly by: number;
}

/** Coordinates that a loop does not change. */
const rowsAround = (region: Region, ops: ReadonlyMap<number, Op>): ((v: Value) => Row | undefined) => {
  const inside = definedIn(region);
  const rowOf = onceEach((v: Value): Row | undefined => {
    const op = ops.get(v.id);
    const value = op?.name === 'arith.constant' ? op.attrs['value'] : undefined;
    if (typeof value === 'number') return { from: undefined, by: value };
    const [a, b] = op && steps.has(op.name) ? op.operands.map(rowOf) : [];
    const sign = op?.name === 'arith.sub' ? -1 : 1;
    if (a && b && b.from === undefined) return { from: a.from, by: a.by + sign * b.by };
    if (a && b && a.from === undefined && sign === 1) return { from: b.from, by: a.by + b.by };
    return inside.has(v.id) ? undefined : { from: v.id, by: 0 };
  });
  return rowOf;
};

const steps: ReadonlySet<string> = new Set(['arith.add', 'arith.sub']);

/** Whether what is read lies in another row than all that is written. */
const isElsewhere = ({ reads, rows }: Access, all: readonly Access[]): boolean =>
  reads &&
  rows.some(
    (row, axis) =>
      row !== undefined &&
      all.every(({ reads, rows }) => {
        const other = rows[axis];
        return reads || (other !== undefined && other.from === row.from && other.by !== row.by);
      }),
  );

/** Whether coordinates that accesses have in common tell which iteration it is, but for reads of what none of them writes. */
const isTold = (all: readonly Access[], { params: [counter] }: Region): boolean => {
  const along = (axis: number): boolean =>
    all.every(({ at, before }) => at[axis] === `%${counter!.id}` || before[axis] === true);
  const own = all.filter((access) => !access.before.some((is, axis) => is && along(axis)) && !isElsewhere(access, all));
  const [first, ...others] = own;
  const common = (first?.at ?? []).filter(
    (f, axis): f is string => f !== undefined && others.every(({ at }) => at[axis] === f),
  );
  return (
    determines(common, counter!) ||
    own.every((a) => own.every((b) => (a.reads && b.reads) || isMirrored(a, b, counter!)))
  );
};

/** Whether two accesses tell it by the same coordinate, or each by one that is the same number in the other, as a[i][j] and a[j][i] do: they meet in one iteration at most. */
const isMirrored = (a: Access, b: Access, counter: Value): boolean =>
  a.at.some(
    (f, p) =>
      f !== undefined &&
      determines([f], counter) &&
      b.at.some((g, q) => g === f && (p === q || (isSameRow(a.rows[q], b.rows[p]) && a.rows[q] !== undefined))),
  );

const isSameRow = (a: Row | undefined, b: Row | undefined): boolean => a?.from === b?.from && a?.by === b?.by;

/** Whether a coordinate is less than all that a loop counts: it begins a positive number further on. */
export const beforeFirst = (
  { operands: [from, , step] }: Op,
  ops: ReadonlyMap<number, Op>,
): ((v: Value) => boolean) => {
  const numberOf = (v: Value): number => Number(ops.get(v.id)?.attrs['value'] ?? NaN);
  const begins = ops.get(from!.id);
  if (begins?.name !== 'arith.add' || !(numberOf(step!) > 0)) return () => false;
  const [a, b] = begins.operands as [Value, Value];
  return ({ id }) => (id === a.id && numberOf(b) > 0) || (id === b.id && numberOf(a) > 0);
};
