import { array, i32, kernel, ndrange, random, randomDirection, range, rayBox, vec } from '@filigree/lang';
import type { Grid2, Grid3, Vec } from '@filigree/lang';
import { dense, field, ij, ijk, layout } from '@filigree/sparse';
import type { Blocks } from '../layouts.js';
import type { Cloud } from './setup.js';

/** Largest picture, in pixels along each side. */
export const LARGEST = 1024;

/** Where a ray enters and leaves the unit cube; it misses where it would leave before. */
const span = (o: Vec<3>, d: Vec<3>) => rayBox(o, d, vec(0, 0, 0), vec(1, 1, 1));

/** The renderer. `view` holds eye, forward, right, up, light, intensity, environment, albedo and extinction. */
export const pathTracer = ({ n }: Pick<Cloud, 'n'>, float: 'f32' | 'f64', blocks: Blocks) => {
  const [density, image] = [field('density', float), field('image', float)];
  /** Length to the next collision by Woodcock tracking; negative where there is none. */
  const track = (density: Grid3, o: Vec<3>, d: Vec<3>, length: number, extinction: number) => {
    let t = 0;
    for (;;) {
      t -= Math.log(1 - random()) / extinction;
      if (t >= length) return -1;
      const [i, j, k] = i32(o.add(d.mul(t)).mul(n)).max(0).min(n - 1); // prettier-ignore
      if (random() < density[i][j][k]) return t;
    }
  };
  const render = kernel(
    [density, image, array(float, 19), 'i32', 'i32', 'i32', 'i32'],
    (density: Grid3, image: Grid2, view: number[], width: number, height: number, samples: number, limit: number) => {
      const part = (k: number) => vec(view[3 * k], view[3 * k + 1], view[3 * k + 2]);
      const [intensity, environment, albedo, extinction] = [view[15], view[16], view[17], view[18]];
      for (const [row, column] of ndrange(height, width)) {
        let sum = 0;
        for (const _ of range(samples)) {
          const x = (2 * (column + random())) / width - 1;
          const y = 1 - (2 * (row + random())) / height;
          let d = part(1).add(part(2).mul(x)).add(part(3).mul(y)).normalized();
          const [enter, leave] = span(part(0), d);
          let o = part(0).add(d.mul(enter));
          let [length, weight, depth] = [leave - enter, 1, 0];
          while (depth < limit) {
            const t = length > 0 ? track(density, o, d, length, extinction) : -1;
            if (t < 0) {
              sum += weight * environment;
              break;
            }
            o = o.add(d.mul(t));
            weight *= albedo;
            const distance = part(4).sub(o).norm();
            const ray = part(4).sub(o).div(distance);
            const straight = Math.min(distance, span(o, ray)[1]);
            if (intensity > 0 && track(density, o, ray, straight, extinction) < 0)
              sum += (weight * intensity) / (4 * Math.PI * distance * distance);
            d = randomDirection();
            length = span(o, d)[1];
            depth++;
          }
        }
        image[row][column] = sum / samples;
      }
    },
    { float, scope: { n, span, track } },
  );
  const cloud = blocks(ijk, n / 8)
    .dense(ijk, 8)
    .place(density);
  return { layout: layout(cloud, dense(ij, LARGEST).place(image)), kernels: { render }, fields: { density, image } };
};
