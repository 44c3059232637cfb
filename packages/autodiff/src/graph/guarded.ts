import { Sym, type Graph, type ScalarAlgebra } from '@filigree/ir';

/** No condition, or no value. */
export const NONE = -1;

/**
 * Sums of derivatives, each under the condition that the arm it came through is taken. The condition is carried beside the value and not multiplied in as a
 * zero: what lies below an arm that is not taken may have an infinite partial derivative, and 0·∞ is NaN. Values and conditions are nodes.
 */
export class Guarded {
  private value: Int32Array;
  private condition: Int32Array;
  /** Whether the value is 0 already where the condition does not hold, since it is a sum of such. */
  private isZeroElse: Uint8Array;

  constructor(
    private readonly graph: Graph,
    private readonly s: ScalarAlgebra<Sym>,
    size: number,
  ) {
    this.value = new Int32Array(size).fill(NONE);
    this.condition = new Int32Array(size).fill(NONE);
    this.isZeroElse = new Uint8Array(size);
  }

  /** The value at `i` where its condition holds; `NONE` where nothing was added. */
  valueAt(i: number): number {
    return this.value[i];
  }

  conditionAt(i: number): number {
    return this.condition[i];
  }

  /** What was added at `i`, 0 where its condition does not hold; `NONE` where nothing was. */
  total(i: number): number {
    if (this.value[i] < 0 || this.isZeroElse[i] === 1) return this.value[i];
    return this.where(this.value[i], this.condition[i]);
  }

  add(i: number, value: number, condition: number): void {
    if (i >= this.value.length) this.grow(i + 1);
    const { s } = this;
    if (this.value[i] < 0) {
      this.value[i] = value;
      this.condition[i] = condition;
    } else if (this.condition[i] === condition) {
      this.value[i] = s.add(this.sym(this.value[i]), this.sym(value)).id;
      this.isZeroElse[i] = 0;
    } else {
      const [here, there] = [this.total(i), this.where(value, condition)];
      this.value[i] = s.add(this.sym(here), this.sym(there)).id;
      this.isZeroElse[i] = 1;
      this.condition[i] =
        this.condition[i] < 0 || condition < 0 ? NONE : s.or(this.sym(this.condition[i]), this.sym(condition)).id;
    }
  }

  /** Forgets what was added at `i`. */
  clear(i: number): void {
    this.value[i] = NONE;
    this.condition[i] = NONE;
    this.isZeroElse[i] = 0;
  }

  /** Both conditions. */
  both(a: number, b: number): number {
    return a < 0 ? b : b < 0 || a === b ? a : this.s.and(this.sym(a), this.sym(b)).id;
  }

  private where(value: number, condition: number): number {
    return condition < 0 ? value : this.graph.select(condition, value, this.graph.constant(0));
  }

  private sym(id: number): Sym {
    return new Sym(this.graph, id);
  }

  private grow(size: number): void {
    this.value = wider(this.value, size);
    this.condition = wider(this.condition, size);
    const flags = new Uint8Array(this.value.length);
    flags.set(this.isZeroElse);
    this.isZeroElse = flags;
  }
}

const wider = (a: Int32Array, size: number): Int32Array => {
  const out = new Int32Array(Math.max(size, 2 * a.length)).fill(NONE);
  out.set(a);
  return out;
};
