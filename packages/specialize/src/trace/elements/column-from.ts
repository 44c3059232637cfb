/** What lists that begin at `starts` have at a place. */
export const columnFrom = (values: Int32Array, starts: Int32Array, place: number): Int32Array => {
  const column = new Int32Array(starts.length);
  for (let i = 0; i < starts.length; i++) column[i] = values[starts[i] + place];
  return column;
};

/** Whether two columns of one length are equal. */
export const equalColumns = (a: Int32Array, b: Int32Array): boolean => {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

/** Whether a column is one number. */
export const isUniform = (column: Int32Array): boolean => {
  for (let i = 1; i < column.length; i++) if (column[i] !== column[0]) return false;
  return true;
};
