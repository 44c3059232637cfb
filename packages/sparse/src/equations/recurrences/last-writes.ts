import { fail } from '@filigree/ir';
import { gcd } from '../../trace/gcd.js';
import type { Affine } from '../../trace/piece.js';
import type { Place, Read, Statement } from '../read/program.js';
import {
  constantOf,
  eliminate,
  equalsZero,
  iterator,
  minus,
  plus,
  shiftedBy,
  substituteOne,
  tidy,
  times,
  type Conjunction,
} from '../sets/conjunction.js';
import { MOST_DIVISIONS, type Divisions } from './divisions.js';
import { isEmpty, withoutImplied } from '../sets/integer-points.js';

/** A read, and a statement that may have written what it gets. */
export interface Dependence {
  /** The statement that reads. */
  readonly reader: Statement;
  readonly writer: Statement;
  readonly read: Read;
  /** Of the reader; those that are needed are added. */
  readonly divisions: Divisions;
}

/** The instance of a writer that is the last one before a read, where it exists. */
export interface LastWrite {
  readonly where: Conjunction;
  readonly at: readonly Affine[];
}

/**
 * The last instances of a writer before a read, with the conditions under which they exist, at each depth of dependence.
 * Throws `equations/not-affine` where they are neither affine functions of the reader's iterators nor quotients of such.
 *
 * @param domain iterations of the reader
 */
export const lastWrites = (domain: Conjunction, of: Dependence): readonly LastWrite[] => {
  const { reader, writer, read } = of;
  /* The writer's iterators stand behind the reader's and its divisions. */
  const n = reader.iterators.length + MOST_DIVISIONS;
  const common = commonLoops(read.place, writer.place);
  const y = (d: number): number => n + d;
  const found: LastWrite[] = [];
  for (let depth = 0; depth <= common; depth++) {
    if (depth === common && !(writer.place[common] < read.place[common])) continue;
    const before: Conjunction = depth < common ? [shiftedBy(minus(iterator(depth), iterator(y(depth))), -1)] : [];
    const equal: Affine[] = [];
    for (let d = 0; d < depth; d++) equal.push(minus(iterator(y(d)), iterator(d)));
    writer.write.subscripts.forEach((f, k) => equal.push(minus(moved(f, n), read.subscripts[k])));
    for (const set of writer.domain) {
      const conditions = [...domain, ...set.map((f) => moved(f, n)), ...before];
      found.push(...latest(conditions, equal, n, of));
    }
  }
  return found;
};

/** The function over iterators that stand `by` further right. */
const moved = (f: Affine, by: number): Affine => ({
  constant: f.constant,
  coefs: f.coefs.length === 0 ? [] : [...new Array<number>(by).fill(0), ...f.coefs],
});

/** Loops around both. */
const commonLoops = (a: Place, b: Place): number => {
  let d = 0;
  while (d < a.length - 1 && d < b.length - 1 && a[d] === b[d]) d++;
  return d;
};

/**
 * Instances of a writer under conditions: its iterators as functions of the reader's and of free parameters, which are numbered
 * from n on, as many as there are iterators.
 */
interface Instances {
  readonly conditions: Conjunction;
  readonly at: readonly Affine[];
}

/** The parameters that a function uses. */
const parametersOf = (f: Affine, n: number): readonly number[] =>
  f.coefs.flatMap((c, k) => (k >= n && c !== 0 ? [k] : []));

const substituted = ({ conditions, at }: Instances, p: number, by: Affine): Instances => ({
  conditions: conditions.map((f) => substituteOne(f, p, by)),
  at: at.map((f) => substituteOne(f, p, by)),
});

