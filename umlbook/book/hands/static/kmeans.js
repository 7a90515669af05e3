// K-means: its objective in five forms, and Lloyd's algorithm as in umlbook.lloyd.

const ROUNDING = 1e-10; // relative differences below this decide nothing

function gap2(a, b) {
  return a.reduce((sum, value, k) => sum + (value - b[k]) ** 2, 0);
}

function members(X, labels, K) {
  return Array.from({ length: K }, (_, c) => X.filter((_, i) => labels[i] === c));
}

function meanRow(rows) {
  return rows[0].map((_, k) => rows.reduce((sum, row) => sum + row[k], 0) / rows.length);
}

// (1.1): squared distances to the means.
function doubleSum(X, labels, K) {
  const means = members(X, labels, K).map(meanRow);
  return X.reduce((sum, x, i) => sum + gap2(x, means[labels[i]]), 0);
}

// (1.4): squared distances of pairs inside clusters; no mean is formed.
function pairForm(X, labels, K) {
  return members(X, labels, K).reduce((sum, S) => {
    const pairs = S.reduce((s, a) => s + S.reduce((t, b) => t + gap2(a, b), 0), 0);
    return sum + pairs / (2 * S.length);
  }, 0);
}

// (1.5): norms of the blocks, centred by a product with ones.
function blockForm(X, labels, K) {
  return members(X, labels, K).reduce((sum, S) => {
    const ones = S.map(() => S.map(() => 1 / S.length));
    return sum + squares(combined(1, S, -1, times(ones, S)));
  }, 0);
}

// (1.7): traces of the blocks less p'SS'p / n_c.
function blockTraces(X, labels, K) {
  return members(X, labels, K).reduce((sum, S) => {
    const products = times(S, transposed(S));
    const all = products.reduce((s, row) => s + row.reduce((t, a) => t + a, 0), 0);
    return sum + trace(products) - all / S.length;
  }, 0);
}

function indicator(labels, K) {
  const sizes = Array.from({ length: K }, (_, c) => labels.filter((l) => l === c).length);
  return labels.map((l) => sizes.map((size, c) => (l === c ? 1 / Math.sqrt(size) : 0)));
}

// (1.12): tr(XX') - tr(Y'XX'Y).
function traceForm(X, labels, K) {
  const Y = indicator(labels, K), products = times(X, transposed(X));
  return trace(products) - trace(times(transposed(Y), times(products, Y)));
}

function nearestLabels(X, centers) {
  const found = X.map((x) => {
    const far = centers.map((m) => Math.sqrt(gap2(x, m)));
    const least = Math.min(...far), slack = ROUNDING * (least + Math.hypot(...x));
    const label = far.findIndex((distance) => distance <= least + slack);
    return [label, far[label]];
  });
  return { labels: found.map((f) => f[0]), distances: found.map((f) => f[1]) };
}

// Each empty cluster gets the sample farthest from its own centre, as umlbook.lloyd.fill_empty.
function filled({ labels, distances }, K) {
  const given = [...labels], far = [...distances];
  const sizes = Array.from({ length: K }, (_, c) => given.filter((l) => l === c).length);
  for (let c = 0; c < K; c++) {
    if (sizes[c]) continue;
    const free = far.map((d, i) => (sizes[given[i]] > 1 ? d : -Infinity));
    const most = Math.max(...free);
    const i = free.findIndex((d) => d >= most * (1 - ROUNDING));
    sizes[given[i]] -= 1;
    sizes[c] = 1;
    given[i] = c;
    far[i] = 0;
  }
  return given;
}

function lloyd(X, labels, K) {
  for (let pass = 0; pass < 300; pass++) {
    const next = filled(nearestLabels(X, members(X, labels, K).map(meanRow)), K);
    if (next.every((label, i) => label === labels[i])) break;
    labels = next;
  }
  return { labels, objective: doubleSum(X, labels, K) };
}

// K-means for two clusters, the best of n runs: one from each sample and the farthest one from it.
function bestTwoMeans(X) {
  let best = null;
  for (const x of X) {
    const far = X.map((other) => gap2(x, other)), most = Math.max(...far);
    const other = X[far.findIndex((d) => d >= most * (1 - ROUNDING))];
    const run = lloyd(X, filled(nearestLabels(X, [x, other]), 2), 2);
    if (!best || run.objective < best.objective * (1 - ROUNDING)) best = run;
  }
  if (best.labels[0]) best.labels = best.labels.map((label) => 1 - label); // names do not matter
  return best;
}

function scatter(X) {
  const mean = meanRow(X);
  return X.reduce((sum, x) => sum + gap2(x, mean), 0);
}

// How many of two clusters' labels agree with the truth, whatever the clusters are called.
function rightLabels(truth, labels) {
  const same = truth.filter((t, i) => t === labels[i]).length;
  return Math.max(same, truth.length - same);
}
