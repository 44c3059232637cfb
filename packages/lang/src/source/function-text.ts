import type { AnyNode } from 'acorn';
import { fail, type Loc } from '@filigree/ir';
import { keptOf } from './kept.js';
import { failAt, siteOf, type Site, type Source } from './place.js';
import { bare, children, isFunction } from './ast.js';
import { parseSource, type Parse, type Parsed } from './parse.js';
import { programOf, treeOfText } from './tree.js';

/** A function's own text, parsed as an expression. */
export interface FunctionText {
  readonly parsed: Parsed;
  /** A method is parsed within an object literal, of which it is the only property. */
  readonly isMethod: boolean;
  /** An arrow or anonymous function that was given a name by what it was assigned to: its text does not bind that name. */
  readonly nameless: boolean;
}

/** What a function says: what the build plugin kept of it, else what `toString()` gives. */
export const textOf = (f: object): string => keptOf(f)?.text ?? Function.prototype.toString.call(f);

/** A function's text as an expression that may stand alone. */
export const asExpression = (text: string): string => `(${text}\n)`;

/**
 * The text of a function, parsed, unless a build has done so. Lines are those of the text, from 1, unless `at` says where it begins.
 * `called` is what it is called where it has no name of its own, `text` what it says where that is known better. Fails with `lang/native-function` where there is no text.
 */
export const functionText = (
  f: (...args: never[]) => unknown,
  parse: Parse,
  at?: Loc,
  called = 'anonymous function',
  text = textOf(f),
  original?: Source['original'],
): FunctionText => {
  const name = f.name || called;
  if (/\{\s*\[native code\]\s*\}\s*$/.test(text)) {
    fail('lang/native-function', `\`${name}\` has no source text: it is native or bound`, {
      loc: at,
      remedy: 'pass the function itself instead of `f.bind(…)`, or wrap it in an arrow function that calls it',
    });
  }
  const source: Source = { file: at?.file ?? name, source: at ? undefined : text, original };
  const kept = keptOf(f);
  const tree = kept?.text === text ? kept.tree : undefined;
  for (const isMethod of [false, true]) {
    const open = isMethod ? '({' : '(';
    const relocate = (line: number, column: number): Site => {
      const own = line === 1 ? column - open.length : column;
      return at ? siteOf(at.line + line - 1, line === 1 ? at.column + own - 1 : own) : siteOf(line, Math.max(own, 1));
    };
    try {
      const parsed = parseSource(
        isMethod ? `({${text}\n})` : asExpression(text),
        source,
        tree ? (whole) => ({ program: programOf(whole, treeOfText(tree)), tokens: [] }) : parse,
        relocate,
      );
      refuseSuper(parsed, isMethod);
      return { parsed, isMethod, nameless: !isMethod && isNameless(parsed) };
    } catch (e) {
      if (isMethod || !looksLikeMethod(text)) throw e;
    }
  }
  throw new Error('unreachable');
};

/* Taken out of its class, a method has lost what `super` means. */
const refuseSuper = (parsed: Parsed, isMethod: boolean): void => {
  const visit = (node: AnyNode, depth: number): void => {
    if (node.type === 'Super') {
      const remedy = 'write what the method of the parent does as a function and call that, or make the object within';
      failAt(
        parsed.source,
        parsed.site(node.start),
        'lang/unsupported-syntax',
        'what `super` means is not known outside of its class',
        remedy,
      );
    }
    const own = node.type === 'ClassBody' || node.type === 'ObjectExpression';
    if (own && depth === 0) return;
    for (const child of children(node)) visit(child, own ? depth - 1 : depth);
  };
  visit(parsed.program, isMethod ? 1 : 0);
};

const isNameless = (parsed: Parsed): boolean => {
  const f = expressionOf(parsed);
  return f !== undefined && isFunction(f) && (f.type === 'ArrowFunctionExpression' || !f.id);
};

/** The expression that a parsed function text consists of. */
const expressionOf = (parsed: Parsed): AnyNode | undefined => {
  const [statement] = parsed.program.body;
  return statement?.type === 'ExpressionStatement' ? bare(statement.expression) : undefined;
};

/* `name(…) {`, `[key](…) {`, `get name() {`: not `function`, `class`, `(…) =>` or `x =>`. */
const looksLikeMethod = (text: string): boolean =>
  !/^(async\s+)?function\b/.test(text) && !/^class\b/.test(text) && !/^(async\s*)?(\(|[\w$]+\s*=>)/.test(text);
