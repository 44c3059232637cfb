export {
  loadArtifact,
  loadTraced,
  type Artifact,
  type ArtifactOf,
  type ArtifactProgram,
  type LoadArtifactOptions,
  type ProgramSource,
  type TracedArtifact,
  type TracedProgram,
  type TracedSource,
} from './load-artifact.js';
