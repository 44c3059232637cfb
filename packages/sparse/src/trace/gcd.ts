/** The greatest common divisor of two whole numbers from 0 on; of 0 and n it is n. */
export const gcd = (a: number, b: number): number => {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
};