/** The lexicographically greatest iterators of the writer under conditions on both, as functions of the reader's. */
const latest = (conditions: Conjunction, equal: readonly Affine[], n: number, of: Dependence): readonly LastWrite[] => {
  let instances: Instances = { conditions, at: of.writer.iterators.map((_, d) => iterator(n + d)) };
  let rest = equal;
  while (rest.length > 0) {
    const step = nextStep(rest, n, of);
    if (step === undefined) return [];
    const { equation, instead, where, p, by } = step;
    rest = rest.flatMap((e) => (e === equation ? instead : [e]));
    instances = { ...instances, conditions: [...instances.conditions, ...where] };
    if (p === undefined) continue;
    rest = rest.map((e) => substituteOne(e, p, by!));
    instances = substituted(instances, p, by!);
  }
  return maximised(instances, n, of);
};

/** What an equation becomes: others instead of it, conditions, and a parameter replaced by a function. */
interface Step {
  readonly equation: Affine;
  readonly instead: readonly Affine[];
  readonly where: Conjunction;
  readonly p?: number;
  readonly by?: Affine;
}

/** A step that solves one of some equations, or brings it nearer to that; undefined where it has no solution in integers. */
const nextStep = (equations: readonly Affine[], n: number, of: Dependence): Step | undefined => {
  for (const equation of equations) {
    const own = parametersOf(equation, n);
    if (own.length === 0) return { equation, instead: [], where: equalsZero(equation) };
    for (const p of own) {
      const by = solvedFor(equation, p);
      if (by !== undefined) return { equation, instead: [], where: [], p, by };
    }
  }
  const [equation] = equations;
  if (equation.constant % divisorOf(equation.coefs) !== 0) return undefined;
  const g = divisorOf(equation.coefs.slice(n));
  if (g === 1) {
    const { p, by } = euclid(equation, n);
    return { equation, instead: [equation], where: [], p, by };
  }
  /* g·own + rest = 0 has own = −rest ÷ g, where g divides rest: 2·i = j is i = ⌊j/2⌋ if j = 2·⌊j/2⌋. */
  const sign = equation.coefs[parametersOf(equation, n)[0]] > 0 ? -1 : 1;
  const rest = times({ constant: equation.constant, coefs: equation.coefs.slice(0, n) }, sign);
  const quotient = divided(rest, g, of);
  const own = { constant: 0, coefs: equation.coefs.map((c, k) => (k < n ? 0 : (sign * c) / g)) };
  return { equation, instead: [plus(own, quotient)], where: equalsZero(minus(rest, times(quotient, g))) };
};

const divisorOf = (coefs: readonly number[]): number => coefs.reduce((x, c) => gcd(x, Math.abs(c)), 0);

/**
 * A step of Euclid's algorithm on the coefficients of the parameters of a function: the one with the smallest, and what takes
 * its place. All others have smaller coefficients beside it.
 */
const euclid = (f: Affine, n: number): { readonly p: number; readonly by: Affine } => {
  const p = parametersOf(f, n).reduce((a, b) => (Math.abs(f.coefs[b]) < Math.abs(f.coefs[a]) ? b : a));
  const others = f.coefs.map((c, k) => (k < n || k === p ? 0 : -Math.round(c / f.coefs[p])));
  return { p, by: plus(iterator(p), { constant: 0, coefs: others }) };
};

/** ⌊f/m⌋ for a function of the reader's iterators. */
const divided = (f: Affine, m: number, of: Dependence): Affine =>
  of.divisions.floor(f, m) ??
  refuse(of, `needs more than ${MOST_DIVISIONS} divisions`, 'keep parts of what is written in arrays of their own');

/** The parameter that makes a function zero; undefined where that is no function with whole coefficients. */
const solvedFor = (f: Affine, p: number): Affine | undefined => {
  const c = f.coefs[p];
  if (f.constant % c !== 0 || f.coefs.some((x) => x % c !== 0)) return undefined;
  return times({ constant: -f.constant / c, coefs: f.coefs.map((x, k) => (k === p ? 0 : -x / c)) }, 1);
};

