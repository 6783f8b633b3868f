// What the theme leaves out for people with a keyboard or a screen reader: names, and regions that can be scrolled.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  const places = ".md-typeset__scrollwrap, .md-typeset p:has(> img:only-child), .md-typeset pre > code";
  document.querySelectorAll(places).forEach((place) => place.setAttribute("tabindex", "0"));
  // The button that copies stands in a navigation without a name, added when its code comes into view.
  const plain = () => document.querySelectorAll(".md-code__nav:not([role])").forEach((nav) => nav.setAttribute("role", "none"));
  new MutationObserver(plain).observe(document.body, { childList: true, subtree: true });
  plain();
  // A short name is not broken at its hyphens: --loss.
  document.querySelectorAll(":is(p, li) > code").forEach((code) => {
    if (code.textContent.length < 24) code.style.whiteSpace = "nowrap";
  });
});
