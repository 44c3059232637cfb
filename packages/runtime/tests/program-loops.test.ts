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
