import { checkCnn } from '../../fields/sparse-cnn/check.js';
import { compiledCnn } from '../../fields/sparse-cnn/compiled.js';
import { nativeCnn } from '../../fields/sparse-cnn/native.js';
import { cnnPicture } from '../../fields/sparse-cnn/picture.js';
import { CHANNELS, cnnSetup } from '../../fields/sparse-cnn/setup.js';
import { fieldExample, rounding } from './application.js';

/** A convolution layer over the voxels of a mesh. */
export const sparseCnnExample = fieldExample({
  name: 'sparse-cnn',
  shows: 'layers of a neural network on voxels: 3×3×3 convolutions where a mesh is',
  takes: 'size=VOXELS, steps=LAYERS, mesh=FILE, fill=surface|solid',
  keys: ['size', 'steps', 'mesh', 'fill'],
  run: async (args, options) => {
    const mesh = args.mesh();
    const n = 4 * Math.ceil(args.integer('size', 128, 16, 1024) / 4);
    const fill = args.word('fill', 'surface', ['surface', 'solid']);
    const setup = cnnSetup({ n, fill, seed: options.seed, ...(mesh && { mesh }) });
    const steps = args.integer('steps', 1, 1, 40);
    options.progress(0, 'compile');
    const begin = performance.now();
    const make = compiledCnn(options);
    const layer = await make(setup);
    const compiled = performance.now();
    options.progress(0.3, 'convolve');
    let out = layer.forward();
    for (let k = 1; k < steps; k++) out = layer.forward(out);
    return {
      metrics: { voxels: setup.voxels.length / 3, channels: CHANNELS, layers: steps },
      ms: { compile: compiled - begin },
      picture: cnnPicture(setup, out),
      check: () => checkCnn(make, { setup: cnnSetup({ n: 32 }), rounding: rounding(options, 1e-6, 1e-14) }),
      ours: layer.run,
      byHand: async () => {
        const byHand = await nativeCnn(options.dtype, options.threads);
        return typeof byHand === 'string' ? byHand : byHand(setup);
      },
      samples: 11,
      close: layer.close,
    };
  },
});
