/**
 * The seed of a launch: of a program's seed and of how many launches drew random numbers before, such that neighbours give unrelated
 * ones (the finaliser of MurmurHash 3).
 */
export const launchSeed = (seed: number, launch: number): number => {
  let h = (seed ^ Math.imul(launch + 1, 0x9e3779b1)) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};
