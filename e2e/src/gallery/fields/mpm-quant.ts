import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peakRssMB } from '@filigree/runtime';
import type { Example } from 'filigree';
import { imagePng } from '../../draw/index.js';
import { atMost, type Finding } from '../../fields/finding.js';
import { compiledQuantMpm, fullBytes, type ParticleSchemeName } from '../../fields/mpm-quant/compiled.js';
import type { QuantMpmSetup, Transfer } from '../../fields/mpm-quant/kernels.js';
import { farthestApart, totals } from '../../fields/mpm/check.js';
import type { CompileOptions } from '../../fields/compile-options.js';
import { mpmPicture } from '../../fields/mpm/picture.js';
import { referenceMpm } from '../../fields/mpm/reference.js';
import { mpm3dSetup, spinning3d } from '../../fields/mpm3d/setup.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';
import { quantLines } from './quant-lines.js';

/** Jelly of two materials that falls on the floor, its particles in few bits or in full precision. */
export const mpmQuantExample: Example = {
  name: 'mpm-quant',
  rows: ['TA5.6'],
  ...described(
    'quant',
    'jelly falls on the floor, a particle in 40 bytes instead of 68: the material point method in space',
    'size=NODES, steps=…, quant=on|off, transfer=p2g|g2p2g, out=DIR',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['size', 'steps', 'quant', 'transfer', 'out']);
    const n = 8 * Math.ceil(args.integer('size', 32, 16, 4096) / 8);
    const steps = args.integer('steps', 100, 1, 1_000_000);
    const scheme: ParticleSchemeName = args.word('quant', 'on', ['on', 'off']) === 'on' ? 'few' : 'full';
    const transfer = args.word('transfer', 'g2p2g', ['p2g', 'g2p2g']);
    const setup = mixed(mpm3dSetup({ n, seed: options.seed }));
    const count = setup.body.length;
    options.progress(0, 'compile');
    const begin = performance.now();
    const mpm = await compiledQuantMpm(options, scheme, transfer)(setup);
    try {
      const compiled = performance.now();
      for (let done = 0; done < steps; done += STRIDE) {
        options.progress(0.1 + (0.5 * done) / steps, 'simulate');
        mpm.step(Math.min(STRIDE, steps - done));
      }
      const step = (performance.now() - compiled) / steps;
      const out = options.args.out;
      if (out !== undefined) {
        mkdirSync(out, { recursive: true });
        writeFileSync(join(out, 'mpm-quant.png'), imagePng(mpmPicture(setup, mpm.state())));
      }
      options.progress(0.6, 'check');
      const findings = await checked(options, scheme, transfer);
      options.progress(1, 'done');
      return {
        metrics: {
          particles: count,
          steps,
          transfer,
          quant: scheme === 'few' ? 'on' : 'off',
          bytesPerElement: mpm.particleBytes / count,
          fullBytesPerElement: fullBytes(setup, options.dtype, transfer) / count,
          allBytesPerElement: mpm.allBytes() / count,
          ...quantLines('mpm-quant', ['kernels.ts', 'compiled.ts', '../mpm/mpm.ts', '../mpm3d/setup.ts'], {
            file: 'schemes.ts',
            from: `const ${scheme}:`,
            to: '];\n',
          }),
          ...Object.fromEntries(findings.map((f) => [f.name, f.value])),
          ...(out !== undefined && { picture: join(out, 'mpm-quant.png') }),
          peakRssMB: peakRssMB(),
        },
        check: { passed: findings.every((f) => f.passed) },
        ms: { compile: compiled - begin, step },
      };
    } finally {
      mpm.close();
    }
  },
};

/** The right half of a body is softer. */
const mixed = (setup: ReturnType<typeof mpm3dSetup>): QuantMpmSetup => ({
  ...setup,
  soft: 0.4,
  body: setup.body.map((_, p) => (setup.start.x[3 * p] > 0.5 ? 1 : 0)),
});

/** A ball in free flight, of one material: beside the plain program, and what must not change. */
const checked = async (
  options: CompileOptions,
  scheme: ParticleSchemeName,
  transfer: Transfer,
): Promise<readonly Finding[]> => {
  const setup: QuantMpmSetup = { ...spinning3d(16), soft: 1 };
  const make = compiledQuantMpm(options, scheme, transfer);
  const [mpm, plain] = [await make(setup), referenceMpm(setup)];
  try {
    const begun = totals(setup, setup.start);
    mpm.step(STEPS);
    await plain.step(STEPS);
    const end = totals(setup, mpm.state());
    const moving = setup.start.v.reduce((sum, v) => sum + setup.mass * Math.abs(v), 0);
    const change = Math.max(...end.momentum.map((p, k) => Math.abs(p - begun.momentum[k]))) / moving;
    const exact = scheme === 'full';
    return [
      atMost(
        'distance from the plain program, in nodes',
        farthestApart(setup, mpm.state(), await plain.state()),
        exact ? 2e-3 : 2e-2,
      ),
      atMost('free flight: change of momentum', change, exact ? 1e-4 : 1e-3),
    ];
  } finally {
    mpm.close();
  }
};

/** Steps between reports of progress, and of the check. */
const STRIDE = 20;
const STEPS = 30;
