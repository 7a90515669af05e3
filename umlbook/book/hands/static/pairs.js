// Chapter 7: say of two points that they belong together or apart, and see the metric learn.

function pairs(stage, data) {
  const { X, truth, tau } = data, state = { links: [], chosen: [], at: data.first };
  const plot = newPlot({ x: data.x, y: data.y, label: "Points of which two can be chosen" });
  drawFrame(plot);
  const ball = plot.path([], "thin dashed"), links = plot.layer(), top = plot.layer();
  const meant = "Dashed: the distance from the centre at which a pair is as likely together as apart, d² = μ.";
  stage.plots.append(plot.svg, element("p", { class: "hint" }, meant));
  const row = element("div", { class: "row" });
  const said = element("p", { role: "status", "aria-live": "polite" });
  stage.side.append(said, row);
  const together = addButton(row, "Together", () => link(1));
  const apart = addButton(row, "Apart", () => link(-1));
  const undo = addButton(row, "Take back", () => ((state.links = state.links.slice(0, -1)), update()));
  addButton(row, "Start again", () => (Object.assign(state, { links: [], chosen: [] }), update()));
  const show = addReadouts(stage.side, [
    ["right", "k-means is right for", "main"],
    ["pairs", "pairs told"],
    ["strong", "weight of the strongest direction"],
    ["weak", "weight of the weakest direction"],
    ["angle", "the strongest direction"],
    ["mu", "threshold μ of d² (7.10)"],
  ]);

  let model = {};
  const groups = X.map((x, i) => {
    const group = shape("g", { class: "handle", role: "button", tabindex: "-1" },
      shape("circle", { class: "hit", r: 20 }), shape("circle", { class: "ring", r: 11 }), shape("g"));
    plot.add(group, x, top);
    group.addEventListener("keydown", (event) => press(event, i));
    group.addEventListener("focus", () => (state.at = i));
    return group;
  });
  plot.svg.addEventListener("click", (event) => {
    const place = plot.point(event), far = X.map((x) => gap2(x, place)), i = far.indexOf(Math.min(...far));
    if (Math.sqrt(far[i]) < data.near) choose(i);
  });

  // The arrow keys go to the next point in their direction; Enter chooses it.
  function press(event, i) {
    if (event.key === "Enter" || event.key === " ") choose(i);
    else if (WAYS[event.key]) focusAt(neighbour(i, WAYS[event.key]));
    else return;
    event.preventDefault();
  }
  function neighbour(i, [a, b]) {
    let best = i, least = Infinity;
    X.forEach((x, j) => {
      const [u, v] = [x[0] - X[i][0], x[1] - X[i][1]], ahead = u * a + v * b, aside = Math.abs(u * b) + Math.abs(v * a);
      if (j !== i && ahead > 1e-9 && ahead + 2 * aside < least) [best, least] = [j, ahead + 2 * aside];
    });
    return best;
  }
  function focusAt(i) {
    state.at = i;
    update();
    groups[i].focus();
  }
  function choose(i) {
    state.at = i;
    state.chosen = state.chosen.includes(i) ? state.chosen.filter((j) => j !== i) : [...state.chosen, i].slice(-2);
    update();
  }
  function link(y) {
    const pair = [...state.chosen].sort((a, b) => a - b);
    state.links = [...state.links.filter((one) => one.pair.join() !== pair.join()), { pair, y }];
    state.chosen = [];
    update();
  }
  // The metric of the pairs told so far, and its clusters; found again when the pairs change.
  function learned() {
    if (model.links === state.links) return model;
    const told = state.links.map(({ pair: [i, j], y }) => [X[i].map((v, k) => v - X[j][k]), y]);
    const both = told.some(([, y]) => y > 0) && told.some(([, y]) => y < 0);
    const { A, mu } = both ? learnedMetric(told, tau) : { A: identity(2), mu: data.mu };
    model = { A, mu, both, links: state.links, labels: bestTwoMeans(times(X, rootOf(A))).labels };
    return model;
  }
  function update() {
    const { A, mu, both, labels } = learned(), { values, angle } = symmetricPair(A);
    groups.forEach((group, i) => {
      group.lastChild.replaceChildren(marker(labels[i], 5.5));
      group.classList.toggle("chosen", state.chosen.includes(i));
      group.setAttribute("tabindex", i === state.at ? "0" : "-1");
      group.setAttribute("aria-pressed", state.chosen.includes(i));
      const place = X[i].map((v) => decimals(v, 1)).join(", ");
      group.setAttribute("aria-label", `Point at ${place}, cluster ${labels[i] + 1}`);
    });
    links.replaceChildren();
    for (const { pair: [i, j], y } of state.links) plot.path([X[i], X[j]], y > 0 ? "line" : "line dotted", links);
    const axes = [values[1], values[0]].map((value) => Math.min(Math.sqrt(mu / Math.max(value, 1e-9)), 50));
    ball.setAttribute("d", pathOf(plot, ellipsePoints(data.centre, axes, angle), true));
    together.disabled = apart.disabled = state.chosen.length < 2;
    undo.disabled = !state.links.length;
    said.textContent = state.chosen.length === 2 ? "Do these two belong together or apart?"
      : state.chosen.length === 1 ? "Choose a second point." : both || !state.links.length ? "Choose two points."
        : "Now tell a pair of the other kind; with one kind alone there is nothing to balance.";
    tell(mu, both, rightLabels(truth, labels), values, angle);
  }
  function tell(mu, both, right, values, angle) {
    const n = X.length, turn = decimals(((angle * 180) / Math.PI + 180) % 180, 0);
    const told = `${state.links.length} of ${(n * (n - 1)) / 2}`;
    const [weak, strong] = values.map((value) => decimals(Math.max(value, 0)));
    show("right", `${right} of ${n}`);
    show("pairs", told);
    show("strong", strong);
    show("weak", weak);
    show("angle", both ? `${turn}°` : "all alike");
    show("mu", decimals(mu));
    const single = values[0] < 0.1 * values[1];
    stage.judge(both && single && right >= 0.95 * n, `With ${told} pairs told, k-means is right for ${right} of ${n} points; `
      + `under the plain distance it was ${data.plain}. The metric has the weight ${strong} at ${turn}° `
      + `and ${weak} at right angles to it. One pair apart and the small cost of tr A already leave a single `
      + "direction; a long pair together turns it across the bands.");
  }
  return update;
}
