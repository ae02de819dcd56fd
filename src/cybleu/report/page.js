"use strict";
// Enhancements of the page: sort tables, sort and search segments, mark n-grams when a segment is opened, copy tables.
(() => {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  for (const part of all(".controls")) part.hidden = false;

  // tables
  const numberOf = (cell) => parseFloat(cell.textContent.replace("\u2212", "-").replace(/[,<\s]/g, ""));
  for (const table of all("table.sortable")) {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      const ofNumbers = head.classList.contains("n");
      // the best number comes first, and after another click the worst
      const downFirst = ofNumbers && !head.classList.contains("low");
      button.addEventListener("click", () => {
        const turned = head.getAttribute("aria-sort") === (downFirst ? "descending" : "ascending");
        const down = downFirst !== turned;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const compare = ofNumbers
          ? (a, b) => numberOf(a.cells[column]) - numberOf(b.cells[column])
          : (a, b) => a.cells[column].textContent.localeCompare(b.cells[column].textContent);
        const rows = Array.from(table.tBodies[0].rows).sort((a, b) => (down ? -1 : 1) * (compare(a, b) || 0));
        table.tBodies[0].append(...rows);
      });
    });
  }

  // tables to copy
  for (const button of all("button.copy")) {
    button.addEventListener("click", async () => {
      const text = button.closest("details").querySelector("code");
      const status = button.parentElement.querySelector("[role=status]");
      try {
        await navigator.clipboard.writeText(text.textContent);
        status.textContent = "Copied.";
      } catch {
        getSelection().selectAllChildren(text);
        status.textContent = "Selected; copy it with the keyboard.";
      }
    });
  }

  // segments
  const list = document.getElementById("list");
  const segments = all(".s", list);
  const numbers = new Map(segments.map((segment) => [segment, Number(segment.querySelector(".no").textContent)]));
  const mark = (segment) => {
    for (const line of all("dd[data-m]", segment)) {
      const characters = Array.from(line.textContent);
      const parts = [];
      let place = 0;
      for (const [, letter, length] of line.dataset.m.matchAll(/([a-eA-E])(\d+)/g)) {
        const part = characters.slice(place, (place += Number(length))).join("");
        const words = part.trimEnd();
        if (letter === "a") {
          parts.push(part);
          continue;
        }
        const marked = document.createElement("u");
        marked.className = letter;
        marked.textContent = words;
        parts.push(marked, part.slice(words.length));
      }
      parts.push(characters.slice(place).join(""));
      line.replaceChildren(...parts);
      delete line.dataset.m;
    }
  };
  list.addEventListener("toggle", (event) => event.target.open && mark(event.target), true);

  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const plain = (text) => text.normalize("NFC").toLowerCase();
  let texts = null;
  const find = () => {
    const wanted = plain(search.value.trim());
    texts ??= segments.map((segment) => plain(all(".t, dd", segment).map((part) => part.textContent).join("\n")));
    let shown = 0;
    segments.forEach((segment, place) => {
      const found = texts[place].includes(wanted) || wanted === `#${numbers.get(segment)}`;
      if (segment.hidden === found) segment.hidden = !found;
      shown += found;
    });
    count.textContent = wanted ? `${shown} of ${segments.length}` : "";
  };
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 120);
  });

  const places = new Map(segments.map((segment, place) => [segment, place]));
  const order = document.getElementById("order");
  const metric = document.getElementById("metric"); // only if there are several
  const which = document.getElementById("which");
  // of each metric, for each pair, the influence of each segment; or for one system the score of each segment
  const numbersOf = JSON.parse(document.getElementById("influence")?.textContent ?? "[]");
  const ofPairs = numbersOf.length / (metric?.length ?? 1);
  const hasPairs = order.querySelector("optgroup") !== null;
  const shown = (segment) => segment.querySelector(".n");
  const atFirst = segments.map((segment) => shown(segment).textContent);
  const whichAtFirst = which?.textContent;
  const asText = (units) =>
    hasPairs ? (units < 0 ? "\u2212" : "+") + Math.abs(units / 1e4).toFixed(3) : (units / 1e4).toFixed(1);
  const arrange = () => {
    const chosen = metric?.selectedIndex ?? 0;
    const pair = parseInt(order.value, 10); // not a number if it is of any pair
    const option = metric?.options[chosen];
    const direction = option && "low" in option.dataset ? -1 : 1;
    const any = Number.isNaN(pair);
    const asAtFirst = any && chosen === 0;
    const units = numbersOf.slice(chosen * ofPairs, (chosen + 1) * ofPairs);
    const larger = (a, b) => (Math.abs(b) > Math.abs(a) ? b : a);
    const of = (segment) => {
      const place = places.get(segment);
      return any ? units.map((ofPair) => ofPair[place]).reduce(larger) : units[pair][place];
    };
    const values = asAtFirst ? null : new Map(segments.map((segment) => [segment, of(segment)]));
    // the numbers are of the metric and the pair that sort the segments
    segments.forEach((segment, place) => {
      shown(segment).textContent = asAtFirst ? atFirst[place] : asText(values.get(segment));
    });
    list.classList.toggle("one-pair", !asAtFirst);
    if (which) {
      const label = option ? ` in ${option.text}` : "";
      const group = any ? null : order.selectedOptions[0].parentElement.label;
      if (asAtFirst) which.textContent = whichAtFirst;
      else if (!hasPairs) which.textContent = option.text;
      else if (any && ofPairs > 1) which.textContent = `largest influence on any difference${label}`;
      else which.textContent = `influence on the difference${label} for ${group ?? order.querySelector("optgroup").label}`;
    }
    const sorted = segments.slice();
    const byNumber = (a, b) => numbers.get(a) - numbers.get(b);
    if (order.value === "number") {
      sorted.sort(byNumber);
    } else if (!asAtFirst) {
      const key = !any
        ? (value) => direction * (order.value.endsWith("+") ? value : -value)
        : hasPairs
          ? Math.abs
          : (value) => -direction * value;
      sorted.sort((a, b) => key(values.get(b)) - key(values.get(a)) || byNumber(a, b));
    }
    list.append(...sorted);
  };
  order.addEventListener("change", arrange);
  metric?.addEventListener("change", arrange);

  // a link to a segment opens it, and shows it if the search has hidden it
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const segment = target && target.closest(".s");
    if (!segment) return;
    segment.hidden = false;
    segment.open = true;
    mark(segment);
    segment.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
})();
