import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { arch, cpus, platform } from 'node:os';

/** What tells processors apart: a cache folder may be shared by machines that differ in instruction sets. */
export const cpuFingerprint = async (): Promise<string> => {
  const model = cpus()[0]?.model ?? 'unknown';
  const flags = await readFile('/proc/cpuinfo', 'utf8').then(
    (t) => /^(?:flags|Features)\s*:.*$/m.exec(t)?.[0] ?? '',
    () => '',
  );
  return `${platform()}-${arch()}-${createHash('sha256').update(model).update(flags).digest('hex').slice(0, 16)}`;
};
