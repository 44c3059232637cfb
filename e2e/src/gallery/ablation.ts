import { fail } from '@filigree/ir';
import { defaultOptions, type SpecializeOptions } from '@filigree/specialize';

/** What can be switched off in specialisation, by name: the stages of the ablation table (paper §5.9). */
export const ABLATION_SWITCHES: Readonly<Record<string, (o: SpecializeOptions) => SpecializeOptions>> = {
  global: (o) => ({ ...o, decompose: { ...o.decompose, global: false } }),
  local: (o) => ({ ...o, decompose: { ...o.decompose, local: false } }),
  tags: (o) => ({ ...o, decompose: { ...o.decompose, tags: false } }),
  blocks: (o) => ({ ...o, decompose: { ...o.decompose, detectBlocks: false } }),
  simplify: (o) => ({ ...o, simplify: false }),
  coherence: (o) => ({ ...o, place: { ...o.place, coherence: false } }),
  narrow: (o) => ({ ...o, place: { ...o.place, narrow: false } }),
  simd: (o) => ({ ...o, emit: { ...o.emit, simd: false } }),
  parallel: (o) => ({ ...o, emit: { ...o.emit, parallel: false } }),
  roll: (o) => ({ ...o, group: { ...o.group, maxUnrolledTerms: Infinity, minUnrolledInstances: 0 } }),
};

/** The default options for `dtype` without the stages named. Fails with `ablate/unknown`. */
export const ablatedOptions = (dtype: 'f32' | 'f64', ablate: readonly string[]): SpecializeOptions =>
  ablate.reduce<SpecializeOptions>(
    (o, name) =>
      Object.hasOwn(ABLATION_SWITCHES, name)
        ? ABLATION_SWITCHES[name](o)
        : fail('ablate/unknown', `there is nothing to switch off under the name '${name}'`, {
            remedy: `use some of ${Object.keys(ABLATION_SWITCHES).join(', ')}`,
          }),
    { ...defaultOptions, dtype },
  );
