// The link to the live page leads to the section that is being read.
{
  const link = document.querySelector(".run-here a");
  const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  link.addEventListener("click", () => {
    const headings = [...document.querySelectorAll("article :is(h2, h3, h4)")];
    const above = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3);
    link.hash = above.length ? slug(above.at(-1).textContent) : "";
  });
}
