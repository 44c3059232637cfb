import type { Attr, Attrs } from '../kernel/op.js';
import { exactText } from '../scalar/exact-text.js';

/** `{factor = 4, mode = fast}`, or nothing where there are no attributes. */
export const attrsText = (attrs: Attrs, quoted: ReadonlySet<string> = new Set()): string => {
  const keys = Object.keys(attrs).sort();
  const item = (k: string): string => `${isWord(k) && !quoted.has(k) ? k : JSON.stringify(k)} = ${attrText(attrs[k])}`;
  return keys.length === 0 ? '' : `{${keys.map(item).join(', ')}}`;
};

/** An attribute: numbers with `nan`, `inf`, `-inf` and `-0`, words bare, with dots in them or not, other strings quoted, buffers as `@name`. */
export const attrText = (attr: Attr): string => {
  if (typeof attr === 'number') return numberText(attr);
  if (typeof attr === 'boolean') return String(attr);
  if (typeof attr === 'string')
    return /^@[A-Za-z_]\w*$/.test(attr) || (isDotted(attr) && !reserved.has(attr)) ? attr : JSON.stringify(attr);
  return `[${attr.map(attrText).join(', ')}]`;
};

const reserved = new Set(['true', 'false', 'nan', 'inf']);

const isDotted = (text: string): boolean => text.split('.').every(isWord);

const isWord = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);

/** A number, with `nan`, `inf`, `-inf` and `-0`. */
export const numberText = (x: number): string =>
  Number.isNaN(x) ? 'nan' : x === Infinity ? 'inf' : x === -Infinity ? '-inf' : exactText(x);

/** The same with a blank behind it. */
export const attrsBefore = (attrs: Attrs, quoted?: ReadonlySet<string>): string => {
  const text = attrsText(attrs, quoted);
  return text === '' ? '' : `${text} `;
};

/** A name with its sigil, quoted where it is no word. */
export const at = (name: string): string => (isWord(name) ? `@${name}` : `@${JSON.stringify(name)}`);
