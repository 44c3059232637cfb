import { fail } from '@filigree/ir';
import { gcd } from '../../gcd.js';
import type { Affine } from '../../trace/piece.js';
import type { AffineProgram, Place, Read, Statement } from '../read/program.js';
import {
  constantOf,
  difference,
  eliminate,
  equalsZero,
  isEmpty,
  iterator,
  minus,
  shiftedBy,
  substituteOne,
  tidy,
  times,
  withoutImplied,
  type Conjunction,
} from '../sets/conjunction.js';

/** Where the value that a read gets was written, for some of the iterations: a statement's instance, or the initial contents. */
export interface Source {
  readonly where: Conjunction;
  /** A statement's position in the program; undefined: what the array held before. */
  readonly statement: number | undefined;
  /** Iterators of that instance, or subscripts of the array. */
  readonly at: readonly Affine[];
}

/**
 * The last write before each read (exact data flow): for every statement that writes the array and every depth at which it
 * can come before, the last instance that writes the element; of these the latest. Sets of different sources are disjoint.
 */
export const sourcesOf = (program: AffineProgram, reader: Statement, read: Read): readonly Source[] => {
  const sources: Source[] = [];
  /* Conditions that the domain implies are left out where there is one set of them. */
  const within = (part: Conjunction, domain: Conjunction): Conjunction =>
    withoutImplied(part, reader.domain.length === 1 ? domain : []);
  for (const domain of reader.domain) {
    const candidates = program.statements.flatMap((writer, k) =>
      writer.write.array === read.array
        ? lastWrites(reader, read, domain, writer).map((c) => ({
            ...c,
            statement: k,
            time: timeOf(writer.place, c.at),
          }))
        : [],
    );
    for (const c of candidates) {
      const later = candidates.flatMap((other) =>
        other === c ? [] : isLater(c.time, other.time).map((when) => [...when, ...other.where]),
      );
      for (const part of difference(c.where, later))
        sources.push({ where: within(part, domain), statement: c.statement, at: c.at });
    }
    for (const part of difference(
      domain,
      candidates.map((c) => c.where),
    ))
      sources.push({ where: within(part, domain), statement: undefined, at: read.subscripts });
  }
  return sources;
};

/** A read, and a statement that may have written what it gets. */
interface Dependence {
  readonly writer: Statement;
  readonly read: Read;
}

interface LastWrite {
  readonly where: Conjunction;
  readonly at: readonly Affine[];
}

