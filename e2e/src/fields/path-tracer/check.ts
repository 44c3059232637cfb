import { atMost, type Finding } from '../finding.js';
import { clip, direction } from './reference.js';
import { camera, cloudOf, type MakeRenderer, type Triple, type View } from './setup.js';

/**
 * What physics says of pictures of clouds, whatever they are computed by. A slab of constant density lets through
 * exp(−extinction · length) (Beer and Lambert). Where all collisions scatter and light comes from everywhere, nothing of the
 * cloud can be seen; where none does, only what passes. Light scattered once is an integral along the ray. The noise falls
 * with the root of the number of paths. Random numbers decide, so results are compared in standard errors.
 */
export const checkPathTracer = async (make: MakeRenderer): Promise<readonly Finding[]> => [
  ...(await checkSlab(make)),
  ...(await checkFurnace(make)),
  ...(await checkSingleScattering(make)),
  ...(await checkNoise(make)),
];

/** From so far away that all rays run along k. */
const parallel = camera([0.5, 0.5, -1000], [0.5, 0.5, 0], 0.0004);

const plain: View = {
  ...parallel,
  light: [0, 0, 0],
  intensity: 0,
  environment: 1,
  albedo: 0,
  extinction: 3,
  width: 32,
  height: 32,
  samples: 64,
  pathLimit: 1,
};

/** A slab that fills a few of the cube's layers, density 0.8 against the majorant. */
const slab = cloudOf(16, (_i, _j, k) => (k >= 5 && k < 11 ? 0.8 : 0));

const checkSlab = async (make: MakeRenderer): Promise<readonly Finding[]> => {
  const expected = Math.exp(-3 * 0.8 * (6 / 16));
  const passed = mean(await (await make(slab)).render(plain, 11));
  // Every path passes or does not.
  const deviation = Math.sqrt((expected * (1 - expected)) / (plain.width * plain.height * plain.samples));
  return [atMost('slab: transmittance, in standard errors', Math.abs(passed - expected) / deviation, 4)];
};

const checkFurnace = async (make: MakeRenderer): Promise<readonly Finding[]> => {
  const renderer = await make(cloudOf(16, (i, j, k) => ((i + 2 * j + 3 * k) % 4) / 3));
  const view = { ...plain, ...camera([1.4, 1.2, -1.1], [0.5, 0.5, 0.5], 0.5), albedo: 1, pathLimit: 1000, samples: 8 };
  const glowing = await renderer.render(view, 12);
  const solid = await make(cloudOf(16, () => 1));
  const black = await solid.render({ ...view, albedo: 0, extinction: 1e3 }, 12);
  // Rays along the picture's lower and upper edges pass the cube.
  const behind = Math.floor((view.height / 2 + 0.5) * view.width);
  return [
    atMost('furnace: distance from one of the darkest and brightest pixel', farthest(glowing, 1), 1e-5),
    atMost('black cloud: radiance in the middle', black[behind], 1e-6),
  ];
};

const checkSingleScattering = async (make: MakeRenderer): Promise<readonly Finding[]> => {
  const view: View = {
    ...plain,
    environment: 0,
    light: [0.5, 1.7, 0.2],
    intensity: 4,
    albedo: 0.7,
    width: 24,
    height: 24,
    samples: 128,
  };
  const solid = await make(cloudOf(16, () => 0.5));
  const pictures = await Promise.all([21, 22, 23, 24].map(async (seed) => solid.render(view, seed)));
  const means = pictures.map(mean);
  const found = mean(means);
  // The deviation of one picture's mean, by that of its pixels from the integral.
  let deviation = 0;
  let expected = 0;
  const count = view.width * view.height;
  for (let pixel = 0; pixel < count; pixel++) {
    const x = (2 * ((pixel % view.width) + 0.5)) / view.width - 1;
    const y = 1 - (2 * (Math.floor(pixel / view.width) + 0.5)) / view.height;
    const here = scatteredOnce(view, 0.5, x, y);
    expected += here / count;
    deviation += (pictures[0][pixel] - here) ** 2 / count;
  }
  const standardError = Math.sqrt(deviation / count / pictures.length);
  return [atMost('light scattered once, in standard errors', Math.abs(found - expected) / standardError, 4)];
};

/** Radiance by scattering once in a cube of one density: the integral along the ray, by the midpoint rule. */
const scatteredOnce = (view: View, density: number, x: number, y: number): number => {
  const along = direction(view, x, y);
  const span = clip(view.eye, along);
  if (!span) return 0;
  const rate = view.extinction * density;
  const steps = 400;
  const width = (span[1] - span[0]) / steps;
  let sum = 0;
  for (let s = 0; s < steps; s++) {
    const t = (s + 0.5) * width;
    const at = triple((a) => view.eye[a] + (span[0] + t) * along[a]);
    const distance = Math.hypot(...triple((a) => view.light[a] - at[a]));
    const within = clip(
      at,
      triple((a) => (view.light[a] - at[a]) / distance),
    );
    const dimmed = Math.exp(-rate * (t + Math.min(distance, within?.[1] ?? 0)));
    sum += (width * rate * view.albedo * view.intensity * dimmed) / (4 * Math.PI * distance ** 2);
  }
  return sum;
};

const checkNoise = async (make: MakeRenderer): Promise<readonly Finding[]> => {
  const renderer = await make(slab);
  const expected = Math.exp(-3 * 0.8 * (6 / 16));
  const deviation = async (samples: number, seed: number): Promise<number> => {
    const picture = await renderer.render({ ...plain, samples, width: 64, height: 64 }, seed);
    return Math.sqrt(mean(picture.map((x) => (x - expected) ** 2)));
  };
  const ratio = (await deviation(16, 31)) / (await deviation(64, 32));
  return [atMost('noise with four times the paths: distance from half', Math.abs(ratio / 2 - 1), 0.1)];
};

const triple = (at: (axis: number) => number): Triple => [at(0), at(1), at(2)];

const mean = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k];
  return sum / values.length;
};

const farthest = (values: Float64Array, from: number): number =>
  values.reduce((most, x) => (Math.abs(x - from) <= most ? most : Math.abs(x - from)), 0);
