import { cpp } from '@filigree/backend-cpp';
import { active, dense, field, i, kernel, layout, program, type Grid1 } from 'filigree';
import { expect, it } from 'vitest';

const { usable } = await cpp().probe();

it.skipIf(!usable && process.env.CI !== 'true')('a loop that never waits is given code for its launches', async () => {
  const [x, y] = [field('x', 'f64'), field('y', 'f64')];
  const kernels = {
    step: kernel([x], (x: Grid1) => {
      for (const p of active(x)) x[p] = x[p] * 0.5 + 1;
    }),
    copy: kernel([x, y, 'f64'], (x: Grid1, y: Grid1, by: number) => {
      for (const p of active(x)) y[p] = x[p] * by;
    }),
  };
  const places = layout(dense(i, 4).pointer().dense(i, 4).place(x, y));
  const p = await program({ layout: places, kernels, backend: 'cpp', queue: true, cache: false });
  p.fields.x!.set([3], 1);
  const begin = performance.now();
  while (p.queued()!.tasksCompiled === 0 && performance.now() - begin < 60_000) {
    p.run.step();
    p.run.step();
    p.run.copy(3);
  }
  const { tasksCompiled, warnings } = p.queued()!;
  expect(tasksCompiled).toBeGreaterThan(0);
  expect(warnings).toEqual([]);
  expect(p.fields.x!.get([3])).toBe(2);
  expect(p.fields.y!.get([3])).toBe(6);
  p.dispose();
});
