import { coreDialects, pipeline, type Dialect, type Module, type PassRegistry, type Pipeline } from '@filigree/ir';
import { corePasses, corePassesOver, defaultPipeline } from '@filigree/opt';

/** What may be done with a module: the ops that it may hold, the passes by name, and those that are run unless others are asked for. */
export interface Known {
  readonly dialects: readonly Dialect[];
  readonly passes: PassRegistry<Module>;
  readonly standard: Pipeline<Module>;
}

/** Of a module with a layout its ops on fields are known as well, and the passes that lower them to memory. */
export const knownPasses = async (module: Module): Promise<Known> => {
  if (!module.layout) return { dialects: coreDialects, passes: corePasses, standard: defaultPipeline() };
  const fields = await import('@filigree/sparse/fields');
  const layout = fields.layoutOf(module.layout);
  const storage = fields.storageOf(layout, { memory: fields.memoryFor(module) });
  const dialects = fields.fieldDialects(layout);
  return {
    dialects,
    passes: { ...corePassesOver(dialects), ...fields.fieldPasses(storage) },
    standard: pipeline([fields.lowerFields(storage), ...defaultPipeline().passes]),
  };
};
