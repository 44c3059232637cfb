import type { Example } from 'filigree';
import { adaptivePendulum } from '../../simulators/adaptive-pendulum.js';
import { billiards } from '../../simulators/billiards.js';
import { diffmpm } from '../../simulators/diffmpm.js';
import { electric } from '../../simulators/electric.js';
import { liquid } from '../../simulators/liquid.js';
import { massSpring } from '../../simulators/mass-spring.js';
import { rigidBody } from '../../simulators/rigid-body.js';
import { smoke } from '../../simulators/smoke.js';
import { springTriangle } from '../../simulators/spring-triangle.js';
import { timeOfImpact } from '../../simulators/time-of-impact.js';
import { volumeRenderer } from '../../simulators/volume-renderer.js';
import { waterRenderer } from '../../simulators/water-renderer.js';
import { wave } from '../../simulators/wave.js';
import type { Simulator } from '../../simulators/simulator.js';
import { simulatorExample } from './simulator-example.js';

/** Simulations through which something is optimised (thesis §3.4, App. E). */
export const SIMULATORS: readonly Simulator[] = [
  springTriangle,
  massSpring,
  wave,
  billiards,
  timeOfImpact,
  smoke,
  electric,
  volumeRenderer,
  diffmpm,
  liquid,
  adaptivePendulum,
  rigidBody,
  waterRenderer,
];

/** The same as examples. */
export const SIMULATOR_EXAMPLES: readonly Example[] = SIMULATORS.map(simulatorExample);
