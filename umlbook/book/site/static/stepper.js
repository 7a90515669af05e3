// A stepper: steps of which one is shown, by buttons, by the slider, or by the arrow keys.
function makeStepper(figure) {
  const steps = [...figure.querySelectorAll(".step")];
  const slider = figure.querySelector("input[type=range]");
  const said = figure.querySelector("figcaption");
  if (!slider) return;
  const [previous, next] = figure.querySelectorAll("button[data-go]");
  let now = 0;

  function show(step) {
    const last = steps.length - 1;
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

  previous.addEventListener("click", () => show(now - 1));
  next.addEventListener("click", () => show(now + 1));
  slider.addEventListener("input", () => show(Number(slider.value)));
  figure.addEventListener("keydown", (event) => {
    const target = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: steps.length - 1 }[event.key];
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();  // the slider would move a second step
    show(target);
  });
}

document.querySelectorAll("figure.stepper").forEach(makeStepper);

// On paper nothing can be opened.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
