/** What programs of the playground import. */
declare module 'playground' {
  import type { Words } from './words.js';
  export const frame: Words['frame'];
  export const canvas: Words['canvas'];
  export const image: Words['image'];
  export const pointer: Words['pointer'];
}
