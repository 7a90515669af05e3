// Kernels of trace one, their mixtures, F2 of NAML, and kernel k-means, as in umlbook.

// HKH / tr(HKH): centred, and of trace one.
function traceOne(K) {
  const rows = K.map((row) => row.reduce((a, b) => a + b, 0) / row.length);
  const all = rows.reduce((a, b) => a + b, 0) / rows.length;
  const C = K.map((row, i) => row.map((v, j) => v - rows[i] - rows[j] + all)), size = trace(C);
  return C.map((row) => row.map((v) => v / size));
}

function mixture(bank, weights) {
  return bank[0].map((row, i) => row.map((_, j) => bank.reduce((sum, G, k) => sum + weights[k] * G[i][j], 0)));
}

// (5.23): F2 = tr(L'(I + G / lam)^-1 L).
function complementOf(G, L, lam) {
  const b = solved(combined(1 / lam, G, 1, identity(G.length)), L);
  return trace(times(transposed(L), b));
}

// Squared distances in feature space to the means of the clusters.
function kernelDistances(G, labels, K) {
  const groups = Array.from({ length: K }, (_, c) => labels.flatMap((l, i) => (l === c ? [i] : [])));
  const norms = groups.map((own) => own.reduce((s, i) => s + own.reduce((t, j) => t + G[i][j], 0), 0) / own.length ** 2);
  return G.map((row, i) => groups.map((own, c) =>
    Math.max(row[i] - (2 * own.reduce((s, j) => s + row[j], 0)) / own.length + norms[c], 0)));
}

function nearestColumn(costs) {
  return costs.map((row) => row.findIndex((d) => d <= Math.min(...row) + ROUNDING));
}

// Lloyd's algorithm on a kernel of trace one; a run that empties a cluster ends with Infinity.
function kernelLloyd(G, labels, K) {
  for (let pass = 0; pass < 100; pass++) {
    const next = nearestColumn(kernelDistances(G, labels, K));
    if (new Set(next).size < K) return { labels, objective: Infinity };
    if (next.every((label, i) => label === labels[i])) break;
    labels = next;
  }
  const far = kernelDistances(G, labels, K);
  return { labels, objective: far.reduce((sum, row, i) => sum + row[labels[i]], 0) };
}

// The best of n runs, one from each sample and the farthest one from it.
function bestKernelTwoMeans(G) {
  let best = null;
  G.forEach((row, i) => {
    const far = row.map((v, j) => row[i] - 2 * v + G[j][j]), most = Math.max(...far);
    const other = far.findIndex((d) => d >= most * (1 - ROUNDING));
    const start = G.map((each) => Number(G[other][other] - 2 * each[other] < row[i] - 2 * each[i] - ROUNDING));
    const run = kernelLloyd(G, start, 2);
    if (!best || run.objective < best.objective * (1 - ROUNDING)) best = run;
  });
  return best;
}
