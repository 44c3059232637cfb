import { coreDialects, evaluateOp, fail, opTable, scalarOf, isWide, type Op, type RuntimeValue } from '@filigree/ir';
import type { Affine } from '../../trace/piece.js';
import type { Expr, Read } from '../read/program.js';
import { crossed } from '../read/values.js';
import { shiftedBy, times, type Conjunction } from '../sets/conjunction.js';
import type { Recurrence, Recurrences } from './recurrences.js';
import { isEmpty, withoutImplied } from '../sets/integer-points.js';

/** ⟦X⟧.{at(i) → i}: the iterations whose instance of X, or element of an array, is not zero. */
export interface Atom {
  /** A statement's position, or the name of an array with initial contents. */
  readonly of: number | string;
  readonly at: readonly Affine[];
}

/**
 * The iterations under some conditions that lie in all atoms; all of them where there is none. Conditions and subscripts may
 * name divisions of the statement (`Divisions`), which its iterators determine.
 */
export interface Term {
  readonly where: Conjunction;
  readonly atoms: readonly Atom[];
}

/** ⟦S⟧ as a union of terms. */
export interface SparsityEquation {
  readonly recurrence: Recurrence;
  /** Iterations that compute something other than zero: the interest region. Of an accumulation, where it adds something. */
  readonly interest: readonly Term[];
  /** What an accumulation gets from its element's value before. */
  readonly carry: readonly Term[];
  /** Iterations whose element held something before. */
  readonly before: readonly Term[];
}

/** Sparsity equations of a system: union for +, intersection for ×, and the construction rules for all else. */
export const sparsityEquations = (system: Recurrences): readonly SparsityEquation[] =>
  system.equations.map((recurrence): SparsityEquation => {
    const { statement, accumulates, before } = recurrence;
    return {
      recurrence,
      interest: supportOf(system, recurrence, accumulates ? accumulates.term : statement.value),
      carry: accumulates ? supportOf(system, recurrence, accumulates.carry) : [],
      before: supportOf(system, recurrence, before),
    };
  });

/** ⟦e⟧ for an expression of a statement. */
export const supportOf = (system: Recurrences, recurrence: Recurrence, e: Expr): readonly Term[] => {
  const terms = new Rules(system, recurrence).support(e);
  const { divisions, statement } = recurrence;
  return reduced(
    statement.domain.flatMap((set) =>
      terms.map(({ where, atoms }) => {
        const definitions = divisions.definitions([...where, ...atoms.flatMap((a) => a.at)]);
        return { where: [...set, ...where, ...definitions], atoms };
      }),
    ),
  );
};

const ALL: readonly Term[] = [{ where: [], atoms: [] }];

class Rules {
  constructor(
    private readonly system: Recurrences,
    private readonly recurrence: Recurrence,
  ) {}

  support(e: Expr): readonly Term[] {
    switch (e.kind) {
      case 'read':
        return this.read(e);
      case 'number':
        return e.value === 0 ? [] : ALL;
      case 'parameter':
        return ALL;
      case 'index':
        return [
          { where: [shiftedBy(e.value, -1)], atoms: [] },
          { where: [shiftedBy(times(e.value, -1), -1)], atoms: [] },
        ].filter((t) => !isEmpty(t.where));
      case 'if':
        return [...under(e.when, this.support(e.then)), ...under(e.unless, this.support(e.otherwise))];
      case 'apply':
        return this.apply(e.op, e.args);
    }
  }

  private read(read: Read): readonly Term[] {
    const info = this.system.program.arrays.find((a) => a.name === read.array)!;
    const starts = info.role === 'input' || info.role === 'inout' || info.role === 'const';
    return this.recurrence.sources
      .get(read)!
      .flatMap(({ where, statement, at }): readonly Term[] =>
        statement === undefined && !starts ? [] : [{ where, atoms: [{ of: statement ?? read.array, at }] }],
      );
  }

  private apply(op: Op, args: readonly Expr[]): readonly Term[] {
    const [a, b, c] = args;
    switch (op.name) {
      case 'arith.mul':
      case 'arith.and':
        return meet(this.support(a), this.support(b));
      case 'math.fma':
        return [...meet(this.support(a), this.support(b)), ...this.support(c)];
      case 'arith.div':
      case 'arith.rem':
      case 'arith.shl':
      case 'arith.shr':
        return this.support(a);
      case 'arith.select':
        return [...this.support(b), ...this.support(c)];
      default:
        return keepsZero(op, args) ? args.filter((x) => x.kind !== 'number').flatMap((x) => this.support(x)) : ALL;
    }
  }
}

const under = (sets: readonly Conjunction[], terms: readonly Term[]): readonly Term[] =>
  terms.flatMap((t) => crossed([t.where], sets).map((where) => ({ where, atoms: t.atoms })));

const meet = (a: readonly Term[], b: readonly Term[]): readonly Term[] => {
  if (a.length * b.length > MOST_TERMS)
    fail('equations/too-large', `a product of sums has more than ${MOST_TERMS} terms`, {
      remedy: 'store parts of it in arrays of their own',
    });
  return a.flatMap((x) => b.map((y) => ({ where: [...x.where, ...y.where], atoms: [...x.atoms, ...y.atoms] })));
};

const MOST_TERMS = 4096;

/** Whether an op gives zero on zeros, with constants as they are. */
export const keepsZero = (op: Op, args: readonly Expr[]): boolean => {
  const def = table.get(op.name)!;
  const zeros = op.operands.map((v, k): RuntimeValue => {
    const arg = args[k];
    const n = arg.kind === 'number' ? arg.value : 0;
    return v.type === 'i1' ? n !== 0 : isWide(scalarOf(v.type)) ? BigInt(n) : n;
  });
  const result = evaluateOp(op, def, zeros)?.[0];
  return result === 0 || result === false || result === 0n;
};

const table = opTable(coreDialects);

/** Terms that have a point, each once; one without atoms swallows those under the same conditions. */
const reduced = (terms: readonly Term[]): readonly Term[] => {
  const seen = new Map<string, Term>();
  for (const { where, atoms } of terms) {
    if (isEmpty(where)) continue;
    const distinct = new Map(atoms.map((a) => [JSON.stringify(a), a]));
    const tight = withoutImplied(where);
    const key = `${JSON.stringify(tight.map((f) => JSON.stringify(f)).sort())}${[...distinct.keys()].sort().join()}`;
    if (!seen.has(key)) seen.set(key, { where: tight, atoms: [...distinct.values()] });
  }
  return [...seen.values()];
};
