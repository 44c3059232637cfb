/** What pictures the classifier tells apart. */
export const SHAPES = ['ring', 'frame', 'cross', 'stripes'] as const;
export type Shape = (typeof SHAPES)[number];

/** A classifier of square pictures. */
export interface Classifier {
  /** How likely each shape is. */
  readonly probabilities: (picture: ArrayLike<number>) => readonly number[];
  /** The logarithm of how unlikely a shape is. */
  readonly loss: (picture: ArrayLike<number>, shape: Shape) => number;
  /** Its derivatives by the pixels. */
  readonly gradient: (picture: ArrayLike<number>, shape: Shape) => Float64Array;
}

/** The brightness of a shape at each pixel of a picture, row by row. */
export const pictureOf = (shape: Shape, n: number): Float64Array =>
  Float64Array.from({ length: n * n }, (_, k) => {
    const [x, y] = [(Math.floor(k / n) + 0.5) / n - 0.5, ((k % n) + 0.5) / n - 0.5];
    return 1 / (1 + Math.exp(OUTSIDE[shape](x, y) * SHARP));
  });

/**
 * A network whose weights follow from the shapes themselves: brightness and the strengths of edges along both axes, each averaged over 8 × 8 cells, and a
 * linear layer by which the likeliest shape is the one whose averages are nearest.
 */
export const classifierOf = (n: number): Classifier => {
  const layer = SHAPES.map((shape) => {
    const ideal = featuresOf(pictureOf(shape, n), n);
    return { weights: ideal.map((v) => 2 * CERTAIN * v), bias: -CERTAIN * ideal.reduce((s, v) => s + v * v, 0) };
  });
  const probabilities = (picture: ArrayLike<number>): readonly number[] => {
    const features = featuresOf(picture, n);
    const scores = layer.map(({ weights, bias }) => features.reduce((s, v, k) => s + v * weights[k], bias));
    const most = Math.max(...scores);
    const shares = scores.map((s) => Math.exp(s - most));
    const all = shares.reduce((a, b) => a + b);
    return shares.map((s) => s / all);
  };
  return {
    probabilities,
    loss: (picture, shape) => -Math.log(probabilities(picture)[SHAPES.indexOf(shape)]),
    gradient: (picture, shape) => {
      const by = new Float64Array(3 * CELLS * CELLS);
      probabilities(picture).forEach((p, c) =>
        layer[c].weights.forEach((w, k) => (by[k] += (p - Number(SHAPES[c] === shape)) * w)),
      );
      return featuresBackward(picture, n, by);
    },
  };
};

/** How far outside of a shape a point is, about; the middle is the origin. */
const OUTSIDE: Readonly<Record<Shape, (x: number, y: number) => number>> = {
  ring: (x, y) => Math.abs(Math.hypot(x, y) - 0.28) - 0.06,
  frame: (x, y) => Math.abs(Math.max(Math.abs(x), Math.abs(y)) - 0.28) - 0.06,
  cross: (x, y) => Math.max(Math.min(Math.abs(x), Math.abs(y)) - 0.06, Math.max(Math.abs(x), Math.abs(y)) - 0.34),
  stripes: (x, y) => Math.max(Math.abs(Math.abs(x) - 0.15) - 0.06, Math.max(Math.abs(x), Math.abs(y)) - 0.34),
};

const [SHARP, CELLS, CERTAIN] = [60, 8, 6];

const cellOf = (k: number, n: number): number =>
  CELLS * Math.floor((CELLS * Math.floor(k / n)) / n) + Math.floor((CELLS * (k % n)) / n);

const featuresOf = (picture: ArrayLike<number>, n: number): Float64Array => {
  const features = new Float64Array(3 * CELLS * CELLS);
  const each = (CELLS / n) ** 2;
  forPixels(n, (k, right, above) => {
    const cell = cellOf(k, n);
    const [dx, dy] = [(picture[right] - picture[k]) * EDGE, (picture[above] - picture[k]) * EDGE];
    features[cell] += picture[k] * each;
    features[CELLS * CELLS + cell] += dx * dx * each;
    features[2 * CELLS * CELLS + cell] += dy * dy * each;
  });
  return features;
};

/** The adjoint of `featuresOf`. */
const featuresBackward = (picture: ArrayLike<number>, n: number, by: Float64Array): Float64Array => {
  const out = new Float64Array(n * n);
  const each = (CELLS / n) ** 2;
  forPixels(n, (k, right, above) => {
    const cell = cellOf(k, n);
    const dx = 2 * (picture[right] - picture[k]) * EDGE ** 2 * each * by[CELLS * CELLS + cell];
    const dy = 2 * (picture[above] - picture[k]) * EDGE ** 2 * each * by[2 * CELLS * CELLS + cell];
    out[k] += each * by[cell] - dx - dy;
    out[right] += dx;
    out[above] += dy;
  });
  return out;
};

/** How much edges count beside brightness. */
const EDGE = 2;

/** Visits pixels with their neighbours along both axes, at the last rows themselves. */
const forPixels = (n: number, visit: (k: number, right: number, above: number) => void): void => {
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) visit(n * i + j, n * Math.min(i + 1, n - 1) + j, n * i + Math.min(j + 1, n - 1));
};
