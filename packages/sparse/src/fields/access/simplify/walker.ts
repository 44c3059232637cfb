import {
  Builder,
  bufferMap,
  freshIds,
  opTable,
  substituteOperands,
  opWith,
  type Buffer,
  type Dialect,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';

/** A walk that follows the order in which a program runs, and knows where regions begin and end. */
export interface Walk {
  /** What becomes of an op, whose regions are done: values in place of its results, or nothing to keep it as it is. */
  readonly visit: (op: Op, b: Builder) => readonly Value[] | undefined;
  /** Called before the regions of an op, and after them. */
  readonly around?: (op: Op, when: 'before' | 'after') => void;
  /** Called where a region of an op begins and ends. */
  readonly region?: (op: Op, index: number, when: 'enter' | 'leave') => void;
}

/** Walks over a kernel, outer ops before those in their regions, and rewrites it on the way. */
export const walkKernel = (
  kernel: Kernel,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
  walk: Walk,
): Kernel => {
  const b = new Builder(opTable(dialects), bufferMap(buffers), freshIds(kernel));
  const now = new Map<number, Value>();
  let changed = false;
  const region = (r: Region): Region => {
    const before = changed;
    changed = false;
    const { ops } = b.collect(() => r.ops.forEach(step));
    const same = !changed;
    changed ||= before;
    return same ? r : { params: r.params, ops };
  };
  const step = (original: Op): void => {
    const op = inside(substituteOperands(original, now));
    if (op !== original) changed = true;
    b.loc = op.loc;
    const values = walk.visit(op, b);
    if (!values) {
      b.append(op);
      return;
    }
    changed = true;
    op.results.forEach((r, n) => values[n] !== r && now.set(r.id, values[n]));
  };
  const inside = (op: Op): Op => {
    if (op.regions.length === 0) return op;
    walk.around?.(op, 'before');
    const regions = op.regions.map((r, n) => {
      walk.region?.(op, n, 'enter');
      const result = region(r);
      walk.region?.(op, n, 'leave');
      return result;
    });
    walk.around?.(op, 'after');
    return regions.every((r, n) => r === op.regions[n]) ? op : opWith(op, { regions });
  };
  const body = region(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
};

/** A map with a way back: what is set in a region holds until the region ends. */
export class ScopedMap<K, V> {
  private readonly map = new Map<K, V>();
  private readonly trail: (readonly [K, V | undefined])[] = [];
  private readonly marks: number[] = [];

  get(key: K): V | undefined {
    return this.map.get(key);
  }

  set(key: K, value: V): void {
    this.trail.push([key, this.map.get(key)]);
    this.map.set(key, value);
  }

  enter(): void {
    this.marks.push(this.trail.length);
  }

  leave(): void {
    const mark = this.marks.pop()!;
    while (this.trail.length > mark) {
      const [key, value] = this.trail.pop()!;
      if (value === undefined) this.map.delete(key);
      else this.map.set(key, value);
    }
  }
}
