import type { At, MatrixCode, Real, Step, TraceCode } from './code.js';

/**
 * A value of plain evaluation with what is known of its rounding: `spread` bounds what rounding each operation once, in any order
 * of sums, can change, in units of the last place; infinite where that is not to be said. `least` and `most` are the least and
 * largest sizes of all values that it came from, zero left out. `sure`: nothing that it came from overflowed, nor was decided by
 * rounding, such as which of two values that are nearly one is less, so that it is a number in any order of sums or in none.
 */
export interface Known {
  readonly value: number;
  readonly spread: number;
  readonly least: number;
  readonly most: number;
  readonly sure: boolean;
}

/** Runs a program one operation at a time; `round` is applied after each. */
export const evaluateTrace = (t: TraceCode, round: (x: number) => number): ReadonlyMap<string, readonly Known[]> => {
  const run = new Run(t, round);
  for (const s of t.body) run.step(s);
  return new Map(t.outputs.map((name) => [name, run.arrays.get(name) ?? [run.locals.get(name)!]]));
};

const known = (value: number): Known => {
  const size = Math.abs(value);
  const counts = size > 0;
  return { value, spread: size, least: counts ? size : Infinity, most: counts ? size : 0, sure: true };
};

class Run {
  readonly arrays = new Map<string, readonly Known[]>();
  readonly locals = new Map<string, Known>();
  private readonly tables: ReadonlyMap<string, readonly number[]>;
  private readonly matrices: ReadonlyMap<string, MatrixCode>;

  constructor(
    t: TraceCode,
    private readonly round: (x: number) => number,
  ) {
    this.tables = new Map(t.tables.map((x) => [x.name, x.at]));
    this.matrices = new Map(t.matrices.map((m) => [m.name, m]));
    for (const { name, values } of t.inputs)
      this.arrays.set(
        name,
        values.map((x) => known(round(x))),
      );
  }

  step(s: Step): void {
    switch (s.do) {
      case 'let':
        return void this.locals.set(s.name, this.real(s.value, 0));
      case 'map':
        return void this.arrays.set(
          s.name,
          Array.from({ length: s.length }, (_, i) => this.real(s.value, i)),
        );
      case 'fold': {
        let all = this.real(s.start, 0);
        for (let i = 0; i < s.length; i++) all = this.binary(s.op, all, this.real(s.value, i));
        return void this.locals.set(s.name, all);
      }
      case 'scatter': {
        const to = Array.from({ length: s.length }, () => known(0));
        const [plus, minus] = s.to.map((name) => this.tables.get(name)!);
        for (let i = 0; i < s.times; i++) {
          const w = this.real(s.value, i);
          to[plus[i]] = this.binary('+', to[plus[i]], w);
          to[minus[i]] = this.binary('-', to[minus[i]], w);
        }
        return void this.arrays.set(s.name, to);
      }
      case 'repeat':
        this.locals.set(s.name, this.real(s.start, 0));
        for (let i = 0; i < s.times; i++) this.locals.set(s.name, this.real(s.value, i));
        return;
      case 'scan': {
        const all: Known[] = [];
        for (let i = 0; i < s.length; i++) {
          const x = this.real(s.value, i);
          all.push(i === 0 ? x : this.binary(s.op, all[i - 1], x));
        }
        return void this.arrays.set(s.name, all);
      }
      case 'matrix':
        return void this.arrays.set(s.name, this.matrix(s));
    }
  }

  /** Dense loops over the places that the result can have. */
  private matrix({ op, a, b, turned }: Step & { do: 'matrix' }): readonly Known[] {
    const [left, right] = [this.entries(a, false), this.entries(b, turned)];
    const { side } = this.matrices.get(a)!;
    const all: Known[] = [];
    for (let place = 0; place < side * side; place++) {
      const [i, j] = [Math.floor(place / side), place % side];
      let sum: Known | undefined;
      const add = (x: Known, by: '+' | '-' = '+'): void =>
        void (sum = sum ? this.binary(by, sum, x) : by === '-' ? negated(x) : x);
      if (op === 'multiply')
        for (let k = 0; k < side; k++) {
          const [x, y] = [left.get(i * side + k), right.get(k * side + j)];
          if (x && y) add(this.binary('*', x, y));
        }
      else {
        const [x, y] = [left.get(place), right.get(place)];
        if (x) add(x);
        if (y) add(y, op === 'sub' ? '-' : '+');
      }
      if (sum) all.push(sum);
    }
    return all;
  }

  private entries(name: string, turned: boolean): ReadonlyMap<number, Known> {
    const { side, places, values } = this.matrices.get(name)!;
    return new Map(
      places.map((p, k) => [turned ? (p % side) * side + Math.floor(p / side) : p, known(this.round(values[k]))]),
    );
  }

