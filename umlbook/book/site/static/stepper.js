// A stepper: steps of which one is shown, by buttons, by the slider, by the arrow keys, or by play.
const PACE = 1200;  // milliseconds a step, at speed 1

function makeStepper(figure) {
  const steps = [...figure.querySelectorAll(".step")], last = steps.length - 1;
  const slider = figure.querySelector("input[type=range]");
  const said = figure.querySelector("figcaption");
  if (!slider) return;
  const [previous, next] = figure.querySelectorAll("button[data-go]");
  const play = figure.querySelector("button.play"), speed = figure.querySelector("select.speed");
  let now = 0, timer = null;
  figure.querySelector(".controls").hidden = false;

  function show(step) {
    step = Math.min(Math.max(step, 0), last);
    if (step === now) return;
    steps[now].classList.remove("now");
    steps[step].classList.add("now");
    now = step;
    slider.value = step;
    said.textContent = steps[step].dataset.says;
    // A disabled button would lose the focus, and with it the keyboard.
    previous.setAttribute("aria-disabled", step === 0);
    next.setAttribute("aria-disabled", step === last);
  }

  function go(step) {  // by hand, which ends the play
    pause();
    show(step);
  }

  function start() {
    if (now === last) show(0);
    play.textContent = "❚❚ Pause";
    said.setAttribute("aria-live", "off");  // a reader would not get to the end of a sentence
    tick();
  }

  function tick() {
    timer = setTimeout(() => {
      show(now + 1);
      if (now === last) pause();
      else tick();
    }, PACE / Number(speed.value));
  }

  function pause() {
    clearTimeout(timer);
    timer = null;
    play.textContent = "▶ Play";
    said.setAttribute("aria-live", "polite");
  }

  play.addEventListener("click", () => (timer === null ? start() : pause()));
  previous.addEventListener("click", () => go(now - 1));
  next.addEventListener("click", () => go(now + 1));
  slider.addEventListener("input", () => go(Number(slider.value)));
  figure.addEventListener("keydown", (event) => {
    if (event.target === speed || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target === slider) play.click();
    else {
      const target = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
      if (target === undefined) return;
      go(target);
    }
    event.preventDefault();  // the slider would move a second step
  });
}

document.querySelectorAll("figure.stepper").forEach(makeStepper);
