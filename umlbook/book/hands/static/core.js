// What all things to take in the hand share: elements, a plot with handles, a question, a verdict.
// Plain functions, no library and no kernel; the files of a page are joined inside one function.

const SVG = "http://www.w3.org/2000/svg";
const NEAR = 30; // screen pixels within which a pointer takes a handle
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function shape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function decimals(value, digits = 2) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function clamp(value, [low, high]) {
  return Math.min(Math.max(value, low), high);
}

// The marker of a cluster, never told apart by colour alone: a disc, a square, a triangle.
function marker(cluster, size, look = "mark") {
  const attributes = { class: `${look} c${cluster}` };
  if (cluster === 0) return shape("circle", { ...attributes, r: size });
  const s = 0.9 * size;
  const corners = cluster === 1 ? [[-s, -s], [s, -s], [s, s], [-s, s]]
    : [[0, -1.25 * size], [1.15 * size, 0.85 * size], [-1.15 * size, 0.85 * size]];
  return shape("polygon", { ...attributes, points: corners.join(" ") });
}

// The mean of a cluster.
function cross(cluster) {
  const arms = { d: "M-9 0H9M0 -9V9" };
  const strokes = ["halo", "own"].map((look) => shape("path", { ...arms, class: look }));
  return shape("g", { class: `c${cluster}` }, ...strokes);
}

// ------------------------------------------------------------------------------------ a plot

