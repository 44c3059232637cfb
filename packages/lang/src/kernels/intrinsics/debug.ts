import type { CallExpression } from 'acorn';
import type { Scalar } from '../code/scalar.js';
import { compute, originOf, refuse, type Context } from '../elaborate/context.js';
import { argumentsOf, condition } from '../elaborate/evaluate.js';
import { note } from '../elaborate/note.js';
import { isLiteral, isScalar, nothing, termText, type Term } from '../elaborate/term.js';
import type { Intrinsic } from './intrinsic.js';

/** `print('x', x)`, `console.log('x', x)`: nothing unless the program is debugged. */
export const print: Intrinsic = (cx, e) => {
  const parts = argumentsOf(cx, e).map((term) => printed(cx, e, term));
  note(
    cx,
    e,
    { is: 'print', parts: parts.map((p) => p.part) },
    parts.flatMap((p) => p.values),
  );
  return nothing;
};

/** `assert(condition, 'what holds')`, `console.assert(…)`: nothing unless the program is debugged. */
export const assertion: Intrinsic = (cx, e) => {
  const [test, message] = e.arguments;
  if (!test) return refuse(cx, e, 'lang/arguments', 'assert takes a condition', "write assert(x > 0, 'x is positive')");
  const text = message && argumentsOf(cx, { ...e, arguments: [message] })[0];
  if (text && !(text.is === 'host' && typeof text.value === 'string'))
    return refuse(
      cx,
      e,
      'lang/arguments',
      `what assert says is a text, this is ${termText(text)}`,
      "write assert(x > 0, 'x is positive'), and print(x) beside it",
    );
  const holds = condition(cx, test);
  if (holds === true) return nothing;
  const variables = cx.parallel?.variables ?? [];
  const said = { is: 'assert', message: text ? String((text as { value: unknown }).value) : undefined } as const;
  const report = (): void => note(cx, e, said, variables);
  if (holds === false) report();
  else where(cx, e, compute(cx, e, 'not', holds), report);
  return nothing;
};

const where = (cx: Context, e: CallExpression, holds: Scalar, body: () => void): void => {
  const then = cx.session.record(body);
  if (then.length > 0) cx.session.emit(originOf(cx, e), { do: 'if', condition: holds, then, otherwise: [] });
};

interface Part {
  readonly part: string | readonly number[];
  readonly values: readonly Scalar[];
}

const printed = (cx: Context, e: CallExpression, term: Term): Part => {
  if (term.is === 'host' && typeof term.value === 'string') return { part: term.value, values: [] };
  if (isLiteral(term) && typeof term.value === 'boolean') return { part: String(term.value), values: [] };
  if (isScalar(term)) return { part: [], values: [term] };
  if (term.is === 'shaped') return { part: term.shape, values: term.elements };
  return refuse(
    cx,
    e,
    'lang/arguments',
    `texts, numbers, vectors and matrices are printed, this is ${termText(term)}`,
    'print its elements',
  );
};
