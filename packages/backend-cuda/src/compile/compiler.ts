/** What makes code for a device of text. */
export interface CudaCompiler {
  /** Its name and version, for people and for cache keys. */
  readonly version: string;
  readonly compile: (request: CudaRequest) => Promise<string>;
}

/** A file to be compiled. */
export interface CudaRequest {
  readonly folder: string;
  /** Names in that folder: of the text, and of what is to be written. */
  readonly file: string;
  readonly into: string;
  /** `sm_90` for code of that architecture, `compute_75` for code that drivers translate. */
  readonly architecture: string;
  readonly flags: readonly string[];
  readonly limitMs: number;
}
