import { type Buffer, constBuffer } from '@filigree/ir';

/** Collects the lists of positions that kernels of a module read; equal lists are one buffer. */
export class Tables {
  private readonly known = new Map<string, string>();

  /** @param buffers where the lists are declared */
  constructor(
    private readonly buffers: Map<string, Buffer>,
    private readonly prefix: string,
  ) {}

  /** The buffer that holds this list. */
  add(list: Int32Array): string {
    const key = list.join(' ');
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const name = `${this.prefix}_${this.known.size}`;
    this.buffers.set(name, constBuffer(name, 'i32', list));
    this.known.set(key, name);
    return name;
  }
}
