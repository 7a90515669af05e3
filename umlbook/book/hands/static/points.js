// Chapter 1: drag points, change their clusters, and see J in five forms.

const NAMES = ["disc", "square", "triangle"];
const FORMS = [
  ["(1.1)", "distances to the means", doubleSum],
  ["(1.4)", "distances of pairs, no means", pairForm],
  ["(1.5)", "norms of centred blocks", blockForm],
  ["(1.7)", "traces of the blocks", blockTraces],
  ["(1.12)", "two traces of the whole", traceForm],
];

function points(stage, data) {
  const K = data.sizes.length, state = { chosen: 0, moved: false };
  const reset = () => Object.assign(state, { X: data.X.map((x) => [...x]), labels: [...data.labels] });
  reset();
  const plot = newPlot({ x: data.x, y: data.y, label: "Points that can be dragged" });
  drawFrame(plot);
  const lines = plot.layer(), top = plot.layer(), crosses = plot.layer();
  crosses.style.pointerEvents = "none";
  stage.plots.append(plot.svg);

  const marks = state.X.map(() => shape("g"));
  const handles = state.X.map((_, i) => addHandle(plot, {
    mark: marks[i], layer: top, label: `Point ${i + 1}`, step: 0.1,
    where: () => state.X[i],
    move: (place) => {
      state.X[i] = [clamp(place[0], data.x), clamp(place[1], data.y)];
      update();
    },
    text: () => `at ${state.X[i].map((v) => decimals(v)).join(", ")}, ${NAMES[state.labels[i]]}`,
    press: () => choose(i),
  }));
  handles.forEach((handle, i) => handle.group.addEventListener("keydown", (event) => {
    const cluster = Number(event.key) - 1;
    if (cluster >= 0 && cluster < K) assign(i, cluster);
  }));

  const show = addReadouts(stage.side, [
    ...FORMS.map(([number, words]) => [number, `${number} ${words}`]),
    ["apart", "largest difference of the five"],
  ]);
  const cluster = addChoice(stage.side, "The chosen point is a", NAMES.slice(0, K), (c) => assign(state.chosen, c));
  addButton(stage.side, "Start again", () => (reset(), update()));

  function size(c) {
    return state.labels.filter((label) => label === c).length;
  }
  function assign(i, c) {
    if (size(state.labels[i]) > 1) state.labels[i] = c; // no cluster may become empty
    update();
  }
  function choose(i) {
    state.chosen = i;
    update();
  }
  function update() {
    const { X, labels } = state, means = members(X, labels, K).map(meanRow);
    lines.replaceChildren(), crosses.replaceChildren();
    X.forEach((x, i) => plot.path([x, means[labels[i]]], "thin", lines));
    means.forEach((m, c) => plot.add(cross(c), m, crosses));
    marks.forEach((mark, i) => mark.replaceChildren(marker(labels[i], 7)));
    handles.forEach((one, i) => one.group.classList.toggle("chosen", i === state.chosen));
    plot.refresh();
    cluster.press(labels[state.chosen]);
    const only = size(labels[state.chosen]) === 1;
    cluster.buttons.forEach((b, c) => (b.disabled = only && c !== labels[state.chosen]));
    const values = FORMS.map(([, , form]) => form(X, labels, K));
    FORMS.forEach(([number], i) => show(number, stage.open ? decimals(values[i], 3) : "–"));
    const apart = Math.max(...values) - Math.min(...values);
    const gap = apart < 1e-9 ? "< 1e-9" : apart.toExponential(0);
    show("apart", stage.open ? gap : null);
    const changed = Math.abs(values[0] - data.J) > 0.1 * data.J;
    stage.judge(changed, `J went from ${decimals(data.J, 3)} to ${decimals(values[0], 3)}, and the five numbers `
      + "are still one: they are the same function of the points and the labels, written in five ways.");
  }
  return update;
}
