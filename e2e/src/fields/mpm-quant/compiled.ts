import { program, type FieldProgram } from 'filigree';
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
    const { step, begin } = quantMpmSteps(transfer, sim.run as Launches);
    beginQuantMpm(setup, fields, sim);
    begin();
    const { x, v, F, C } = sim.fields;
    const count = setup.body.length;
    const all = { from: [0], to: [count] };
    return {
      step,
      state: () => {
        const read = (field: typeof x | typeof F): Float64Array =>
          Float64Array.from(field.toArray(all) as Float32Array);
        return { x: read(x), v: read(v), C: C ? read(C) : new Float64Array(9 * count), F: read(F) };
      },
      particleBytes: sim.storage.nodes[1].containerBytes,
      allBytes: () => sim.bytes(),
      close: () => sim.dispose(),
    };
  };

/** Gives particles their first values. */
export const beginQuantMpm = (
  { start, body }: QuantMpmSetup,
  { x, v, F, C, material, colour }: ReturnType<typeof quantMpm>['fields'],
  { field }: Pick<FieldProgram, 'field'>,
): void => {
  const all = { from: [0], to: [body.length] };
  field(x).fromArray(start.x, all);
  field(v).fromArray(start.v, all);
  field(F).fromArray(start.F, all);
  if (C) field(C).fromArray(start.C, all);
  field(material).fromArray(Int32Array.from(body), all);
  const shade = (_: number, p: number): number => (0x2a6f97 + 0x0f0f0f * (p & 7)) & 0xffffff;
  field(colour).fromArray(Int32Array.from(body, shade), all);
};

/** The steps of a simulation, from its launches. */
export const quantMpmSteps = (
  transfer: Transfer,
  run: Launches,
): { readonly begin: () => void; readonly step: (times: number) => void } => {
  let steps = 0;
  const step = transfer === 'p2g' ? () => run.p2g() : () => (steps++ % 2 === 0 ? run.forth() : run.home());
  return {
    begin: () => {
      if (transfer === 'g2p2g') run.begin();
    },
    step: (times) => {
      for (let k = 0; k < times; k++) step();
    },
  };
};

type Launches = Readonly<Record<string, () => void>>;

/** Bytes of all particles in full precision. */
export const fullBytes = (setup: QuantMpmSetup, float: 'f32' | 'f64', transfer: Transfer): number =>
  storageOf(quantMpm(setup, float, schemes.full, transfer).layout).nodes[1].containerBytes;
