/** Goes from a point and its gradient to the next point. */
export type Optimiser = (x: Float64Array, gradient: Float64Array) => Float64Array;

/** Gradient descent. Steps longer than `longest`, where one is given, are shortened. */
export const descent =
  (rate: number, longest = Infinity): Optimiser =>
  (x, g) => {
    const length = rate * Math.sqrt(g.reduce((s, v) => s + v * v, 0));
    const step = length > longest ? (rate * longest) / length : rate;
    return x.map((v, n) => v - step * g[n]);
  };

/** Adam (Kingma, Ba 2015): steps of about `rate`, whatever the size of the gradient. */
export const adam = (rate: number): Optimiser => {
  let first: Float64Array | undefined;
  let second: Float64Array | undefined;
  let [a, b] = [1, 1];
  return (x, g) => {
    const [m, s] = [(first ??= new Float64Array(g.length)), (second ??= new Float64Array(g.length))];
    a *= DECAY[0];
    b *= DECAY[1];
    return x.map((v, n) => {
      m[n] = DECAY[0] * m[n] + (1 - DECAY[0]) * g[n];
      s[n] = DECAY[1] * s[n] + (1 - DECAY[1]) * g[n] * g[n];
      return v - (rate * (m[n] / (1 - a))) / (Math.sqrt(s[n] / (1 - b)) + 1e-12);
    });
  };
};

const DECAY = [0.9, 0.999] as const;
