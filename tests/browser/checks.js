// What is wrong with a page for those who read it otherwise than by eye: each check returns sentences, none if all is well.
const checks = {
  ids: () => {
    const seen = new Set(), found = [];
    for (const part of document.querySelectorAll("[id]")) seen.has(part.id) ? found.push(`id ${part.id} twice`) : seen.add(part.id);
    return found;
  },
  links: () => [...document.querySelectorAll("a[href], [aria-labelledby], [aria-describedby], label[for]")].flatMap((part) => {
    const names = ["aria-labelledby", "aria-describedby", "for"].flatMap((name) => (part.getAttribute(name) ?? "").split(" ")).filter(Boolean);
    const href = part.getAttribute("href");
    if (href !== null && href.startsWith("#")) names.push(decodeURIComponent(href.slice(1)));
    else if (href !== null && !href.startsWith("data:")) return [`leads away: ${href}`];
    return names.filter((name) => !document.getElementById(name)).map((name) => `leads nowhere: ${name}`);
  }),
  names: () => {
    const text = (part) => (part.getAttribute("aria-label") ?? (part.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ")).trim();
    const found = [];
    if (!document.documentElement.lang) found.push("no language");
    if (!document.title) found.push("no title");
    for (const part of document.querySelectorAll("img, svg, [role=img]")) if (!text(part) && !part.alt) found.push(`${part.tagName} without words`);
    for (const part of document.querySelectorAll("input, select, textarea")) if (!part.labels.length && !text(part)) found.push(`${part.tagName} ${part.id} without a label`);
    for (const part of document.querySelectorAll("a, button, summary")) if (!part.textContent.trim() && !text(part)) found.push(`${part.tagName} without words`);
    for (const part of document.querySelectorAll("table")) if (!part.caption || !part.querySelector("th[scope]")) found.push("a table without a caption or heads");
    for (const part of document.querySelectorAll("nav, form, [tabindex='0']")) if (!text(part)) found.push(`${part.tagName} without a name`);
    return found;
  },
  headings: () => {
    const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((part) => Number(part.tagName[1]));
    const found = levels.filter((level) => level === 1).length === 1 ? [] : ["not one h1"];
    return found.concat(levels.flatMap((level, k) => (k && level > levels[k - 1] + 1 ? [`h${level} after h${levels[k - 1]}`] : [])));
  },
  contrast: () => {
    const channels = (color) => color.match(/[\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => {
      const value = [r, g, b][k] / 255;
      return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    }, 0);
    const ground = (part) => {
      for (; part; part = part.parentElement) {
        const color = channels(getComputedStyle(part).backgroundColor);
        if (color.length < 4 || color[3] > 0) return color;
      }
      return [255, 255, 255];
    };
    const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const part = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || !part.checkVisibility() || part.closest(".unseen, script, style, title, desc")) continue;
      const style = getComputedStyle(part), [a, b] = [luminance(channels(part.closest("svg") ? style.fill : style.color)), luminance(ground(part))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) found.add(`${part.tagName} ${part.className?.baseVal ?? part.className} "${part.textContent.trim().slice(0, 30)}": ${ratio.toFixed(2)}`);
    }
    return [...found];
  },
  width: () => (document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth} px wide`] : []),
};
return checks[arguments[0]]();
