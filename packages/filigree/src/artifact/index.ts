export {
  loadArtifact,
  type Artifact,
  type ArtifactOf,
  type ArtifactProgram,
  type LoadArtifactOptions,
  type ProgramSource,
} from './load-artifact.js';
