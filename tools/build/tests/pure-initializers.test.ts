import { describe, expect, it } from 'vitest';
import { pureInitializers } from '../pure-initializers.mjs';

describe('what modules compute when they are loaded', () => {
  it.each([
    ['const x = f();', 'const x = /* @__PURE__ */ (() => f())();'],
    [
      'export const x = new Map([[1, 2]]), y = 3;',
      'export const x = /* @__PURE__ */ (() => new Map([[1, 2]]))(), y = 3;',
    ],
    ['const x = { ...y };', 'const x = /* @__PURE__ */ (() => ({ ...y }))();'],
    ['const x = 2 ** -12;', 'const x = /* @__PURE__ */ (() => 2 ** -12)();'],
    ['const x = [table.add];', 'const x = /* @__PURE__ */ (() => [table.add])();'],
    [
      'var x = {};\n__export(x, { a: () => a });\n',
      'var x = /* @__PURE__ */ ((all) => (__export(all, { a: () => a }), all))({});\n\n',
    ],
  ])('may be left out: %s', (code, expected) => {
    expect(pureInitializers(code)).toBe(expected);
  });

  it.each([
    ['functions, which compute nothing', 'const f = () => g();'],
    ['constants', "const x = -1, y = 'text', z = [1, { a: true }];"],
    ['statements', 'register(x);\nfor (const x of xs) f(x);'],
    ['what waits', 'const x = await f();'],
  ])('stays as it is: %s', (_, code) => {
    expect(pureInitializers(code)).toBe(code);
  });
});
