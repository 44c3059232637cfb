/** Table 4.1 of the thesis on the processor (x64): seconds and tasks, its system without looking across kernels and with it. */
export const CASES_IN_THESIS: Readonly<
  Record<string, { readonly seconds: readonly [number, number]; readonly tasks: readonly [number, number] }>
> = {
  maccormack: { seconds: [206.115, 73.52], tasks: [4726, 319] },
  mgpcg2d: { seconds: [23.64, 20.468], tasks: [1057560, 224570] },
  mgpcg3d: { seconds: [172.599, 161.927], tasks: [304392, 63869] },
  'mpm-g2p2g': { seconds: [292.615, 280.415], tasks: [18806, 9201] },
  'autodiff-forces': { seconds: [60.947, 53.278], tasks: [65674, 42454] },
};

/** Table 4.2: geometric means of the ten microbenchmarks on the processor. */
export const SMALL_IN_THESIS = { wallClock: 2.14, tasks: 3.69, compiled: 1.15 };

/** Tables 4.3 to 4.6: tasks and seconds (on the graphics card) without each pass. */
export const ABLATIONS_IN_THESIS: Readonly<
  Record<string, { readonly table: string; readonly rows: Readonly<Record<string, readonly [string, number]>> }>
> = {
  maccormack: {
    table: '4.3',
    rows: {
      reference: ['4726', 8.498],
      'list-removal': ['3781', 8.542],
      demotion: ['319', 2.899],
      fusion: ['950', 7.99],
      'dead-stores': ['319', 2.906],
      none: ['319', 2.907],
    },
  },
  'mpm-g2p2g': {
    table: '4.4',
    rows: {
      reference: ['18806', 14.059],
      'list-removal': ['14006', 15.059],
      demotion: ['9201', 10.976],
      fusion: ['11608', 13.835],
      'dead-stores': ['9201', 12.589],
      none: ['9201', 10.633],
    },
  },
  mgpcg2d: {
    table: '4.5',
    rows: {
      reference: ['420912 / 1057560', 7.776],
      'list-removal': ['420912 / 827303', 7.232],
      demotion: ['10524 / 227104', 2.213],
      fusion: ['8004 / 231695', 2.156],
      'dead-stores': ['8004 / 224585', 2.098],
      none: ['8004 / 224565', 2.098],
    },
  },
  'autodiff-forces': {
    table: '4.6',
    rows: {
      reference: ['65674', 2.256],
      'list-removal': ['42454', 1.386],
      demotion: ['42454', 1.383],
      fusion: ['54064', 1.411],
      'dead-stores': ['48424', 2.305],
      none: ['42454', 1.377],
    },
  },
};
