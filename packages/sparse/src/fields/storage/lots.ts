/** Cell numbers that are never given out: the ambient cell and the sink. */
export const RESERVED_CELLS = 2;

/** Turns of a lot, so many that a thread seldom opens one, and so few that little is left in it. */
export const LOT = 256;

/** Threads that have a lot for themselves; if there are more, some share one. */
export const HANDS = 64;

/** Bytes of memory that threads hand to one another at once: what different threads change lies further apart. */
export const LINE = 64;
