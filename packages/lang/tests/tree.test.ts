import { parse } from 'acorn';
import { describe, expect, it } from 'vitest';
import { programOf, textOfTree, treeOf, treeOfText } from '@filigree/lang/plugin';

const parsed = (text: string) =>
  parse(text, { ecmaVersion: 'latest', sourceType: 'module', preserveParens: true, allowSuperOutsideMethod: true });

/** As a build writes it and a page reads it; nodes of the parser are of a class. */
const again = (text: string): unknown => {
  const tree = treeOf(text, parsed(text));
  return tree && programOf(text, treeOfText(textOfTree(tree)));
};

const plain = (text: string): unknown => JSON.parse(JSON.stringify(parsed(text)));

describe('a tree says what the parser does', () => {
  it.each([
    '(x => { for (const i of range(4096)) x[i] = 1_000 * 0x1f + 1e-3 * i; })',
    '((u, v, dt) => { for (const [i, j] of active(u)) { const a = u[i][j]; u[i][j] += dt * (a > 0.5 ? a : -a); } })',
    '(function f({ a, b: [c, ...d], e = 2 } = {}, ...rest) { return { a, b: c, ...d, [e]: rest, f: "it\'s", t: true }; })',
    '(() => { outer: for (let k = 0, n; k < 3; k++) { if (k) continue outer; else break; } ; })',
    '(x => { switch (x) { case 1: x--; default: throw new Error("none"); } while (!x) x **= 2; do { x } while (0) })',
    `(x => { ${'x = x + 0; '.repeat(2000)}return "quotes \\" \\\\ and . ! ?"; })`,
    '(x => { var y; let z = null; const g = (a, b) => (a, b); function h() { return x ?? y; } g(...[, h(), z]); })',
  ])('%s', (text) => {
    expect(again(text)).toEqual(plain(text));
  });

  it.each([
    '(x => x?.y)',
    '(x => { "use strict"; })',
    '(x => /a/.test(x))',
    '(class { #p = 1; })',
    '(x => 10n)',
    '(x => `${x}`)',
  ])('where it has room for that, not of %s', (text) => {
    expect(treeOf(text, parsed(text))).toBeUndefined();
  });
});
