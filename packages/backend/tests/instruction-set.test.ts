import { describe, expect, it } from 'vitest';
import { instructionSet, instructionSets, type Processor } from '@filigree/backend/native';
import { DiagnosticError } from '@filigree/ir';

const x64 = (...features: readonly string[]): Processor => ({ arch: 'x64', features: new Set(features) });
const haswell = ['avx2', 'fma', 'bmi2'];
const old = x64('sse4_2');
const middle = x64(...haswell);
/* Of AVX-512 the first processors had the foundation only. */
const foundation = x64(...haswell, 'avx512f');
const newest = x64(...haswell, 'avx512f', 'avx512bw', 'avx512dq', 'avx512vl');
const untold: Processor = { arch: 'x64', features: undefined };
const arm: Processor = { arch: 'arm64', features: undefined };

describe('the instruction set', () => {
  it('is the best of the processor, and all that it has besides', () => {
    const best = (p: Processor) => instructionSet({}, p);
    expect([old, middle, foundation, newest, untold, arm].map((p) => best(p).name)).toEqual([
      ...['sse', 'avx2', 'avx2', 'avx512', 'avx2', 'neon'],
    ]);
    expect(best(newest)).toMatchObject({ vectorBytes: 64, flags: ['-march=native'], named: false });
    expect(best(old)).toMatchObject({ vectorBytes: 16, flags: ['-march=native', '-mno-mmx'] });
    expect(best(newest).tuning).toEqual([]);
    expect([old, middle, newest, arm].map((p) => best(p).gathers)).toEqual([0, 0, 5, 0]);
    const quick = x64(...newest.features!, 'avx512_fp16');
    expect(best(quick).tuning).toEqual([
      '-mtune-ctrl=use_gather_2parts,use_gather_4parts,use_gather',
      '-mtune-ctrl=use_gather_2parts,use_gather_4parts,use_gather_8parts',
    ]);
    expect(best(quick).gathers).toBe(2);
    expect(instructionSet({ FILIGREE_TARGET: 'avx512' }, quick)).toMatchObject({ tuning: [], gathers: 5 });
    expect(instructionSet({ FILIGREE_TARGET: '' }, newest)).toEqual(best(newest));
    expect(best({ arch: 'riscv64', features: undefined })).toMatchObject({ name: 'plain', vectorBytes: 16 });
  });

  it('is the one that FILIGREE_TARGET names', () => {
    const named = (name: string) => instructionSet({ FILIGREE_TARGET: name }, newest);
    expect(named('sse')).toMatchObject({
      vectorBytes: 16,
      fma: false,
      flags: ['-march=x86-64-v2', '-mno-mmx'],
      named: true,
    });
    expect(named('avx2')).toMatchObject({ vectorBytes: 32, fma: true, flags: ['-march=x86-64-v3'], named: true });
    expect(named(' avx512 ')).toMatchObject({ vectorBytes: 64, flags: ['-march=x86-64-v4'], named: true });
  });

  it('is refused where the processor lacks it, or there is none of this name', () => {
    const refused = (name: string, processor: Processor) => {
      try {
        return instructionSet({ FILIGREE_TARGET: name }, processor).name;
      } catch (e) {
        if (!(e instanceof DiagnosticError)) throw e;
        const [{ code, message, remedy }] = e.diagnostics;
        return `${code}: ${message}; ${remedy}`;
      }
    };
    const rest = 'or unset it for all that this processor has';
    expect(refused('avx512', middle)).toBe(
      `toolchain/target: FILIGREE_TARGET is 'avx512', which this processor does not have; set it to sse or avx2, ${rest}`,
    );
    expect(refused('AVX', newest)).toBe(
      `toolchain/target: FILIGREE_TARGET is 'AVX', which is no instruction set; set it to sse or avx2 or avx512, ${rest}`,
    );
    expect(refused('sse', arm)).toContain(`which this processor does not have; set it to neon, ${rest}`);
  });

  it('can be named for what this processor has', () => {
    for (const name of instructionSets()) expect(instructionSet({ FILIGREE_TARGET: name })).toMatchObject({ name });
  });
});
