import { fail } from '@filigree/ir';
import { soundMesh, type Mesh, type ReadOptions } from './mesh.js';
import { triangulate } from './polygon.js';
import { Scanner } from './scanner.js';

/**
 * Reads Stanford PLY, `ascii` or `binary_little_endian`: `x`, `y`, `z` of element `vertex` and the list `vertex_indices`
 * (or `vertex_index`) of element `face`; polygons become triangles; everything else is passed over.
 */
export const readPly = (file: string, bytes: Uint8Array, options: ReadOptions = {}): Mesh => {
  const header = readHeader(file, bytes);
  const source =
    header.format === 'ascii'
      ? asciiSource(file, bytes, header)
      : binarySource(file, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), header);
  const vertices: number[] = [];
  const faces: number[] = [];
  const faceLines: number[] = [];
  for (const element of header.elements) {
    for (let k = 0; k < element.count; k++) {
      for (const property of element.properties) {
        const what = `${property.name} of ${element.name} ${k}`;
        if (property.countType === undefined) {
          const value = source.scalar(property.type, what);
          const axis = element.name === 'vertex' ? ['x', 'y', 'z'].indexOf(property.name) : -1;
          if (axis >= 0) vertices[3 * k + axis] = finite(source, value, what);
        } else {
          const length = source.scalar(property.countType, `the length of ${what}`);
          const list: number[] = [];
          for (let j = 0; j < length; j++) list.push(source.scalar(property.type, what));
          if (element.name !== 'face' || !/^vertex_ind(ex|ices)$/.test(property.name)) continue;
          if (length < 3) source.fail('mesh/face', `face ${k} has ${length} corners; it needs at least 3`);
          triangulate(list, source.line(), faces, faceLines);
        }
      }
    }
  }
  return soundMesh(file, { vertices, faces, tets: [], faceLines, tetLines: [] }, options);
};

type Scalar = 'i8' | 'u8' | 'i16' | 'u16' | 'i32' | 'u32' | 'f32' | 'f64';

interface Property {
  readonly name: string;
  readonly type: Scalar;
  /** Set for a list: the type of its length. */
  readonly countType?: Scalar;
}

interface Element {
  readonly name: string;
  readonly count: number;
  readonly properties: Property[];
}

interface Header {
  readonly format: 'ascii' | 'binary_little_endian';
  readonly elements: readonly Element[];
  /** Bytes and lines before the data. */
  readonly length: number;
  readonly lines: number;
}

/** Where the numbers come from, text or bytes. */
interface Source {
  readonly scalar: (type: Scalar, what: string) => number;
  readonly line: () => number;
  readonly fail: (code: string, message: string, remedy?: string) => never;
}

const readHeader = (file: string, bytes: Uint8Array): Header => {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, Math.min(bytes.length, 1 << 16)));
  const end = /^end_header[ \t]*\r?\n/m.exec(head);
  const bad = (line: number, message: string, remedy = 'compare the header with that of other PLY files'): never =>
    fail('mesh/format', message, { loc: { file, line, column: 1 }, remedy });
  if (!/^ply\r?\n/.test(head)) return bad(1, 'expected the word ply on the first line');
  if (!end) return bad(1, 'the header has no line end_header', 'check that the file was copied as a whole');
  const length = end.index + end[0].length;
  const lines = head.slice(0, end.index).split('\n');

  let format: string | undefined;
  const elements: Element[] = [];
  lines.forEach((text, i) => {
    const words = text.trim().split(/\s+/);
    const last = elements[elements.length - 1];
    if (words[0] === 'format') format = words[1];
    else if (words[0] === 'element') {
      const count = Number(words[2]);
      if (!Number.isInteger(count) || count < 0)
        bad(i + 1, `element ${words[1]} needs a count, found '${words[2] ?? ''}'`);
      elements.push({ name: words[1], count, properties: [] });
    } else if (words[0] === 'property') {
      if (!last) bad(i + 1, 'a property stands before the first element');
      const isList = words[1] === 'list';
      const type = SCALARS[isList ? words[3] : words[1]];
      const name = isList ? words[4] : words[2];
      if (!type || !name) bad(i + 1, `cannot read the property '${text.trim()}'`);
      if (!isList) last.properties.push({ name, type });
      else {
        const countType = SCALARS[words[2]];
        if (!countType) bad(i + 1, `cannot read the property '${text.trim()}'`);
        last.properties.push({ name, type, countType });
      }
    }
  });
  if (format !== 'ascii' && format !== 'binary_little_endian')
    return bad(2, `the format is ${format ?? 'not given'}`, 'write the file as ascii or binary_little_endian');
  const vertex = elements.find((e) => e.name === 'vertex');
  for (const axis of ['x', 'y', 'z'])
    if (!vertex?.properties.some((p) => p.name === axis)) return bad(1, `element vertex has no property ${axis}`);
  return { format, elements, length, lines: lines.length };
};

const SCALARS: Readonly<Record<string, Scalar>> = {
  char: 'i8',
  int8: 'i8',
  uchar: 'u8',
  uint8: 'u8',
  short: 'i16',
  int16: 'i16',
  ushort: 'u16',
  uint16: 'u16',
  int: 'i32',
  int32: 'i32',
  uint: 'u32',
  uint32: 'u32',
  float: 'f32',
  float32: 'f32',
  double: 'f64',
  float64: 'f64',
};

const asciiSource = (file: string, bytes: Uint8Array, header: Header): Source => {
  // The header stays in the text with its lines, so that line numbers are those of the file.
  const body = new TextDecoder('latin1').decode(bytes.subarray(header.length));
  const scan = new Scanner(file, '\n'.repeat(header.lines) + body);
  return {
    scalar: (type, what) => (type === 'f32' || type === 'f64' ? scan.real(what) : scan.integer(what, -0x80000000)),
    line: () => scan.line,
    fail: (code, message, remedy) => scan.fail(code, message, remedy),
  };
};

const binarySource = (file: string, data: DataView, header: Header): Source => {
  let at = header.length;
  const give = (code: string, message: string, remedy?: string): never =>
    fail(code, `${message} (byte ${at} of ${file})`, { remedy });
  return {
    scalar: (type, what) => {
      const { size, read } = BINARY[type];
      if (at + size > data.byteLength)
        return give(
          'mesh/truncated',
          `the file ends where ${what} should be`,
          'check that the file was copied as a whole',
        );
      const value = read(data, at);
      at += size;
      return value;
    },
    line: () => 0,
    fail: give,
  };
};

const BINARY: Readonly<Record<Scalar, { size: number; read: (d: DataView, at: number) => number }>> = {
  i8: { size: 1, read: (d, at) => d.getInt8(at) },
  u8: { size: 1, read: (d, at) => d.getUint8(at) },
  i16: { size: 2, read: (d, at) => d.getInt16(at, true) },
  u16: { size: 2, read: (d, at) => d.getUint16(at, true) },
  i32: { size: 4, read: (d, at) => d.getInt32(at, true) },
  u32: { size: 4, read: (d, at) => d.getUint32(at, true) },
  f32: { size: 4, read: (d, at) => d.getFloat32(at, true) },
  f64: { size: 8, read: (d, at) => d.getFloat64(at, true) },
};

const finite = (source: Source, value: number, what: string): number =>
  Number.isFinite(value) ? value : source.fail('mesh/non-finite', `${what} is ${value}`);
