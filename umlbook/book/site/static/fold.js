// Show all code, remembered for the whole book; open what a link leads into; on paper everything is open.
{
  const KEY = "umlbook-all-code";
  // Some browsers refuse to remember anything for pages opened from a folder.
  const remembered = () => { try { return localStorage.getItem(KEY) === "yes"; } catch { return false; } };
  const remember = (yes) => { try { localStorage.setItem(KEY, yes ? "yes" : "no"); } catch { /* only now, then */ } };
  const cells = [...document.querySelectorAll("details.code, details.section")];
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

  // Not all browsers do it by themselves.
  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = cells.filter((cell) => !cell.open && target && cell.contains(target));
    closed.forEach((cell) => (cell.open = true));
    if (closed.length) target.scrollIntoView();
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((folded) => (folded.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((folded) => (folded.open = false)));
}
