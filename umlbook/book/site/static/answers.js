// A question answers when a choice is clicked, or, by keyboard, when Check is pressed: the arrow
// keys go from choice to choice, and must not give the answers away.
const unveiled = (text) =>
  JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))));

// The same words as a check says in the live book.
function tell(place, label, said) {
  place.replaceChildren();
  place.className = `verdict ${said.right ? "right" : "wrong"}`;
  const line = place.appendChild(document.createElement("p"));
  const sign = line.appendChild(document.createElement("span"));
  sign.setAttribute("aria-hidden", true);
  sign.textContent = said.sign;
  line.append(` ${label}: `);
  line.appendChild(document.createElement("strong")).textContent = said.word;
  said.why.split("\n").filter(Boolean).forEach((reason) => {
    place.appendChild(document.createElement("p")).textContent = reason;
  });
}

document.querySelectorAll("form.question").forEach((form) => {
  const said = unveiled(form.dataset.said), place = form.querySelector(".verdict");
  form.querySelector("button").hidden = false;
  form.querySelector(".live").hidden = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = form.querySelector("input:checked");
    if (chosen) tell(place, form.dataset.label, said[chosen.value]);
    else place.textContent = "Choose an answer first.";
  });
  form.addEventListener("click", (event) => {
    // A key that moves the choice makes a click as well, one without a pointer.
    if (event.target.type === "radio" && event.detail > 0) form.requestSubmit();
  });
});