/** Goes through the iterators, outermost first, each at its greatest. */
const maximised = (given: Instances, n: number, of: Dependence): readonly LastWrite[] => {
  if (isEmpty([...given.conditions, ...of.divisions.definitions()])) return [];
  const d = given.at.findIndex((f) => parametersOf(f, n).length > 0);
  if (d < 0) return [{ where: tidy(given.conditions)!, at: given.at }];
  /* The iterator is made a function of one parameter: i = x − 2·j is greatest where j is least. */
  let instances = given;
  while (parametersOf(instances.at[d], n).length > 1) {
    const { p, by } = euclid(instances.at[d], n);
    instances = substituted(instances, p, by);
  }
  const [e] = parametersOf(instances.at[d], n);
  const sign = Math.sign(instances.at[d].coefs[e]);
  const coef = (f: Affine): number => sign * (f.coefs[e] ?? 0);
  let shadow = shadowOn(e, instances, n, coef, of);
  if (shadow === undefined) return [];
  if (shadow.some((f) => coef(f) < -1)) shadow = withoutImplied(shadow);
  /* Bounds of sign·e from above. */
  const uppers = shadow
    .filter((f) => coef(f) < 0)
    .map((f) => {
      const rest = substituteOne(f, e, constantOf(0));
      return coef(f) === -1 ? rest : divided(rest, -coef(f), of);
    });
  return uppers.flatMap((u, k) => {
    const least = uppers.flatMap((other, o) => (o === k ? [] : [shiftedBy(minus(other, u), o < k ? -1 : 0)]));
    const { conditions, at } = instances;
    return maximised(substituted({ conditions: [...conditions, ...least], at }, e, times(u, sign)), n, of);
  });
};

/** Conditions on one parameter under which others exist, as far as its greatest value needs them. */
const shadowOn = (
  e: number,
  { conditions, at }: Instances,
  n: number,
  coef: (f: Affine) => number,
  of: Dependence,
): Conjunction | undefined => {
  const alone = (f: Affine): boolean => parametersOf(f, n).every((p) => p === e);
  /* If it is bounded by others from below only, whatever they are suits its greatest value, too. */
  if (conditions.every((f) => coef(f) >= 0 || alone(f))) return tidy(conditions.filter(alone));
  let shadow: Conjunction | undefined = conditions;
  for (let k = n + at.length - 1; k >= n && shadow !== undefined; k--) {
    if (k === e) continue;
    if (!isExact(shadow, k, n)) shadow = withoutImplied(shadow);
    if (!isExact(shadow, k, n)) notUnit(of);
    shadow = eliminate(shadow, k);
  }
  return shadow;
};

/**
 * Whether the shadow along a parameter is exact for the other parameters: where two bounds of it both have coefficients, there
 * may be no whole number between them. Bounds that name no other parameter do not matter: what they ask is asked again later.
 */
const isExact = (conditions: Conjunction, p: number, n: number): boolean => {
  const coef = (f: Affine): number => f.coefs[p] ?? 0;
  const alone = (f: Affine): boolean => parametersOf(f, n).length === 1;
  const lower = conditions.filter((f) => coef(f) > 0);
  const upper = conditions.filter((f) => coef(f) < 0);
  return lower.every((l) => upper.every((u) => coef(l) === 1 || coef(u) === -1 || (alone(l) && alone(u))));
};

const notUnit = (of: Dependence): never =>
  refuse(
    of,
    'is no affine function of the subscripts, nor a quotient of one',
    'let bounds of its loops have coefficients of 1 and -1, or let each subscript of what is written and read again be one iterator plus a constant',
  );

const refuse = ({ writer, read }: Dependence, why: string, remedy: string): never =>
  fail(
    'equations/not-affine',
    `the last iteration of ${writer.name}${writer.loc ? ` (line ${writer.loc.line})` : ''} that wrote the element of @${read.array} ${why}`,
    { loc: read.loc, remedy },
  );
