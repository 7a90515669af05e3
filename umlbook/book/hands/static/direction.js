// Chapter 3: turn a direction and see how blurred the clusters are, projected on it.

function withinAndTotal(X, labels, K) {
  const means = members(X, labels, K).map(meanRow), mean = meanRow(X);
  const sum = (rows) => times(transposed(rows), rows);
  return {
    within: sum(X.map((x, i) => x.map((v, k) => v - means[labels[i]][k]))),
    total: sum(X.map((x) => x.map((v, k) => v - mean[k]))),
  };
}

function blurAlong({ within, total }, angle) {
  const b = [Math.cos(angle), Math.sin(angle)];
  const form = (S) => b[0] * b[0] * S[0][0] + 2 * b[0] * b[1] * S[0][1] + b[1] * b[1] * S[1][1];
  return form(within) / form(total);
}

// (3.10): the least ratio of two directions, and its angle: the smaller root of det(S_w - r S_t) = 0.
function sharpest({ within: [[a, b], [, c]], total: [[p, q], [, r]] }) {
  const square = p * r - q * q, middle = (a * r + c * p - 2 * b * q) / 2, rest = a * c - b * b;
  const least = rest / (middle + Math.sqrt(Math.max(middle * middle - square * rest, 0)));
  const rows = [[a - least * p, b - least * q], [b - least * q, c - least * r]];
  const [u, v] = Math.hypot(...rows[0]) > Math.hypot(...rows[1]) ? rows[0] : rows[1];
  const angle = Math.atan2(u, -v);
  return { least, angle: ((angle % Math.PI) + Math.PI) % Math.PI };
}

// Numbers in ascending order, cut where one is missing.
function runsOf(numbers) {
  const runs = [];
  for (const a of [...numbers].sort((p, q) => p - q)) {
    if (runs.length && runs.at(-1).at(-1) === a - 1) runs.at(-1).push(a);
    else runs.push([a]);
  }
  return runs;
}

function direction(stage, data) {
  const { X, cuts } = data, state = { angle: data.start, cut: 0, before: (data.start * 180) / Math.PI };
  const visited = new Set(); // degrees at which the reader has been: only there the curve is drawn
  const mean = meanRow(X), reach = data.reach, toDegrees = 180 / Math.PI;
  const scatters = cuts.map((cut) => withinAndTotal(X, cut.labels, 2));
  const best = scatters.map(sharpest);
  const degrees = (angle) => decimals(angle * toDegrees, 0);
  const side = () => [Math.cos(state.angle), Math.sin(state.angle)];
  const along = (length) => [mean[0] + length * side()[0], mean[1] + length * side()[1]];

  const plot = newPlot({ x: data.x, y: data.y, label: "The points and the direction" });
  drawFrame(plot);
  const dots = plot.layer(), line = plot.path([], "thin dashed"), arrow = plot.path([], "line");
  addHandle(plot, {
    mark: shape("circle", { class: "grip", r: 11 }), label: "Direction", step: 1, size: 18,
    where: () => along(reach),
    move: ([a, b], step) => turnTo(step ? state.angle + step / toDegrees : Math.atan2(b - mean[1], a - mean[0])),
    text: () => `${degrees(state.angle)} degrees`, now: () => degrees(state.angle),
  });
  const shadow = newPlot({
    x: [-data.wide, data.wide], y: [0, 2], label: "The projected points", height: 84, pad: [24, 1, 1, 1],
  });
  shadow.write("projected on the arrow", [-data.wide, 2], { class: "quiet", dy: -8 });
  drawFrame(shadow);
  const seen = shadow.layer();
  stage.plots.append(plot.svg, shadow.svg);

  const chart = newPlot({
    x: [0, 180], y: [0, 1], label: "Blur ratio by direction",
    width: 360, height: 220, pad: [26, 20, 46, 38],
  });
  drawAxes(chart, {
    xs: [0, 45, 90, 135, 180].map((v) => [v, `${v}°`]), ys: [[0, "0"], [0.5, "0.5"], [1, "1"]],
    xname: "direction", yname: "blur ratio",
  });
  const curve = chart.path([], "line"), here = chart.layer();
  const show = addReadouts(stage.side, [
    ["blur", "blur ratio on the arrow", "main"],
    ["angle", "direction"],
    ["least", "least so far"],
  ]);
  stage.side.append(chart.svg);
  addChoice(stage.side, "Clusters", cuts.map((cut) => cut.name), (i) => ((state.cut = i), update()));

  // All degrees between the last direction and this one, the short way round.
  function visit(half) {
    const to = half * toDegrees, from = state.before, way = ((to - from + 270) % 180) - 90;
    const steps = Math.ceil(Math.abs(way));
    for (let k = 0; k <= steps; k++) {
      const at = Math.round(from + (steps ? (way * k) / steps : 0) + 180) % 180;
      visited.add(at);
      if (at === 0) visited.add(180);
    }
    state.before = to;
  }
  function turnTo(angle) {
    state.angle = angle;
    update();
  }
  function update() {
    state.angle = ((state.angle % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    const { labels } = cuts[state.cut], S = scatters[state.cut], half = state.angle % Math.PI;
    const blur = blurAlong(S, half);
    dots.replaceChildren(), seen.replaceChildren(), here.replaceChildren();
    X.forEach((x, i) => {
      plot.add(marker(labels[i], 3.6), x, dots);
      const value = (x[0] - mean[0]) * side()[0] + (x[1] - mean[1]) * side()[1];
      shadow.add(marker(labels[i], 4), [value, labels[i] ? 0.5 : 1.5], seen);
    });
    line.setAttribute("d", pathOf(plot, [along(-20), along(20)]));
    arrow.setAttribute("d", pathOf(plot, [mean, along(reach)]));
    visit(half);
    const turns = runsOf(visited).map((run) => run.map((a) => [a, blurAlong(S, a / toDegrees)]));
    curve.setAttribute("d", turns.map((run) => pathOf(chart, run)).join(""));
    chart.add(shape("circle", { class: "grip", r: 7 }), [half * toDegrees, blur], here);
    plot.refresh();
    const { least, angle } = best[state.cut];
    show("blur", decimals(blur, 3));
    show("angle", `${degrees(half)}°`);
    const values = [...visited].map((a) => [blurAlong(S, a / toDegrees), a]).sort((a, b) => a[0] - b[0]);
    show("least", `${decimals(values[0][0], 3)} at ${values[0][1]}°`);
    const off = Math.abs(half - angle), away = Math.min(off, Math.PI - off) * toDegrees;
    stage.judge(state.cut === 0 && away <= 1.5, `On the arrow at ${degrees(half)}°, across the lines, the blur ratio is `
      + `${decimals(blur, 3)}. The least of all directions is 1 − ρ² = ${decimals(least, 3)} at ${degrees(angle)}°, by `
      + "(3.10): the spread along the lines, which blurs other directions, does not show in this one.");
  }
  return update;
}
