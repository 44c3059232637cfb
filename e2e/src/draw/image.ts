import { encode } from 'fast-png';

/** A picture: red, green and blue of each pixel from 0 to 255, row by row from the top. */
export interface Image {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export type Colour = readonly [red: number, green: number, blue: number];

/** The picture as the bytes of a PNG file. */
export const imagePng = ({ width, height, data }: Image): Uint8Array =>
  encode({ width, height, data, channels: 3, depth: 8 });

/** A picture whose pixels are a function of their place. */
export const imageOf = (width: number, height: number, colour: (x: number, y: number) => Colour): Image => {
  const data = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const c = colour(x, y);
      for (let k = 0; k < 3; k++) data[3 * (y * width + x) + k] = Math.max(0, Math.min(255, Math.round(c[k])));
    }
  return { width, height, data };
};

/** Blue for −1, white for 0, red for 1, and what lies between. */
export const diverging = (t: number): Colour => {
  const s = Math.max(-1, Math.min(1, t));
  return blend([255, 255, 255], s < 0 ? [33, 102, 172] : [178, 24, 43], Math.abs(s));
};

/** From dark violet for 0 over green to yellow for 1. */
export const sequential = (t: number): Colour => {
  const at = Math.max(0, Math.min(1, t)) * (RAMP.length - 1);
  const low = Math.min(RAMP.length - 2, Math.floor(at));
  return blend(RAMP[low], RAMP[low + 1], at - low);
};

export const blend = (a: Colour, b: Colour, t: number): Colour => [
  a[0] + t * (b[0] - a[0]),
  a[1] + t * (b[1] - a[1]),
  a[2] + t * (b[2] - a[2]),
];

const RAMP: readonly Colour[] = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];
