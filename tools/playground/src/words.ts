import type { Pointer } from './messages.js';

/** The words that programs import from `playground`. */
export interface Words {
  /** Called before each picture. */
  readonly frame: (draw: () => void) => void;
  /** Draws on the picture, 512 × 512. */
  readonly canvas: OffscreenCanvasRenderingContext2D;
  /** Fills the picture with numbers, row by row, `from` dark and `to` light. */
  readonly image: (values: ArrayLike<number>, width: number, height: number, look?: Look) => void;
  /** Where the mouse is over the picture, from 0 to 1. */
  readonly pointer: () => Pointer;
}

/** How numbers become colours. */
export interface Look {
  readonly from?: number;
  readonly to?: number;
  /** From dark to light, as `#rrggbb`. */
  readonly colors?: readonly string[];
}

/** The words over a canvas. @param draw what draws; the last one counts */
export const wordsOf = (canvas: OffscreenCanvas, draw: (draw: () => void) => void, pointer: () => Pointer): Words => {
  const context = canvas.getContext('2d')!;
  return { frame: draw, canvas: context, image: imageOn(context), pointer };
};

const imageOn = (context: OffscreenCanvasRenderingContext2D): Words['image'] => {
  const made = new Map<string, { canvas: OffscreenCanvas; pixels: ImageData }>();
  return (values, width, height, { from = 0, to = 1, colors = ['#0d0f14', '#1c5d78', '#5cc9b8', '#fdf6e3'] } = {}) => {
    const key = `${width} ${height}`;
    const known = made.get(key) ?? { canvas: new OffscreenCanvas(width, height), pixels: new ImageData(width, height) };
    made.set(key, known);
    const table = tableOf(colors);
    const out = new Uint32Array(known.pixels.data.buffer);
    const scale = 255 / (to - from);
    for (let k = 0; k < out.length; k++) out[k] = table[Math.min(255, Math.max(0, (values[k] - from) * scale)) | 0];
    known.canvas.getContext('2d')!.putImageData(known.pixels, 0, 0);
    context.imageSmoothingEnabled = width * 2 > context.canvas.width;
    context.drawImage(known.canvas, 0, 0, context.canvas.width, context.canvas.height);
  };
};

const tables = new Map<string, Uint32Array>();

/** 256 colours between these, as words of pixels. */
const tableOf = (colors: readonly string[]): Uint32Array => {
  const key = colors.join();
  const known = tables.get(key);
  if (known) return known;
  const parts = colors.map((c) => [1, 3, 5].map((at) => parseInt(c.slice(at, at + 2), 16)));
  const table = Uint32Array.from({ length: 256 }, (_, k) => {
    const at = (k / 255) * (parts.length - 1);
    const n = Math.min(Math.floor(at), parts.length - 2);
    const [r, g, b] = parts[n].map((x, c) => Math.round(x + (parts[n + 1][c] - x) * (at - n)));
    return (255 << 24) | (b << 16) | (g << 8) | r;
  });
  tables.set(key, table);
  return table;
};
