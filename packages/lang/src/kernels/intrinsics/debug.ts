import type { AnyNode, CallExpression, TemplateLiteral, ThrowStatement } from 'acorn';
import { bare } from '../../source/ast.js';
import type { Scalar, Temp } from '../code/scalar.js';
import type { Missing } from '../elaborate/context/absence.js';
import { asNumber, compute, originOf, refuse, type Context } from '../elaborate/context/context.js';
import { argumentsOf, condition, value } from '../elaborate/expressions/evaluate.js';
import { note } from '../elaborate/context/note.js';
import type { NoteKind, NotePart } from '../notes.js';
import { isLiteral, isOfTexts, isScalar, nothing, termText, type Term } from '../elaborate/context/term.js';
import type { Intrinsic } from './intrinsic.js';

/** `print('x', x)`, `console.log('x', x)`: nothing unless the program is debugged. */
export const print: Intrinsic = (cx, e) => {
  const given = e.arguments.map((a): { readonly joined: boolean; readonly parts: readonly Part[] } => {
    const text = template(a);
    if (text) return { joined: true, parts: partsOf(cx, e, text) };
    return { joined: false, parts: argumentsOf(cx, { ...e, arguments: [a] }).map((term) => printed(cx, e, term)) };
  });
  const parts = given.flatMap(({ joined, parts }): (NoteKind & { is: 'print' })['parts'] => {
    const of = parts.map((p) => p.part);
    return joined ? [{ joined: of }] : of;
  });
  const values = given.flatMap((g) => g.parts.flatMap((p) => p.values));
  note(cx, e, { is: 'print', parts }, values);
  return nothing;
};

/** `assert(condition, 'what holds')`, `console.assert(…)`: nothing unless the program is debugged. */
export const assertion: Intrinsic = (cx, e) => {
  const [test, message] = e.arguments;
  if (!test) return refuse(cx, e, 'lang/arguments', 'assert takes a condition', "write assert(x > 0, 'x is positive')");
  const holds = condition(cx, test);
  if (holds === true) return nothing;
  const report = (): void => reported(cx, e, message ? messageOf(cx, e, message) : []);
  if (holds === false) report();
  else where(cx, e, compute(cx, e, 'not', holds), report);
  return nothing;
};

/**
 * `throw new Error('what is wrong')`: the end of the iteration of a parallel loop, or of the kernel; debug mode says which, and why, as of an
 * assertion that does not hold.
 */
export const throwStatement = (cx: Context, s: ThrowStatement): void => {
  const thrown = bare(s.argument);
  const isMade = thrown.type === 'NewExpression' || thrown.type === 'CallExpression';
  const [message] = isMade ? thrown.arguments : [thrown];
  reported(cx, s, message && isText(message) ? messageOf(cx, s, message) : [{ part: 'this is thrown', values: [] }]);
  cx.end.left = true;
  cx.session.emit(originOf(cx, s), { do: 'exit', label: cx.end.label });
};

/** Says where what is taken to be there is not. */
export const promised = (cx: Context, e: AnyNode, { local, of }: Missing): void => {
  if (!local) return;
  const missing: Temp = { is: 'temp', type: 'i1' };
  cx.session.emit(originOf(cx, e), { do: 'read', to: missing, local });
  where(cx, e, missing, () => reported(cx, e, [{ part: `this is ${of}`, values: [] }]));
};

const isText = (node: AnyNode): boolean => {
  const e = bare(node);
  return e.type === 'TemplateLiteral' || (e.type === 'Literal' && typeof e.value === 'string');
};

const reported = (cx: Context, e: AnyNode, said: readonly Part[]): void => {
  const values = [...said.flatMap((p) => p.values), ...(cx.parallel?.variables ?? [])];
  note(cx, e, { is: 'assert', message: said.map((p) => p.part) }, values);
};

const where = (cx: Context, e: AnyNode, holds: Scalar, body: () => void): void => {
  const then = cx.session.record(body);
  if (then.length > 0) cx.session.emit(originOf(cx, e), { do: 'if', condition: holds, then, otherwise: [] });
};

/** What an assertion says; it is computed where the condition does not hold. */
const messageOf = (cx: Context, e: AnyNode, message: AnyNode): readonly Part[] => {
  const text = template(message);
  if (text) return partsOf(cx, e, text);
  const [term] = argumentsOf(cx, { arguments: [message] } as Pick<CallExpression, 'arguments'>);
  if (term.is === 'host' && typeof term.value === 'string') return [{ part: term.value, values: [] }];
  return refuse(
    cx,
    e,
    'lang/arguments',
    `what assert says is a text, this is ${termText(term)}`,
    "write assert(x > 0, 'x is positive'), or `x is ${x}`",
  );
};

const template = (node: AnyNode): TemplateLiteral | undefined => {
  const e = bare(node);
  return e.type === 'TemplateLiteral' ? e : undefined;
};

/** The texts of a template, and the values between them. */
const partsOf = (cx: Context, e: AnyNode, text: TemplateLiteral): readonly Part[] =>
  text.quasis.flatMap(({ value: { cooked } }, k) => [
    ...(k > 0 ? [printed(cx, e, value(cx, text.expressions[k - 1]))] : []),
    { part: cooked ?? '', values: [] },
  ]);

interface Part {
  readonly part: NotePart;
  readonly values: readonly Scalar[];
}

const printed = (cx: Context, e: AnyNode, term: Term): Part => {
  if (term.is === 'host' && typeof term.value === 'string') return { part: term.value, values: [] };
  if (term.is === 'one-of' && isOfTexts(term))
    return { part: { is: 'text', of: term.values as readonly string[] }, values: [term.index] };
  if (isLiteral(term) && typeof term.value === 'boolean') return { part: String(term.value), values: [] };
  if (isScalar(term)) return { part: cx.session.isTruth(term) ? { is: 'truth' } : [], values: [asNumber(cx, e, term)] };
  if (term.is === 'shaped') return { part: term.shape, values: term.elements };
  return refuse(
    cx,
    e,
    'lang/arguments',
    `texts, numbers, vectors and matrices are printed, this is ${termText(term)}`,
    'print its elements',
  );
};
