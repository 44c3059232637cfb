/** A process that times one program again and again: `NAME THREADS SPINS|default SECONDS`; prints the median step in milliseconds. */
import { active, dense, fields, ij, kernel, layout, ndrange, program } from 'filigree';

const [name, threads, spins, seconds] = process.argv.slice(2);
if (spins !== 'default') process.env.GOMP_SPINCOUNT = spins;
else process.env.GOMP_SPINCOUNT = '300000'; // what libgomp does where nobody says anything

const { u, v } = fields('f32', ij, ['u', 'v']);
const sizes: Readonly<Record<string, number>> = { small: 128, large: 2048 };
const n = sizes[name];
const step = kernel([u, v], { scope: { active, ndrange } }, (u, v) => {
  for (const [i, j] of active(u)) v[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
  for (const [i, j] of active(v)) u[i][j] = v[i][j];
});
const sim = await program({
  layout: layout(dense(ij, n).place(u, v)),
  kernels: { step },
  backend: 'cpp',
  threads: Number(threads),
});
for (let k = 0; k < 20; k++) sim.run.step();
const times: number[] = [];
for (const end = performance.now() + 1000 * Number(seconds); performance.now() < end;) {
  const before = performance.now();
  sim.run.step();
  times.push(performance.now() - before);
}
console.log(times.sort((a, b) => a - b)[times.length >> 1], times.reduce((sum, t) => sum + t, 0) / times.length);
