import type { AnyNode } from 'acorn';
import type MagicString from 'magic-string';
import type { Bound } from '../ops/bind.js';
import { failAt } from '../../source/place.js';
import { firstEffect, type OuterEffect } from './effects.js';
import { insertAround, separated } from './insert.js';
import type { Parsed } from '../../source/parse.js';
import type { Plain } from './plain.js';

/** What the rules of the rewriter share. Rules visit operands first and wrap after, so that insertions nest. */
export interface Context {
  readonly parsed: Parsed;
  readonly code: MagicString;
  readonly plain: Plain;
  readonly outer: OuterEffect;
  /** The name by which rewritten code calls a bound operation. */
  readonly helper: (name: keyof Bound) => string;
  /** How often one was used so far. */
  readonly helpersUsed: () => number;
  /** Loops whose iterations nobody is told of: those of generators, between which lie iterations of loops that go through them. */
  readonly untold: Set<AnyNode>;
  /** A name for a parameter of generated arrows, which no name of the text equals. */
  readonly temporary: (name: string) => string;
  /** Rewrites an expression or statement. */
  readonly visit: (node: AnyNode) => void;
  /** Rewrites an expression whose value nobody uses. */
  readonly visitUnused: (node: AnyNode) => void;
  /** Rewrites a condition that decides a branch. */
  readonly visitTest: (node: AnyNode) => void;
}

/** Inserts text before and after a node. */
export const wrap = (cx: Context, node: AnyNode, before: string, after: string): void => {
  insertAround(cx.code, cx.parsed.text, node, before, after);
};

export const insertBefore = (cx: Context, offset: number, text: string): void => {
  cx.code.prependRight(offset, separated(cx.parsed.text, offset, text));
};

/** Replaces a token, or tokens that nothing was inserted between. */
export const replace = (cx: Context, start: number, end: number, text: string): void => {
  cx.code.update(start, end, separated(cx.parsed.text, start, text));
};

export const textOf = (cx: Context, node: AnyNode): string => cx.parsed.text.slice(node.start, node.end);

export const siteOf = (cx: Context, offset: number): number => cx.parsed.site(offset);

/** `, site` of the first effect in these expressions, or nothing. */
export const effectArgument = (cx: Context, ...nodes: AnyNode[]): string => {
  for (const node of nodes) {
    const offset = firstEffect(node, cx.parsed.program, cx.parsed.scopes, cx.outer);
    if (offset !== undefined) return `, ${siteOf(cx, offset)}`;
  }
  return '';
};

export const unsupported = (cx: Context, offset: number, what: string, remedy: string): never =>
  failAt(cx.parsed.source, siteOf(cx, offset), 'lang/unsupported-syntax', `${what} cannot be traced`, remedy);
