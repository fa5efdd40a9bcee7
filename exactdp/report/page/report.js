"use strict";
{
  const GREEK = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eps: "ε", eta: "η", lambda: "λ", mu: "μ", rho: "ρ", sigma: "σ", tau: "τ" };
  const FIELDS = ["words", "verdict", "level", "topic", "protocol"];
  const form = document.getElementById("filters");
  const matches = document.getElementById("matches");
  const rows = [...document.querySelectorAll("article.row")];
  const topics = [...document.querySelectorAll(".topic")];

  // Names of Greek letters and the letters themselves find each other; case and spaces do not count.
  const plain = (text) =>
    text.toLowerCase().replace(/\b(alpha|beta|gamma|delta|epsilon|eps|eta|lambda|mu|rho|sigma|tau)\b/g, (name) => GREEK[name]).replace(/\s+/g, " ").trim();
  const texts = new Map(rows.map((row) => [row, plain([...row.querySelectorAll("h4, .badges, .statement, .domain, .evidence > dl")].map((part) => part.textContent).join(" "))]));

  const wanted = () => Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));

  function show(state) {
    const words = plain(state.words).split(" ");
    let count = 0;
    for (const row of rows) {
      const fits =
        words.every((word) => texts.get(row).includes(word)) &&
        ["verdict", "level", "topic"].every((name) => !state[name] || row.dataset[name] === state[name]) &&
        (!state.protocol || row.dataset.protocol.split(" ").includes(state.protocol));
      row.hidden = !fits;
      count += fits;
    }
    for (const topic of topics) topic.hidden = !topic.querySelector("article.row:not([hidden])");
    document.getElementById("nothing").hidden = count > 0;
    matches.textContent = count === rows.length ? `${count} statements` : `${count} of ${rows.length} statements`;
  }

  // The state stands in the address, as #ledger?verdict=refuted&words=gamma, so that it can be kept and sent.
  function remember(state) {
    const set = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
    const fragment = set.size ? `#ledger?${set}` : "#ledger";
    if (fragment !== location.hash && (set.size || location.hash.startsWith("#ledger?"))) history.replaceState(null, "", fragment);
  }

  function recall() {
    const [place, query] = location.hash.slice(1).split("?");
    if (place === "ledger" && query !== undefined) {
      const set = new URLSearchParams(query);
      for (const name of FIELDS) form.elements[name].value = set.get(name) ?? "";
      for (const name of FIELDS.slice(1)) if (form.elements[name].selectedIndex < 0) form.elements[name].value = "";
      show(wanted());
      document.getElementById("ledger").scrollIntoView();
      return;
    }
    const target = place && document.getElementById(decodeURIComponent(place));
    if (!target) return;
    if (target.closest("[hidden]")) {
      form.reset();
      show(wanted());
    }
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    target.scrollIntoView();
  }

  async function unpack(details) {
    const text = details.querySelector("pre");
    if (!text.hidden || typeof DecompressionStream === "undefined") return;
    const packed = details.querySelector("a.packed").getAttribute("href").split(",")[1];
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    text.textContent = await new Response(stream).text();
    text.hidden = false;
  }

  form.hidden = false;
  const changed = () => { show(wanted()); remember(wanted()); };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  document.addEventListener("toggle", (event) => { if (event.target.matches("details.certificate[open]")) unpack(event.target); }, true);
  addEventListener("hashchange", recall);
  show(wanted());
  recall();
}
