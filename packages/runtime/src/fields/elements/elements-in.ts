import { rare } from '#rare';
import type { Arena } from '../arena.js';
import type { Component } from '../component.js';
import type { Elements } from './elements.js';
import { stridedElements } from './strided-elements.js';

/** The elements of a field with these components. */
export const elementsIn = (arena: Arena, name: string, components: readonly Component[]): Elements =>
  arena.isStrided ? stridedElements(arena, name, components) : rare().cellElements(arena, name, components);
