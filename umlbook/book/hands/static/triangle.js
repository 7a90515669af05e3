// Chapter 5: move in the triangle of three kernels, and see F2 and the clusters.

const CORNERS = [[0, 0], [1, 0], [0.5, Math.sqrt(3) / 2]];
const CELLS = 20; // the triangle is coloured at multiples of 1 / CELLS

function placeOf(weights) {
  return [0, 1].map((k) => weights.reduce((sum, w, i) => sum + w * CORNERS[i][k], 0));
}

// Barycentric coordinates of a place; what lies outside goes to the border.
function weightsAt([x, y]) {
  const third = y / CORNERS[2][1], second = x - third / 2;
  const inside = [1 - second - third, second, third].map((w) => Math.max(w, 0));
  const sum = inside.reduce((a, b) => a + b, 0);
  return inside.map((w) => w / sum);
}

function triangle(stage, data) {
  const { X, truth, lam } = data, n = X.length, L = indicator(truth, 2), state = { weights: data.start, least: Infinity };
  const bank = X[0].map((_, k) => traceOne(gaussian(X.map((x) => [x[k]]), X.map((x) => [x[k]]), data.sigma)));
  const value = (weights) => complementOf(mixture(bank, weights), L, lam);
  const [low, high] = [data.least, data.most], known = new Map();

  const board = newPlot({ x: [-0.16, 1.16], y: [-0.12, 1.0], label: "The triangle of the weights" });
  const cells = board.layer();
  board.path(CORNERS, "line", board.svg, true);
  const names = [["feature 1", 0, 20], ["feature 2", 0, 20], ["feature 3", 0, -12]];
  names.forEach(([name, dx, dy], i) => board.write(name, CORNERS[i], { dx, dy, "text-anchor": "middle" }));
  addHandle(board, {
    mark: shape("circle", { class: "grip", r: 11 }), label: "Weights of the three kernels", step: 0.02, size: 18,
    where: () => placeOf(state.weights),
    move: (place) => ((state.weights = weightsAt(place)), update()),
    text: () => `weights ${state.weights.map((w) => decimals(w)).join(", ")}`,
    now: () => decimals(state.weights[0]),
  });
  const goal = board.layer(); // above the ring, which would hide the cross
  goal.style.pointerEvents = "none";
  const plane = newPlot({ x: data.x, y: data.y, width: 360, height: 250, label: "The points" });
  drawFrame(plane);
  const dots = plane.layer();
  plane.write("feature 1 →", [data.x[1], data.y[0]], { class: "quiet", "text-anchor": "end", dx: -6, dy: -7 });
  plane.write("↑ feature 2", [data.x[0], data.y[1]], { class: "quiet", dx: 6, dy: 18 });
  stage.plots.append(board.svg);
  const show = addReadouts(stage.side, [
    ["F2", "F₂ of the true clusters (5.23)", "main"],
    ["least", "least so far"],
    ["weights", "weights"],
    ["right", "kernel k-means is right for"],
  ]);
  stage.side.append(plane.svg, element("p", { class: "hint" }, "The third feature is noise; it is not in the picture."));

  // The colour of a cell: the stronger the blue, the smaller F2, on light and on dark paper.
  function paint(i, j) {
    const key = `${i} ${j}`;
    if (known.has(key)) return;
    const weights = [CELLS - i - j, i, j].map((w) => w / CELLS), level = (value(weights) - low) / (high - low);
    known.set(key, level);
    const look = { r: 7.9, fill: "#0072b2", "fill-opacity": decimals(0.75 * (1 - clamp(level, [0, 1])) ** 2 + 0.04, 3) };
    board.add(shape("circle", look), placeOf(weights), cells);
  }
  function paintAll() {
    for (let i = 0; i <= CELLS; i++) for (let j = 0; j <= CELLS - i; j++) paint(i, j);
    goal.replaceChildren();
    board.add(shape("path", { class: "line", d: "M-7 -7L7 7M-7 7L7 -7" }), placeOf(data.weights), goal);
  }
  function update() {
    const { weights } = state, F2 = value(weights), { labels } = bestKernelTwoMeans(mixture(bank, weights));
    const right = rightLabels(truth, labels), reached = F2 - low < data.near;
    state.least = Math.min(state.least, F2);
    const i = Math.round(weights[1] * CELLS), j = Math.min(Math.round(weights[2] * CELLS), CELLS - i);
    paint(i, j);
    if (reached) paintAll();
    if (goal.hasChildNodes()) stage.advise("The stronger the blue of a spot, the smaller F₂ is there.");
    dots.replaceChildren();
    X.forEach((x, k) => plane.add(marker(labels[k], 5), x, dots));
    board.refresh();
    show("F2", decimals(F2, 3));
    show("least", decimals(state.least, 3));
    show("weights", weights.map((w) => decimals(w)).join(", "));
    show("right", `${right} of ${n}`);
    const at = data.weights.map((w) => decimals(w)).join(", "), [one, two] = data.corners.map((v) => decimals(v, 3));
    stage.judge(reached, `You found F₂ = ${decimals(state.least, 3)}; the least is ${decimals(low, 3)}, at the weights ${at} (cross). `
      + `Feature 1 alone has ${one}, feature 2 alone ${two}: each says something that the other does not. `
      + "F₂ is convex (5.24), so there is no other valley to look for.");
  }
  return update;
}
