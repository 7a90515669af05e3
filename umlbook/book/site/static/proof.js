// A proof is put in order: steps go from the pool to the proof, up, down, and back; then Check.

// As `Ordered` and `OrderSign` judge in Python: the sentence that says how an order fails, or none.
function orderFault(order, { needs, false: untrue }) {
  const bad = [...order].find((step) => untrue.includes(step));
  if (bad) return `step (${bad}) is not true, so no proof can use it`;
  for (const [place, step] of [...order].entries())
    for (const need of needs[step])
      if (order.slice(place).includes(need)) return `step (${step}) uses step (${need}), which comes later`;
  const missing = Object.keys(needs).filter((step) => !untrue.includes(step) && !order.includes(step));
  return missing.length ? `something is missing: ${missing.length} more step(s)` : "";
}

const orderSigns = {
  begins: (order, steps) => order.startsWith(steps),
  contains: (order, steps) => order.includes(steps),
  before: (order, [early, late]) => order.includes(early) && order.indexOf(early) < order.indexOf(late),
};

function judgedOrder(order, rules) {
  const outcome = (word, why = "") => ({ word, why, sign: rules.signs[word], right: word === "correct" });
  if (!order) return outcome("not attempted", "add the first step of the proof");
  const fault = orderFault(order, rules);
  if (!fault) return outcome("correct");
  const known = rules.mistakes.find(({ rule, steps }) => orderSigns[rule](order, steps));
  return outcome("wrong", known ? `${fault}\n${known.message}` : fault);
}

function makeProof(root) {
  const rules = unveiled(root.dataset.rules);
  const yours = root.querySelector(".yours ol"), pool = root.querySelector(".pool ul");
  const check = root.querySelector(".check"), place = root.querySelector(".verdict");
  const steps = [...pool.children];

  function button(step, action, sign, name) {
    const made = document.createElement("button");
    made.type = "button";
    made.dataset.action = action;
    made.textContent = sign;
    made.setAttribute("aria-label", `${name} step (${step.dataset.step})`);
    made.addEventListener("click", () => move(step, action));
    return made;
  }

  function move(step, action) {
    if (action === "add") yours.append(step);
    // Back to where it stood, as the pool is in the order of the letters.
    if (action === "remove")
      pool.insertBefore(step, [...pool.children].find((other) => other.dataset.step > step.dataset.step) ?? null);
    if (action === "up") step.previousElementSibling?.before(step);
    if (action === "down") step.nextElementSibling?.after(step);
    draw();
    // The button that was pressed keeps the focus; one that is gone gives it to the next.
    const next = action === "add" ? (pool.querySelector("button") ?? check)
      : (step.querySelector(`[data-action=${action}]`) ?? yours.querySelector("button") ?? step.querySelector("button"));
    next.focus();
  }

  function draw() {
    place.replaceChildren();
    place.className = "verdict";
    steps.forEach((step) => {
      const isYours = step.parentElement === yours;
      step.querySelector(".moves")?.remove();
      const moves = step.appendChild(document.createElement("span"));
      moves.className = "moves";
      if (!isYours) moves.append(button(step, "add", "Add", "Add"));
      else moves.append(button(step, "up", "↑", "Move up"), button(step, "down", "↓", "Move down"), button(step, "remove", "✕", "Take out"));
    });
    root.classList.toggle("empty", !yours.children.length);
  }

  root.querySelector(".yours").hidden = check.hidden = false;
  root.querySelector(".live").hidden = true;
  check.addEventListener("click", () => {
    const order = [...yours.children].map((step) => step.dataset.step).join("");
    tell(place, root.dataset.label, judgedOrder(order, rules));
  });
  draw();
}

document.querySelectorAll(".proof").forEach(makeProof);
