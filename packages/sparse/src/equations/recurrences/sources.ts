import type { Affine } from '../../trace/piece.js';
import type { AffineProgram, Place, Read, Statement } from '../read/program.js';
import { constantOf, equalsZero, minus, shiftedBy, type Conjunction } from '../sets/conjunction.js';
import type { Divisions } from './divisions.js';
import { lastWrites } from './last-writes.js';
import { difference, withoutImplied } from '../sets/integer-points.js';

/**
 * Where the value that a read gets was written, for some of the iterations: a statement's instance, or the initial contents.
 * Functions are those of the reader's iterators and of its divisions, whose definitions hold beside `where`.
 */
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
export const sourcesOf = (
  program: AffineProgram,
  reader: Statement,
  read: Read,
  divisions: Divisions,
): readonly Source[] => {
  const sources: Source[] = [];
  for (const domain of reader.domain) {
    const candidates = program.statements.flatMap((writer, k) =>
      writer.write.array === read.array
        ? lastWrites(domain, { reader, writer, read, divisions }).map((c) => ({
            ...c,
            statement: k,
            time: timeOf(writer.place, c.at),
          }))
        : [],
    );
    const definitions = divisions.definitions();
    /* Conditions that the domain implies are left out where there is one set of them. */
    const within = (part: Conjunction): Conjunction =>
      withoutImplied(part, [...(reader.domain.length === 1 ? domain : []), ...definitions]);
    for (const c of candidates) {
      const later = candidates.flatMap((other) =>
        other === c ? [] : isLater(c.time, other.time).map((when) => [...when, ...other.where]),
      );
      for (const part of difference([...c.where, ...definitions], later))
        sources.push({ where: within(part), statement: c.statement, at: c.at });
    }
    for (const part of difference(
      [...domain, ...definitions],
      candidates.map((c) => c.where),
    ))
      sources.push({ where: within(part), statement: undefined, at: read.subscripts });
  }
  return sources;
};

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
