import type { ScalarType } from '@filigree/ir';
import type { WordBits } from './format.js';
import type { SNode } from './layout.js';

/** The type through which the values of a `place` node are read and written in memory. */
export const storedType = ({ field, stored }: SNode): ScalarType => (stored ? wordType(stored.wordBits) : field!.type);

/** Values of words that fields share, and how much the code of one is shifted in them, are of this type. */
export const codeType = (bits: number): 'u32' | 'u64' => (bits <= 32 ? 'u32' : 'u64');

const wordType = (bits: WordBits): ScalarType => `u${bits}`;
