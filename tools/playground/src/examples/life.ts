// Conway's Game of Life. Press the mouse on the picture to bring cells to life.
import { active, dense, field, ij, kernel, layout, ndrange, program, random, type Grid2 } from 'filigree';
import { frame, image, pointer } from 'playground';

const n = 256;
const now = field('now', 'i32');
const next = field('next', 'i32');

const seed = kernel([now], (now: Grid2) => {
  for (const [i, j] of active(now)) now[i][j] = random() < 0.25 ? 1 : 0;
});

const generation = (cells: Grid2, after: Grid2) => {
  for (const [i, j] of active(cells)) {
    let around = 0;
    for (const [a, b] of ndrange(3, 3)) around += cells[i + a - 1][j + b - 1];
    around -= cells[i][j];
    after[i][j] = around === 3 || (around === 2 && cells[i][j] === 1) ? 1 : 0;
  }
};
const there = kernel([now, next], generation);
const back = kernel([next, now], generation);

const sim = await program({
  layout: layout(dense(ij, n).place(now, next)),
  kernels: { seed, generation: [there, back] },
  seed: 7,
});
sim.run.seed();

const cells = new Int32Array(n * n);
const glow = new Float32Array(n * n);
frame(() => {
  const { x, y, down } = pointer();
  if (down)
    for (let k = 0; k < 12; k++) {
      const [i, j] = [y * n + 6 * Math.sin(k * 7), x * n + 6 * Math.cos(k * 5)].map(Math.floor);
      if (i >= 0 && i < n && j >= 0 && j < n) sim.fields.now.set([i, j], 1);
    }
  sim.run.generation();
  sim.fields.now.toArray(undefined, cells);
  // What was alive fades away.
  for (let k = 0; k < glow.length; k++) glow[k] = cells[k] === 1 ? 1 : glow[k] * 0.85;
  image(glow, n, n);
});
