import {
  array,
  at,
  i32,
  kernel,
  ndrange,
  random,
  randomDirection,
  range,
  rayBox,
  vec,
  type Vec,
} from '@filigree/lang/kernels';
import { dense, fields, ij, ijk, layout } from '@filigree/sparse/fields';
import type { Blocks } from '../layouts.js';
import type { Cloud } from './setup.js';

/** Largest picture, in pixels along each side. */
export const LARGEST = 1024;

/** Where a ray enters and leaves the unit cube; it misses where it would leave before. */
const span = (o: Vec<3>, d: Vec<3>) => rayBox(o, d, vec(0, 0, 0), vec(1, 1, 1));

/** The renderer. `view` holds eye, forward, right, up, light, intensity, environment, albedo and extinction. */
export const pathTracer = ({ n }: Pick<Cloud, 'n'>, float: 'f32' | 'f64', blocks: Blocks) => {
  const { density } = fields(float, ijk, ['density']);
  const { image } = fields(float, ij, ['image']);
  const args = [density, image, array(float, 19), 'i32', 'i32', 'i32', 'i32'] as const;
  const scope = { n, span };
  const render = kernel(args, { float, scope }, (density, image, view, width, height, samples, limit) => {
    const part = (k: number) => vec(view[3 * k], view[3 * k + 1], view[3 * k + 2]);
    const [eye, forward, right, up, light] = [part(0), part(1), part(2), part(3), part(4)];
    const [intensity, environment, albedo, extinction] = [view[15], view[16], view[17], view[18]];
    const flight = () => -Math.log(1 - random()) / extinction;
    /** Length to the next collision by Woodcock tracking; negative where there is none. */
    const track = (o: Vec<3>, d: Vec<3>, length: number) => {
      for (let t = flight(); t < length; t += flight()) {
        const cell = i32(o.add(d.mul(t)).mul(n));
        if (random() < at(density, cell.max(0).min(n - 1))) return t;
      }
      return -1;
    };
    for (const [row, column] of ndrange(height, width)) {
      let sum = 0;
      for (const _ of range(samples)) {
        const x = (2 * (column + random())) / width - 1;
        const y = 1 - (2 * (row + random())) / height;
        let d = forward.add(right.mul(x)).add(up.mul(y)).normalized();
        const [enter, leave] = span(eye, d);
        let [o, length, weight] = [eye.add(d.mul(enter)), leave - enter, 1];
        for (const _ of range(limit)) {
          const t = length > 0 ? track(o, d, length) : -1;
          if (t < 0) {
            sum += weight * environment;
            break;
          }
          o = o.add(d.mul(t));
          weight *= albedo;
          const distance = light.sub(o).norm();
          const ray = light.sub(o).div(distance);
          if (intensity > 0 && track(o, ray, Math.min(distance, span(o, ray)[1])) < 0)
            sum += (weight * intensity) / (4 * Math.PI * distance * distance);
          d = randomDirection();
          length = span(o, d)[1];
        }
      }
      image[row][column] = sum / samples;
    }
  });
  const cloud = blocks(ijk, n / 8).dense(ijk, 8);
  const grid = layout(cloud.place(density), dense(ij, LARGEST).place(image));
  return { layout: grid, kernels: { render }, fields: { density, image } };
};
