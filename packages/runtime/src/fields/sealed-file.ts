import { fail } from '@filigree/ir';
import { checksum } from './checksum.js';

/** What files of a kind begin with, and how messages speak of them. */
export interface FileKind {
  /** Eight letters. */
  readonly magic: string;
  readonly version: number;
  /** The first part of the codes. */
  readonly area: string;
  /** What a file holds: `saved arena`. */
  readonly what: string;
  /** Remedies: of a file that is damaged, of one of another version, and of what is no such file. */
  readonly again: string;
  readonly versions: string;
  readonly give: string;
}

/**
 * A file: eight letters; as u32 the version, two checks of all that follows, and the bytes of the header; as f64 the bytes of
 * the file; the header; and the parts, each at a multiple of 8 bytes. Numbers are little-endian.
 *
 * @param check sees the bytes of the file before it is made
 */
export const sealedFile = (
  { magic, version }: FileKind,
  header: string,
  parts: readonly Uint8Array[],
  check: (total: number) => void = () => {},
): Uint8Array<ArrayBuffer> => {
  const head = new TextEncoder().encode(header);
  let end = aligned(PRELUDE + head.byteLength);
  const total = parts.reduce((sum, { byteLength }) => sum + aligned(byteLength), end);
  check(total);
  const out = new Uint8Array(total);
  out.set(new TextEncoder().encode(magic));
  out.set(head, PRELUDE);
  for (const part of parts) {
    out.set(part, end);
    end += aligned(part.byteLength);
  }
  const view = new DataView(out.buffer);
  view.setUint32(VERSION_AT, version, true);
  view.setUint32(HEADER_AT, head.byteLength, true);
  view.setFloat64(TOTAL_AT, total, true);
  checksum(out.subarray(HEADER_AT)).forEach((word, n) => view.setUint32(CHECK_AT + 4 * n, word, true));
  return out;
};

/**
 * The header of such a file, and where its parts begin. Errors, in the area of its kind: `…/not-an-AREA`, `…/version`, `…/truncated`,
 * `…/damaged`.
 */
export const openedFile = (
  file: Uint8Array,
  { magic, version, area, what, again, versions, give }: FileKind,
): { readonly header: string; readonly start: number } => {
  const article = /^[aeiou]/.test(area) ? 'an' : 'a';
  if (
    !(file instanceof Uint8Array) ||
    decode(file.subarray(0, 8)) !== magic.slice(0, file.byteLength) ||
    file.byteLength < 8
  )
    return fail(`${area}/not-${article}-${area}`, `the bytes are no ${what}`, { remedy: give });
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const total = file.byteLength < PRELUDE ? Infinity : view.getFloat64(TOTAL_AT, true);
  if (file.byteLength >= CHECK_AT && view.getUint32(VERSION_AT, true) !== version)
    return fail(
      `${area}/version`,
      `the ${what} is of version ${view.getUint32(VERSION_AT, true)}, this is version ${version}`,
      { remedy: versions },
    );
  if (file.byteLength < total)
    return fail(`${area}/truncated`, `the ${what} ends after ${file.byteLength} bytes`, { remedy: again });
  const [first, second] = checksum(file.subarray(HEADER_AT));
  if (
    total !== file.byteLength ||
    view.getUint32(CHECK_AT, true) !== first ||
    view.getUint32(CHECK_AT + 4, true) !== second
  )
    return fail(`${area}/damaged`, `the ${what} is damaged: its checksum is wrong`, { remedy: again });
  const size = view.getUint32(HEADER_AT, true);
  return { header: decode(file.subarray(PRELUDE, PRELUDE + size)), start: aligned(PRELUDE + size) };
};

/** Where the next part begins. */
export const aligned = (n: number): number => Math.ceil(n / 8) * 8;

const VERSION_AT = 8;
const CHECK_AT = 12;
const HEADER_AT = 20;
const TOTAL_AT = 24;
const PRELUDE = 32;

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
