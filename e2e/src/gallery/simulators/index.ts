import type { Example } from 'filigree';
import { billiards } from '../../simulators/billiards.js';
import { electric } from '../../simulators/electric.js';
import { massSpring } from '../../simulators/mass-spring.js';
import { smoke } from '../../simulators/smoke.js';
import { springTriangle } from '../../simulators/spring-triangle.js';
import { timeOfImpact } from '../../simulators/time-of-impact.js';
import { volumeRenderer } from '../../simulators/volume-renderer.js';
import { wave } from '../../simulators/wave.js';
import { simulatorExample } from './simulator-example.js';

/** Simulations through which something is optimised (thesis §3.4, App. E). */
export const SIMULATOR_EXAMPLES: readonly Example[] = [
  springTriangle,
  massSpring,
  wave,
  billiards,
  timeOfImpact,
  smoke,
  electric,
  volumeRenderer,
].map(simulatorExample);
