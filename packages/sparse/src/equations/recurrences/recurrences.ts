import { opWith } from '@filigree/ir';
import type { AffineProgram, Expr, Read, Statement } from '../read/program.js';
import { readsOf } from '../read/program.js';
import { sameAffine } from '../sets/conjunction.js';
import { Divisions } from './divisions.js';
import { sourcesOf, type Source } from './sources.js';

/** A statement as a recurrence: its value at an iteration from values of other iterations and initial contents. */
export interface Recurrence {
  readonly statement: Statement;
  readonly sources: ReadonlyMap<Read, readonly Source[]>;
  /** What functions of the sources name besides the statement's iterators. */
  readonly divisions: Divisions;
  /** What the element held before the statement writes it, as if it read it. */
  readonly before: Read;
  /** Where the statement adds to its element: the read of it, and what it adds. */
  readonly accumulates: { readonly carry: Read; readonly term: Expr } | undefined;
}

/** A system of affine recurrence equations in dynamic assignment form: one variable a statement. */
export interface Recurrences {
  readonly program: AffineProgram;
  readonly equations: readonly Recurrence[];
}

/** Every statement with the exact sources of what it reads. */
export const recurrencesOf = (program: AffineProgram): Recurrences => ({
  program,
  equations: program.statements.map((statement) => recurrenceOf(program, statement)),
});

/** One statement, or one that stands behind the program. */
export const recurrenceOf = (program: AffineProgram, statement: Statement): Recurrence => {
  const type = program.arrays.find((a) => a.name === statement.write.array)!.type;
  const before: Read = { kind: 'read', ...statement.write, type, place: statement.place, loc: statement.loc };
  const divisions = new Divisions(statement.iterators.length);
  const sources = new Map(
    [...readsOf(statement.value), before].map((read) => [read, sourcesOf(program, statement, read, divisions)]),
  );
  return { statement, sources, divisions, before, accumulates: accumulation(statement) };
};

/** x = x + e, x = e + x, x = x - e, x = a·b + x. */
const accumulation = ({ value, write, place }: Statement): Recurrence['accumulates'] => {
  if (value.kind !== 'apply') return undefined;
  const { op, args } = value;
  const own = (e: Expr): e is Read =>
    e.kind === 'read' &&
    e.array === write.array &&
    e.place.length === place.length &&
    e.subscripts.every((f, k) => sameAffine(f, write.subscripts[k]));
  const [a, b, c] = args;
  if ((op.name === 'arith.add' || op.name === 'arith.sub') && own(a)) return { carry: a, term: b };
  if (op.name === 'arith.add' && own(b)) return { carry: b, term: a };
  if (op.name === 'math.fma' && own(c))
    return {
      carry: c,
      term: { kind: 'apply', op: opWith(op, { name: 'arith.mul', operands: op.operands.slice(0, 2) }), args: [a, b] },
    };
  return undefined;
};
