/**
 * The terms of long sums, cut into parts of which each is summed up by itself: the parts run on threads and lanes, and the sums of
 * the parts of an instance are added up in order. How terms are cut depends on their number alone, so that results do not depend
 * on threads.
 */
export interface Parts {
  /** Part p is the terms `starts[p] .. starts[p+1])`. */
  readonly starts: Int32Array;
  /** Instance i has the parts `ptr[i] .. ptr[i+1])`. */
  readonly ptr: Int32Array;
}

/** Terms of a part. Their values wait in a scratch buffer, in the nearest cache. */
export const PART_TERMS = 512;

/** The scratch buffer of the values of the terms of one part. */
export const PART = 'termsOfPart';

/** Parts of instances that have the terms `ptr[i] .. ptr[i+1])`; undefined where they have few as a rule. */
export const partsOf = (ptr: Int32Array): Parts | undefined => {
  const instances = ptr.length - 1;
  if (ptr[instances] < PART_TERMS * Math.max(2, instances)) return undefined;
  const partPtr = new Int32Array(ptr.length);
  for (let i = 0; i < instances; i++) partPtr[i + 1] = partPtr[i] + Math.ceil((ptr[i + 1] - ptr[i]) / PART_TERMS);
  const starts = new Int32Array(partPtr[instances] + 1);
  for (let i = 0; i < instances; i++)
    for (let p = partPtr[i]; p < partPtr[i + 1]; p++) starts[p] = ptr[i] + (p - partPtr[i]) * PART_TERMS;
  starts[partPtr[instances]] = ptr[instances];
  return { starts, ptr: partPtr };
};
