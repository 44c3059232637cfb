import type { AnyNode } from 'acorn';
import { unsupported, type Context } from './context.js';

/** Refuses an expression that kernels do not have. */
export const refuseExpression = (cx: Context, e: AnyNode): never =>
  unsupported(cx, e, expressionNames[e.type] ?? 'this', expressionRemedies[e.type] ?? 'write it another way');

/** Refuses a statement that kernels do not have. */
export const refuseStatement = (cx: Context, s: AnyNode): never =>
  unsupported(cx, s, statementNames[s.type] ?? 'this statement', statementRemedies[s.type] ?? 'write it another way');

const expressionNames: Readonly<Record<string, string>> = {
  TaggedTemplateExpression: 'a text',
  AwaitExpression: '`await`',
  YieldExpression: '`yield`',
  ImportExpression: '`import()`',
  NewExpression: '`new`',
  MetaProperty: '`import.meta`',
};

const expressionRemedies: Readonly<Record<string, string>> = {
  TaggedTemplateExpression: 'compute with numbers and truth values',
  ImportExpression: 'import outside, and list it in `scope`',
  AwaitExpression: 'await before the launch',
  NewExpression:
    'use vec(…), mat(…), a class of yours, an object { x, y }, an array of known length: new Array(n).fill(0); or make it outside',
};

const statementNames: Readonly<Record<string, string>> = {
  TryStatement: '`try`',
  DebuggerStatement: '`debugger`',
  WithStatement: '`with`',
};

const statementRemedies: Readonly<Record<string, string>> = {
  TryStatement: 'nothing in a kernel can be caught: what is thrown ends the iteration, and debug mode says so',
  DebuggerStatement: 'leave it out here; on the host the function runs in a debugger as it is',
};
