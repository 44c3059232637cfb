/** What stands behind the name of an instruction in the text, before its operands. */
export type Immediate =
  | 'none'
  | 'local'
  | 'global'
  | 'function'
  | 'label'
  | 'labels'
  | 'type'
  | 'i32'
  | 'i64'
  | 'f32'
  | 'f64'
  | 'v128'
  | 'lanes'
  | 'lane'
  | 'memory'
  | 'memory lane'
  | 'zero'
  | 'zeros';

/** How an instruction is encoded: a prefix or 0, its number, and what follows. `bytes` is how many a memory access touches. */
export interface Instruction {
  readonly prefix: number;
  readonly code: number;
  readonly immediate: Immediate;
  readonly bytes: number;
}

/** An instruction by its name in the text format; undefined where there is none. Control is not here: `block`, `loop`, `if`. */
export const instructionOf = (name: string): Instruction | undefined => (table.current ??= makeTable()).get(name);

const table: { current?: ReadonlyMap<string, Instruction> } = {};

/* Names in the order of their numbers, as in the index of instructions of the WebAssembly specification; `.` is a number without one. */
const INTEGER_TESTS = 'eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u';
const INTEGER_OPS = 'clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr';
const FLOAT_TESTS = 'eq ne lt gt le ge';
const FLOAT_OPS = 'abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign';
const VECTOR_FLOAT_OPS = 'abs neg . sqrt add sub mul div min max pmin pmax';
const ATOMIC_UPDATES = ['add', 'sub', 'and', 'or', 'xor', 'xchg', 'cmpxchg'];

const VECTOR_MEMORY =
  'load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u load8_splat load16_splat load32_splat load64_splat store';
const CONVERSIONS =
  'i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u i64.extend_i32_s i64.extend_i32_u ' +
  'i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u f32.convert_i32_s f32.convert_i32_u f32.convert_i64_s ' +
  'f32.convert_i64_u f32.demote_f64 f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u f64.promote_f32 ' +
  'i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64 ' +
  'i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s';
const VECTOR_REST =
  'f32x4.demote_f64x2_zero f64x2.promote_low_f32x4 i8x16.abs i8x16.neg i8x16.popcnt i8x16.all_true i8x16.bitmask ' +
  'i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest i8x16.shl i8x16.shr_s ' +
  'i8x16.shr_u i8x16.add i8x16.add_sat_s i8x16.add_sat_u i8x16.sub i8x16.sub_sat_s i8x16.sub_sat_u f64x2.ceil f64x2.floor ' +
  'i8x16.min_s i8x16.min_u i8x16.max_s i8x16.max_u f64x2.trunc i8x16.avgr_u i16x8.extadd_pairwise_i8x16_s ' +
  'i16x8.extadd_pairwise_i8x16_u i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u i16x8.abs i16x8.neg ' +
  'i16x8.q15mulr_sat_s i16x8.all_true i16x8.bitmask i16x8.narrow_i32x4_s i16x8.narrow_i32x4_u i16x8.extend_low_i8x16_s ' +
  'i16x8.extend_high_i8x16_s i16x8.extend_low_i8x16_u i16x8.extend_high_i8x16_u i16x8.shl i16x8.shr_s i16x8.shr_u i16x8.add ' +
  'i16x8.add_sat_s i16x8.add_sat_u i16x8.sub i16x8.sub_sat_s i16x8.sub_sat_u f64x2.nearest i16x8.mul i16x8.min_s i16x8.min_u ' +
  'i16x8.max_s i16x8.max_u . i16x8.avgr_u i16x8.extmul_low_i8x16_s i16x8.extmul_high_i8x16_s i16x8.extmul_low_i8x16_u ' +
  'i16x8.extmul_high_i8x16_u i32x4.abs i32x4.neg . i32x4.all_true i32x4.bitmask . . i32x4.extend_low_i16x8_s ' +
  'i32x4.extend_high_i16x8_s i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u i32x4.shl i32x4.shr_s i32x4.shr_u i32x4.add ' +
  '. . i32x4.sub . . . i32x4.mul i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u i32x4.dot_i16x8_s . ' +
  'i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u i64x2.abs i64x2.neg ' +
  '. i64x2.all_true i64x2.bitmask . . i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s i64x2.extend_low_i32x4_u ' +
  'i64x2.extend_high_i32x4_u i64x2.shl i64x2.shr_s i64x2.shr_u i64x2.add . . i64x2.sub . . . i64x2.mul i64x2.eq i64x2.ne ' +
  'i64x2.lt_s i64x2.gt_s i64x2.le_s i64x2.ge_s i64x2.extmul_low_i32x4_s i64x2.extmul_high_i32x4_s ' +
  'i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u';
