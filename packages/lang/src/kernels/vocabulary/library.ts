/** Words of the language that are functions in it, inlined where they are called. */
export { nearestRotation } from './rotation.js';
export { rayBox } from './ray-box.js';
export { randomDirection } from './random-direction.js';
export { svd2, svd3, polar2, polar3, eig2, eig3 } from './decompositions.js';
