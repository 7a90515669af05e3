// Chapter 6: from X to X + G Psi, with the grid that bends.

const AROUND = 0.12; // spacing of the points by which a line of the grid is drawn

function gridLines([x0, x1], [y0, y1], spacing) {
  const range = (low, high, step) => Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step);
  const [left, right, low, high] = [x0 - spacing, x1 + spacing, y0 - spacing, y1 + spacing];
  const across = range(left, right, spacing).map((x) => range(low, high, AROUND).map((y) => [x, y]));
  return [...across, ...range(low, high, spacing).map((y) => range(left, right, AROUND).map((x) => [x, y]))];
}

function bend(stage, data) {
  const { X, cuts, sigmas, lams } = data, state = { t: 0, far: 0, cut: 0, sigma: 1, lam: 1 };
  const lines = gridLines(data.x, data.y, data.spacing);
  const plot = newPlot({ x: data.x, y: data.y, label: "The points on a grid that bends" });
  const grid = lines.map(() => plot.path([], "grid")), dots = plot.layer();
  drawFrame(plot);
  stage.plots.append(plot.svg);
  addSlider(stage.plots, {
    label: "t, from X to X + GΨ", range: [0, 1.3], step: 0.05, value: 0, text: (t) => decimals(t),
  }, (t) => ((state.t = t), update()));

  const show = addReadouts(stage.side, [
    ["J", "J = scatter + cost (6.7)", "main"],
    ["scatter", "scatter within the clusters"],
    ["cost", "cost of the motion, λ‖tΨ‖²"],
    ["astray", "points nearer to the other mean"],
    ["apart", "distance of the two means"],
  ]);
  const chart = newPlot({
    x: [0, 1.3], y: [0, 1.05], label: "J along the way",
    width: 360, height: 200, pad: [26, 20, 46, 38],
  });
  drawAxes(chart, {
    xs: [[0, "0"], [0.5, "0.5"], [1, "1"]], ys: [[0, "0"], [0.5, "0.5"], [1, "1"]],
    xname: "t", yname: "J as a share of J at t = 0",
  });
  const curve = chart.path([], "line"), here = chart.layer();
  stage.side.append(chart.svg);
  addChoice(stage.side, "σ", sigmas.map(String), (i) => ((state.sigma = i), solve()), state.sigma);
  addChoice(stage.side, "λ", lams.map(String), (i) => ((state.lam = i), solve()), state.lam);
  addChoice(stage.side, "Labels", cuts.map((cut) => cut.name), (i) => ((state.cut = i), solve()));

  let field;
  function solve() {
    const sigma = sigmas[state.sigma], lam = lams[state.lam], Y = indicator(cuts[state.cut].labels, 2);
    const G = gaussian(X, X, sigma), psi = deformation(X, G, Y, lam), velocity = times(G, psi);
    field = { Y, lam, psi, velocity, bent: lines.map((line) => times(gaussian(line, X, sigma), psi)) };
    update();
  }
  function parts(t) {
    const moved = movedBy(X, field.velocity, t);
    return { moved, scatter: squares(deviations(moved, field.Y)), cost: field.lam * t * t * squares(field.psi) };
  }
  function total(t) {
    const { scatter, cost } = parts(t);
    return scatter + cost;
  }
  function share(t) {
    return clamp(total(t) / total(0), [0, 1.05]);
  }
  function update() {
    const { t, cut } = state, { labels } = cuts[cut], { moved, scatter, cost } = parts(t);
    grid.forEach((path, i) => path.setAttribute("d", pathOf(plot, movedBy(lines[i], field.bent[i], t))));
    dots.replaceChildren();
    moved.forEach((x, i) => plot.add(marker(labels[i], 5), x, dots));
    const means = members(moved, labels, 2).map(meanRow);
    means.forEach((m, c) => plot.add(cross(c), m, dots));
    const astray = nearestLabels(moved, means).labels.filter((label, i) => label !== labels[i]).length;
    state.far = Math.max(state.far, t); // the curve is drawn as far as the reader has been
    const ts = Array.from({ length: Math.round(state.far / 0.05) + 1 }, (_, i) => i * 0.05);
    curve.setAttribute("d", pathOf(chart, ts.map((s) => [s, share(s)])));
    here.replaceChildren();
    chart.add(shape("circle", { class: "grip", r: 7 }), [t, share(t)], here);
    show("J", decimals(scatter + cost));
    show("scatter", decimals(scatter));
    show("cost", decimals(cost));
    show("astray", `${astray} of ${X.length}`);
    show("apart", decimals(Math.sqrt(gap2(means[0], means[1]))));
    stage.judge(t >= 1, `J fell from ${decimals(total(0))} at t = 0 to ${decimals(total(1))} at t = 1, `
      + "where Ψ is the best field, and grows beyond. The cost grew all the way, but the scatter fell "
      + "by more: J is a parabola in t with its lowest point at 1, by (6.21).");
  }
  solve();
  return update;
}
