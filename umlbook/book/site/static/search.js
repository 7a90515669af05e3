// The search asks for each page that it finds, to show an excerpt; the texts are here already.
{
  const ask = window.fetch;
  window.fetch = (address, ...rest) => {
    const name = decodeURIComponent(String(address)).replace(/^\.\//, "").replace(/\.html$/, "");
    return name in SEARCH_TEXTS
      ? Promise.resolve(new Response(`<div role="main">${SEARCH_TEXTS[name]}</div>`))
      : ask(address, ...rest);
  };

  // The search knows stems ("entropi"), which need not stand in the text; the words typed do.
  const typed = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const BEFORE = 100, LENGTH = 260;

  function summary(html, stems, anchor) {
    const text = Search.htmlToText(html, anchor), lower = text.toLowerCase();
    const place = [...typed, ...stems].map((word) => lower.indexOf(word)).find((found) => found >= 0) ?? 0;
    const from = place > BEFORE ? lower.indexOf(" ", place - BEFORE) + 1 : 0;
    const end = lower.lastIndexOf(" ", from + LENGTH), until = from + LENGTH < text.length && end > from ? end : text.length;
    const shown = document.createElement("p");
    shown.className = "context";
    shown.textContent = (from ? "… " : "") + text.slice(from, until).trim() + (until < text.length ? " …" : "");
    return shown;
  }
  document.addEventListener("DOMContentLoaded", () => (Search.makeSearchSummary = summary));
}
