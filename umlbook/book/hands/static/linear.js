// Small dense linear algebra: a matrix is an array of rows.

function times(A, B) {
  return A.map((row) => B[0].map((_, j) => row.reduce((sum, a, k) => sum + a * B[k][j], 0)));
}

function transposed(A) {
  return A[0].map((_, j) => A.map((row) => row[j]));
}

function trace(A) {
  return A.reduce((sum, row, i) => sum + row[i], 0);
}

function squares(A) {
  return A.reduce((sum, row) => sum + row.reduce((s, a) => s + a * a, 0), 0);
}

function combined(a, A, b, B) {
  return A.map((row, i) => row.map((value, j) => a * value + b * B[i][j]));
}

function identity(n) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Number(i === j)));
}

// X with AX = B, by elimination with row exchanges.
function solved(A, B) {
  const n = A.length, rows = A.map((row, i) => [...row, ...B[i]]);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      if (factor) for (let j = k; j < rows[i].length; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let j = n; j < rows[k].length; j++) {
      let value = rows[k][j];
      for (let i = k + 1; i < n; i++) value -= rows[k][i] * rows[i][j];
      rows[k][j] = value / rows[k][k];
    }
  }
  return rows.map((row) => row.slice(n));
}

// Eigenvalues of a symmetric 2 x 2 matrix, ascending, and the angle of the eigenvector of the last.
function symmetricPair([[a, b], [, c]]) {
  const middle = (a + c) / 2, reach = Math.hypot((a - c) / 2, b);
  return { values: [middle - reach, middle + reach], angle: Math.atan2(2 * b, a - c) / 2 };
}

// The symmetric 2 x 2 matrix with these eigenvalues, the last along `angle`.
function fromPair([low, high], angle) {
  const u = Math.cos(angle), v = Math.sin(angle), rest = high - low;
  return [[low + rest * u * u, rest * u * v], [rest * u * v, low + rest * v * v]];
}
