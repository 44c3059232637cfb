import { describe, expect, it } from 'vitest';
import { DiagnosticError } from '@filigree/ir';
import {
  dense,
  dynamic,
  field,
  hash,
  i,
  ij,
  ijk,
  k,
  l,
  layout,
  layoutText,
  matrixField,
  type Branch,
  fields,
  j,
  vectorField,
} from '@filigree/sparse/fields';

const f = (name: string) => field(name, 'f32');
const [u, v, w, flags] = ['u', 'v', 'w', 'flags'].map(f);

const code = (make: () => unknown): string[] => {
  try {
    make();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics.map((d) => d.code);
    throw e;
  }
  return [];
};

describe('layouts', () => {
  it('describe the structures of Fig. 2-6', () => {
    const vdb = layout(hash(ijk, 32).dense(ijk, 16).pointer().dense(ijk, 8).place(u, v, w));
    expect(layoutText(vdb)).toBe(
      [
        'root()',
        '  hash(i: 32, j: 32, k: 32)',
        '    dense(i: 16, j: 16, k: 16).pointer()',
        '      dense(i: 8, j: 8, k: 8)',
        "        field 'u'",
        "        field 'v'",
        "        field 'w'",
      ].join('\n'),
    );
    expect(vdb.fields.get('u')).toMatchObject({ axes: [0, 1, 2], extents: [4096, 4096, 4096], unbounded: true });

    const spgrid = layout(dense(ijk, 512).morton().bitmasked().dense(ijk, [8, 4, 4]).place(flags, u, v, w));
    expect(spgrid.fields.get('w')).toMatchObject({ extents: [4096, 2048, 2048], unbounded: false });

    const particles = ['x', 'y', 'z', 'mass'].map(f);
    const hpb = layout(
      dynamic(l, 2048).place(...particles),
      hash(ijk, 512).dense(ijk, 32).pointer().dense(ijk, 8).pointer().dynamic(l, 2048).place(field('index', 'i32')),
    );
    expect(hpb.fields.get('mass')).toMatchObject({ axes: [3], extents: [2048] });
    expect(hpb.fields.get('index')).toMatchObject({ axes: [0, 1, 2, 3], unbounded: true });

    const spvdb = layout(hash(ijk, 512).dense(ijk, 512).morton().bitmasked().dense(ijk, [8, 4, 4]).place(flags, u));
    expect(spvdb.fields.get('u')!.extents[0]).toBe(512 * 512 * 8);

    const hleg = layout(
      hash(ij, 8)
        .dense(ij, [16, 8])
        .bitmasked()
        .fork(dense(ij, [4, 8]).place(u).place(v), dynamic(k, 32).place(...particles)),
    );
    expect(layoutText(hleg)).toBe(
      [
        'root()',
        '  hash(i: 8, j: 8)',
        '    dense(i: 16, j: 8).bitmasked()',
        '      dense(i: 4, j: 8)',
        "        field 'u'",
        "        field 'v'",
        '      dynamic(k: 32)',
        ...particles.map((p) => `        field '${p.name}'`),
      ].join('\n'),
    );
  });

  it('set fields side by side or apart', () => {
    const together = layout(dense(ij, 256).place(u, v));
    const apart = layout(dense(ij, 256).place(u), dense(ij, 256).place(v));
    expect(together.nodes.map((n) => n.kind)).toEqual(['root', 'dense', 'place', 'place']);
    expect(apart.nodes.map((n) => n.kind)).toEqual(['root', 'dense', 'place', 'dense', 'place']);
    expect([together, apart].map((t) => t.fields.get('v')!.extents)).toEqual([
      [256, 256],
      [256, 256],
    ]);
  });

  it('hold several fields declared at once, over the axes that they are declared with', () => {
    const { u, v } = fields('f32', ij, ['u', 'v'], { ambient: 2 });
    const { x, F } = fields('f64', i, { x: 3, F: [2, 3] });
    expect([u, v].map(({ name, type, ambient }) => [name, type, ambient])).toEqual([
      ['u', 'f32', 2],
      ['v', 'f32', 2],
    ]);
    expect([x.size, F.rows, F.cols, F.components.length]).toEqual([3, 2, 3, 6]);
    const tree = layout(dense(ij, 4).pointer().dense(j, 2).place(u, v), dense(i, 8).place(x, F));
    expect([...tree.fields.keys()].length).toBe(2 + 3 + 6);
    expect(() => layout(dense(ijk, 4).place(u))).toThrow(/declared over ij, and placed over ijk/);
    expect(() => layout(dense(i, 4).place(field('w', 'f32', { axes: j })))).toThrow(/over j, and placed over i/);
    expect(() => fields('f32', i, ['no name'])).toThrow(/no name for a field/);
  });

  it('are numbered in preorder, parents before children', () => {
    const { nodes } = layout(dense(i, 4).fork(dense(i, 2).place(u), dynamic(k, 3).place(v)), dense(ij, 2).place(w));
    nodes.forEach((n, id) => {
      expect(n.id).toBe(id);
      for (const c of n.children) expect(nodes[c].parent).toBe(id);
    });
    expect(nodes.flatMap((n) => n.children).sort((a, b) => a - b)).toEqual(nodes.slice(1).map((n) => n.id));
  });

  it('share branches without sharing changes', () => {
    const block: Branch = dense(ij, 8).pointer();
    const a = layout(block.dense(ij, 4).place(u));
    const b = layout(block.place(u));
    expect([a, b].map((t) => t.nodes.length)).toEqual([4, 3]);
  });

  it.each([
    ['layout/placed-twice', () => layout(dense(i, 4).place(u, u))],
    ['layout/placed-twice', () => layout(dense(i, 4).place(u), dense(i, 8).place(f('u')))],
    ['layout/empty', () => layout()],
    ['layout/empty', () => layout(dense(i, 4))],
    ['layout/list-axis', () => layout(dense(i, 4).dynamic(i, 8).place(u))],
    ['layout/list-axis', () => layout(dynamic(i, 4).dense(i, 8).place(u))],
    ['layout/hash-inside', () => layout(dense(i, 4).hash(i, 8).place(u))],
    [
      'layout/too-large',
      () =>
        layout(
          dense(i, 2 ** 20)
            .dense(i, 2 ** 12)
            .place(u),
        ),
    ],
    ['layout/nest', () => dense(i, 4).place(u).dense(i, 4)],
    ['layout/axes', () => dense([], 4)],
    ['layout/axes', () => dense([0, 0], 4)],
    ['layout/axes', () => dynamic(ij, 4)],
    ['layout/extents', () => dense(ij, [4, 4, 4])],
    ['layout/extents', () => dense(ij, 0)],
    ['layout/extents', () => dense(ij, 2.5)],
    ['layout/decorator', () => hash(ij, 8).bitmasked()],
    ['layout/decorator', () => dense(ij, 8).pointer().bitmasked()],
    ['layout/morton', () => dense(ij, [8, 4]).morton()],
    ['layout/morton', () => dense(ij, 12).morton()],
    ['layout/field', () => f('2u')],
    ['layout/field', () => field('u', 'half' as 'f32')],
    ['layout/field', () => field('u', 'f32', { ambient: '1' as never })],
    ['layout/field', () => field('u', 'i32', { ambient: 0.5 })],
    ['layout/field', () => field('u', 'u8', { ambient: 256 })],
    ['layout/field', () => field('u', 'i1', { ambient: 2 })],
    ['layout/field', () => vectorField('u', 'f32', 257)],
    ['layout/field', () => vectorField('u', 'f32', 0)],
    ['layout/field', () => matrixField('u', 'f32', 20, 13)],
    ['layout/field', () => dense(ij, 4).place('u' as never)],
    ['layout/extents', () => dense(ij, undefined as never)],
    ['layout/axes', () => dense(4 as never, 4)],
    ['layout/axes', () => dense([i, j] as never, 4)],
    ['layout/axes', () => hash([-1] as never, 4)],
  ])('refuse mistakes: %s (%#)', (expected, make) => {
    expect(code(make)).toEqual([expected]);
  });

  it('take vectors of as many components as lattices and harmonics have', () => {
    expect(vectorField('f', 'f32', 27).components).toHaveLength(27);
    expect(matrixField('F', 'f32', 3, 64).components).toHaveLength(192);
  });

  it('say what to write in place of a decorator or a list', () => {
    const remedy = (make: () => unknown): string | undefined => {
      try {
        make();
      } catch (e) {
        return (e as DiagnosticError).diagnostics[0].remedy;
      }
    };
    expect(remedy(() => hash(ij, 8).pointer())).toContain('leave it out');
    expect(remedy(() => dynamic(i, 8).morton())).toContain('behind dense(…)');
    expect(remedy(() => dense(i, 8).place([f('u')] as never))).toContain('place(...list)');
  });
});
