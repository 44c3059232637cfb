/**
 * Operations below which a loop does not repay waking other threads: at ten a nanosecond, about a tenth of a millisecond, where a thread
 * that sleeps takes tens of microseconds to come.
 */
export const PARALLEL_WORK = 1 << 20;
