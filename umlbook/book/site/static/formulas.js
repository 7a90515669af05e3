// MathJax looks only where formulas are: the .math of prose, and outputs, where dollars mark them.
window.MathJax = {
  tex: {
    inlineMath: [["\\(", "\\)"], ["$", "$"]],
    displayMath: [["\\[", "\\]"], ["$$", "$$"]],
    processEscapes: true,
    processEnvironments: false,
  },
  options: { enableMenu: false },  // its speech files are not part of the site
  startup: {
    elements: [".math", ".tex2jax_process"],
    pageReady: () => MathJax.startup.defaultPageReady().then(markWide),
  },
};

// A formula in a line cannot be broken: one that is wider than its paragraph scrolls by itself.
function markWide() {
  const inline = [...document.querySelectorAll("mjx-container:not([display])")];
  inline.forEach((formula) => formula.classList.remove("wide"));
  const isWide = (formula) =>
    formula.firstElementChild.getBoundingClientRect().width >
    formula.parentElement.closest("p, li, td, dd, div, figcaption").clientWidth;
  inline.filter(isWide).forEach((formula) => formula.classList.add("wide"));
}
addEventListener("resize", markWide);
// What is closed has no width.
addEventListener("toggle", ({ target }) => target.matches("details.section") && markWide(), true);
