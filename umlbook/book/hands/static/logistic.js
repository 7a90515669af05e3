// A metric A and a threshold mu from labelled pairs: (7.11) for a 2 x 2 matrix, with a small ridge.

function softplus(t) {
  return t > 0 ? t + Math.log1p(Math.exp(-t)) : Math.log1p(Math.exp(t));
}

function expit(t) {
  return t > 0 ? 1 / (1 + Math.exp(-t)) : Math.exp(t) / (1 + Math.exp(t));
}

// The margin t of a pair with difference v.
function marginOf([a, b], A, mu) {
  return a * a * A[0][0] + 2 * a * b * A[0][1] + b * b * A[1][1] - mu;
}

// sum_S log(1 + e^t) + sum_D log(1 + e^-t) + tau tr A; a pair is [difference, +1 on S or -1 on D].
function pairCost(pairs, A, mu, tau) {
  return pairs.reduce((sum, [v, y]) => sum + softplus(y * marginOf(v, A, mu)), tau * trace(A));
}

function pairSlopes(pairs, A, mu, tau) {
  const slope = [[tau, 0], [0, tau]];
  let down = 0;
  for (const [[a, b], y] of pairs) {
    const pull = y * expit(y * marginOf([a, b], A, mu));
    slope[0][0] += pull * a * a;
    slope[0][1] += pull * a * b;
    slope[1][1] += pull * b * b;
    down -= pull;
  }
  slope[1][0] = slope[0][1];
  return [slope, down];
}

// The nearest matrix without a negative eigenvalue.
function withoutNegative(A) {
  const { values, angle } = symmetricPair(A);
  return values[0] >= 0 ? A : fromPair(values.map((value) => Math.max(value, 0)), angle);
}

// The best metric and threshold, by projected gradients with momentum; the problem is convex.
function learnedMetric(pairs, tau, steps = 4000) {
  let here = { A: identity(2), mu: 1 }, ahead = here, momentum = 1, rate = 1;
  for (let k = 0; k < steps; k++) {
    const [slope, down] = pairSlopes(pairs, ahead.A, ahead.mu, tau);
    const value = pairCost(pairs, ahead.A, ahead.mu, tau);
    let next, moved;
    for (rate *= 1.5; ; rate /= 2) {
      next = { A: withoutNegative(combined(1, ahead.A, -rate, slope)), mu: Math.max(ahead.mu - rate * down, 0) };
      const way = combined(1, next.A, -1, ahead.A), rise = next.mu - ahead.mu;
      moved = squares(way) + rise * rise;
      const linear = trace(times(slope, way)) + down * rise;
      if (pairCost(pairs, next.A, next.mu, tau) <= value + linear + moved / (2 * rate) + 1e-13 || rate < 1e-12) break;
    }
    if (moved / rate ** 2 < 1e-20) return next;
    const worse = pairCost(pairs, next.A, next.mu, tau) > pairCost(pairs, here.A, here.mu, tau);
    const grown = worse ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const share = worse ? 0 : (momentum - 1) / grown;
    ahead = { A: combined(1 + share, next.A, -share, here.A), mu: (1 + share) * next.mu - share * here.mu };
    momentum = grown;
    here = next;
  }
  return here;
}

// W with WW' = A, so that distances under A are Euclidean ones of the rows of XW.
function rootOf(A) {
  const { values, angle } = symmetricPair(A);
  return fromPair(values.map((value) => Math.sqrt(Math.max(value, 0))), angle);
}
