import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A C++ compiler that was found. */
export interface Compiler {
  readonly command: string;
  /** First line of `--version`. */
  readonly version: string;
}

/** The Eigen headers that were found. */
export interface Eigen {
  readonly folder: string;
  readonly version: string;
}

/** What is there, or why it is not. */
export type Found<T> = { readonly found: T } | { readonly missing: string };

/** The C++ compiler: `$CXX`, else the first of g++, clang++ and c++ on the path. */
export const findCompiler = (env: NodeJS.ProcessEnv = process.env): Found<Compiler> => {
  const names = env.CXX ? [env.CXX] : ['g++', 'clang++', 'c++'];
  for (const command of names) {
    const result = spawnSync(command, ['--version'], { encoding: 'utf8', env });
    if (result.status === 0) return { found: { command, version: result.stdout.split('\n')[0].trim() } };
  }
  return {
    missing: env.CXX ? `$CXX is ${env.CXX}, which does not run` : 'no C++ compiler on the path (g++, clang++, c++)',
  };
};

/** Eigen's headers: `$EIGEN_DIR`, else the usual folders. */
export const findEigen = (env: NodeJS.ProcessEnv = process.env): Found<Eigen> => {
  const folders = env.EIGEN_DIR
    ? [env.EIGEN_DIR]
    : ['/usr/include/eigen3', '/usr/local/include/eigen3', '/opt/homebrew/include/eigen3'];
  for (const folder of folders) {
    if (!existsSync(join(folder, 'Eigen', 'Sparse'))) continue;
    const macros = readFileSync(join(folder, 'Eigen', 'src', 'Core', 'util', 'Macros.h'), 'utf8');
    const part = (name: string): string => new RegExp(`#define EIGEN_${name}_VERSION (\\d+)`).exec(macros)?.[1] ?? '?';
    return { found: { folder, version: `${part('WORLD')}.${part('MAJOR')}.${part('MINOR')}` } };
  }
  return {
    missing: env.EIGEN_DIR
      ? `$EIGEN_DIR is ${env.EIGEN_DIR}, which holds no Eigen/Sparse`
      : 'Eigen is not in /usr/include/eigen3 (apt: libeigen3-dev) and EIGEN_DIR is not set',
  };
};
