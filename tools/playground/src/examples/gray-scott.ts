// Two substances on a grid: u feeds v, and v decays (Gray and Scott, 1984).
// Press the mouse on the picture to add some v.
import { active, dense, field, ij, kernel, layout, program, type Grid2 } from 'filigree';
import { frame, image, pointer } from 'playground';

const n = 256;
const u = field('u', 'f32', { ambient: 1 });
const v = field('v', 'f32');
const u2 = field('u2', 'f32', { ambient: 1 });
const v2 = field('v2', 'f32');

const step = (u: Grid2, v: Grid2, un: Grid2, vn: Grid2, feed: number, kill: number) => {
  for (const [i, j] of active(u)) {
    const lu = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
    const lv = v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1] - 4 * v[i][j];
    const reaction = u[i][j] * v[i][j] * v[i][j];
    un[i][j] = u[i][j] + 0.2 * lu - reaction + feed * (1 - u[i][j]);
    vn[i][j] = v[i][j] + 0.1 * lv + reaction - (feed + kill) * v[i][j];
  }
};
const there = kernel([u, v, u2, v2, 'f32', 'f32'], step);
const back = kernel([u2, v2, u, v, 'f32', 'f32'], step);

const sim = await program({
  layout: layout(dense(ij, n).place(u, v, u2, v2)),
  kernels: { there, back },
});

const drop = (x: number, y: number, r: number) => {
  for (let i = Math.max(0, x - r); i < Math.min(n, x + r); i++)
    for (let j = Math.max(0, y - r); j < Math.min(n, y + r); j++) sim.fields.v.set([i, j], 0.6);
};
for (let k = 0; k < 24; k++) drop(20 + ((k * 89) % 216), 20 + ((k * 151) % 216), 4);

const values = new Float32Array(n * n);
frame(() => {
  const { x, y, down } = pointer();
  if (down) drop(Math.floor(y * n), Math.floor(x * n), 5);
  for (let k = 0; k < 8; k++) {
    sim.run.there(0.03, 0.062);
    sim.run.back(0.03, 0.062);
  }
  sim.fields.v.toArray(undefined, values);
  image(values, n, n, { to: 0.4 });
});
