// Show all code, remembered for the whole book; and on paper everything is open.
{
  const KEY = "umlbook-all-code";
  // Some browsers refuse to remember anything for pages opened from a folder.
  const remembered = () => { try { return localStorage.getItem(KEY) === "yes"; } catch { return false; } };
  const remember = (yes) => { try { localStorage.setItem(KEY, yes ? "yes" : "no"); } catch { /* only now, then */ } };
  const cells = [...document.querySelectorAll("details.code")];
  const button = document.querySelector("button.all-code");

  function show(all) {
    cells.forEach((cell) => (cell.open = all));
    button.setAttribute("aria-pressed", all);
  }

  if (button && cells.length) {
    button.hidden = false;
    if (remembered()) show(true);
    button.addEventListener("click", () => {
      const all = button.getAttribute("aria-pressed") !== "true";
      show(all);
      remember(all);
    });
  }

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((folded) => (folded.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((folded) => (folded.open = false)));
}
