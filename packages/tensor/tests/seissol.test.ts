import { boundingBox, countNonzeros, patternOf, type BooleanTensor } from '@filigree/sparse/eqspp';
import * as E from 'fp-ts/lib/Either.js';
import {
  deducePattern,
  explainKernel,
  kernel,
  planKernel,
  printMappings,
  sum,
  tensor,
  timeCost,
  type CostModel,
  type KernelDecl,
  type Plan,
  type Tensor,
} from '@filigree/tensor';
import { expect, test } from 'vitest';
import { basis, seissolPatterns } from './seissol-patterns.js';

const plan = (decl: KernelDecl, cost?: CostModel): Plan => {
  const result = planKernel(decl, { type: 'f64', ...(cost ? { cost } : {}) });
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

const sparse = (name: string, pattern: BooleanTensor): Tensor => tensor(name, pattern.shape, { pattern });

/** (16): the flux from a neighbour, as the paper writes it; 0 simulations: without that index. */
const neighbour = (order: number, simulations: number, f: BooleanTensor, r: BooleanTensor, rDivM: BooleanTensor) => {
  const s = simulations > 0 ? 's' : '';
  const shape = [...(simulations > 0 ? [simulations] : []), basis(order), 9];
  const [Q, I] = [tensor('Q', shape), tensor('I', shape)];
  return kernel(
    'neighbour',
    Q(`${s}kp`).accumulate(
      sparse(
        'H',
        rDivM,
      )('km')
        .mul(sparse('f', f)('mn'))
        .mul(sparse('R', r)('ln'))
        .mul(I(`${s}lq`))
        .mul(tensor('A', [9, 9])('pq')),
    ),
  );
};

const orderOf = (decl: KernelDecl): string => {
  const result = explainKernel(decl, { type: 'f64' });
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right[0].order;
};

test('§5.1.3: the order of the neighbour flux, for one simulation and for fused ones', () => {
  for (const order of [4, 6, 7]) {
    const { fRotated, fMirrored, r, rDivM } = seissolPatterns(order);
    expect(orderOf(neighbour(order, 0, fRotated, r, rDivM))).toBe('(Q + (H*((f*(R*I))*A)))');
    for (const simulations of [8, 32])
      expect(orderOf(neighbour(order, simulations, fMirrored, r, rDivM))).toBe('(Q + ((H*f)*((R*I)*A)))');
  }
});

test('§5.1.4: its loops over products of matrices', () => {
  const dense = ({ shape }: BooleanTensor): BooleanTensor => ({
    shape,
    bits: new Uint8Array(shape[0] * shape[1]).fill(1),
  });
  const { fMirrored: f, r, rDivM } = seissolPatterns(4);
  expect(printMappings(plan(neighbour(4, 0, dense(f), dense(r), dense(rDivM))).actions)).toBe(
    [
      '_tmp0_nq := R_ln^T I_lq',
      '_tmp1_mq := f_mn _tmp0_nq',
      '_tmp2_mp := _tmp1_mq A_pq^T',
      'Q_kp += H_km _tmp2_mp',
    ].join('\n'),
  );
  expect(printMappings(plan(neighbour(4, 8, f, r, rDivM)).actions)).toBe(
    [
      '_tmp0_kn := H_km f_mn',
      '_tmp1_sn[q] := I_sl[q] R_ln',
      '_tmp2_(sn)p := _tmp1_(sn)q A_pq^T',
      'Q_sk[p] += _tmp2_sn[p] _tmp0_kn^T',
    ].join('\n'),
  );
});

test('§5.1.2: the zero columns of K̂ empty the highest degree of I', () => {
  const order = 4;
  const { kDivM, star } = seissolPatterns(order);
  const shape = [8, basis(order), 9];
  const [Q, I] = [tensor('Q', shape), tensor('I', shape)];
  const decl = kernel(
    'volume',
    Q('skp').accumulate(
      sum(
        kDivM.map((k, d) =>
          sparse(
            `K(${d})`,
            k,
          )('kl')
            .mul(I('slq'))
            .mul(sparse(`star(${d})`, star)('qp')),
        ),
      ),
    ),
  );
  const explained = explainKernel(decl, { type: 'f64' });
  if (E.isLeft(explained)) throw new Error(JSON.stringify(explained.left));
  const used = explained.right[0].patterns.filter((p) => p.name === 'I');
  // One direction leaves out even more of the highest degree that it keeps.
  expect(Math.max(...used.map((p) => p.box[1][1]))).toBe(basis(order - 1));
  const { actions, flops, buffers } = plan(decl);
  // Each term is added before the next one needs a temporary.
  expect(buffers.length).toBe(1);
  const products = actions.flatMap(({ operation }) => (operation.kind === 'log' ? [operation] : []));
  for (const { right, gemm } of products)
    if (right.name.startsWith('K')) expect(gemm.k).toBeLessThanOrEqual(basis(order - 1));
    else expect(gemm).toMatchObject({ n: 9, k: 9, b: { kind: 'sparse' } });
  expect(flops.nonzero).toBeLessThan(flops.hardware);
  expect(flops.hardware).toBeLessThan(flops.naive);
});

test('Fig. 6: derivatives of the Cauchy-Kovalewski procedure have fewer and fewer coefficients', () => {
  const order = 5;
  const { kDivMT, star } = seissolPatterns(order);
  const shape = [basis(order), 9];
  let D = tensor('dQ(0)', shape);
  for (let degree = 1; degree < order; degree++) {
    const derivative = sum(
      kDivMT.map((k, d) =>
        sparse(
          `kDivMT(${d})`,
          k,
        )('kl')
          .mul(D('lq'))
          .mul(sparse(`star(${d})`, star)('qp')),
      ),
    );
    const pattern = deducePattern(derivative, 'kp');
    expect(boundingBox(pattern)[0]).toEqual([0, basis(order - degree)]);
    expect(countNonzeros(pattern)).toBe(9 * basis(order - degree));
    const next = tensor(`dQ(${degree})`, shape, { pattern });
    const { tensors } = plan(kernel(`derivative(${degree})`, next('kp').assign(derivative)));
    expect(tensors.find((t) => t.tensor.name === next.decl.name)!.layout.size).toBe(9 * basis(order - degree));
    D = next;
  }
});

test('Fig. 3: a product of a matrix, a tensor and a vector', () => {
  const decl = kernel(
    'k',
    tensor(
      'C',
      [8, 8],
    )('ij').assign(
      tensor(
        'A',
        [8, 8],
      )('lj')
        .mul(tensor('B', [8, 8, 8])('ikl'))
        .mul(tensor('w', [8])('k')),
    ),
  );
  expect(orderOf(decl)).toBe('(A*(B*w))');
  expect(printMappings(plan(decl).actions)).toBe(['_tmp0_i[l] := B_ik[l] w_k', 'C_ij := _tmp0_il A_lj'].join('\n'));
});

test('another cost chooses other permutations', () => {
  const counting: CostModel = {
    name: 'loops',
    log: ({ size }) => [size.count],
    batch: ({ size }) => [size.m * size.n],
    copy: () => [0],
    compare: (a, b) => a[0] - b[0],
  };
  const decl = kernel(
    'k',
    tensor(
      'Z',
      [8, 8, 8],
    )('abc').assign(
      tensor(
        'X',
        [8, 8, 8],
      )('akl')
        .mul(tensor('Y', [8, 8])('kb'))
        .mul(tensor('W', [8, 2])('lm'))
        .mul(tensor('V', [2, 8])('mc')),
    ),
  );
  expect(printMappings(plan(decl).actions)).toBe(
    ['_tmp0_(ak)m := X_(ak)l W_lm', '_tmp1_ab[m] := _tmp0_ak[m] Y_kb', 'Z_(ab)c := _tmp1_(ab)m V_mc'].join('\n'),
  );
  expect(printMappings(plan(decl, counting).actions)).toBe(
    ['_tmp0_m(ak) := X_(ak)l W_lm', '_tmp1_(ma)b := _tmp0_(ma)k Y_kb', 'Z_(ab)c := _tmp1_m(ab)^T V_mc'].join('\n'),
  );
  // By time a loop of two is better than a transposed operand.
  expect(printMappings(plan(decl, timeCost()).actions)).toBe(printMappings(plan(decl).actions));
});

test('LinA (17): what is stored transposed spares transposes, and fluxes take no loop', () => {
  const n = 8;
  const shape = [n, n, n, 4];
  const flux = (name: string, d: number): Tensor =>
    sparse(name, patternOf([4, 4], [[0, d], [d, 0]])); // prettier-ignore
  const [D, E1, K, KT] = [tensor('D', shape), tensor('E', shape), tensor('K', [n, n]), tensor('KT', [n, n])];
  const [A, B, C] = [flux('A', 1), flux('B', 2), flux('C', 3)];
  const decl = kernel(
    'derivative',
    E1('xyzp').assign(
      sum([
        K('xl').mul(D('lyzq')).mul(A('qp')),
        KT('my').mul(D('xmzq')).mul(B('qp')),
        KT('nz').mul(D('xynq')).mul(C('qp')),
      ]),
    ),
  );
  expect(printMappings(plan(decl).actions)).toBe(
    [
      '_tmp0_x(yzq) := K_xl D_l(yzq)',
      'E_(xyz)p := _tmp0_(xyz)q A_qp',
      '_tmp2_xy[z][q] := D_xm[z][q] KT_my',
      'E_(xyz)p += _tmp2_(xyz)q B_qp',
      '_tmp4_(xy)z[q] := D_(xy)n[q] KT_nz',
      'E_(xyz)p += _tmp4_(xyz)q C_qp',
    ].join('\n'),
  );
});

test('MADNESS (22): seven factors in well under a second', () => {
  const [p, q] = [10, 3];
  const side = (name: string) => [tensor(`${name}L`, [p, q]), tensor(`${name}R`, [q, p])];
  const [[xl, xr], [yl, yr], [zl, zr]] = [side('X'), side('Y'), side('Z')];
  const decl = kernel(
    'madness',
    tensor('R', [p, p, p])('ijk').assign(
      tensor('S', [p, p, p])('xyz').mul(xl('xl')).mul(xr('li')).mul(yl('ym')).mul(yr('mj')).mul(zl('zn')).mul(zr('nk')),
    ),
  );
  const { flops, actions } = plan(decl);
  expect(actions.length).toBe(6);
  // Down to q³ and up again.
  const down = q * p ** 3 + q ** 2 * p ** 2 + q ** 3 * p;
  expect(flops.nonzero).toBeLessThanOrEqual(2 * 2 * down);
});
