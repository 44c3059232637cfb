export {
  loadArtifact,
  loadEinsum,
  loadTraced,
  type Artifact,
  type ArtifactOf,
  type ArtifactProgram,
  type EinsumArtifact,
  type EinsumSource,
  type LoadArtifactOptions,
  type ProgramSource,
  type TracedArtifact,
  type TracedProgram,
  type TracedSource,
} from './load-artifact.js';
export type { OpenedEinsum } from '@filigree/runtime/artifact';