// A rectangle of the plane, `x` and `y` its limits; as tall as equal units ask, or `height`.
function newPlot({ x, y, width = 440, height, label, pad = [1, 1, 1, 1] }) {
  const [top, right, bottom, left] = pad;
  const unit = (width - left - right) / (x[1] - x[0]);
  const tall = height ?? unit * (y[1] - y[0]) + top + bottom;
  const rise = (tall - top - bottom) / (y[1] - y[0]);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${tall}`, role: "group", "aria-label": label });
  const plot = { svg, x, y, width, height: tall, pad, handles: [] };
  plot.at = ([a, b]) => [left + (a - x[0]) * unit, tall - bottom - (b - y[0]) * rise];
  plot.point = (event) => {
    const box = svg.getBoundingClientRect(), scale = width / box.width;
    const [u, v] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    return [x[0] + (u - left) / unit, y[0] + (tall - bottom - v) / rise];
  };
  plot.layer = () => svg.appendChild(shape("g"));
  plot.add = (node, place, layer = svg) => {
    if (place) node.setAttribute("transform", `translate(${plot.at(place).join(" ")})`);
    return layer.appendChild(node);
  };
  plot.path = (points, look, layer = svg, closed = false) =>
    layer.appendChild(shape("path", { class: look, d: pathOf(plot, points, closed) }));
  plot.write = (text, place, attributes = {}, layer = svg) => {
    const node = plot.add(shape("text", attributes), place, layer);
    node.textContent = text;
    return node;
  };
  plot.refresh = () => plot.handles.forEach((one) => one.refresh());
  svg.addEventListener("pointerdown", (event) => startDrag(plot, event));
  return plot;
}

function pathOf(plot, points, closed = false) {
  const steps = points.map((point) => plot.at(point).map((v) => v.toFixed(2)).join(" "));
  return steps.length ? `M${steps.join("L")}${closed ? "Z" : ""}` : "";
}

// An ellipse with these half axes, the first along `angle`.
function ellipsePoints([x, y], [a, b], angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return Array.from({ length: 240 }, (_, k) => {
    const [p, q] = [a * Math.cos((k * Math.PI) / 120), b * Math.sin((k * Math.PI) / 120)];
    return [x + p * c - q * s, y + p * s + q * c];
  });
}

function drawFrame(plot) {
  const [top, right, bottom, left] = plot.pad;
  const size = { width: plot.width - left - right, height: plot.height - top - bottom };
  plot.svg.appendChild(shape("rect", { class: "frame", x: left, y: top, ...size }));
}

// Ticks and names of the axes of a chart, outside its frame.
function drawAxes(plot, { xs, ys, xname, yname }) {
  drawFrame(plot);
  const low = [plot.x[0], plot.y[0]], base = plot.at(low);
  for (const [value, text] of xs) {
    const [u] = plot.at([value, low[1]]);
    plot.svg.appendChild(shape("line", { class: "frame", x1: u, x2: u, y1: base[1], y2: base[1] + 5 }));
    const attributes = { x: u, y: base[1] + 19, "text-anchor": "middle" };
    plot.svg.appendChild(shape("text", attributes, text));
  }
  for (const [value, text] of ys) {
    const [, v] = plot.at([low[0], value]);
    plot.svg.appendChild(shape("line", { class: "frame", x1: base[0] - 5, x2: base[0], y1: v, y2: v }));
    const attributes = { x: base[0] - 8, y: v + 5, "text-anchor": "end" };
    plot.svg.appendChild(shape("text", attributes, text));
  }
  const middle = { x: (base[0] + plot.width - plot.pad[1]) / 2, y: base[1] + 38, "text-anchor": "middle" };
  plot.svg.appendChild(shape("text", { ...middle, class: "quiet" }, xname));
  plot.svg.appendChild(shape("text", { x: base[0], y: plot.pad[0] - 7, class: "quiet" }, yname));
}

// --------------------------------------------------------------------------------- a handle

// Something that is dragged, or moved by the arrow keys. `where()` is its place, `move(place, turn)`
// puts it elsewhere (`turn` is the signed step of a key), `text()` says in words where it is.
function addHandle(plot, { mark, label, where, move, text, now, step, layer, press, size = 13 }) {
  const ring = shape("circle", { class: "ring", r: size });
  const group = shape("g", { class: "handle", tabindex: "0", role: "slider", "aria-label": label },
    shape("circle", { class: "hit", r: 30 }), ring, mark);
  const handle = { group, where, move };
  handle.refresh = () => {
    group.setAttribute("transform", `translate(${plot.at(where()).join(" ")})`);
    group.setAttribute("aria-valuenow", now ? now() : decimals(where()[0]));
    group.setAttribute("aria-valuetext", text());
  };
  group.addEventListener("keydown", (event) => {
    const length = step * (event.shiftKey ? 5 : 1);
    const way = WAYS[event.key];
    if (!way) return;
    event.preventDefault();
    const [a, b] = where();
    move([a + way[0] * length, b + way[1] * length], (way[0] + way[1]) * length);
  });
  group.addEventListener("focus", () => press?.());
  (layer ?? plot.svg).appendChild(group);
  plot.handles.push(handle);
  handle.refresh();
  return handle;
}

function startDrag(plot, event) {
  const scale = plot.svg.getBoundingClientRect().width / plot.width;
  const place = plot.at(plot.point(event));
  const far = plot.handles.map((one) => {
    const [u, v] = plot.at(one.where());
    return scale * Math.hypot(u - place[0], v - place[1]);
  });
  const least = Math.min(...far);
  if (!(least <= NEAR)) return;
  const handle = plot.handles[far.indexOf(least)];
  event.preventDefault();
  handle.group.focus({ preventScroll: true });
  plot.svg.setPointerCapture(event.pointerId);
  const follow = (moved) => handle.move(plot.point(moved));
  const end = () => {
    plot.svg.removeEventListener("pointermove", follow);
    for (const name of ["pointerup", "pointercancel"]) plot.svg.removeEventListener(name, end);
  };
  plot.svg.addEventListener("pointermove", follow);
  for (const name of ["pointerup", "pointercancel"]) plot.svg.addEventListener(name, end);
}

// ---------------------------------------------------------------------------------- controls

// Buttons of which one is pressed; `pick(index)` is called with the one that is.
function addChoice(parent, label, options, pick, start = 0) {
  const row = element("div", { class: "row", role: "group", "aria-label": label });
  if (label) row.append(element("span", {}, `${label}:`));
  const buttons = options.map((text) => element("button", { type: "button" }, text));
  const press = (index) => buttons.forEach((b, i) => b.setAttribute("aria-pressed", i === index));
  buttons.forEach((button, i) => button.addEventListener("click", () => (press(i), pick(i))));
  press(start);
  row.append(...buttons);
  parent.append(row);
  return { press, buttons, row };
}

function addButton(parent, text, act, look = "") {
  const button = element("button", { type: "button", class: look }, text);
  button.addEventListener("click", act);
  parent.append(button);
  return button;
}

function addSlider(parent, { label, range, step, value, text }, changed) {
  const [min, max] = range;
  const input = element("input", { type: "range", min, max, step, value, "aria-label": label });
  const shown = element("span");
  const tell = () => {
    shown.textContent = `${label}: ${text(Number(input.value))}`;
    input.setAttribute("aria-valuetext", text(Number(input.value)));
  };
  input.addEventListener("input", () => (tell(), changed(Number(input.value))));
  tell();
  parent.append(element("label", {}, shown, input));
  return { input, tell };
}

// Named numbers; the returned function sets one of them, and hides its row when given `null`.
function addReadouts(parent, rows) {
  const values = {};
  const list = element("div", { class: "values" }); // notebooks have their own look for lists
  for (const [name, words, look] of rows) {
    values[name] = element("b", { "data-value": name });
    list.append(element("div", { class: look ?? "" }, element("span", {}, words), values[name]));
  }
  parent.append(list);
  return (name, text) => {
    values[name].textContent = text ?? "";
    values[name].parentNode.style.display = text === null ? "none" : "";
  };
}

// ---------------------------------------------------------------------------- the whole thing

// The picture above is what a page without scripts shows; here it would be seen twice.
function hideTwin(root) {
  const output = root.closest(".jp-OutputArea-child, .output") ?? root;
  for (let one = output.previousElementSibling; one; one = one.previousElementSibling) {
    if (!one.matches("figure.picture") && !one.querySelector("img, p[class$='-caption']")) return;
    one.style.display = "none";
    if (one.matches("figure") || one.querySelector("img")) return;
  }
}

// Ask the question of `data`; once it is answered, or skipped, the stage is open and can be moved.
// What would give the answer away must not be drawn before `stage.open`.
function setStage(root, data) {
  const stage = { plots: element("div"), side: element("div", { class: "side" }), choice: null, open: false };
  const area = element("div", { class: "stage" }, stage.plots, stage.side);
  const verdict = element("p", { class: "verdict", role: "status", "aria-live": "polite" });
  const hint = element("p", { class: "hint" }, "Predict first, then move it and see.");
  const row = element("div", { class: "choices", role: "group", "aria-label": "Your prediction" });
  const open = (index) => {
    Object.assign(stage, { choice: index, open: true });
    [...row.children].forEach((b, i) => b.setAttribute("aria-pressed", i === index));
    area.removeAttribute("inert");
    hint.textContent = data.hint;
    stage.update();
  };
  data.choices.forEach((choice, i) => addButton(row, choice.text, () => open(i)));
  addButton(row, "Skip the prediction", () => open(null), "quiet").setAttribute("aria-pressed", "false");
  area.setAttribute("inert", "");
  root.append(element("p", { class: "question" }, data.question), row, hint, area, verdict);
  stage.advise = (text) => (hint.textContent = text);
  stage.judge = (reached, why) => {
    if (!reached || !stage.open) return;
    const made = stage.choice !== null, held = made && data.choices[stage.choice].right;
    const said = made ? `Your prediction ${held ? "held" : "did not hold"}. ` : "";
    verdict.className = `verdict ${made ? (held ? "held" : "missed") : ""}`;
    if (verdict.textContent !== said + why) verdict.textContent = said + why;
  };
  return stage;
}

// Bring the element before `script` to life; some viewers do not say which script is running.
function mount(script, build, data) {
  const waiting = [...document.querySelectorAll(".umlhand:not([data-alive])")];
  const root = script?.previousElementSibling ?? waiting.pop();
  if (!root || root.dataset.alive) return;
  root.dataset.alive = "true";
  root.dataset.lmSuppressShortcuts = "true"; // arrow keys are ours, not the notebook's
  root.replaceChildren();
  hideTwin(root);
  const stage = setStage(root, data);
  stage.update = build(stage, data);
  stage.update();
}
