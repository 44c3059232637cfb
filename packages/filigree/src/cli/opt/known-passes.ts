import {
  combined,
  fail,
  passesOf,
  pipeline,
  type Dialect,
  type Extension,
  type Module,
  type PassRegistry,
  type Pipeline,
} from '@filigree/ir';
import { dialectsOf } from '@filigree/backend';
import { corePassesOver, defaultPipeline } from '@filigree/opt';

/** What may be done with a module: the ops that it may hold, the passes by name, and those that are run unless others are asked for. */
export interface Known {
  readonly dialects: readonly Dialect[];
  readonly passes: PassRegistry<Module>;
  readonly standard: Pipeline<Module>;
}

/**
 * Of a module with a layout its ops on fields are known as well, and the passes that lower them to memory; and whatever extensions bring.
 * Error: `extension/clash` where one brings a pass, or a format of fields, that there is.
 */
export const knownPasses = async (module: Module, extensions: readonly Extension[]): Promise<Known> => {
  const outside = combined(extensions);
  const own = dialectsOf(extensions);
  const over = (dialects: readonly Dialect[], passes: PassRegistry<Module>): PassRegistry<Module> =>
    joined(passes, passesOf(outside, dialects));
  if (!module.layout)
    return { dialects: own, passes: over(own, corePassesOver(own)), standard: defaultPipeline({ dialects: own }) };
  const fields = await import('@filigree/sparse/fields');
  const lowering = await import('@filigree/sparse/lowering');
  const quant = await import('@filigree/quant');
  const { formats } = combined([{ name: '@filigree/quant', formats: quant.quantFormats }, ...extensions]);
  const layout = fields.layoutOf(module.layout, formats);
  const storage = fields.storageOf(layout, { memory: fields.memoryFor(module) });
  const dialects = [...new Set([...fields.fieldDialects(layout), ...own])];
  return {
    dialects,
    passes: over(dialects, {
      ...corePassesOver(dialects),
      ...lowering.fieldPasses(storage),
      ...quant.quantPassesByName(storage),
    }),
    standard: pipeline([
      lowering.lowerFields(storage, quant.quantPasses(storage)),
      ...defaultPipeline({ dialects: own }).passes,
    ]),
  };
};

const joined = (ours: PassRegistry<Module>, theirs: PassRegistry<Module>): PassRegistry<Module> => {
  const clash = Object.keys(theirs).find((name) => Object.hasOwn(ours, name));
  return clash === undefined
    ? { ...ours, ...theirs }
    : fail('extension/clash', `an extension brings a pass called '${clash}', and there is one already`, {
        remedy: 'give it another name',
      });
};
