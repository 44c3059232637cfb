import { arrayConstructor, type Buffer, constBuffer } from '@filigree/ir';

/**
 * Collects the constants that kernels of a module read and no tensor of the user holds: lists of positions, known
 * numbers. Equal ones share a buffer.
 */
export class ConstantTables {
  private readonly known = new Map<string, string>();

  /**
   * @param buffers where they are declared, under names that are not taken there
   * @param prefix what names of lists begin with
   */
  constructor(
    private readonly buffers: Map<string, Buffer>,
    private readonly prefix = '_list',
  ) {}

  /** The buffer that holds this list. */
  add(list: Int32Array): string {
    return this.declare(this.prefix, list.join(' '), (name) => constBuffer(name, 'i32', list));
  }

  /** The buffer that holds these numbers. */
  numbers(values: Float64Array, type: 'f32' | 'f64'): string {
    const data = new (arrayConstructor(type) as typeof Float32Array | typeof Float64Array)(values);
    return this.declare('_known', `${type} ${data.join(' ')}`, (name) => constBuffer(name, type, data));
  }

  private declare(prefix: string, key: string, make: (name: string) => Buffer): string {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    let name = `${prefix}_${this.known.size}`;
    while (this.buffers.has(name)) name += '_';
    this.buffers.set(name, make(name));
    this.known.set(key, name);
    return name;
  }
}
