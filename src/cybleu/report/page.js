"use strict";
// Sort tables; sort, search and open segments; copy tables. The page can be read without it.
(() => {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const byId = (id) => document.getElementById(id);
  for (const part of all(".controls")) part.hidden = false;

  // tables
  const numberOf = (cell) => parseFloat((cell.dataset.value ?? cell.textContent).replace("\u2212", "-").replace(/[,<\s]/g, ""));
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

  // the search ignores case and white space, because tokens are shown with blanks between them
  const list = byId("list");
  const segments = all(".s", list);
  const plain = (text) => text.normalize("NFC").toLowerCase().replace(/\s+/g, "");
  const numbers = segments.map((segment) => Number(segment.querySelector(".no").textContent));
  const placeOf = new Map(segments.map((segment, place) => [segment, place]));
  const atOnce = 100;
  let most = atOnce; // segments that are shown
  let texts = null;
  const find = () => {
    const wanted = plain(byId("search").value);
    if (wanted) texts ??= segments.map((segment) => all(".t, dd", segment).map((part) => plain(part.textContent)).join("\n"));
    let found = 0;
    for (const segment of list.children) {
      const place = placeOf.get(segment);
      const matches = !wanted || texts[place].includes(wanted) || wanted === `#${numbers[place]}`;
      found += matches;
      const hidden = !matches || found > most;
      if (segment.hidden !== hidden) segment.hidden = hidden;
    }
    byId("count").textContent = wanted ? `${found} of ${segments.length}` : "";
    byId("more").parentElement.hidden = found <= most;
    byId("more").textContent = `Show ${Math.min(atOnce, found - most)} more of ${found} segments`;
  };
  byId("more").addEventListener("click", () => {
    most += atOnce;
    find();
  });
  let waiting;
  byId("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      most = atOnce;
      find();
    }, 120);
  });

  // By each metric, for each pair, what each segment gains for the first system; or for one system, how bad it is.
  const values = JSON.parse(byId("values").textContent);
  const order = byId("order");
  const metric = byId("metric"); // only if there are several
  const written = segments.map((segment) => segment.querySelector(".n").textContent); // not rounded to units first
  const ofPairs = order.querySelector("optgroup") !== null;
  const arrange = () => {
    const rows = values[metric?.selectedIndex ?? 0];
    const pair = parseInt(order.value, 10); // not a number if it is of any pair
    const sign = order.value.endsWith("-") ? -1 : 1;
    const units = segments.map((_, place) => {
      if (!Number.isNaN(pair)) return sign * rows[pair][place];
      return ofPairs ? Math.max(...rows.map((row) => Math.abs(row[place]))) : rows[0][place];
    });
    const places = segments.map((_, place) => place);
    const byNumber = (a, b) => numbers[a] - numbers[b];
    if (order.value === "number") places.sort(byNumber);
    // the page has the order of the first metric, also of equal segments
    else if (order.value !== "page" || metric?.selectedIndex) places.sort((a, b) => units[b] - units[a] || byNumber(a, b));
    const asOnPage = Number.isNaN(pair) && !metric?.selectedIndex;
    segments.forEach((segment, place) => {
      const value = (ofPairs ? units[place] : Math.abs(units[place])) / 1e4;
      const text = value.toFixed(ofPairs ? 3 : 1).replace("-", "\u2212");
      segment.querySelector(".n").textContent = asOnPage ? written[place] : text;
    });
    list.append(...places.map((place) => segments[place]));
    most = atOnce;
    find();
  };
  order.addEventListener("change", arrange);
  metric?.addEventListener("change", arrange);

  byId("expand").addEventListener("click", (event) => {
    const open = event.target.textContent === "Expand all";
    event.target.textContent = open ? "Collapse all" : "Expand all";
    for (const segment of segments) segment.open = open && !segment.hidden;
  });

  // a link to a segment opens it, and shows it if the search has hidden it
  const open = () => {
    const segment = byId(decodeURIComponent(location.hash.slice(1)))?.closest(".s");
    if (!segment) return;
    segment.hidden = false;
    segment.open = true;
    segment.scrollIntoView();
  };
  addEventListener("hashchange", open);
  find();
  open();
})();
