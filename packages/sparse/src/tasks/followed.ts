import {
  DiagnosticError,
  fail,
  type Access,
  type Buffer,
  type Kernel,
  type Machine,
  type Op,
  type Region,
  type RuntimeValue,
  type Value,
} from '@filigree/ir';
import type { Asking, Stretch } from './stretch.js';

/** What a loop is followed with. */
export interface Following extends Asking {
  readonly buffers: ReadonlyMap<string, Buffer>;
}

/**
 * Which stretch of a place each iteration of a loop touches, found by running what computes the indices and nothing else. Undefined where these depend
 * on more than counters and tables, stand under a condition, or are too many.
 *
 * @param loop counts from the first number to the second
 */
export const followed = (
  kernel: Kernel,
  loop: Op,
  [first, last]: readonly [number, number],
  place: string,
  following: Following,
): readonly (Stretch | undefined)[] | undefined => {
  const counter = loop.regions[0].params[following.control(loop)!.count!.counter!];
  const slice = new Slice(kernel.body, place, following);
  try {
    const run = slice.of(kernel.body, loop, counter);
    return run && Array.from({ length: last - first + 1 }, (_, n) => run(first + n));
  } catch (e) {
    if (e instanceof DiagnosticError) return undefined;
    throw e;
  }
};

type Step = () => void;

/** The ops of a loop that tell which elements of a place it touches. */
class Slice {
  private readonly values: RuntimeValue[] = [];
  private readonly definitions = new Map<number, Op>();
  private readonly known = new Map<number, boolean>();
  private readonly needed = new Set<number>();
  private stretch: Stretch | undefined;
  private left = MOST_STEPS;

  constructor(
    body: Region,
    private readonly place: string,
    private readonly following: Following,
  ) {
    this.define(body);
    this.look(body);
  }

  /** What gives the elements that the loop touches while it counts `n`; undefined where that cannot be told. */
  of(body: Region, loop: Op, counter: Value): ((n: number) => Stretch | undefined) | undefined {
    const before = this.stepsOf(body.ops.slice(0, body.ops.indexOf(loop)));
    this.known.set(counter.id, true);
    const steps = this.stepsOf(loop.regions[0].ops);
    if (!before || !steps) return undefined;
    for (const step of before) step();
    return (n) => {
      this.stretch = undefined;
      this.values[counter.id] = n;
      for (const step of steps) step();
      return this.stretch;
    };
  }

  private define({ ops }: Region): void {
    for (const op of ops) {
      for (const { id } of op.results) this.definitions.set(id, op);
      op.regions.forEach((inner) => this.define(inner));
    }
  }

  /** Takes note of what indices of the place, and bounds of loops around them, are computed from. */
  private look({ ops }: Region): void {
    const { accesses, control } = this.following;
    for (const op of ops) {
      for (const { place, index } of accesses(op) ?? []) if (place === this.place) index.forEach((v) => this.need(v));
      if (op.regions.length === 0 || !this.touches(op)) continue;
      const count = control(op)?.count;
      if (count) for (const v of [count.lower, count.upper, count.step]) if (typeof v !== 'number') this.need(v);
      op.regions.forEach((inner) => this.look(inner));
    }
  }

  private need({ id }: Value): void {
    if (this.needed.has(id)) return;
    this.needed.add(id);
    this.definitions.get(id)?.operands.forEach((v) => this.need(v));
  }

  private stepsOf(ops: readonly Op[]): readonly Step[] | undefined {
    const steps: Step[] = [];
    for (const op of ops) {
      const own = this.stepOf(op);
      if (own === undefined) return undefined;
      steps.push(...own);
    }
    return steps;
  }

  private stepOf(op: Op): readonly Step[] | undefined {
    const { accesses, control } = this.following;
    if (op.regions.length > 0) return this.touches(op) ? this.loopOf(op, control(op)?.count) : [];
    const touching = (accesses(op) ?? []).filter((a) => a.place === this.place);
    if (touching.length === 0) {
      const [result] = op.results;
      return result && this.needed.has(result.id) && this.isKnown(result) ? [this.computed(op)] : [];
    }
    return touching.every(({ index }) => index.length === 1 && this.isKnown(index[0]))
      ? touching.map((access) => this.noted(access))
      : undefined;
  }

  private touches(op: Op): boolean {
    const { accesses } = this.following;
    return op.regions.some(({ ops }) =>
      ops.some((inner) => accesses(inner)?.some((a) => a.place === this.place) === true || this.touches(inner)),
    );
  }

  private loopOf({ regions: [region] }: Op, count: Counting | undefined): readonly Step[] | undefined {
    if (count?.counter === undefined) return undefined;
    const [lower, upper, step] = [count.lower, count.upper, count.step].map((v) => this.read(v));
    if (!lower || !upper || !step) return undefined;
    const { id } = region.params[count.counter];
    this.known.set(id, true);
    const body = this.stepsOf(region.ops);
    if (!body) return undefined;
    const loop = (): void => {
      const [end, by] = [upper(), step()];
      for (let n = lower(); n < end; n += by) {
        this.spend(body.length + 1);
        this.values[id] = n;
        for (const inner of body) inner();
      }
    };
    return [loop];
  }

  private read(v: Value | number): (() => number) | undefined {
    if (typeof v === 'number') return () => v;
    return this.isKnown(v) ? () => Number(this.values[v.id]) : undefined;
  }

  /** Whether a value follows from counters, constants and tables. */
  private isKnown(v: Value): boolean {
    let known = this.known.get(v.id);
    if (known === undefined) {
      /* What a value carries from one iteration to the next has no op that defines it. */
      const op = this.definitions.get(v.id);
      known = op !== undefined && this.isComputed(op) && op.operands.every((o) => this.isKnown(o));
      this.known.set(v.id, known);
    }
    return known;
  }

  private isComputed(op: Op): boolean {
    const { def, buffers } = this.following;
    const effects = def(op)?.effects(op);
    return (
      effects !== undefined &&
      op.results.length === 1 &&
      op.regions.length === 0 &&
      effects.every(({ kind, buffer }) => kind === 'read' && buffers.get(buffer ?? '')?.data !== undefined)
    );
  }

  private computed(op: Op): Step {
    const { values } = this;
    const def = this.following.def(op)!;
    const { id } = op.results[0];
    const [a, b, c] = op.operands.map((v) => v.id);
    const bound = op.operands.length <= 3 ? def.bind?.(op, this.machine) : undefined;
    if (bound) return () => void (values[id] = bound(values[a], values[b], values[c]));
    return () => {
      const args = op.operands.map((v) => values[v.id]);
      [values[id]] = def.evaluate(op, args, this.machine);
    };
  }

  private noted({ index: [at], count }: Access): Step {
    return () => {
      const from = Number(this.values[at.id]);
      const to = from + count - 1;
      this.stretch = this.stretch ? [Math.min(this.stretch[0], from), Math.max(this.stretch[1], to)] : [from, to];
    };
  }

  private spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) fail('tasks/steps', 'a loop is too long to be followed');
  }

  private readonly machine: Machine = {
    buffer: (name) => this.following.buffers.get(name)!.data!,
    region: () => fail('tasks/region', 'only ops without regions are followed'),
    trap: (op, message) => fail('tasks/trap', `${op.name}: ${message}`),
  };
}

type Counting = NonNullable<ReturnType<Asking['control']>>['count'];

/** Ops beyond which it is not worth the while to follow them: some tenths of a second. */
const MOST_STEPS = 1 << 22;
