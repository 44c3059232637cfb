import type { AnyNode } from 'acorn';
import type MagicString from 'magic-string';

/** Inserts text before and after a node that was rewritten already. A name never runs into the word before it. */
export const insertAround = (code: MagicString, text: string, node: AnyNode, before: string, after: string): void => {
  code.prependRight(node.start, separated(text, node.start, before));
  code.appendLeft(node.end, after);
};

/** The text, after a space where it would join the word before it: `return-x` must not become `return$neg(x)`. */
export const separated = (text: string, offset: number, inserted: string): string =>
  offset > 0 && /[\w$]/.test(text[offset - 1]) && /^[\w$]/.test(inserted) ? ` ${inserted}` : inserted;