const VECTOR_CONVERSIONS =
  'i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u f32x4.convert_i32x4_s f32x4.convert_i32x4_u i32x4.trunc_sat_f64x2_s_zero ' +
  'i32x4.trunc_sat_f64x2_u_zero f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u';

const makeTable = (): ReadonlyMap<string, Instruction> => {
  const rows = new Map<string, Instruction>();
  /** Names one after another; returns the number behind the last. */
  const put = (prefix: number, first: number, names: string, immediate: Immediate = 'none', group = ''): number =>
    names.split(' ').reduce((code, name) => {
      if (name !== '.')
        rows.set(group + name, {
          prefix,
          code,
          immediate,
          bytes: /memory/.test(immediate) ? bytesOf(group + name) : 0,
        });
      return code + 1;
    }, first);

  put(0, 0x00, 'unreachable nop');
  put(0, 0x0c, 'br br_if', 'label');
  put(0, 0x0e, 'br_table', 'labels');
  put(0, 0x0f, 'return');
  put(0, 0x10, 'call', 'function');
  put(0, 0x11, 'call_indirect', 'type');
  put(0, 0x1a, 'drop select');
  put(0, 0x20, 'local.get local.set local.tee', 'local');
  put(0, 0x23, 'global.get global.set', 'global');
  const loads = 'load8_s load8_u load16_s load16_u';
  put(0, 0x28, 'i32.load i64.load f32.load f64.load', 'memory');
  put(0, 0x2c, loads, 'memory', 'i32.');
  put(0, 0x30, `${loads} load32_s load32_u`, 'memory', 'i64.');
  put(
    0,
    0x36,
    'i32.store i64.store f32.store f64.store i32.store8 i32.store16 i64.store8 i64.store16 i64.store32',
    'memory',
  );
  put(0, 0x3f, 'memory.size memory.grow', 'zero');
  for (const [k, t] of (['i32', 'i64', 'f32', 'f64'] as const).entries()) put(0, 0x41 + k, `${t}.const`, t);
  put(0, 0x45, `eqz ${INTEGER_TESTS}`, 'none', 'i32.');
  put(0, 0x50, `eqz ${INTEGER_TESTS}`, 'none', 'i64.');
  put(0, 0x5b, FLOAT_TESTS, 'none', 'f32.');
  put(0, 0x61, FLOAT_TESTS, 'none', 'f64.');
  put(0, 0x67, INTEGER_OPS, 'none', 'i32.');
  put(0, 0x79, INTEGER_OPS, 'none', 'i64.');
  put(0, 0x8b, FLOAT_OPS, 'none', 'f32.');
  put(0, 0x99, FLOAT_OPS, 'none', 'f64.');
  put(0, 0xa7, CONVERSIONS);
  const saturating = 'trunc_sat_f32_s trunc_sat_f32_u trunc_sat_f64_s trunc_sat_f64_u';
  put(0xfc, 0, saturating, 'none', 'i32.');
  put(0xfc, 4, saturating, 'none', 'i64.');
  put(0xfc, 10, 'memory.copy', 'zeros');
  put(0xfc, 11, 'memory.fill', 'zero');

  put(0xfd, 0, VECTOR_MEMORY, 'memory', 'v128.');
  put(0xfd, 12, 'v128.const', 'v128');
  put(0xfd, 13, 'i8x16.shuffle', 'lanes');
  put(0xfd, 14, 'i8x16.swizzle i8x16.splat i16x8.splat i32x4.splat i64x2.splat f32x4.splat f64x2.splat');
  const narrow = 'extract_lane_s extract_lane_u replace_lane';
  put(0xfd, 21, narrow, 'lane', 'i8x16.');
  put(0xfd, 24, narrow, 'lane', 'i16x8.');
  for (const [k, shape] of ['i32x4', 'i64x2', 'f32x4', 'f64x2'].entries())
    put(0xfd, 27 + 2 * k, 'extract_lane replace_lane', 'lane', `${shape}.`);
  for (const [k, shape] of ['i8x16', 'i16x8', 'i32x4'].entries())
    put(0xfd, 35 + 10 * k, INTEGER_TESTS, 'none', `${shape}.`);
  put(0xfd, 65, FLOAT_TESTS, 'none', 'f32x4.');
  put(0xfd, 71, FLOAT_TESTS, 'none', 'f64x2.');
  put(0xfd, 77, 'not and andnot or xor bitselect any_true', 'none', 'v128.');
  put(0xfd, 84, 'load8_lane load16_lane load32_lane load64_lane', 'memory lane', 'v128.');
  put(0xfd, 88, 'store8_lane store16_lane store32_lane store64_lane', 'memory lane', 'v128.');
  put(0xfd, 92, 'load32_zero load64_zero', 'memory', 'v128.');
  put(0xfd, 94, VECTOR_REST);
  put(0xfd, 224, VECTOR_FLOAT_OPS, 'none', 'f32x4.');
  put(0xfd, 236, VECTOR_FLOAT_OPS, 'none', 'f64x2.');
  put(0xfd, 248, VECTOR_CONVERSIONS);
  put(0xfd, 261, 'f32x4.relaxed_madd f32x4.relaxed_nmadd f64x2.relaxed_madd f64x2.relaxed_nmadd');

  put(0xfe, 0, 'memory.atomic.notify memory.atomic.wait32 memory.atomic.wait64', 'memory');
  put(0xfe, 3, 'atomic.fence', 'zero');
  put(
    0xfe,
    0x10,
    'i32.atomic.load i64.atomic.load i32.atomic.load8_u i32.atomic.load16_u i64.atomic.load8_u i64.atomic.load16_u ' +
      'i64.atomic.load32_u i32.atomic.store i64.atomic.store i32.atomic.store8 i32.atomic.store16 i64.atomic.store8 ' +
      'i64.atomic.store16 i64.atomic.store32',
    'memory',
  );
  const widths = [
    'i32.atomic.rmw',
    'i64.atomic.rmw',
    'i32.atomic.rmw8',
    'i32.atomic.rmw16',
    'i64.atomic.rmw8',
    'i64.atomic.rmw16',
    'i64.atomic.rmw32',
  ];
  for (const [k, update] of ATOMIC_UPDATES.entries())
    put(0xfe, 0x1e + 7 * k, widths.map((w) => `${w}.${update}${/rmw\d/.test(w) ? '_u' : ''}`).join(' '), 'memory');
  return rows;
};

/** Bytes that an access touches: as many as its name says, else those of its type. `8x8` is eight bytes made wider. */
const bytesOf = (name: string): number => {
  if (name === 'memory.atomic.notify') return 4;
  const wide = /wait(\d+)|load(?:8x8|16x4|32x2)|(?:load|store|rmw)(\d+)/.exec(name);
  if (wide) return wide[0].includes('x') ? 8 : Number(wide[1] ?? wide[2]) / 8;
  return name.startsWith('v128') ? 16 : Number(name.slice(1, 3)) / 8;
};
