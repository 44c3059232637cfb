import type { CFamilyDialect } from '@filigree/backend';

/** A language in which kernels are written and compiled for this machine. */
export interface NativeLanguage {
  /** The name of the backend, which begins the codes of its diagnostics: `cpp`, `cpp/compile`. */
  readonly name: string;
  /** Whose compiler is called, and how sources end: `kernels.cpp`, `kernels.c`. */
  readonly language: 'cpp' | 'c';
  /** The standard that the compiler keeps to: `-std=gnu++2a`, `-std=c11`. */
  readonly standard: string;
  /** How ops are written. */
  readonly dialect: CFamilyDialect;
}

/** The file that holds all kernels. */
export const sourceName = ({ language }: Pick<NativeLanguage, 'language'>): string => `kernels.${language}`;
