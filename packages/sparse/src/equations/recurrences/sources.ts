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

/** The lexicographically greatest iterators of the writer under conditions on both, as functions of the reader's. */
const latest = (conditions: Conjunction, equal: readonly Affine[], n: number, of: Dependence): readonly LastWrite[] => {
  const m = of.writer.iterators.length;
  let left = [...conditions];
  const at: (Affine | undefined)[] = new Array<undefined>(m).fill(undefined);
  const rest = [...equal];
  const set = (d: number, by: Affine): void => {
    left = left.map((f) => substituteOne(f, n + d, by));
    for (let k = 0; k < rest.length; k++) rest[k] = substituteOne(rest[k], n + d, by);
    for (let k = 0; k < m; k++) {
      const known = at[k];
      if (known !== undefined) at[k] = substituteOne(known, n + d, by);
    }
    at[d] = by;
  };
  while (rest.length > 0) {
    const f = pickSolvable(rest, n, of);
    if (f === undefined) return [];
    rest.splice(rest.indexOf(f.equation), 1);
    if (f.d < 0) left.push(...equalsZero(f.equation));
    else set(f.d, f.value);
  }
  return maximised(left, at, n, of);
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
    let used = false;
    for (let d = 0; d < of.writer.iterators.length; d++) {
      const c = equation.coefs[n + d] ?? 0;
      if (c === 0) continue;
      used = true;
      if (equation.constant % c !== 0 || equation.coefs.some((x) => x % c !== 0)) continue;
      const value = times(
        { constant: -equation.constant / c, coefs: equation.coefs.map((x, k) => (k === n + d ? 0 : -x / c)) },
        1,
      );
      return { equation, d, value };
    }
    if (!used) return { equation, d: -1, value: equation };
  }
  const [equation] = equations;
  const g = equation.coefs.reduce((x, c) => gcd(x, Math.abs(c)), 0);
  if (equation.constant % g !== 0) return undefined;
  return refuse(
    of,
    'is no affine function of the subscripts',
    'let subscripts of what is written and read again be iterators plus constants',
  );
};

/** Goes through the iterators that are not determined yet, outermost first, each at its greatest. */
const maximised = (
  conditions: Conjunction,
  at: readonly (Affine | undefined)[],
  n: number,
  of: Dependence,
): readonly LastWrite[] => {
  if (isEmpty(conditions)) return [];
  const d = at.indexOf(undefined);
  if (d < 0) return [{ where: tidy(conditions)!, at: at as readonly Affine[] }];
  let shadow: Conjunction | undefined = conditions;
  for (let k = at.length - 1; k > d && shadow !== undefined; k--) {
    if (at[k] !== undefined) continue;
    if (!isExact(shadow, n + k)) notUnit(of, k);
    shadow = eliminate(shadow, n + k);
  }
  if (shadow === undefined) return [];
  const uppers: Affine[] = [];
  for (const f of shadow) {
    const c = f.coefs[n + d] ?? 0;
    if (c >= 0) continue;
    if (c < -1) notUnit(of, d);
    uppers.push(substituteOne(f, n + d, constantOf(0)));
  }
  return uppers.flatMap((u, k) => {
    const least = uppers.flatMap((other, o) => (o === k ? [] : [shiftedBy(minus(other, u), o < k ? -1 : 0)]));
    const where = [...conditions, ...least].map((f) => substituteOne(f, n + d, u));
    const next = at.map((f, q) => (q === d ? u : f && substituteOne(f, n + d, u)));
    return maximised(where, next, n, of);
  });
};

const isExact = (conditions: Conjunction, d: number): boolean => {
  const coefs = conditions.map((f) => f.coefs[d] ?? 0);
  return coefs.every((c) => c >= -1) || coefs.every((c) => c <= 1);
};

const notUnit = (of: Dependence, d: number): never =>
  refuse(
    of,
    `is no affine function where loop %${of.writer.iterators[d]} has more than one candidate`,
    'let bounds of this loop have coefficients of 1 and -1, and where they depend on other loops no step',
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
