// The picture on the first page: the lines are squeezed and released for as long as it is in sight.
// The clusters are those of the nearest factor for which they were computed.
function makeSqueeze(figure) {
  const { points, partitions, states, marks, frame } = JSON.parse(figure.dataset.picture);
  const [width, height, scale] = frame, last = states.length - 1;
  const paths = [...figure.querySelectorAll(".points path")];
  const cut = figure.querySelector(".cut"), ruler = figure.querySelector(".ruler");
  const slider = figure.querySelector("input"), play = figure.querySelector(".play");
  const said = figure.querySelector("figcaption");
  const column = (x) => width / 2 + scale * x, row = (y) => height / 2 - 25 - scale * y;
  const ticks = [-2, -1, 0, 1, 2].map(makeTick);

  function makeTick(x) {
    const tick = document.createElementNS("http://www.w3.org/2000/svg", "g");
    tick.innerHTML = `<line y1="-4" y2="4"/><text y="20">${String(x).replace("-", "−")}</text>`;
    ruler.append(tick);
    return { x, tick };
  }

  // The line of equal distance to the two means.
  function drawCut(labels, factor) {
    const mean = (which) => {
      const own = points.filter((_, i) => labels[i] === which);
      return [0, 1].map((k) => own.reduce((sum, point) => sum + point[k], 0) / own.length);
    };
    const [[ax, ay], [bx, by]] = [mean("0"), mean("1")].map(([x, y]) => [x / factor, y]);
    const [dx, dy] = [bx - ax, by - ay], long = 4 / Math.hypot(dx, dy);
    [-1, 1].forEach((side, end) => {
      cut.setAttribute(`x${end + 1}`, column((ax + bx) / 2 - side * long * dy));
      cut.setAttribute(`y${end + 1}`, row((ay + by) / 2 + side * long * dx));
    });
  }

  function draw(at) {
    const state = states[Math.round(at)], labels = partitions[state.partition];
    const factor = (states[last].factor / states[0].factor) ** (at / last) * states[0].factor;
    points.forEach(([x, y], i) => {
      paths[i].setAttribute("transform", `translate(${column(x / factor).toFixed(1)},${row(y).toFixed(1)})`);
      paths[i].setAttribute("d", marks[labels[i]]);
      paths[i].setAttribute("class", `c${labels[i]}`);
    });
    drawCut(labels, factor);
    ticks.forEach(({ x, tick }) => tick.setAttribute("transform", `translate(${column(x / factor)},${height - 30})`));
    said.textContent = state.says;
    slider.setAttribute("aria-valuetext", state.says);
  }

  // A round: rest, squeeze, rest, release. From seconds to a place between the states.
  const [REST, SQUEEZE, STAY, RELEASE] = [1, 6, 2.5, 1.5];
  const eased = (t) => t * t * (3 - 2 * t);
  function placeAt(seconds) {
    const t = seconds % (REST + SQUEEZE + STAY + RELEASE);
    if (t < REST) return 0;
    if (t < REST + SQUEEZE) return last * eased((t - REST) / SQUEEZE);
    if (t < REST + SQUEEZE + STAY) return last;
    return last * (1 - eased((t - REST - SQUEEZE - STAY) / RELEASE));
  }

  let playing = false, inSight = true, seconds = 0, before = null;
  function frameOf(time) {
    if (!playing || !inSight) return (before = null);
    seconds += before === null ? 0 : Math.min((time - before) / 1000, 0.1);
    before = time;
    slider.value = placeAt(seconds);
    draw(Number(slider.value));
    requestAnimationFrame(frameOf);
  }

  function setPlaying(yes) {
    const starts = yes && !playing;
    playing = yes;
    play.textContent = yes ? "❚❚ Pause" : "▶ Play";
    if (starts) requestAnimationFrame(frameOf);
  }

  // Where the round stands when play goes on from the slider's place.
  function secondsOf(at) {
    let low = 0, high = 1;
    while (high - low > 0.001) (eased((low + high) / 2) * last < at) ? (low = (low + high) / 2) : (high = (low + high) / 2);
    return REST + SQUEEZE * low;
  }

  play.addEventListener("click", () => setPlaying(!playing));
  slider.addEventListener("input", () => {
    setPlaying(false);
    seconds = secondsOf(Number(slider.value));
    draw(Number(slider.value));
  });
  new IntersectionObserver(([seen]) => {
    const returns = seen.isIntersecting && !inSight && playing;
    inSight = seen.isIntersecting;
    if (returns) requestAnimationFrame(frameOf);
  }).observe(figure);

  figure.querySelector(".controls").hidden = false;
  draw(0);
  setPlaying(!matchMedia("(prefers-reduced-motion: reduce)").matches);
}

document.querySelectorAll("figure.squeeze").forEach(makeSqueeze);
