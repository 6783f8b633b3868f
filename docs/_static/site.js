// What the theme leaves out for people with a keyboard or a screen reader: regions that are scrolled can be reached, the
// contents of a page lie in a landmark, and the parameters of a signature are a list. The name of an option stays whole.
document.addEventListener("DOMContentLoaded", () => {
  const contents = document.querySelector(".bd-sidebar-primary");
  contents?.setAttribute("role", "complementary");
  contents?.setAttribute("aria-label", "Contents");
  contents?.querySelectorAll("summary").forEach((fold) => {
    fold.setAttribute("aria-label", "Pages of " + (fold.closest("li").querySelector("a")?.textContent ?? "this section"));
  });
  document.querySelectorAll(".sig dl").forEach((definitions) => { // without a term
    definitions.outerHTML = definitions.outerHTML.replace(/<(\/?)dl\b/g, "<$1ul").replace(/<(\/?)dd\b/g, "<$1li");
  });
  document.querySelectorAll(".bd-article .highlight-sh pre").forEach((command) => {
    command.innerHTML = command.innerHTML.replace(/(?<![\w-])--?[a-z][\w-]*/gi, '<span class="pre">$&</span>');
  });
  const places = ".bd-article p:has(> img:only-child), .bd-article .pst-scrollable-table-container, .bd-article pre";
  document.querySelectorAll(places).forEach((place) => place.setAttribute("tabindex", "0"));
});
