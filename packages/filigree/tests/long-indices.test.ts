import { dense, field, i, kernel, layout, program } from 'filigree';
import { expect, it } from 'vitest';

const [x, y] = [field('x', 'f64', { axes: i }), field('y', 'i32', { axes: i })];

/* Each step names what it has twice: written as a tree, the last is of 3^20 parts. */
const mixed = Array.from({ length: 20 }, () => 'h = (h ^ (h >> 1)) + h;').join(' ');
const loops = {
  recurrence: `for (let i = 1; i < 50; i++) { let h = y[0]; ${mixed} const at = (h & 7) + i; x[at] = x[at - 1] * 0.5 + 1; }`,
  bits: `for (let i = 1; i < 50; i++) { let h = y[i & 3]; ${mixed} x[i] = x[h & 31] * 0.5 + 1; }`,
  element: `let h = y[1]; ${mixed} const at = h & 31; for (let i = 0; i < 40; i++) x[at] = x[at] * 0.5 + i;`,
  update: `for (let i = 0; i < 40; i++) { let h = y[1]; ${mixed} const at = h & 31; x[at] = x[at] * 0.5 + i; }`,
  counted: `for (let i = 1; i < 50; i++) { let h = i; ${mixed} x[h & 31] = y[i & 3]; }`,
};

it.each(Object.entries(loops))(
  'an index that names again and again what it is made of is soon compiled: %s',
  async (_, text) => {
    const loop = new Function(`return (x, y) => { ${text} }`)() as (x: Float64Array, y: Int32Array) => void;
    const started = performance.now();
    const sim = await program({
      layout: layout(dense(i, 64).place(x), dense(i, 4).place(y)),
      kernels: { loop: kernel([x, y], loop as never) },
      backend: 'wasm',
    });
    expect(performance.now() - started).toBeLessThan(20_000);
    const [values, words] = [Float64Array.from({ length: 64 }, (_, k) => (k * 7) % 5), Int32Array.of(9, 4, 77, 1)];
    sim.field(x).fromArray(values);
    sim.field(y).fromArray(words);
    sim.run.loop();
    loop(values, words);
    expect([...sim.field(x).toArray()]).toEqual([...values]);
    sim.dispose();
  },
);
