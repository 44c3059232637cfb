import { blockSize } from '@filigree/backend/gpu';
import { cachedFile, contentHash, firstLines, locate, runProcess } from '@filigree/backend/native';
import { fail } from '@filigree/ir';
import { MOST_BINDINGS } from '../emit/dialect.js';
import { metalLanguage } from '../emit/language.js';
import { hostFile, hostTexts } from '../host-file.js';

/** What the text of the host is told of kernels. */
export const hostDefines: readonly string[] = [
  `-DFILIGREE_MOST_THREADS=${blockSize}`,
  `-DFILIGREE_MOST_BINDINGS=${MOST_BINDINGS}`,
  `-DFILIGREE_WARP=${metalLanguage.warp}`,
];

/** Where the host is compiled. */
export interface HostOptions {
  /** Default that of this process. */
  readonly platform?: string;
  /** As `cache` of `compile`. */
  readonly cache?: string | false | undefined;
}

/**
 * The file of the host, compiled once and kept in the cache. Errors: `metal/driver` where this is no macOS, `toolchain/missing`, `metal/host`
 * where the text does not compile, `cache/…`.
 */
export const builtHost = async ({ platform = process.platform, cache }: HostOptions = {}): Promise<string> => {
  if (platform !== 'darwin')
    fail('metal/driver', `Metal is a part of macOS, and this is ${platform}`, {
      remedy: 'use a Mac, or another backend; --emit writes the sources anywhere',
    });
  const clang =
    (await locate('clang', process.env['PATH'] ?? '')) ??
    fail('toolchain/missing', 'there is no clang on PATH, which compiles what stands between Metal and this process', {
      remedy: 'install the command line tools: xcode-select --install',
    });
  const { status, stdout, stderr } = await runProcess(clang, ['--version'], { limitMs: 20_000 });
  if (status !== 0)
    fail('toolchain/missing', `${clang} does not run: ${firstLines(stderr || stdout)}`, {
      remedy: 'install the command line tools: xcode-select --install',
    });
  const texts = Object.entries(await hostTexts()).flat();
  const { path } = await cachedFile({
    cache,
    key: contentHash('metal-host', ...texts, stdout, ...flags),
    file: 'host.dylib',
    build: async (into) => {
      const done = await runProcess(clang, [...flags, hostFile, '-o', into], { limitMs: 120_000 });
      if (done.status !== 0)
        fail(
          'metal/host',
          `${clang} failed with ${done.failure ?? `status ${done.status}`}:\n${firstLines(done.stderr)}`,
          {
            remedy: 'update the command line tools; if that does not help, please report it with this text',
          },
        );
    },
  });
  return path;
};

/* CoreGraphics is what has Metal say which device is the default one in programs without windows. */
const flags: readonly string[] = [
  ...['-x', 'objective-c', '-fno-objc-arc', '-O1', '-Wall', '-Wno-deprecated-declarations', '-dynamiclib'],
  ...hostDefines,
  ...['-framework', 'Foundation', '-framework', 'Metal', '-framework', 'CoreGraphics'],
];
