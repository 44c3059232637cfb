import { asWritten, isSettled, originalOf, parseKernel } from '#parts';
import type { Loc } from '@filigree/ir';
import { bare, isFunction, type FunctionNode } from '../../../source/ast.js';
import { functionText, textOf } from '../../../source/function-text.js';
import { keptOf } from '../../../source/kept.js';
import type { Written } from '../../../source/spelling/as-written.js';
import { filesFrom, framesOf } from '../../../source/spelling/files.js';
import { stackOf } from '../../../source/spelling/origin-of.js';
import type { Unit } from '../../code/origin.js';

/** What is known of a function beside itself. */
interface UnitHints {
  readonly at?: Loc | undefined;
  readonly called?: string;
  readonly near?: readonly string[] | undefined;
}

type AnyFunction = (...args: never[]) => unknown;

/**
 * The text of a function, parsed; `called` names it where it has no name. `near` are files in which it may stand beside those that
 * its own origin names; without them, as for words of the language, numerals are taken as they are printed. Throws `DiagnosticError` as `functionText` does.
 */
export const unitOf = (
  fn: AnyFunction,
  scope: Readonly<Record<string, unknown>>,
  { at: given, called, near }: UnitHints = {},
): Unit => {
  const { text, sure, names, at, files, line } = writtenText(fn, { at: given, near });
  return {
    name: fn.name,
    text: functionText(
      fn,
      parseKernel,
      at,
      called,
      text,
      at || !near ? undefined : originalOf(text, () => filesFrom(files), { name: fn.name, line }),
    ),
    scope,
    spelled: sure,
    names: names ?? {},
    files,
    frames: at ? '\n'.repeat(at.line - 1) + ' '.repeat(at.column - 1) + text : text,
  };
};

/** What a function says, in the spelling of its author where that is found (`sure`), and where it stands, as far as that is known. */
const writtenText = (fn: AnyFunction, hints: Omit<UnitHints, 'called'>) => {
  const { spelled, ...printed } = printedText(fn, hints);
  return { ...printed, ...spelled() };
};

/** A function's text as the engine has it, and what its spelling is looked for by. */
interface Printed {
  readonly text: string;
  /** Whether that is its author's spelling, or what makes it so depends on nothing but the text. */
  readonly settled: boolean;
  /** The text in the spelling of its author, where that is found in the files, and whether it is. */
  readonly spelled: () => Written;
  readonly at: Loc | undefined;
  readonly files: readonly string[];
  /** The line where it was given to whoever compiles it. */
  readonly line: number | undefined;
}

/** What a function says as it was printed: its spelling is looked for when someone asks. */
export const printedText = (fn: AnyFunction, { at: given, near }: Omit<UnitHints, 'called'>): Printed => {
  const kept = keptOf(fn);
  const at = given ?? kept?.at;
  const frames = framesOf(stackOf(fn));
  const { line, column } = frames[0] ?? {};
  const files = near ? [...new Set([...(at ? [at.file] : []), ...frames.map((f) => f.path), ...near])] : [];
  const text = kept ? kept.text : textOf(fn);
  const spelled = (): Written =>
    kept
      ? { text, sure: kept.spelled, found: kept.spelled, ...(kept.names && { names: kept.names }) }
      : asWritten(text, filesFrom(files), { name: fn.name, line, column, ...at });
  return { text, settled: kept !== undefined || isSettled(text), spelled, at, files, line };
};

/** The function that a unit is the text of; undefined for a class, a getter and the like. */
export const functionOfUnit = (unit: Unit): FunctionNode | undefined => {
  const [statement] = unit.text.parsed.program.body;
  if (statement?.type !== 'ExpressionStatement') return undefined;
  const e = bare(statement.expression);
  if (e.type !== 'ObjectExpression') return isFunction(e) ? e : undefined;
  const [property] = e.properties;
  return property?.type === 'Property' && property.kind === 'init' && isFunction(property.value)
    ? property.value
    : undefined;
};
