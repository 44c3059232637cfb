import { program } from 'filigree';
import { storageOf } from '@filigree/sparse/fields';
import { handOut, programOptions, type CompileOptions } from '../compile-options.js';
import type { CompiledMpm } from '../mpm/compiled.js';
import { quantMpm, type QuantMpmSetup, type Transfer } from './kernels.js';
import * as schemes from './schemes.js';

export type ParticleSchemeName = keyof typeof schemes;

/** A simulation by kernels over particles that are stored by a scheme. */
export interface CompiledQuantMpm extends CompiledMpm {
  /** Bytes of all particles, and of all that is in memory. */
  readonly particleBytes: number;
  readonly allBytes: () => number;
}

/** Makes simulations by kernels; affine velocities, where they are not kept, are zeros in their states. */
export const compiledQuantMpm =
  (options: CompileOptions, scheme: ParticleSchemeName, transfer: Transfer) =>
  async (setup: QuantMpmSetup): Promise<CompiledQuantMpm> => {
    const { layout, kernels, fields } = quantMpm(setup, options.dtype, schemes[scheme], transfer);
    const sim = await program({ layout, kernels, fields, ...programOptions(options) });
    handOut(options, `mpm-quant-${transfer}`, sim);
    const count = setup.body.length;
    const all = { from: [0], to: [count] };
    const { x, v, F, C, material, colour } = sim.fields;
    x.fromArray(setup.start.x, all);
    v.fromArray(setup.start.v, all);
    F.fromArray(setup.start.F, all);
    C?.fromArray(setup.start.C, all);
    material.fromArray(Int32Array.from(setup.body), all);
    colour.fromArray(
      Int32Array.from({ length: count }, (_, p) => (0x2a6f97 + 0x0f0f0f * (p & 7)) & 0xffffff),
      all,
    );
    const run = sim.run as Readonly<Record<string, () => void>>;
    if (transfer === 'g2p2g') run.begin();
    let steps = 0;
    const step = transfer === 'p2g' ? () => run.p2g() : () => (steps++ % 2 === 0 ? run.forth() : run.home());
    return {
      step: (times) => {
        for (let k = 0; k < times; k++) step();
      },
      state: () => {
        const read = (field: typeof x | typeof F): Float64Array =>
          Float64Array.from(field.toArray(all) as Float32Array);
        return { x: read(x), v: read(v), C: C ? read(C) : new Float64Array(9 * count), F: read(F) };
      },
      particleBytes: sim.storage.nodes[1].containerBytes,
      allBytes: () => sim.save().byteLength,
      close: () => sim.dispose(),
    };
  };

/** Bytes of all particles in full precision. */
export const fullBytes = (setup: QuantMpmSetup, float: 'f32' | 'f64', transfer: Transfer): number =>
  storageOf(quantMpm(setup, float, schemes.full, transfer).layout).nodes[1].containerBytes;
