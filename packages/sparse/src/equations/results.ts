import { fail, pass, type Diagnostics } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { formOf } from './evaluate/query.js';
import { unionOfForms } from './evaluate/union.js';
import { withKept } from './evaluate/variables.js';
import { HERE, runHere } from './evaluate/perform.js';
import type { Read, Statement } from './read/program.js';
import { recurrenceOf } from './recurrences/recurrences.js';
import { supportOf } from './recurrences/sparsity.js';
import type { Regions } from './regions.js';
import { boxOf } from './sets/box.js';
import { constantOf, iterator, shiftedBy, minus } from './sets/conjunction.js';
import type { PointSet } from './sets/point-set.js';

/**
 * The pattern of an array after the program has run: the elements that are not zero, apart from cancellation. Fails
 * with `equations/input` for a name that is no array of the program, with `equations/not-affine` where the last write of
 * an element is neither an affine function of its subscripts nor a quotient of one.
 */
export const resultPattern = (regions: Regions, array: string): E.Either<Diagnostics, PointSet> =>
  pass('result-pattern', ({ solved, evaluation }: Regions): PointSet => {
    const { program, recurrences } = solved;
    const info =
      program.arrays.find((a) => a.name === array) ??
      fail('equations/input', `the program '${program.name}' has no array '${array}'`, {
        remedy: `name one of ${program.arrays.map((a) => a.name).join(', ')}`,
      });
    const { lower, shape } = info;
    /* A statement behind the program that reads every element. */
    const at = shape.map((_, d) => iterator(d));
    const end = 1 + Math.max(0, ...program.statements.map((s) => s.place[0]));
    const place = [end, ...shape.map(() => 0)];
    const value: Read = { kind: 'read', array, subscripts: at, type: info.type, place };
    const reader: Statement = {
      name: array,
      iterators: shape.map((_, d) => `x${d}`),
      domain: [shape.flatMap((n, d) => [shiftedBy(at[d], -lower[d]), minus(constantOf(lower[d] + n - 1), at[d])])],
      place,
      write: { array, subscripts: at },
      value,
    };
    const recurrence = recurrenceOf(program, reader);
    const terms = supportOf(recurrences, recurrence, value).map((t) =>
      withKept(t, (s) => evaluation.variables[s].kept),
    );
    const setOf = (of: number | string): PointSet =>
      typeof of === 'number' ? evaluation.values[of] : evaluation.initial.get(of)!;
    const box = boxOf(lower, shape);
    const all = shape.map((_, d) => d);
    const forms = terms.flatMap((t) => formOf(t, all, box, shape.length) ?? []);
    return runHere(unionOfForms(forms, box, setOf, evaluation.stores, HERE));
  }).run(regions);
