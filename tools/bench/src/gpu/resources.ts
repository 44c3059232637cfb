/** What a kernel takes of a processor, as the compiler says. */
export interface Resources {
  readonly kernel: string;
  readonly registers: number;
  /** Bytes of memory that a block shares. */
  readonly shared: number;
  /** Bytes that a thread keeps in memory for want of registers: stores and loads of them alike. */
  readonly spilled: number;
}

/** Reads what nvcc prints with `--resource-usage`. */
export const resourcesOf = (text: string): readonly Resources[] =>
  text
    .split(/(?=Compiling entry function)/)
    .slice(1)
    .map((part) => ({
      kernel: /Compiling entry function '([^']+)'/.exec(part)![1],
      registers: Number(/Used (\d+) registers/.exec(part)?.[1] ?? NaN),
      shared: Number(/(\d+) bytes smem/.exec(part)?.[1] ?? 0),
      spilled: Number(/(\d+) bytes spill stores/.exec(part)?.[1] ?? 0),
    }));
