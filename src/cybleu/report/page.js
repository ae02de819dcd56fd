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
      button.addEventListener("click", () => {
        const turned = head.getAttribute("aria-sort") === (ofNumbers ? "descending" : "ascending");
        const down = ofNumbers !== turned;
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
  const influence = JSON.parse(document.getElementById("influence")?.textContent ?? "[]");
  const order = document.getElementById("order");
  const which = document.getElementById("which");
  const shown = (segment) => segment.querySelector(".n");
  const atFirst = segments.map((segment) => shown(segment).textContent);
  const whichAtFirst = which?.textContent;
  // the numbers are of the pair that sorts the segments
  const show = (pair) => {
    segments.forEach((segment, place) => {
      const points = pair === null ? 0 : influence[pair][place] / 1e4;
      const text = (points < 0 ? "\u2212" : "+") + Math.abs(points).toFixed(3);
      shown(segment).textContent = pair === null ? atFirst[place] : text;
    });
    list.classList.toggle("one-pair", pair !== null);
    if (pair !== null) {
      const [option] = all(`option[value="${pair}+"]`, order);
      which.textContent = `influence on the difference for ${option.parentElement.label}`;
    } else if (which) {
      which.textContent = whichAtFirst;
    }
  };
  order.addEventListener("change", () => {
    let sorted = segments.slice();
    let pair = null;
    if (order.value === "number") {
      sorted.sort((a, b) => numbers.get(a) - numbers.get(b));
    } else if (order.value !== "page") {
      pair = parseInt(order.value, 10);
      const sign = order.value.endsWith("+") ? -1 : 1;
      const points = (segment) => influence[pair][places.get(segment)];
      sorted.sort((a, b) => sign * (points(a) - points(b)) || numbers.get(a) - numbers.get(b));
    }
    show(pair);
    list.append(...sorted);
  });

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
