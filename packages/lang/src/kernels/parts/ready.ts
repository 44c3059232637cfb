import type { Parse } from '../../source/parse.js';
import * as host from '../vocabulary/host.js';
import * as library from '../vocabulary/library.js';
import { parse } from './parts.js';

/** The parser of kernels, which is there at once. */
export const parseKernel: Parse = parse;

/** How the author of a text spelled it, and where it stands. */
export { asWritten, isSettled, originalOf } from './parts.js';

/** What a name means among the words of the language that are functions in it, or for the host. */
export const libraryWord = (name: string): unknown => (Object.hasOwn(words, name) ? words[name] : undefined);

const words: Readonly<Record<string, unknown>> = { ...library, ...host };

/** Loads what kernels may need of the front end, where it is not there. */
export const loadFrontEnd = (): Promise<void> => Promise.resolve();
