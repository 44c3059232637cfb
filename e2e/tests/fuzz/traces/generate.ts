import type { Draw } from '../draw.js';
import type { At, MathName, MatrixCode, Operator, Real, Step, TraceCode } from './code.js';

/** The numbers that programs are given. */
export const PROFILES = ['moderate', 'cancelling', 'huge', 'tiny', 'zeros', 'special'] as const;
export type Profile = (typeof PROFILES)[number];

export interface TraceChoice {
  readonly profile: Profile;
  readonly dtype: 'f32' | 'f64';
  /** Only operations that are rounded correctly, so that there is one result. */
  readonly exact: boolean;
}

/** A random program over a few arrays, matrices and tables of indices. */
export const drawTrace = (d: Draw, name: string, choice: TraceChoice): TraceCode => {
  const length = d.of([1, 2, 3, 5, 8, 17, 33, 64]);
  const number = (): number => drawNumber(d, choice);
  const inputs = d.list(1, 3, (n) => ({ name: `${'xyz'[n]}${name}`, values: Array.from({ length }, number) }));
  const matrices = d.chance(0.3) ? d.list(1, 2, (n) => drawMatrix(d, `${'AB'[n]}${name}`, number)) : [];
  const tables = d.list(2, 2, (n) => ({
    name: `${'EF'[n]}${name}`,
    at: Array.from({ length }, () => d.int(length)),
  }));
  const draft = new Draft(
    d,
    name,
    choice,
    length,
    inputs.map((x) => x.name),
    tables.map((t) => t.name),
    matrices,
  );
  const body = d.list(1, 5, () => draft.step());
  return { name, inputs, matrices, tables, body, outputs: draft.made };
};

const drawMatrix = (d: Draw, name: string, number: () => number): MatrixCode => {
  const side = 4;
  const places = Array.from({ length: side * side }, (_, p) => p).filter(() => d.chance(0.4));
  return { name, side, places, values: places.map(number) };
};

const drawNumber = (d: Draw, { profile, dtype }: TraceChoice): number => {
  const unit = (d.int(4001) - 2000) / 997 || 0.5;
  const far = dtype === 'f32' ? 36 : 300;
  switch (profile) {
    case 'moderate':
      return unit;
    case 'cancelling':
      return (dtype === 'f32' ? 1e4 : 1e9) + d.int(5) + (d.chance(0.3) ? unit : 0);
    case 'huge':
      return unit * 10 ** d.int(far);
    case 'tiny':
      return unit * 10 ** -d.int(far);
    case 'zeros':
      return d.of([0, -0, 1, -1, unit]);
    case 'special':
      return d.of([0, -0, Infinity, -Infinity, NaN, 1, unit, unit]);
  }
};

class Draft {
  /** Everything computed so far. */
  readonly made: string[] = [];
  private readonly locals: string[] = [];
  private readonly arrays: string[];

  constructor(
    private readonly d: Draw,
    private readonly name: string,
    private readonly choice: TraceChoice,
    private readonly length: number,
    inputs: readonly string[],
    private readonly tables: readonly string[],
    private readonly matrices: readonly MatrixCode[],
  ) {
    this.arrays = [...inputs];
  }

  step(): Step {
    const { d, length } = this;
    const name = `${'abcdefgh'[this.made.length % 8]}${this.made.length}${this.name}`;
    const step = this.of(name, d.int(this.matrices.length > 0 ? 16 : 14), length);
    this.made.push(name);
    if (step.do === 'map' || step.do === 'scatter' || step.do === 'scan') this.arrays.push(name);
    else if (step.do !== 'matrix') this.locals.push(name);
    return step;
  }

  private of(name: string, roll: number, length: number): Step {
    const { d } = this;
    if (roll < 4) return { do: 'map', name, length, value: this.real(3, true) };
    if (roll < 8) {
      const op = d.of(['+', '+', '+', '-', 'max', 'min', '*'] as const);
      /* Products of many entries only go to zero or infinity. */
      const of = op === '*' ? Math.min(length, 5) : length;
      const start: Real = op === '*' ? one : op === '+' || op === '-' ? zero : this.leaf(false);
      return { do: 'fold', name, length: of, op, start, value: this.real(3, true) };
    }
    if (roll < 9) return { do: 'let', name, value: this.real(3, false) };
    if (roll < 11)
      return {
        do: 'scatter',
        name,
        length,
        times: length,
        to: [d.of(this.tables), d.of(this.tables)],
        value: this.real(3, true),
      };
    if (roll < 12) {
      const start = this.leaf(false);
      this.locals.push(name);
      const value = this.real(2, true);
      this.locals.pop();
      return { do: 'repeat', name, times: 1 + d.int(Math.min(6, length)), start, value };
    }
    if (roll < 14) return { do: 'scan', name, length, op: d.of(['+', 'max'] as const), value: this.real(2, true) };
    const [a, b] = [d.of(this.matrices).name, d.of(this.matrices).name];
    return {
      do: 'matrix',
      name,
      op: d.of(['multiply', 'multiply', 'add', 'sub'] as const),
      a,
      b,
      turned: d.chance(0.5),
    };
  }

  private real(depth: number, looped: boolean): Real {
    const { d } = this;
    if (depth === 0 || d.chance(0.15)) return this.leaf(looped);
    const roll = d.int(20);
    if (roll < 13) {
      const op = d.of<Operator>(['+', '+', '-', '-', '*', '*', '*', '/', '/', 'min', 'max']);
      const a = this.real(depth - 1, looped);
      /* Of two numbers that are known the tracing host makes one before anything is rounded. */
      const other = d.chance(0.2)
        ? ({ is: 'constant', value: d.of([2, 0.5, 3, 0.1, -1, 1]) } as const)
        : this.real(depth - 1, looped);
      const again = d.chance(0.1) ? a : other;
      return d.chance(0.3) && again.is !== 'constant'
        ? { is: 'binary', op, a: again, b: a }
        : { is: 'binary', op, a, b: again };
    }
    if (roll < 17) {
      const exact: readonly MathName[] = ['sqrt', 'sqrt', 'abs', 'neg', 'floor'];
      const name = d.of(this.choice.exact ? exact : ([...exact, 'sin', 'exp', 'log', 'atan'] as const));
      return { is: 'math', name, a: this.real(depth - 1, looped) };
    }
    const [x, y] = [this.real(depth - 1, looped), this.real(depth - 1, looped)];
    const c = { op: d.of(['<', '<=', '==='] as const), x, y };
    return { is: 'choose', c, a: this.real(depth - 1, looped), b: this.real(depth - 1, looped) };
  }

  private leaf(looped: boolean): Real {
    const { d } = this;
    if (this.locals.length > 0 && d.chance(0.25)) return { is: 'local', name: d.of(this.locals) };
    return {
      is: 'element',
      of: d.of(this.arrays),
      at: looped ? this.at() : { by: 'number', value: d.int(this.length) },
    };
  }

  private at(): At {
    const { d } = this;
    const roll = d.int(6);
    if (roll < 3) return { by: 'own' };
    if (roll < 4) return { by: 'ring', shift: 1 + d.int(3), length: this.length };
    return roll < 5 ? { by: 'table', table: d.of(this.tables) } : { by: 'number', value: d.int(this.length) };
  }
}

const zero: Real = { is: 'constant', value: 0 };
const one: Real = { is: 'constant', value: 1 };
