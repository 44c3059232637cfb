import type { Affine } from '../../trace/piece.js';
import type { Statement } from '../read/program.js';
import { iterator, minus, sameAffine, shiftedBy, equalsZero, type Conjunction } from '../sets/conjunction.js';
import { boxOf, type Box } from '../sets/box.js';
import { rangesOf } from './query.js';
import { MOST_DIVISIONS } from '../recurrences/divisions.js';
import type { Atom, SparsityEquation, Term } from '../recurrences/sparsity.js';
import { isEmpty } from '../sets/integer-points.js';

/**
 * What is evaluated for a statement: the iterations whose value is not zero, by the iterators that are kept. Of an
 * accumulation the iterators along which it only adds are dropped: L·s*, read after the last iteration alone, is a
 * projection.
 */
export interface Variable {
  readonly statement: number;
  readonly kept: readonly number[];
  readonly box: Box;
  readonly terms: readonly Term[];
}

/** The variables of all statements. Atoms of their terms name subscripts of the variable that they read. */
export const variablesOf = (equations: readonly SparsityEquation[]): readonly Variable[] => {
  const dropped = equations.map((e, k) => reduction(e, k));
  const readers = equations.flatMap((e) => {
    const own = e.recurrence.statement;
    return [...e.interest, ...e.carry, ...e.before].flatMap((t) =>
      t.atoms.map((atom) => ({ atom, where: t.where, own })),
    );
  });
  equations.forEach((e, k) => {
    const red = dropped[k];
    if (red === undefined) return;
    const ok = readers.every(
      ({ atom, where, own }) =>
        atom.of !== k ||
        own === e.recurrence.statement ||
        isLastOf(e.recurrence.statement, red, where, beyond(own), atom.at),
    );
    /* A statement reading its own partial sums within what it adds has no projection either. */
    const ownReads = e.interest.some((t) =>
      t.atoms.some(
        (a) => a.of === k && !isLastOf(e.recurrence.statement, red, t.where, beyond(e.recurrence.statement), a.at),
      ),
    );
    if (!ok || ownReads) dropped[k] = undefined;
  });
  const keptOf = (k: number): readonly number[] =>
    equations[k].recurrence.statement.iterators.map((_, d) => d).filter((d) => !dropped[k]?.includes(d));
  return equations.map((e, k): Variable => {
    const { statement } = e.recurrence;
    const own = dropped[k] !== undefined;
    const carry = own ? e.carry.filter((t) => !t.atoms.some((a) => a.of === k)) : e.carry;
    return {
      statement: k,
      kept: keptOf(k),
      box: domainBox(statement, keptOf(k)),
      terms: [...carry, ...e.interest].map((t) => withKept(t, keptOf)),
    };
  });
};

/** The first number behind a statement's iterators and divisions. */
const beyond = ({ iterators }: Statement): number => iterators.length + MOST_DIVISIONS;

/** A term whose atoms read variables by their kept iterators only. */
export const withKept = (t: Term, keptOf: (statement: number) => readonly number[]): Term => ({
  where: t.where,
  atoms: t.atoms.map((a): Atom => (typeof a.of === 'number' ? { of: a.of, at: keptOf(a.of).map((d) => a.at[d]) } : a)),
});

/** The smallest box around the domain of a statement, over some iterators. */
export const domainBox = ({ domain, iterators }: Statement, kept: readonly number[]): Box => {
  const all = domain.map((set) => rangesOf(set, iterators.length)).filter((r) => r !== undefined);
  const min = kept.map((d) => Math.min(...all.map((r) => r[d].min)));
  const max = kept.map((d) => Math.max(...all.map((r) => r[d].max)));
  return all.length === 0
    ? boxOf(
        kept.map(() => 0),
        kept.map(() => 0),
      )
    : boxOf(
        min,
        max.map((m, k) => m - min[k] + 1),
      );
};

/**
 * The iterators along which an accumulation hands its element from one iteration to the next, if the chain is whole: only
 * the first iteration along them gets the element from elsewhere.
 */
const reduction = ({ recurrence }: SparsityEquation, self: number): readonly number[] | undefined => {
  const { accumulates, statement, sources, divisions } = recurrence;
  if (accumulates === undefined) return undefined;
  const n = beyond(statement);
  const all = sources.get(accumulates.carry)!;
  const along = new Set<number>();
  for (const s of all)
    if (s.statement === self) s.at.forEach((f, d) => void (sameAffine(f, iterator(d)) || along.add(d)));
  const dims = [...along].sort((a, b) => a - b);
  if (dims.length === 0) return undefined;
  for (const s of all) {
    if (s.statement === self) continue;
    for (const set of statement.domain) {
      /* An earlier iteration with the same other iterators. */
      for (const before of ordered(
        dims,
        (d) => iterator(n + d),
        (d) => iterator(d),
      ))
        if (
          !isEmpty([
            ...s.where,
            ...divisions.definitions(s.where),
            ...fibre(statement, set, n, dims, (d) => iterator(d)),
            ...before,
          ])
        )
          return undefined;
    }
  }
  return dims;
};

/** Whether the iteration read is the last one along the dropped iterators, wherever it is read. */
const isLastOf = (
  s: Statement,
  dims: readonly number[],
  where: Conjunction,
  n: number,
  at: readonly Affine[],
): boolean =>
  s.domain.every((set) =>
    ordered(
      dims,
      (d) => at[d],
      (d) => iterator(n + d),
    ).every((after) => isEmpty([...where, ...fibre(s, set, n, dims, (d) => at[d]), ...after])),
  );

/** Iterations z, numbered from n on, of a set that agree with others in all iterators but some. */
const fibre = (
  s: Statement,
  set: Conjunction,
  n: number,
  dims: readonly number[],
  at: (d: number) => Affine,
): Conjunction => [
  ...set.map((f): Affine => ({
    constant: f.constant,
    coefs: f.coefs.length === 0 ? [] : [...new Array<number>(n).fill(0), ...f.coefs],
  })),
  ...s.iterators.flatMap((_, d) => (dims.includes(d) ? [] : equalsZero(minus(iterator(n + d), at(d))))),
];

/** Where a is before b in lexicographic order of some iterators, as a union. */
const ordered = (dims: readonly number[], a: (d: number) => Affine, b: (d: number) => Affine): readonly Conjunction[] =>
  dims.map((d, k) => [
    ...dims.slice(0, k).flatMap((e) => equalsZero(minus(b(e), a(e)))),
    shiftedBy(minus(b(d), a(d)), -1),
  ]);
