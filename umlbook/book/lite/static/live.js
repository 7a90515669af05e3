// The bar on a live page: what is being loaded, where the work is kept, and the way back.
(() => {
  const { back, files } = document.currentScript.dataset;
  const path = new URLSearchParams(location.search).get("path") ?? "";
  const section = decodeURIComponent(location.hash.slice(1));
  const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

  // ---- what is being loaded: the kernel's worker says which file it has fetched
  let loaded = 0, isReady = false;
  const bar = document.createElement("aside");
  const state = document.createElement("span");
  state.setAttribute("role", "status");
  const name = (url) => new URL(url).pathname.split("/").pop().split("-")[0];
  const told = ({ data }) => {
    if (data?.umlbookLoaded === undefined || isReady) return;
    loaded += 1;
    state.textContent = `Loading Python: ${name(data.umlbookLoaded)}, ${loaded} of ${files} files.`;
  };
  const telling = (url) => `import ${JSON.stringify(url)};
    const fetched = self.fetch;
    self.fetch = async (what, ...more) => {
      const answer = await fetched(what, ...more);
      self.postMessage({umlbookLoaded: answer.url});
      return answer;
    };`;
  window.Worker = class extends window.Worker {
    constructor(url, options) {
      const script = new Blob([telling(new URL(url, location).href)], { type: "text/javascript" });
      const isModule = options?.type === "module";
      super(isModule ? URL.createObjectURL(script) : url, options);
      if (isModule) this.addEventListener("message", told);
    }
  };
  const ready = () => {
    const shown = document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status;
    isReady = loaded > 0 && ["idle", "busy"].includes(shown);
    if (!isReady) return setTimeout(ready, 300);
    state.textContent = "Python is ready.";
  };

  // ---- the bar
  const link = (words, address) => {
    const anchor = Object.assign(document.createElement("a"), { href: address });
    anchor.textContent = words;
    return anchor;
  };
  const root = new URL("..", document.currentScript.src.replace("live.js", "notebooks/"));
  const here = (address) => new URL(address, root).href;
  const build = () => {
    bar.id = "umlbook-live";
    bar.setAttribute("aria-label", "About this page");
    const kept = document.createElement("details");
    kept.innerHTML = `<summary>Your work is kept in this browser only</summary>
      <p>Python runs in this page, and what you change is saved in this browser, on this device:
      nothing is sent anywhere, and clearing the browser's data deletes it. To keep your work or to
      take it elsewhere, use <b>File › Download</b>; to bring it back, open <b>All notebooks</b> and
      use <b>Upload</b>. A file made by <b>Hand in</b> is in that list, too.</p>`;
    const hasPage = path.endsWith(".ipynb") && !path.startsWith("solutions/");
    const read = hasPage ? path.replace(/\.ipynb$/, ".html") : "index.html";
    const links = document.createElement("nav");
    if (back) links.append(link(hasPage ? "Read this page" : "Read the book", here(back + read)));
    links.append(link("All notebooks", here("tree/index.html")));
    bar.append(state, kept, links);
    document.body.append(bar);
    if (path.endsWith(".ipynb")) {
      state.textContent = "Loading Python; read on, the stored results are here.";
      ready();
    }
  };

  // ---- the section that the reader came from
  const scroll = (until) => {
    const headings = [...document.querySelectorAll(".jp-RenderedMarkdown :is(h1, h2, h3, h4)")];
    const found = headings.find((heading) => slug(heading.textContent) === section);
    if (found) found.scrollIntoView();
    if (Date.now() < until && !(found && found.getBoundingClientRect().top < innerHeight / 2))
      setTimeout(scroll, 500, until);
  };

  addEventListener("DOMContentLoaded", () => {
    build();
    if (section) scroll(Date.now() + 60000);
  });
})();