  private at(at: At, i: number): number {
    switch (at.by) {
      case 'own':
        return i;
      case 'ring':
        return (i + at.shift) % at.length;
      case 'table':
        return this.tables.get(at.table)![i];
      case 'number':
        return at.value;
    }
  }

  private real(e: Real, i: number): Known {
    switch (e.is) {
      case 'constant':
        return known(this.round(e.value));
      case 'local':
        return this.locals.get(e.name)!;
      case 'element':
        return this.arrays.get(e.of)![this.at(e.at, i)];
      case 'binary':
        return this.binary(e.op, this.real(e.a, i), this.real(e.b, i));
      case 'math':
        return this.math(e.name, this.real(e.a, i));
      case 'choose': {
        const [x, y] = [this.real(e.c.x, i), this.real(e.c.y, i)];
        const holds = e.c.op === '<' ? x.value < y.value : e.c.op === '<=' ? x.value <= y.value : x.value === y.value;
        const chosen = this.real(holds ? e.a : e.b, i);
        /* Where the sides are near each other, rounding decides. */
        const apart = Math.abs(x.value - y.value);
        const sure = apart > 2 ** -12 * (x.spread + y.spread);
        const exact = x.spread + y.spread === 0 || Number.isNaN(x.value) || Number.isNaN(y.value);
        const made = joined(chosen, x, y);
        return { ...made, spread: sure ? chosen.spread : Infinity, sure: made.sure && (sure || exact) };
      }
    }
  }

  private binary(op: string, a: Known, b: Known): Known {
    const [x, y] = [a.value, b.value];
    switch (op) {
      case '+':
        return this.made(x + y, a.spread + b.spread, a, b);
      case '-':
        return this.made(x - y, a.spread + b.spread, a, b);
      case '*':
        /* Beside an infinity it counts whether the other is zero. */
        return decided(
          this.made(x * y, a.spread * Math.abs(y) + b.spread * Math.abs(x), a, b),
          (Number.isFinite(x) || !isShaky(b)) && (Number.isFinite(y) || !isShaky(a)),
        );
      case '/': {
        const value = x / y;
        /* A divisor that rounding can bring near zero says nothing. */
        const sure = b.spread * 2 ** -12 < Math.abs(y);
        const made = this.made(value, sure ? (a.spread + Math.abs(value) * b.spread) / Math.abs(y) : Infinity, a, b);
        return decided(made, !isShaky(b) && (y !== 0 || !isShaky(a)));
      }
      case 'min':
        return this.made(Math.min(x, y), Math.max(a.spread, b.spread), a, b);
      default:
        return this.made(Math.max(x, y), Math.max(a.spread, b.spread), a, b);
    }
  }

  private math(name: string, a: Known): Known {
    const x = a.value;
    const sure = a.spread * 2 ** -12 < Math.abs(x);
    switch (name) {
      case 'neg':
        return negated(a);
      case 'abs':
        return { ...a, value: Math.abs(x) };
      case 'sqrt':
        return decided(this.made(Math.sqrt(x), sure ? a.spread / Math.sqrt(Math.abs(x)) : Infinity, a), !isShaky(a));
      case 'floor':
        /* A step: nothing is known near it. */
        return this.made(Math.floor(x), Math.abs(x - Math.round(x)) > 2 ** -12 * a.spread ? 0 : Infinity, a);
      case 'log':
        return decided(this.made(Math.log(x), sure ? a.spread / Math.abs(x) : Infinity, a), !isShaky(a));
      case 'exp':
        return this.made(Math.exp(x), a.spread * Math.exp(x), a);
      case 'sin':
        return this.made(Math.sin(x), a.spread, a);
      default:
        return this.made(Math.atan(x), a.spread, a);
    }
  }

  private made(exact: number, spread: number, ...from: readonly Known[]): Known {
    const value = this.round(exact);
    const made = known(value);
    const overflows = Math.abs(value) === Infinity && from.every((k) => Number.isFinite(k.value) && k.value !== 0);
    return decided({ ...joined(made, ...from), value, spread: spread + made.spread }, !overflows);
  }
}

/** Whether rounding decides if a number is zero, and on which side of it it lies. */
const isShaky = ({ value, spread }: Known): boolean =>
  Number.isFinite(value) && spread > 0 && !(spread * 2 ** -12 < Math.abs(value));

const decided = (k: Known, sure: boolean): Known => (sure ? k : { ...k, sure: false });

const negated = (a: Known): Known => ({ ...a, value: -a.value });

const joined = (x: Known, ...from: readonly Known[]): Known => ({
  ...x,
  least: Math.min(x.least, ...from.map((k) => k.least)),
  most: Math.max(x.most, ...from.map((k) => (Number.isNaN(k.most) ? Infinity : k.most))),
  sure: x.sure && from.every((k) => k.sure),
});
