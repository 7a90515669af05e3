// Chapter 2: tilt an orthonormal frame from a partition to the top eigenvectors and beyond.

// The frame after the share `s` of the way, columns 1 and 2 turned by `angle`, in the eigenbasis.
function frameAt({ from, towards, angles }, s, angle) {
  const turned = (v, w, a) => v * Math.cos(s * a) + w * Math.sin(s * a);
  const tilted = from.map((row, i) => row.map((v, j) => turned(v, towards[i][j], angles[j])));
  const [c, d] = [Math.cos(angle), Math.sin(angle)];
  return tilted.map((row) => [c * row[0] + d * row[1], c * row[1] - d * row[0], ...row.slice(2)]);
}

// (2.3): how much of each eigenvector lies in the span, and what each column adds to the trace.
function sharesOf(Y) {
  return Y.map((row) => row.reduce((sum, v) => sum + v * v, 0));
}

function columnParts(Y, values) {
  return Y[0].map((_, j) => values.reduce((sum, value, i) => sum + value * Y[i][j] ** 2, 0));
}

function frame(stage, data) {
  const { values, bars, best } = data, K = data.angles.length, n = values.length, state = { s: 0, angle: 0 };
  const bound = values.slice(0, K).reduce((a, b) => a + b, 0);
  const size = { pad: [26, 12, 46, 38] };
  const chart = newPlot({ x: [0.4, n + 0.6], y: [0, 1.08], label: "Shares of the eigenvectors", height: 210, ...size });
  drawAxes(chart, {
    xs: values.map((v, i) => [i + 1, decimals(v, v < 9.95 ? 1 : 0)]), ys: [[0, "0"], [0.5, "0.5"], [1, "1"]],
    xname: "eigenvalue", yname: "share of the eigenvector in the frame",
  });
  const columns = chart.layer();
  const top = Math.max(...bars.map(([, , count]) => count));
  const line = newPlot({ x: data.x, y: [0, 1.15], label: "The trace and all partitions", height: 190, ...size });
  drawAxes(line, { xs: data.ticks.map((v) => [v, String(v)]), ys: [], xname: "tr(Y'AY); bars: all partitions", yname: "" });
  for (const [low, high, count] of bars) {
    const corners = [[low, 0], [low, count / top], [high, count / top], [high, 0]];
    line.path(corners, "bar c0", line.svg, true);
  }
  const limit = line.layer(), here = line.layer();
  line.path([[bound, 0], [bound, 1.15]], "thin dashed", limit);
  line.write("bound", [bound, 1.15], { class: "quiet", "text-anchor": "end", dx: 8, dy: -8 }, limit);
  stage.plots.append(chart.svg, line.svg);

  const show = addReadouts(stage.side, [
    ["trace", "tr(Y'AY)", "main"],
    ...Array.from({ length: K }, (_, j) => [`part${j + 1}`, `of which column ${j + 1}, y'Ay`]),
    ["best", "the best partition"],
    ["bound", `λ₁ + … + λ${"₀₁₂₃₄₅₆₇₈₉"[K]} (2.1)`],
  ]);
  const way = { label: "tilt: share of the way to the top eigenvectors", range: [0, 2], step: 0.05, value: 0 };
  addSlider(stage.side, { ...way, text: (s) => `${decimals(100 * s, 0)} %` }, (s) => ((state.s = s), update()));
  const turn = { label: "turn columns 1 and 2 within their plane", range: [0, 180], step: 5, value: 0 };
  addSlider(stage.side, { ...turn, text: (a) => `${a}°` }, (a) => ((state.angle = (a * Math.PI) / 180), update()));

  function update() {
    const Y = frameAt(data, state.s, state.angle), parts = columnParts(Y, values), sum = parts.reduce((a, b) => a + b, 0);
    columns.replaceChildren(), here.replaceChildren();
    sharesOf(Y).forEach((share, i) => chart.path(
      [[i + 0.65, 0], [i + 0.65, share], [i + 1.35, share], [i + 1.35, 0]], `bar ${i < K ? "c1" : ""}`, columns, true));
    line.path([[sum, 0], [sum, 1.1]], "line", here);
    line.add(shape("circle", { class: "grip", r: 7 }), [sum, 0.55], here);
    show("trace", decimals(sum, 2));
    parts.forEach((part, j) => show(`part${j + 1}`, decimals(part, 2)));
    show("best", decimals(best, 2));
    limit.style.display = stage.open ? "" : "none";
    show("bound", stage.open ? decimals(bound, 2) : null);
    stage.judge(state.s > 1 - 1e-9, `At the top eigenvectors the shares are ${K} ones and ${n - K} zeros, the `
      + `trace is ${decimals(bound, 2)}, and no frame has a larger one: tilt on, and it falls again. Turning the columns in `
      + "their plane changes what each adds, not the sum. "
      + `No partition is there: the best one stays ${decimals(bound - best, 2)} below.`);
  }
  return update;
}
