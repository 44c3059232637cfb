/** What the page tells its worker: the program to run, or that it may draw the next picture. */
export type ToWorker = { readonly run: string } | { readonly next: Pointer };

/** Where the mouse is over the picture, from 0 to 1, and whether it is pressed. */
export interface Pointer {
  readonly x: number;
  readonly y: number;
  readonly down: boolean;
}

/** What the worker tells: a picture, a line of output, what was generated, what is wrong; and that it is still there. */
export type FromWorker =
  | { readonly picture: ImageBitmap; readonly ms: number }
  | { readonly line: string }
  | { readonly emitted: readonly Emitted[]; readonly ms: number }
  | { readonly problems: readonly Problem[] }
  | { readonly done: true };

/** A generated text, by what it is. */
export interface Emitted {
  readonly name: string;
  readonly text: string;
}

/** What is wrong, at a place of the text that was written, if it has one. Lines and columns count from 1. */
export interface Problem {
  readonly message: string;
  readonly severity: 'error' | 'warning';
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}
