import { conformancePrograms } from '@filigree/conformance';

/** A mistake in the text of a program for CUDA: it touches an element that is none of its own. */
export interface Mistake {
  readonly program: string;
  readonly change: (text: string) => string;
  /** What the sanitizer calls it. */
  readonly said: RegExp;
}

/* Each is a line behind what declares an array, of which it writes the element behind the last. */
const behind =
  (declaration: RegExp, line: (...found: string[]) => string) =>
  (text: string): string =>
    text.replace(declaration, (all, ...found: string[]) => `${all} ${line(...found)}`);

const write = (type: string, name: string, length: string): string => `*(volatile ${type}*)(${name} + ${length}) = 0;`;

const lengthOf = (program: string, buffer: string): number =>
  conformancePrograms()
    .find((p) => p.name === program)!
    .module.buffers.find((b) => b.name === buffer)!.length;

const SHARED = /__shared__ (\w+) (\w+)\[(\d+)\];/g;
const OWN = /(?<!__shared__) (float|double) (\w+)\[(\d+)\];/g;

export const mistakes: Readonly<Record<string, Mistake>> = {
  shared: { program: 'tiles reversed by teams', change: behind(SHARED, write), said: /global-buffer-overflow/ },
  buffer: {
    program: 'tiles reversed by teams',
    change: (text) =>
      behind(SHARED, (type) => write(type, 'y', String(lengthOf('tiles reversed by teams', 'y'))))(text),
    said: /heap-buffer-overflow/,
  },
  scratch: {
    program: 'tiles reversed through scratch',
    /* A word that has threads be fibres. */
    change: (text) => `// __syncthreads\n${behind(OWN, write)(text)}`,
    said: /stack-buffer-overflow/,
  },
};
