import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import { DiagnosticError } from '@filigree/ir';
import { active, kernel, range, type Grid1 } from '@filigree/lang/kernels';
import { program } from '@filigree/runtime';
import { dense, dynamic, field, hash, i, layout, type Branch } from '@filigree/sparse/fields';
import { interpreter } from './interpreter.js';

const u = field('u', 'i32');
const seen = field('seen', 'i32');

const trees: Readonly<Record<string, Branch>> = {
  pointer: dense(i, 14).pointer(),
  'pointers to blocks': dense(i, 7).pointer().dense(i, 2),
  'pointers behind pointers': dense(i, 3).pointer().dense(i, 5).pointer(),
  bitmasked: dense(i, 14).bitmasked(),
  'bits in blocks': dense(i, 7).pointer().dense(i, 2).bitmasked(),
  hash: hash(i, 64),
  'blocks of a hash table': hash(i, 64).dense(i, 2),
  list: dynamic(i, 14),
};

it.each(Object.keys(trees))('a loop over %s visits what the loops before it activated', async (name) => {
  const grow = kernel([u, seen], (u: Grid1, seen: Grid1) => {
    for (const a of active(u)) seen[a] += 100;
    for (const b of range(0, 4)) u[b] = 1;
    for (const c of active(u)) seen[c] += 10;
    for (const b of range(2, 6)) u[b] = 2;
    for (const c of active(u)) seen[c] += 1;
  });
  const made = await program({
    layout: layout(trees[name].place(u), dense(i, 14).place(seen)),
    kernels: { grow },
    backend: interpreter(),
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  made.right.run.grow();
  expect([...made.right.fields.seen.toArray()]).toEqual([11, 11, 11, 11, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
});

it('the nearest of several is found beside one that is no number', async () => {
  const [x, to, at, least] = [field('x', 'f64'), field('to', 'f64'), field('at', 'i32'), field('least', 'f64')];
  const nearest = kernel([x, to, at, least], (x: Grid1, to: Grid1, at: Grid1, least: Grid1) => {
    for (const p of range(14)) {
      let [best, found] = [1e9, -1];
      for (const q of range(14)) {
        const d = (x[p] - to[q]) ** 2;
        if (d < best) {
          best = d;
          found = q;
        }
      }
      at[p] = found;
      least[p] = best;
    }
  });
  const made = await program({
    layout: layout(dense(i, 14).place(x, to, at, least)),
    kernels: { nearest },
    backend: interpreter(),
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  const { fields, run } = made.right;
  fields.x.fromArray(Array.from({ length: 14 }, (_, p) => p));
  fields.to.fromArray(Array.from({ length: 14 }, (_, p) => (p === 3 ? NaN : p * p)));
  run.nearest();
  expect([...fields.at.toArray()]).toEqual([0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 4]);
  expect([...fields.least.toArray()].slice(0, 5)).toEqual([0, 0, 1, 1, 0]);
});
