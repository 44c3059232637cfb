import type { AnyNode } from 'acorn';
import type { Block } from '../../code/code.js';
import type { Context } from './context.js';

/** Runs statements in order; functions declared in `scope` are known before their declaration. */
export const run = (cx: Context, list: readonly AnyNode[], scope: readonly AnyNode[] = list): void =>
  cx.elaborator.statements(cx, list, scope);

/** A block or statement recorded apart. */
export const recorded = (cx: Context, s: AnyNode): Block =>
  cx.session.record(() => run(cx, s.type === 'BlockStatement' ? s.body : [s]));
