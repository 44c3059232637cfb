export { openArtifact, type OpenArtifactOptions, type OpenedArtifact } from './open-artifact.js';
export { openTraced, type OpenedPattern, type OpenedTraced } from './open-traced.js';
export { openEinsum, type OpenedEinsum, type OpenedTensor } from './open-einsum.js';
export {
  artifactBytes,
  einsumBytes,
  tracedBytes,
  type ArtifactParts,
  type EinsumParts,
  type TensorParts,
  type TracedParts,
} from './write-artifact.js';
