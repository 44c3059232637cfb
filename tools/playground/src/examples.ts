import cloth from './examples/cloth.ts?raw';
import grayScott from './examples/gray-scott.ts?raw';
import life from './examples/life.ts?raw';
import snow from './examples/snow.ts?raw';

/** Programs to begin with, the first of them first. */
export const examples: readonly { readonly name: string; readonly title: string; readonly text: string }[] = [
  { name: 'gray-scott', title: 'Gray–Scott: spots that divide', text: grayScott },
  { name: 'snow', title: 'MPM: a block of snow', text: snow },
  { name: 'life', title: 'Game of Life', text: life },
  { name: 'cloth', title: 'Cloth in the wind', text: cloth },
];