/** The last instances of a writer before a read, with the conditions under which they exist, at each depth of dependence. */
const lastWrites = (reader: Statement, read: Read, domain: Conjunction, writer: Statement): readonly LastWrite[] => {
  const n = reader.iterators.length;
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
      found.push(...latest(conditions, equal, n, { writer, read }));
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

/** Instances of a writer under conditions: each of its iterators is free, or a function of the reader's and of free ones. */
interface Instances {
  readonly conditions: Conjunction;
  /** By depth; undefined: free. */
  readonly at: readonly (Affine | undefined)[];
}

const allFree = (conditions: Conjunction, depth: number): Instances => ({
  conditions,
  at: new Array<undefined>(depth).fill(undefined),
});

/** The instances where a free iterator is what a function gives. */
const determined = ({ conditions, at }: Instances, n: number, d: number, by: Affine): Instances => ({
  conditions: conditions.map((f) => substituteOne(f, n + d, by)),
  at: at.map((f, k) => (k === d ? by : f && substituteOne(f, n + d, by))),
});

/** The lexicographically greatest iterators of the writer under conditions on both, as functions of the reader's. */
const latest = (conditions: Conjunction, equal: readonly Affine[], n: number, of: Dependence): readonly LastWrite[] => {
  let instances = allFree(conditions, of.writer.iterators.length);
  let rest = equal;
  while (rest.length > 0) {
    const f = pickSolvable(rest, n, of);
    if (f === undefined) return [];
    rest = rest.filter((e) => e !== f.equation);
    if (f.d < 0) instances = { ...instances, conditions: [...instances.conditions, ...equalsZero(f.equation)] };
    else {
      rest = rest.map((e) => substituteOne(e, n + f.d, f.value));
      instances = determined(instances, n, f.d, f.value);
    }
  }
  return maximised(instances, n, of);
};

/**
 * An equation to use next, solved for an iterator of the writer; d is −1 where it has none. Undefined where it has no
 * solution in integers.
 */
const pickSolvable = (
  equations: readonly Affine[],
  n: number,
  of: Dependence,
): { readonly equation: Affine; readonly d: number; readonly value: Affine } | undefined => {
  for (const equation of equations) {
    const own = of.writer.iterators.map((_, d) => d).filter((d) => (equation.coefs[n + d] ?? 0) !== 0);
    if (own.length === 0) return { equation, d: -1, value: equation };
    for (const d of own) {
      const value = solvedFor(equation, n + d);
      if (value !== undefined) return { equation, d, value };
    }
  }
  const [equation] = equations;
  const g = equation.coefs.reduce((x, c) => gcd(x, Math.abs(c)), 0);
  if (equation.constant % g !== 0) return undefined;
  return notSolved(of);
};

/** The iterator that makes a function zero; undefined where that is no function with whole coefficients. */
const solvedFor = (f: Affine, d: number): Affine | undefined => {
  const c = f.coefs[d];
  if (f.constant % c !== 0 || f.coefs.some((x) => x % c !== 0)) return undefined;
  return times({ constant: -f.constant / c, coefs: f.coefs.map((x, k) => (k === d ? 0 : -x / c)) }, 1);
};

/** Goes through the iterators, outermost first, each at its greatest. */
const maximised = (given: Instances, n: number, of: Dependence): readonly LastWrite[] => {
  if (isEmpty(given.conditions)) return [];
  const d = given.at.findIndex((f) => f === undefined || inner(f, n).length > 0);
  if (d < 0) return [{ where: tidy(given.conditions)!, at: given.at as readonly Affine[] }];
  const instances = freed(given, d, n, of);
  const { conditions, at } = instances;
  let shadow: Conjunction | undefined = conditions;
  for (let k = at.length - 1; k > d && shadow !== undefined; k--) {
    if (at[k] !== undefined) continue;
    if (!isExact(shadow, n + k)) shadow = withoutImplied(shadow);
    if (!isExact(shadow, n + k)) notUnit(of, k);
    shadow = eliminate(shadow, n + k);
  }
  if (shadow === undefined) return [];
  const upper = (f: Affine): boolean => (f.coefs[n + d] ?? 0) < 0;
  const unit = (f: Affine): boolean => f.coefs[n + d] === -1;
  if (!shadow.filter(upper).every(unit)) shadow = withoutImplied(shadow);
  if (!shadow.filter(upper).every(unit)) notUnit(of, d);
  const uppers = shadow.filter(upper).map((f) => substituteOne(f, n + d, constantOf(0)));
  return uppers.flatMap((u, k) => {
    const least = uppers.flatMap((other, o) => (o === k ? [] : [shiftedBy(minus(other, u), o < k ? -1 : 0)]));
    return maximised(determined({ conditions: [...conditions, ...least], at }, n, d, u), n, of);
  });
};

/** Free iterators of the writer that a function uses. */
const inner = (f: Affine, n: number): readonly number[] =>
  f.coefs.flatMap((c, k) => (k >= n && c !== 0 ? [k - n] : []));

/**
 * The same instances with an iterator free, and one further in instead a function of it: i + j = x determines i by j, but the
 * last instance is that of the greatest i, whatever j is then.
 */
const freed = (instances: Instances, d: number, n: number, of: Dependence): Instances => {
  const f = instances.at[d];
  if (f === undefined) return instances;
  const e = inner(f, n).find((k) => Math.abs(f.coefs[n + k]) === 1) ?? notSolved(of);
  const { conditions, at } = determined(instances, n, e, solvedFor(minus(f, iterator(n + d)), n + e)!);
  return { conditions, at: at.map((g, k) => (k === d ? undefined : g)) };
};

const isExact = (conditions: Conjunction, d: number): boolean => {
  const coefs = conditions.map((f) => f.coefs[d] ?? 0);
  return coefs.every((c) => c >= -1) || coefs.every((c) => c <= 1);
};

const notSolved = (of: Dependence): never =>
  refuse(
    of,
    'is no affine function of the subscripts',
    'let subscripts of what is written and read again be iterators plus constants',
  );

const notUnit = (of: Dependence, d: number): never =>
  refuse(
    of,
    `is no affine function where loop %${of.writer.iterators[d]} has more than one candidate`,
    'let bounds of this loop have coefficients of 1 and -1, and where they depend on other loops no step; or let each subscript of what is written and read again be one iterator plus a constant',
  );

const refuse = ({ writer, read }: Dependence, why: string, remedy: string): never =>
  fail(
    'equations/not-affine',
    `the last iteration of ${writer.name}${writer.loc ? ` (line ${writer.loc.line})` : ''} that wrote the element of @${read.array} ${why}`,
    { loc: read.loc, remedy },
  );

const timeOf = (place: Place, at: readonly Affine[]): readonly Affine[] =>
  place.flatMap((p, d) => (d < at.length ? [constantOf(p), at[d]] : [constantOf(p)]));

/** Where the second time is later. */
const isLater = (a: readonly Affine[], b: readonly Affine[]): readonly Conjunction[] => {
  const found: Conjunction[] = [];
  const same: Affine[] = [];
  for (let k = 0; k < Math.min(a.length, b.length); k++) {
    const by = minus(b[k], a[k]);
    if (by.coefs.every((c) => c === 0)) {
      if (by.constant > 0) found.push([...same]);
      if (by.constant !== 0) return found;
    } else {
      found.push([...same, shiftedBy(by, -1)]);
      same.push(...equalsZero(by));
    }
  }
  return found;
};
