// A cloth of springs that hangs from three points, in a wind that comes and goes. The mouse pushes it.
import { active, dense, idiv, ij, kernel, layout, ndrange, program, vec, vectorField, type VecGrid2 } from 'filigree';
import { canvas, frame, pointer } from 'playground';

const n = 32;
const rest = 0.018;
const dt = 5e-4;
const x = vectorField('x', 'f32', 3);
const v = vectorField('v', 'f32', 3);

const start = kernel([x], (x: VecGrid2<3>) => {
  for (const [i, j] of active(x)) x[i][j] = vec(0.5 + (j - n / 2) * rest * 0.9, 0.12 + i * rest, 0.002 * ((i + j) % 3));
});

// Springs to the neighbours around, also those two steps away: what is bent pushes back.
const pull = kernel(
  [x, v, 'f32', 'f32', 'f32'],
  (x: VecGrid2<3>, v: VecGrid2<3>, wind: number, px: number, py: number) => {
    for (const [i, j] of active(x)) {
      let force = vec(0, 9.8, 0).add(vec(0.3, 0, 1).mul(wind));
      for (const [a, b] of ndrange(5, 5)) {
        const [di, dj] = [a - 2, b - 2];
        const [k, l] = [i + di, j + dj];
        if ((di !== 0 || dj !== 0) && k >= 0 && k < n && l >= 0 && l < n) {
          const apart = x[k][l].sub(x[i][j]);
          const length = apart.norm();
          const natural = rest * Math.sqrt(di * di + dj * dj);
          const along = apart.div(length + 1e-6);
          const closing = v[k][l].sub(v[i][j]).dot(along);
          force = force.add(along.mul(8000 * (length - natural) + 6 * closing));
        }
      }
      const away = vec(x[i][j].x - px, x[i][j].y - py);
      if (away.norm() < 0.08) force = force.add(vec(0, 0, -120));
      v[i][j] = v[i][j].add(force.mul(dt)).mul(1 - 0.5 * dt);
    }
  },
);

const move = kernel([x, v], (x: VecGrid2<3>, v: VecGrid2<3>) => {
  for (const [i, j] of active(x)) {
    if (i === 0 && (j === 0 || j === n - 1 || j === idiv(n, 2))) v[i][j] = vec(0, 0, 0);
    x[i][j] = x[i][j].add(v[i][j].mul(dt));
  }
});

const sim = await program({
  layout: layout(dense(ij, n).place(x, v)),
  kernels: { start, step: [pull, move] },
  fields: { x },
});
sim.run.start();

const places = new Float32Array(3 * n * n);
let time = 0;
frame(() => {
  const { x: px, y: py, down } = pointer();
  for (let k = 0; k < 20; k++) {
    time += dt;
    sim.run.step(6 * Math.sin(2.2 * time) + 3 * Math.sin(5.1 * time), down ? px : -9, py);
  }
  sim.fields.x.toArray(undefined, places);
  canvas.fillStyle = '#0d0f14';
  canvas.fillRect(0, 0, 512, 512);
  const point = (i: number, j: number) => {
    const k = 3 * (i * n + j);
    const depth = 1 / (1 + 0.6 * places[k + 2]);
    return [256 + 512 * (places[k] - 0.5) * depth, 512 * places[k + 1] * depth] as const;
  };
  for (let i = 0; i + 1 < n; i++)
    for (let j = 0; j + 1 < n; j++) {
      const corners = [point(i, j), point(i, j + 1), point(i + 1, j + 1), point(i + 1, j)];
      const slope = places[3 * (i * n + j + 1) + 2] - places[3 * (i * n + j) + 2];
      canvas.fillStyle = `hsl(${(i + j) % 8 < 4 ? 172 : 38} 45% ${Math.max(20, Math.min(80, 50 + 1100 * slope))}%)`;
      canvas.beginPath();
      for (const [a, b] of corners) canvas.lineTo(a, b);
      canvas.fill();
    }
});
