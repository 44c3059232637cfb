import { describe, expect, it } from 'vitest';
import { DiagnosticError, makeModule, parseModule, printModule } from '@filigree/ir';
import {
  dense,
  dynamic,
  field,
  hash,
  i,
  ij,
  ijk,
  j,
  k,
  layout,
  layoutOf,
  layoutTree,
  type Layout,
} from '@filigree/sparse/fields';

const u = field('u', 'f32');
const v = field('v', 'i16', { ambient: -7 });
const w = field('w', 'f64', { ambient: Infinity });
const x = field('x', 'u8');

const layouts: Readonly<Record<string, Layout>> = {
  dense: layout(dense(ij, [8, 4]).place(u, v)),
  'pointers, masks and Z-order': layout(
    dense(ijk, 4).pointer({ cells: 9 }).dense(ijk, [4, 2, 1]).bitmasked().dense(ij, 2).morton().place(u, w),
  ),
  'a hash table': layout(hash(ij, 8, { cells: 100 }).dense(ij, 4).place(u)),
  'lists within lists': layout(dense(i, 8).pointer().dynamic(j, 32).place(u).fork(dynamic(k, 2).place(v))),
  'several branches': layout(
    dense(i, 4)
      .place(u)
      .fork(dense(j, 4).place(v).fork(dense(j, 2).place(w)), dense(k, 2).place(x)),
    dense(k, 3).place(field('y', 'i1', { ambient: 1 })),
  ),
};

/** What the text of a module says of its layout. */
const throughText = (of: Layout): Layout => {
  const module = parseModule(printModule({ ...makeModule('m', [], []), layout: layoutTree(of) }));
  if (module._tag === 'Left') throw new DiagnosticError(module.left);
  return layoutOf(module.right.layout!);
};

describe('layouts as data', () => {
  it.each(Object.entries(layouts))('%s comes back from text as it was', (_, of) => {
    const back = throughText(of);
    expect(back.nodes).toEqual(of.nodes);
    expect(back.fields).toEqual(of.fields);
  });

  it('reads as a tree', () => {
    expect(printModule({ ...makeModule('m', [], []), layout: layoutTree(layouts['lists within lists']) })).toBe(
      `module @m {
  layout {
    dense (i: 8) pointer {
      dynamic (j: 32) {
        field @u : f32
        dynamic (k: 2) {
          field @v : i16 = -7
        }
      }
    }
  }
}
`,
    );
  });

  it('is the same value on the way there and back', () => {
    const of = layouts['dense'];
    expect(layoutOf(layoutTree(of))).toBe(of);
    const other = throughText(of);
    expect(layoutOf(layoutTree(other))).toBe(other);
    expect(other).not.toBe(of);
  });

  it.each([
    ['tree (i: 8) { field @u : f32 }', 'layout/node', 3],
    ['dense (i: 8) hashed { field @u : f32 }', 'layout/attribute', 3],
    ['dense (i: 8) {\n field @u : u8 = 300 }', 'layout/field', 4],
    ['dense (i: 8) {\n dense (i: 3) morton { field @u : f32 } }', 'layout/morton', 4],
    ['dense (i: 8) pointer bitmasked { field @u : f32 }', 'layout/decorator', 3],
    ['dense (i: 8) {\n hash (j: 3) { field @u : f32 } }', 'layout/hash-inside', undefined],
    ['dense (i: 8) { }', 'layout/empty', undefined],
  ])('refuses %s', (text, code, line) => {
    const module = parseModule(`module @m {\nlayout {\n${text} } }`);
    if (module._tag === 'Left') throw new DiagnosticError(module.left);
    try {
      layoutOf(module.right.layout!);
      expect.unreachable();
    } catch (e) {
      const [d] = (e as DiagnosticError).diagnostics;
      expect(d.code).toBe(code);
      expect(d.loc?.line).toBe(line);
    }
  });
});
