/** Strongly connected components of a graph of nodes 0..n-1, each after those that it reads from. */
export const components = (n: number, reads: (node: number) => readonly number[]): readonly (readonly number[])[] => {
  const index = new Int32Array(n).fill(-1);
  const low = new Int32Array(n);
  const open = new Uint8Array(n);
  const stack: number[] = [];
  const found: number[][] = [];
  let next = 0;
  const visit = (v: number): void => {
    index[v] = low[v] = next++;
    stack.push(v);
    open[v] = 1;
    for (const w of reads(v)) {
      if (index[w] < 0) {
        visit(w);
        low[v] = Math.min(low[v], low[w]);
      } else if (open[w]) low[v] = Math.min(low[v], index[w]);
    }
    if (low[v] !== index[v]) return;
    const component: number[] = [];
    let w: number;
    do {
      w = stack.pop()!;
      open[w] = 0;
      component.push(w);
    } while (w !== v);
    found.push(component.sort((a, b) => a - b));
  };
  for (let v = 0; v < n; v++) if (index[v] < 0) visit(v);
  return found;
};
