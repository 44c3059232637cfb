import {
  clothDerivedHessianProblem,
  clothDerivedOfElementsProblem,
  clothHessianOfElementsProblem,
  clothHessianProblem,
  clothInput,
  cotanOfElementsProblem,
  cotanProblem,
  gridMesh,
  type Mesh,
  type Problem,
} from '@filigree/e2e';

/** Programs over the faces of a grid, whose compilation is measured by how many faces there are. */
export const GROWTH_CASES: Readonly<Record<string, { readonly title: string; readonly of: (mesh: Mesh) => Problem }>> =
  {
    cotan: { title: 'cotan Laplacian and mass, a loop over faces', of: (mesh) => cotanProblem(mesh) },
    'cotan-elements': { title: 'the same, faces as elements', of: cotanOfElementsProblem },
    cloth: {
      title: 'cloth Hessian by hand, a loop over faces',
      of: (mesh) => clothHessianProblem(clothInput(mesh, 1)),
    },
    'cloth-elements': {
      title: 'the same, faces as elements',
      of: (mesh) => clothHessianOfElementsProblem(clothInput(mesh, 1)),
    },
    'cloth-ad': {
      title: 'cloth Hessian by differentiation, a loop over faces',
      of: (mesh) => clothDerivedHessianProblem(clothInput(mesh, 1)),
    },
    'cloth-ad-elements': {
      title: 'the same, faces as elements',
      of: (mesh) => clothDerivedOfElementsProblem(clothInput(mesh, 1)),
    },
  };

/** A flat grid of about so many faces. */
export const gridOfFaces = (faces: number): Mesh => {
  const side = Math.max(2, Math.round(Math.sqrt(faces / 2)));
  return gridMesh(side, side);
};
