// Chapter 4: stretch and turn the ellipse of equal distance, and see the clusters of k-means.

const MEANT = "Points on the ellipse have the distance one from its centre.";

// W with WW' = A, for the metric whose unit ball has these half axes, the first along `angle`.
function metricRoot([a, b], angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [[c / a, -s / b], [s / a, c / b]];
}

function ellipse(stage, data) {
  const { X, truth, centre } = data, n = X.length, state = { axes: [1, 1], angle: 0 };
  const plot = newPlot({ x: data.x, y: data.y, label: "The points and the ellipse" });
  drawFrame(plot);
  const dots = plot.layer(), spread = plot.path([], "thin dashed"), ball = plot.path([], "line");
  const arms = [plot.path([], "thin"), plot.path([], "thin")];
  const end = (k, sign = 1) => {
    const turn = state.angle + (k * Math.PI) / 2;
    return [centre[0] + sign * state.axes[k] * Math.cos(turn), centre[1] + sign * state.axes[k] * Math.sin(turn)];
  };
  const grip = () => shape("circle", { class: "grip", r: 11 });
  const turnDegrees = () => ((state.angle * 180) / Math.PI + 360) % 180;
  addHandle(plot, {
    mark: grip(), label: "First half axis: length and direction", step: 0.05, size: 18, where: () => end(0),
    move: ([a, b]) => {
      const [u, v] = [a - centre[0], b - centre[1]];
      if (Math.hypot(u, v) > 0.05) state.angle = Math.atan2(v, u);
      state.axes[0] = clamp(Math.hypot(u, v), data.lengths);
      update();
    },
    text: () => `length ${decimals(state.axes[0])}, direction ${decimals(turnDegrees(), 0)} degrees`,
  });
  addHandle(plot, {
    mark: grip(), label: "Second half axis: length", step: 0.05, size: 18, where: () => end(1),
    move: ([a, b]) => {
      const along = -(a - centre[0]) * Math.sin(state.angle) + (b - centre[1]) * Math.cos(state.angle);
      state.axes[1] = clamp(along, data.lengths);
      update();
    },
    text: () => `length ${decimals(state.axes[1])}`,
  });
  const meant = element("p", { class: "hint" }, MEANT);
  stage.plots.append(plot.svg, meant);
  const show = addReadouts(stage.side, [
    ["right", "k-means is right for", "main"],
    ["axes", "half axes"],
    ["angle", "direction of the first"],
    ["within", "spread within clusters (4.9)"],
    ["total", "spread in total (4.12)"],
    ["share", "share within"],
  ]);
  addButton(stage.side, "Back to the circle", () => (Object.assign(state, { axes: [1, 1], angle: 0 }), update()));

  function update() {
    const Z = times(X, metricRoot(state.axes, state.angle)), { labels, objective } = bestTwoMeans(Z);
    const right = rightLabels(truth, labels), all = scatter(Z), reached = right >= 0.95 * n;
    dots.replaceChildren();
    X.forEach((x, i) => plot.add(marker(labels[i], 4.5), x, dots));
    ball.setAttribute("d", pathOf(plot, ellipsePoints(centre, state.axes, state.angle), true));
    arms.forEach((arm, k) => arm.setAttribute("d", pathOf(plot, [end(k, -1), end(k)])));
    if (reached) {
      spread.setAttribute("d", pathOf(plot, ellipsePoints(centre, data.deviations, data.turn), true));
      meant.textContent = `${MEANT} Dashed: one standard deviation of the data, the ellipse of whitening (4.7).`;
    }
    plot.refresh();
    show("right", `${right} of ${n}`);
    show("axes", state.axes.map((v) => decimals(v)).join(" and "));
    show("angle", `${decimals(turnDegrees(), 0)}°`);
    show("within", decimals(objective));
    show("total", decimals(all));
    show("share", decimals(objective / all, 3));
    const lengths = (axes) => axes.map((v) => decimals(v)).join(" and ");
    stage.judge(reached, `With half axes ${lengths(state.axes)} k-means is right for ${right} of ${n} points; with the `
      + `circle it was ${data.plain}. An ellipse that is long along the lines makes a step along them short, so a cut `
      + `across the lines no longer pays. Whitening, the dashed ellipse, has half axes ${lengths(data.deviations)}.`);
  }
  return update;
}
