import type { Module, Pipeline } from '@filigree/ir';
import { countLosses, quantPasses } from '@filigree/quant/passes';
import type { Storage } from '@filigree/sparse/fields';
import { fieldPasses, type FieldPipelineOptions } from './field-passes.js';

/** The passes from kernels on fields to kernels on the memory of a storage. Throws `pipeline/unknown-pass` where `omit` names none. */
export const fieldPipeline = (storage: Storage, options?: FieldPipelineOptions): Pipeline<Module> =>
  fieldPasses(storage, options, { quantPasses, countLosses });
