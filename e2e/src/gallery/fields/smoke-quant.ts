import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peakRssMB } from '@filigree/runtime';
import type { Example } from 'filigree';
import { filmPng, imagePng, type Image } from '../../draw/index.js';
import { atMost, type Finding } from '../../fields/finding.js';
import { checkSmoke, total } from '../../fields/smoke/check.js';
import { compiledSmoke, smokeBytes } from '../../fields/smoke/compiled.js';
import { smokePicture } from '../../fields/smoke/picture.js';
import { referenceSmoke } from '../../fields/smoke/reference.js';
import { SMOKE_SCHEMES, type SmokeSchemeName } from '../../fields/smoke/schemes.js';
import { smokeSetup, type SmokeSetup } from '../../fields/smoke/setup.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';
import { quantLines } from './quant-lines.js';

/** Smoke that rises in a closed box, its velocities and its dye in few bits, or in full precision. */
export const smokeQuantExample: Example = {
  name: 'smoke-quant',
  rows: ['TA5.6'],
  ...described(
    'quant',
    'smoke rises in a box, by advection and reflection: velocities in fixed point, dye with a shared exponent',
    `dim=2|3, size=CELLS, steps=…, quant=on|off, scheme=${Object.keys(SMOKE_SCHEMES).join('|')}, out=DIR`,
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['dim', 'size', 'steps', 'quant', 'scheme', 'out']);
    const dim = Number(args.word('dim', '2', ['2', '3'])) as 2 | 3;
    const n = sizeOf(args.integer('size', dim === 2 ? 64 : 32, 8, 1024));
    const steps = args.integer('steps', dim === 2 ? 30 : 4, 1, 100_000);
    const isOn = args.word('quant', 'on', ['on', 'off']) === 'on';
    const scheme = args.word('scheme', isOn ? 'shared' : 'full', Object.keys(SMOKE_SCHEMES) as SmokeSchemeName[]);
    const make = compiledSmoke(options);
    options.progress(0, 'compile');
    const begin = performance.now();
    const setup = smokeSetup(dim, n);
    const smoke = await make(setup, scheme);
    try {
      const compiled = performance.now();
      const out = options.args.out;
      const frames: Image[] = [];
      const every = Math.ceil(steps / FRAMES);
      for (let done = 0; done < steps; done += every) {
        options.progress(0.2 + (0.4 * done) / steps, 'simulate');
        if (out !== undefined) frames.push(smokePicture(setup, smoke.state().dye));
        smoke.step(Math.min(every, steps - done));
      }
      const simulated = performance.now();
      const { dye } = smoke.state();
      if (out !== undefined) written(out, 'smoke-quant', [...frames, smokePicture(setup, dye)]);
      options.progress(0.6, 'check');
      const findings = await checked(make, smokeSetup(dim, 16), scheme, options.dtype);
      options.progress(1, 'done');
      return {
        metrics: {
          cells: n ** dim,
          steps,
          scheme,
          bytesPerElement: smoke.bytes / n ** dim,
          fullBytesPerElement: (await smokeBytes(options, setup, 'full')) / n ** dim,
          ...quantLines('smoke', ['kernels.ts', 'compiled.ts'], {
            file: 'schemes.ts',
            from: `const ${scheme}:`,
            to: '\n\n',
          }),
          totalDye: total(dye),
          iterations: smoke.iterations() / (2 * steps),
          ...Object.fromEntries(findings.map((f) => [f.name, f.value])),
          ...(out !== undefined && { picture: join(out, 'smoke-quant.png') }),
          peakRssMB: peakRssMB(),
        },
        check: { passed: findings.every((f) => f.passed) },
        ms: { compile: compiled - begin, step: (simulated - compiled) / steps },
      };
    } finally {
      smoke.close();
    }
  },
};

/** Smoke that thins out: what each way to store the dye makes of its total, which is known. */
export const smokeDecayExample: Example = {
  name: 'smoke-decay',
  rows: ['TA5.6'],
  ...described(
    'quant',
    'smoke that thins out evenly: how much of it is left where dye is stored in 32 bits in three ways',
    'size=CELLS, steps=…, out=DIR',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['size', 'steps', 'out']);
    const n = sizeOf(args.integer('size', 32, 8, 1024));
    const steps = args.integer('steps', 100, 1, 100_000);
    const setup = smokeSetup(2, n, KEEP);
    const make = compiledSmoke(options);
    const begin = performance.now();
    const schemes = ['full', 'shared', 'fixedDye', 'floatDye'] as const;
    const found: Record<string, { readonly left: number; readonly bytes: number }> = {};
    for (const [k, scheme] of schemes.entries()) {
      options.progress(k / schemes.length, scheme);
      const smoke = await make(setup, scheme);
      try {
        smoke.step(steps);
        const { dye } = smoke.state();
        found[scheme] = { left: total(dye), bytes: smoke.bytes };
        if (options.args.out !== undefined)
          written(options.args.out, `smoke-decay-${scheme}`, [smokePicture(setup, dye)]);
      } finally {
        smoke.close();
      }
    }
    const off = (scheme: (typeof schemes)[number]): number => Math.abs(found[scheme].left / found.full.left - 1);
    const findings: readonly Finding[] = [
      atMost('shared exponent, from full precision', off('shared'), 0.11),
      atMost('the same beside fixed point', off('shared') / Math.max(off('fixedDye'), ROUNDING), 1),
      atMost('the same beside exponents of their own', off('shared') / Math.max(off('floatDye'), ROUNDING), 1),
    ];
    options.progress(1, 'done');
    return {
      metrics: {
        cells: n * n,
        steps,
        bytesPerElement: found.shared.bytes / n ** 2,
        fullBytesPerElement: found.full.bytes / n ** 2,
        totalFull: found.full.left,
        totalShared: found.shared.left,
        totalFixed: found.fixedDye.left,
        totalFloat: found.floatDye.left,
        ...quantLines('smoke', ['kernels.ts', 'compiled.ts'], {
          file: 'schemes.ts',
          from: 'const shared:',
          to: '\n\n',
        }),
        ...Object.fromEntries(findings.map((f) => [f.name, f.value])),
      },
      check: { passed: findings.every((f) => f.passed) },
      ms: { run: performance.now() - begin },
    };
  },
};

/* What one rounding to nine bits may do: after a few steps none of the ways has lost more, and which is nearer is chance. */
const ROUNDING = 2 ** -10;

type Make = ReturnType<typeof compiledSmoke>;

/** Cells along an axis, as many as a multigrid of blocks has. */
const sizeOf = (wanted: number): number => 2 ** Math.ceil(Math.log2(wanted));

const checked = async (
  make: Make,
  setup: SmokeSetup,
  scheme: SmokeSchemeName,
  dtype: 'f32' | 'f64',
): Promise<readonly Finding[]> => {
  const [small, full] = [await make(setup, scheme), await make(setup, 'full')];
  try {
    return checkSmoke(small, {
      setup,
      scheme: SMOKE_SCHEMES[scheme],
      steps: setup.dim === 2 ? 8 : 3,
      full,
      plain: referenceSmoke(setup),
      rounding: dtype === 'f32' ? 1e-3 : 1e-4,
      loss: 0.02,
    });
  } finally {
    small.close();
    full.close();
  }
};

/** A film where there is more than one picture. */
const written = (out: string, name: string, frames: readonly Image[]): void => {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, `${name}.png`), frames.length > 1 ? filmPng(frames) : imagePng(frames[0]));
};

const FRAMES = 48;

/** What is left of the dye after a step. */
const KEEP = 0.99;
