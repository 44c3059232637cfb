import { MAX_NODES } from '@filigree/ir';
import { platform } from '#platform';

/**
 * Bytes an operation takes at least while it is compiled: an expression's node and what the stages know of it, where half
 * of all operations are found to be done already.
 */
const BYTES_PER_FLOP = 32;
/** The same where each product is a node and none is found again. */
const BYTES_PER_NODE = 96;

/** Scalar operations of sparse algebra that can be compiled with the memory that there is, where products are listed in columns. */
export const flopsInColumns = (): number => flopsThatFit(BYTES_PER_FLOP);

/** The same where all are nodes of an expression graph. */
export const flopsAsNodes = (): number => Math.min(MAX_NODES, flopsThatFit(BYTES_PER_NODE));

const flopsThatFit = (bytes: number): number => Math.floor(platform.memoryBytes() / bytes);
