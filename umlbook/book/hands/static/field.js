// The field of CPD-UML for fixed labels, as in umlbook.cpd.field.

function gaussian(X, Z, sigma) {
  return X.map((x) => Z.map((z) => Math.exp(-gap2(x, z) / (2 * sigma * sigma))));
}

function deviations(X, Y) {
  return combined(1, X, -1, times(Y, times(transposed(Y), X)));
}

// (6.20): the coefficients of least J for fixed labels.
function deformation(X, G, Y, lam) {
  const GPG = times(G, deviations(G, Y)), GPX = times(G, deviations(X, Y));
  const psi = solved(combined(1, GPG, lam, identity(X.length)), GPX);
  return psi.map((row) => row.map((value) => -value));
}

function movedBy(X, velocity, t) {
  return combined(1, X, t, velocity);
}

// (6.7) in its two parts: the scatter of the moved points and what the motion costs.
function scatterAndCost(X, G, Y, psi, lam) {
  return [squares(deviations(movedBy(X, times(G, psi), 1), Y)), lam * squares(psi)];
}
