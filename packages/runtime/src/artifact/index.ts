export { openArtifact, type OpenArtifactOptions, type OpenedArtifact } from './open-artifact.js';
export { artifactBytes, type ArtifactParts } from './write-artifact.js';
