// What the theme leaves out for people with a keyboard or a screen reader: names, and regions that can be scrolled.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  const places = ".md-typeset__scrollwrap, .md-typeset p:has(> img:only-child), .md-typeset pre > code";
  document.querySelectorAll(places).forEach((place) => place.setAttribute("tabindex", "0"));
});
