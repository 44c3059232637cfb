import type { Artifact, CompileOptions, Origin } from '@filigree/backend';
import type { Diagnostics, Json } from '@filigree/ir';
import type { Skeletons } from '../bank/skeleton.js';
import type { FieldPipelineOptions } from '../program/field-passes.js';

/** A module that another thread is to lower and compile, as data. */
export interface CodeJob {
  readonly origin: Omit<Origin, 'serves'>;
  /** As JSON text. */
  readonly module: string;
  /** How it is lowered; nothing where it works on memory already. */
  readonly fields: FieldLowering | undefined;
  readonly options: CompileOptions;
  /** What tells it from others beside its text, to be kept under; nothing where it is not kept. */
  readonly kept: readonly string[] | undefined;
}

/** What the memory of its fields is like, and the options of the passes. */
export interface FieldLowering {
  readonly memory: string;
  readonly budget: number | undefined;
  readonly pipeline: FieldPipelineOptions;
}

/** What a module became. */
export interface CodeMade extends Skeletons {
  readonly artifact: Artifact;
  readonly warnings: readonly Diagnostics[];
}

/** What a worker says: that it can begin, what it is to be told the place of, what became of a job, or why nothing did. */
export type Said =
  | { readonly is: 'ready' }
  | { readonly is: 'lowered'; readonly of: Skeletons }
  | { readonly is: 'made'; readonly made: CodeMade }
  | { readonly is: 'failed'; readonly why: Diagnostics };

/** What a worker is told: a job, where the code of the last one is to lie (nothing where nobody wants it any more), and that the process ends. */
export type Told =
  | { readonly is: 'job'; readonly job: CodeJob }
  | { readonly is: 'place'; readonly place: Json | undefined }
  | { readonly is: 'end' };
