(function () {
  "use strict";
  var root = document.documentElement, tip = document.getElementById("tip");
  var button = document.getElementById("theme");
  var dark = window.matchMedia("(prefers-color-scheme: dark)");

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  }
  function label() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", "Change to " + button.textContent.toLowerCase() + " colours");
  }
  try { // a page from a file may not be allowed to keep anything
    var kept = localStorage.getItem("tachograph-theme");
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch (e) {}
  button.hidden = false;
  button.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("tachograph-theme", root.dataset.theme); } catch (e) {}
    label();
  });
  dark.addEventListener("change", label);
  label();

  function show(mark) {
    var box = mark.getBoundingClientRect();
    tip.textContent = mark.dataset.tip;
    var x = box.left + box.width / 2 - tip.offsetWidth / 2;
    x = Math.max(4, Math.min(x, root.clientWidth - tip.offsetWidth - 4));
    var y = box.top - tip.offsetHeight - 8;
    if (y < 4) y = box.bottom + 8;
    tip.style.left = x + window.scrollX + "px";
    tip.style.top = y + window.scrollY + "px";
  }
  function hide() { tip.textContent = ""; }

  document.querySelectorAll("figure svg").forEach(function (svg) {
    var marks = [], at = -1;
    svg.querySelectorAll("title").forEach(function (title) {
      var mark = title.parentNode; // the browser's own tip would be shown, too
      mark.dataset.tip = title.textContent;
      mark.removeChild(title);
      marks.push(mark);
    });
    if (!marks.length) return;
    function go(to) {
      if (marks[at]) marks[at].classList.remove("on");
      at = to;
      if (marks[at]) { marks[at].classList.add("on"); show(marks[at]); } else hide();
    }
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointerover", function (e) {
      if (e.target.dataset.tip) { go(-1); show(e.target); }
    });
    svg.addEventListener("pointerout", hide);
    svg.addEventListener("pointerdown", function (e) { // a finger does not hover
      if (e.target.dataset.tip) show(e.target);
    });
    svg.addEventListener("blur", function () { go(-1); });
    svg.addEventListener("keydown", function (e) {
      var to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: marks.length - 1 }[e.key];
      if (e.key === "Escape") go(-1);
      if (to === undefined) return;
      e.preventDefault();
      go(Math.max(0, Math.min(to, marks.length - 1)));
    });
  });
})();
