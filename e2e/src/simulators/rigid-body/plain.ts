import { GROUND, inertiaOf, RIGID, type RigidRobot } from './robot.js';

/** How far to the right the first box of a robot gets, with the weights and biases of both layers of its network. */
export const plainDistance = (robot: RigidRobot, steps: number, hidden: number, weights: Float64Array): number => {
  const { dt, gravity, drag, friction, omega, waves, density } = RIGID;
  const boxes = robot.middles.length / 2;
  const springs = robot.rest.length;
  const { mass, inertia } = inertiaOf(robot, density);
  const inputs = waves + 6 * boxes;
  const second = hidden * inputs;
  const biases = second + springs * hidden;
  const x = robot.middles.slice();
  const v = x.map(() => 0);
  const angle = mass.map(() => 0);
  const spin = mass.map(() => 0);
  for (let t = 0; t < steps; t++) {
    const seen = Array.from({ length: waves }, (_, n) => Math.sin(omega * t * dt + (2 * Math.PI * n) / waves));
    for (let b = 0; b < boxes; b++)
      seen.push(x[2 * b] - x[0], x[2 * b + 1] - x[1], v[2 * b], v[2 * b + 1], angle[b], spin[b]);
    const h = Array.from({ length: hidden }, (_, k) =>
      Math.tanh(seen.reduce((s, value, n) => s + value * weights[inputs * k + n], weights[biases + k])),
    );
    const dv = x.map(() => 0);
    const dw = mass.map(() => 0);
    const push = (b: number, rx: number, ry: number, jx: number, jy: number): void => {
      dv[2 * b] += jx / mass[b];
      dv[2 * b + 1] += jy / mass[b];
      dw[b] += (rx * jy - ry * jx) / inertia[b];
    };
    const arm = (b: number, px: number, py: number): readonly [number, number, number, number] => {
      const [c, s] = [Math.cos(angle[b]), Math.sin(angle[b])];
      const [rx, ry] = [c * px - s * py, s * px + c * py];
      return [rx, ry, v[2 * b] - spin[b] * ry, v[2 * b + 1] + spin[b] * rx];
    };
    for (let s = 0; s < springs; s++) {
      const bias = weights[biases + hidden + s];
      const act = Math.tanh(h.reduce((sum, value, k) => sum + value * weights[second + hidden * s + k], bias));
      const [a, b] = [robot.FROM[s], robot.TO[s]];
      const [ax, ay, au, av] = arm(a, robot.AX[s], robot.AY[s]);
      const [bx, by, bu, bv] = arm(b, robot.BX[s], robot.BY[s]);
      const [dx, dy] = [x[2 * a] + ax - x[2 * b] - bx, x[2 * a + 1] + ay - x[2 * b + 1] - by];
      const length = Math.sqrt(dx * dx + dy * dy + 1e-12);
      const longer = (length - robot.rest[s] * (1 + act * robot.reach[s])) / length;
      const [k, d] = [robot.stiffness[s] * longer, robot.damping[s]];
      const [jx, jy] = [dt * (k * dx + d * (au - bu)), dt * (k * dy + d * (av - bv))];
      push(a, ax, ay, -jx, -jy);
      push(b, bx, by, jx, jy);
    }
    const kept = Math.exp(-drag * dt);
    const shift = x.map(() => 0);
    const turn = mass.map(() => 0);
    for (let b = 0; b < boxes; b++) {
      v[2 * b] = kept * (v[2 * b] + dv[2 * b]);
      v[2 * b + 1] = kept * (v[2 * b + 1] + dv[2 * b + 1]) - dt * gravity;
      spin[b] = kept * (spin[b] + dw[b]);
    }
    for (let b = 0; b < boxes; b++) {
      let [gx, gy, gw] = [0, 0, 0];
      for (let corner = 0; corner < 4; corner++) {
        const [px, py] = [corner & 1 ? 1 : -1, corner & 2 ? 1 : -1];
        const [rx, ry, u, w] = arm(b, px * robot.halves[2 * b], py * robot.halves[2 * b + 1]);
        const height = x[2 * b + 1] + ry - GROUND;
        if (height + dt * w >= 0 || w >= 0) continue;
        const normal = -w / (1 / mass[b] + (rx * rx) / inertia[b]) / 2;
        const most = friction * normal;
        const along = Math.max(-most, Math.min(most, -u / (1 / mass[b] + (ry * ry) / inertia[b]) / 2));
        const turned = (rx * normal - ry * along) / inertia[b];
        const until = Math.max(0, Math.min(dt, -height / w));
        gx += along / mass[b];
        gy += normal / mass[b];
        gw += turned;
        shift[2 * b] -= (until * along) / mass[b];
        shift[2 * b + 1] -= (until * normal) / mass[b];
        turn[b] -= until * turned;
        if (height < 0) shift[2 * b + 1] -= 0.1 * height;
      }
      v[2 * b] += gx;
      v[2 * b + 1] += gy;
      spin[b] += gw;
      x[2 * b] += dt * v[2 * b] + shift[2 * b];
      x[2 * b + 1] += dt * v[2 * b + 1] + shift[2 * b + 1];
      angle[b] += dt * spin[b] + turn[b];
    }
  }
  return x[0];
};
