// What the theme leaves out for people with a keyboard or a screen reader: regions that are scrolled can be reached, and
// the contents of a page lie in a landmark.
document.addEventListener("DOMContentLoaded", () => {
  const contents = document.querySelector(".bd-sidebar-primary");
  contents?.setAttribute("role", "complementary");
  contents?.setAttribute("aria-label", "Contents");
  contents?.querySelectorAll("summary").forEach((fold) => {
    fold.setAttribute("aria-label", "Pages of " + (fold.closest("li").querySelector("a")?.textContent ?? "this section"));
  });
  const places = ".bd-article p:has(> img:only-child), .bd-article .pst-scrollable-table-container, .bd-article pre";
  document.querySelectorAll(places).forEach((place) => place.setAttribute("tabindex", "0"));
});
