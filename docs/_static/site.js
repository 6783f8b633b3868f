// What the theme leaves out for people with a keyboard: regions that are scrolled can be reached.
document.addEventListener("DOMContentLoaded", () => {
  const places = ".bd-article p:has(> img:only-child), .bd-article .pst-scrollable-table-container, .bd-article pre";
  document.querySelectorAll(places).forEach((place) => place.setAttribute("tabindex", "0"));
});
