import type { AnyNode, DoWhileStatement, ForInStatement, ForOfStatement, ForStatement, WhileStatement } from 'acorn';
import { children } from '../../source/ast.js';
import { visitPattern } from './assignment.js';
import { siteOf, type Context } from './context.js';

type Loop = ForStatement | ForInStatement | ForOfStatement | WhileStatement | DoWhileStatement;

export const isLoop = (node: AnyNode): node is Loop => loops.has(node.type);

const loops = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement']);

/**
 * `for (…) { … }` → `{ for (…) { $step(site); … } $done(site); }`, so that whoever records what loops do can tell their iterations apart. Loops that
 * neither call anything nor compute with what may be symbolic, and those of generators, stay as they are.
 *
 * @param whole the loop with its label
 */
export const rewriteLoop = (cx: Context, loop: Loop, whole: AnyNode): void => {
  const before = cx.helpersUsed();
  visitParts(cx, loop);
  if (cx.untold.has(loop) || (cx.helpersUsed() === before && !calls(loop))) return;
  const site = siteOf(cx, loop.start);
  const { body } = loop;
  const step = `${cx.helper('step')}(${site});`;
  if (body.type === 'BlockStatement') cx.code.appendLeft(body.start + 1, ` ${step}`);
  else {
    cx.code.prependRight(body.start, `{ ${step} `);
    cx.code.appendLeft(body.end, ' }');
  }
  cx.code.prependRight(whole.start, '{ ');
  cx.code.appendLeft(whole.end, ` ${cx.helper('done')}(${site}); }`);
};

const visitParts = (cx: Context, loop: Loop): void => {
  switch (loop.type) {
    case 'WhileStatement':
    case 'DoWhileStatement':
      cx.visitTest(loop.test);
      break;
    case 'ForStatement':
      if (loop.init) cx.visitUnused(loop.init);
      if (loop.test) cx.visitTest(loop.test);
      if (loop.update) cx.visitUnused(loop.update);
      break;
    default:
      if (loop.left.type === 'VariableDeclaration') visitPattern(cx, loop.left.declarations[0].id);
      else visitPattern(cx, loop.left);
      cx.visit(loop.right);
  }
  cx.visit(loop.body);
};

/** Whether anything is called. */
export const calls = (node: AnyNode): boolean =>
  node.type === 'CallExpression' || node.type === 'NewExpression' || children(node).some(calls);
