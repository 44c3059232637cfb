export { openArtifact, type OpenArtifactOptions, type OpenedArtifact } from './open-artifact.js';
export { openTraced, type OpenedPattern, type OpenedTraced } from './open-traced.js';
export { artifactBytes, tracedBytes, type ArtifactParts, type TracedParts } from './write-artifact.js';
