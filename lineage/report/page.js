"use strict";
(() => {
  const root = document.documentElement;
  const language = document.getElementById("language");
  const form = document.getElementById("find");
  const words = document.getElementById("words");
  const found = document.getElementById("found");
  const OPENED = 3;

  function speak(chosen) {
    root.dataset.language = chosen;
    root.lang = chosen === "zh" ? "zh-CN" : "en";
    for (const element of document.querySelectorAll("button, nav, input, output, .scroll")) {
      for (const { name, value } of [...element.attributes]) {
        if (name.startsWith(`data-${chosen}-`)) element.setAttribute(name.slice(8), value);
      }
    }
  }

  const asked = location.hash.slice(1);
  speak(asked === "zh" || asked === "en" ? asked : /^zh\b/i.test(navigator.language) ? "zh" : "en");
  language.hidden = false;
  language.addEventListener("click", () => {
    speak(root.dataset.language === "zh" ? "en" : "zh");
    if (words && words.value) find();
  });

  function openTarget() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || !target.classList.contains("chain")) return;
    target.hidden = false;
    target.open = true;
    target.scrollIntoView();
  }

  openTarget();
  window.addEventListener("hashchange", openTarget);
  if (!form) return;

  const fold = (text) => text.normalize("NFKC").toLowerCase();
  const cards = [...document.querySelectorAll(".chain")].map((card) => ({
    card,
    summary: card.querySelector("summary"),
    spine: card.querySelector(".spine"),
    articles: [...card.querySelectorAll(".article")],
    texts: null,
  }));

  function textsOf(entry) {
    if (!entry.texts) {
      const common = ` ${entry.summary.textContent} ${entry.spine.textContent}`;
      entry.texts = entry.articles.map((article) => fold(article.textContent + common));
      entry.common = fold(common);
    }
    return entry.texts;
  }

  function show(entry, wanted) {
    const texts = textsOf(entry);
    const holds = (text) => wanted.every((word) => text.includes(word));
    const all = !wanted.length || holds(entry.common);
    let matches = 0;
    entry.articles.forEach((article, place) => {
      const hit = all || holds(texts[place]);
      article.parentElement.hidden = !hit;
      article.classList.toggle("hit", hit && !all);
      if (hit) matches += 1;
    });
    entry.card.hidden = !matches && !all;
    return matches;
  }

  function find() {
    const wanted = fold(words.value).split(/\s+/).filter(Boolean);
    let articles = 0;
    const seen = [];
    for (const entry of cards) {
      articles += show(entry, wanted);
      entry.card.open = false;
      if (!entry.card.hidden) seen.push(entry);
    }
    if (!wanted.length) {
      found.textContent = "";
      return;
    }
    if (seen.length <= OPENED) for (const { card } of seen) card.open = true;
    const said = seen.length ? found.title : found.dataset.nothing;
    found.textContent = said.replace("{articles}", articles).replace("{plans}", seen.length);
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  let waiting = 0;
  words.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 120);
  });
})();
