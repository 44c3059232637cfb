import { checkPathTracer } from '../../fields/path-tracer/check.js';
import { compiledRenderer } from '../../fields/path-tracer/compiled.js';
import { nativeRenderer } from '../../fields/path-tracer/native.js';
import { pathTracerPicture } from '../../fields/path-tracer/picture.js';
import { pathTracerSetup } from '../../fields/path-tracer/setup.js';
import { fieldExample } from './application.js';

/** Smoke in the shape of a mesh, by path tracing. */
export const pathTracerExample = fieldExample({
  name: 'path-tracer',
  shows: 'a picture of smoke in the shape of a mesh, by path tracing',
  takes: 'size=PIXELS, steps=PATHS a pixel, cells=…, mesh=FILE',
  keys: ['size', 'steps', 'cells', 'samples', 'mesh'],
  run: async (args, options) => {
    const mesh = args.mesh();
    const { cloud, view } = pathTracerSetup({
      n: 8 * Math.ceil(args.integer('cells', 128, 8, 512) / 8),
      size: args.integer('size', 256, 16, 1024),
      samples: args.integer('steps', args.integer('samples', 16, 1, 100_000), 1, 100_000),
      ...(mesh && { mesh }),
    });
    options.progress(0, 'compile');
    const begin = performance.now();
    const make = compiledRenderer(options);
    const renderer = await make(cloud);
    const compiled = performance.now();
    options.progress(0.2, 'render');
    const radiance = renderer.render(view, options.seed);
    const rendered = performance.now();
    return {
      metrics: { pixels: radiance.length, samples: view.samples },
      ms: { compile: compiled - begin, render: rendered - compiled },
      picture: pathTracerPicture(view, radiance),
      check: () => checkPathTracer(make),
      ours: () => renderer.run(view, options.seed),
      byHand: async () => {
        const byHand = await nativeRenderer(options.dtype, options.threads);
        if (typeof byHand === 'string') return byHand;
        const hand = byHand(cloud);
        return { run: () => void hand.render(view, options.seed), close: hand.close };
      },
      samples: 3,
      close: renderer.close,
    };
  },
});
