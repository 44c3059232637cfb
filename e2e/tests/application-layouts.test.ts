import { describe, expect, it } from 'vitest';
import {
  boxSetup,
  cnnSetup,
  compiledCnn,
  compiledFem,
  compiledMpm,
  compiledPoisson,
  compiledRenderer,
  farthestApart,
  LAYOUTS,
  pathTracerSetup,
  poissonSetup,
  randomNumbers,
  referenceCnn,
  referenceFem,
  referenceMpm,
  referencePoisson,
  spinning2d,
  spinning3d,
  type CompileOptions,
  type LayoutName,
} from '../src/index.js';

/** The kernels are the same over every layout; so must the results be. In double precision, on the backend that is always there. */
const options = (layout: LayoutName): CompileOptions => ({
  backend: 'wasm',
  dtype: 'f64',
  threads: 1,
  ablate: [],
  layout,
});

describe.each(Object.keys(LAYOUTS) as LayoutName[])('the applications over the layout %s', (layout) => {
  it.each([spinning2d(32), spinning3d(16)])('move matter as the reference does: $dim-D', async (setup) => {
    const mpm = await compiledMpm(options(layout))(setup);
    const reference = referenceMpm(setup);
    mpm.step(10);
    await reference.step(10);
    const end = await reference.state();
    expect(farthestApart(setup, mpm.state(), end)).toBeLessThan(1e-10);
    expect(farthestApart(setup, setup.start, end)).toBeGreaterThan(0.05);
    mpm.close();
  });

  it("solve Poisson's equation in the steps of the reference", async () => {
    const setup = poissonSetup({ n: 48, domain: 'ball', levels: 2 });
    const solver = await compiledPoisson(options(layout))(setup);
    const found = await solver.solve();
    const expected = await referencePoisson(setup).solve();
    expect(found.norms).toHaveLength(expected.norms.length);
    expect(difference(found.x, expected.x)).toBeLessThan(1e-12);
    solver.close();
  });

  it('multiply by the assembled stiffness matrix', async () => {
    const random = randomNumbers(5);
    const setup = boxSetup(16, [5, 6, 4], [10, 9, 9], (i, j, k) => 1 + ((7 * i + 3 * j + 5 * k) % 11) / 4);
    const u = Float64Array.from(setup.load, (_, k) => (random() - 0.5) * setup.free[Math.floor(k / 3)]);
    const fem = await compiledFem(options(layout))(setup);
    expect(difference(await fem.multiply(u), await referenceFem(setup).multiply(u))).toBeLessThan(1e-13);
    fem.close();
  });

  it('convolve voxels directly', async () => {
    const setup = cnnSetup({ n: 16 });
    const cnn = await compiledCnn(options(layout))(setup);
    expect(difference(await cnn.forward(), await referenceCnn(setup).forward())).toBeLessThan(1e-13);
    cnn.close();
  });

  it('draw the same picture, random numbers and all', async () => {
    const { cloud, view } = pathTracerSetup({ n: 16, size: 16, samples: 4 });
    const [here, pointers] = await Promise.all(
      [layout, 'pointer' as const].map(async (name) => compiledRenderer(options(name))(cloud)),
    );
    expect(await here.render(view, 3)).toEqual(await pointers.render(view, 3));
    expect(await here.render(view, 3)).not.toEqual(await here.render(view, 4));
    here.close();
    pointers.close();
  });
});

/** Largest difference, relative to the largest expected value. */
const difference = (found: Float64Array, expected: Float64Array): number => {
  let most = 0;
  let scale = 0;
  for (let k = 0; k < expected.length; k++) {
    const d = Math.abs(found[k] - expected[k]);
    if (!(d <= most)) most = d;
    scale = Math.max(scale, Math.abs(expected[k]));
  }
  return most / scale;
};
