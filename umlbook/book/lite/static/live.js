// The bar on a live page: what is being loaded, where the work is kept, and the way back.
(() => {
  const { back, kernel } = document.currentScript.dataset;
  const root = document.currentScript.src;
  const here = (address) => new URL(address, root).href;
  const path = new URLSearchParams(location.search).get("path") ?? "";
  const section = decodeURIComponent(location.hash.slice(1));
  const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

  // ---- Python starts with the page, so that it is there soon after it, and says what it does
  const bar = document.createElement("aside");
  const state = document.createElement("span");
  state.setAttribute("role", "status");
  const Plain = window.Worker;
  const begun = (address) => {
    const script = `import ${JSON.stringify(address)};
      import { begin } from ${JSON.stringify(here("python.mjs"))};
      begin();`;
    const blob = new Blob([script], { type: "text/javascript" });
    const worker = new Plain(URL.createObjectURL(blob), { type: "module" });
    worker.addEventListener("message", ({ data }) => {
      if (data?.umlbook !== undefined) state.textContent = data.umlbook;
    });
    return worker;
  };
  const isNotebook = path.endsWith(".ipynb");
  let first = isNotebook && !crossOriginIsolated && begun(here(kernel));
  window.Worker = function (url, options) {
    if (options?.type !== "module") return new Plain(url, options);
    const address = new URL(url, location).href;
    const worker = first && address === here(kernel) ? first : begun(address);
    first = null;
    return worker;
  };

  // ---- the bar
  const link = (words, address) => {
    const anchor = Object.assign(document.createElement("a"), { href: address });
    anchor.textContent = words;
    return anchor;
  };
  const build = () => {
    bar.id = "umlbook-live";
    bar.setAttribute("aria-label", "About this page");
    const kept = document.createElement("details");
    const encoded = path && `?path=${encodeURIComponent(path)}`;
    kept.innerHTML = `<summary>Your work is kept in this browser only</summary>
      <p>Python runs in this page, and what you change is saved in this browser, on this device:
      nothing is sent anywhere, and clearing the browser's data deletes it. To keep your work or to
      take it elsewhere, use <b>File › Download</b>; to bring it back, open <b>All notebooks</b> and
      use <b>Upload</b>. A file made by <b>Hand in</b> is in that list, too. The files of Python,
      about 160 MB, stay in this browser as well, so that it starts faster next time. To have several
      notebooks side by side, open the <a href="${here("lab/index.html") + encoded}">lab view</a>.
      </p>`;
    const hasPage = isNotebook && !path.startsWith("solutions/");
    const read = hasPage ? path.replace(/\.ipynb$/, ".html") : "index.html";
    const links = document.createElement("nav");
    if (back) links.append(link(hasPage ? "Read this page" : "Read the book", here(back + read)));
    links.append(link("All notebooks", here("tree/index.html")));
    bar.append(state, kept, links);
    document.body.append(bar);
    if (isNotebook) state.textContent ||= "Loading Python; read on, the stored results are here.";
  };

  // ---- the section that the reader came from
  const open = (heading) => {
    const closed = document.querySelectorAll(".jp-collapseHeadingButton.jp-mod-collapsed");
    const above = (button) => button.compareDocumentPosition(heading) & Node.DOCUMENT_POSITION_FOLLOWING;
    [...closed].filter(above).at(-1)?.click();
  };
  const scroll = (until) => {
    const headings = [...document.querySelectorAll(".jp-RenderedMarkdown :is(h1, h2, h3, h4)")];
    const found = headings.find((heading) => slug(heading.textContent) === section);
    const hidden = found && !found.checkVisibility();
    if (hidden) open(found);
    else found?.scrollIntoView();
    const arrived = found && !hidden && found.getBoundingClientRect().top < innerHeight / 2;
    if (Date.now() < until && !arrived) setTimeout(scroll, 500, until);
  };

  addEventListener("DOMContentLoaded", () => {
    build();
    if (section) scroll(Date.now() + 60000);
  });
})();
