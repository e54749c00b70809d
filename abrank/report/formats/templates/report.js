(() => {
  "use strict";
  const root = document.documentElement;
  const by = (id) => document.getElementById(id);
  root.classList.add("js");

  /* ---- theme: auto, light, dark; remembered for the session where the browser allows it */
  const themes = ["auto", "light", "dark"];
  const themeButton = by("theme");
  const store = {
    get() { try { return sessionStorage.getItem("abrank-theme"); } catch (error) { return null; } },
    set(value) { try { sessionStorage.setItem("abrank-theme", value); } catch (error) { /* sandboxed */ } },
  };
  const setTheme = (theme) => {
    if (theme === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
    themeButton.lastChild.textContent = theme;
  };
  let theme = themes.includes(store.get()) ? store.get() : "auto";
  setTheme(theme);
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    setTheme(theme);
    store.set(theme);
  });

  /* ---- the bar at the top marks the section in view */
  const links = new Map(
    [...document.querySelectorAll(".top nav a")].map((link) => [link.hash.slice(1), link]),
  );
  const mark = () => {
    let current = "summary";
    for (const id of links.keys()) {
      const section = by(id);
      if (id !== "summary" && section && section.getBoundingClientRect().top < 140) current = id;
    }
    const bottom = window.innerHeight + window.scrollY >= root.scrollHeight - 2;
    if (bottom && window.scrollY > 0) current = [...links.keys()].pop();
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  let waiting = false;
  window.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, { passive: true });
  mark();

  /* ---- a link to something folded opens it, also where the browser does not */
  const reveal = () => {
    const target = by(location.hash.slice(1));
    const fold = target && target.closest("details");
    if (!fold) return;
    for (let outer = fold; outer; outer = outer.parentElement.closest("details")) outer.open = true;
    fold.scrollIntoView({ block: "start" });
    fold.querySelector("summary").focus({ preventScroll: true });
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) reveal();
  });
  window.addEventListener("hashchange", reveal);
  reveal();

  /* ---- copy buttons */
  for (const button of document.querySelectorAll("button.copy")) {
    const source = button.parentElement.previousElementSibling;
    const status = button.nextElementSibling;
    const done = () => {
      button.textContent = "Copied";
      status.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy text"; status.textContent = ""; }, 2000);
    };
    const bySelection = () => {
      const range = document.createRange();
      range.selectNodeContents(source);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      if (document.execCommand("copy")) { selection.removeAllRanges(); done(); }
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      if (navigator.clipboard) navigator.clipboard.writeText(source.innerText.trim()).then(done, bySelection);
      else bySelection();
    });
  }

  /* ---- paper has what is folded, too, in browsers whose style sheets cannot open it */
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open], .lists-fold *)")];
    for (const fold of folded) fold.open = true;
  });
  window.addEventListener("afterprint", () => { for (const fold of folded) fold.open = false; });

  /* ---- query by query: the rows travel deflated; without them the first ones stand as they are */
  if (!by("query-data") || !window.DecompressionStream) return;
  const inflate = (packed) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  };
  inflate(by("query-data").textContent).then(showQueries);

  function showQueries(data) {
  const { columns } = data;
  const numberOf = (text) => Number(text.replace("−", "-").replaceAll(data.group, ""));
  const deltas = columns.filter((column) => column.kind === "delta");
  if (data.measures) deltas.forEach((column, place) => {
    const { values, texts } = data.measures[place];
    Object.assign(column, { values, texts });
  });
  for (const column of columns) column.values ||= column.texts.map(numberOf);
  let { outcome, largest } = data;
  const ids = columns[0].values;
  const pageSize = 10;
  const box = by("query-table");
  const body = box.querySelector("tbody");
  const heads = [...box.querySelectorAll("thead th")];
  const barColumn = columns.findIndex((column) => column.bar);
  const state = { search: "", outcome: "", segments: new Map(), column: barColumn, down: false, page: 0, open: -1 };
  let view = [];

  // Every number was rounded once, when the report was written: the page only shows the texts.
  const text = (column, row) => (
    column.levels ? column.levels[column.values[row]] : (column.texts || column.values)[row]
  );
  const searched = columns.filter((column) => column.kind === "id" || column.kind === "text");
  const haystack = ids.map((id, row) => searched.map((column) => column.values[row]).join("\n").toLowerCase());
  const side = (column, text) => {
    const sign = { "+": 1, "−": -1 }[text[0]] || 0;
    return { 1: "b", "-1": "a", 0: "tie" }[column.flip ? -sign : sign];
  };
  const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, data.group);
  const make = (tag, className, ...content) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...content);
    return node;
  };

  /* ---- rows */
  const svgNode = (name, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const barCell = (column, row) => {
    const number = column.values[row];
    const width = (Math.abs(number) / largest) * 100;
    const svg = svgNode("svg", { viewBox: "-100 0 200 13", preserveAspectRatio: "none", height: 13, "aria-hidden": "true" });
    svg.append(
      svgNode("rect", { x: Math.min(0, Math.sign(number) * width), y: 1, width, height: 11, fill: data.fill[side(column, text(column, row))] }),
      svgNode("rect", { x: -0.4, width: 0.8, height: 13, fill: data.fill.axis }),
    );
    return make("td", "bar", svg);
  };
  const headCell = (row) => {
    const id = make("bdi", "", text(columns[0], row));
    const cell = make("th", "id");
    cell.scope = "row";
    cell.title = text(columns[0], row);
    if (data.lists && data.lists[row]) {
      const button = make("button", "opener", id);
      button.type = "button";
      button.setAttribute("aria-expanded", "false");
      cell.append(button);
    } else cell.append(id);
    return cell;
  };
  const rowNode = (row) => {
    const line = make("tr", data.lists && data.lists[row] ? "openable" : "", headCell(row));
    line.dataset.row = row;
    for (const column of columns.slice(1)) {
      const content = text(column, row);
      if (column.bar) line.append(barCell(column, row));
      if (column.kind === "score") line.append(make("td", "num", content));
      else if (column.kind === "delta") line.append(make("td", `num delta tone-${side(column, content)}`, content));
      else line.append(make("td", column.kind, make("bdi", "", content)));
    }
    return line;
  };

  /* ---- the two ranked lists of a row: documents of four values, after a sentence */
  const hidden = (text) => make("span", "vh", text);
  const chip = (grade) => (grade === null
    ? make("span", "chip hole", make("span", "", "?"), hidden(" not judged"))
    : make("span", `chip g${Math.max(0, Math.min(3, Math.ceil(grade)))}`, hidden("grade "), String(grade)));
  const move = (from, to, first) => {
    const lost = first && (!to || to > data.depth);
    if (!to) return [first ? "dropped" : "new", lost];
    if (first) return [to === from ? "=" : `→ ${to}`, lost];
    if (to === from) return ["=", false];
    return [to > from ? `▲ ${to - from}` : `▼ ${from - to}`, false];
  };
  const ranking = (entries, first) => {
    const own = first ? 2 : 3;
    const other = first ? 3 : 2;
    const visible = entries.filter((entry) => entry[own] && entry[own] <= data.depth);
    visible.sort((left, right) => left[own] - right[own]);
    const items = visible.map((entry) => {
      const [text, lost] = move(entry[own], entry[other], first);
      const gained = !first && (!entry[other] || entry[other] > data.depth);
      const matters = entry[1] >= data.relevant && (lost || gained);
      const rank = make("span", "rank", String(entry[own]));
      rank.setAttribute("aria-hidden", "true");
      const moved = make("span", `move${matters ? (first ? " lost" : " gained") : ""}`, text);
      const title = entry[4] ? [make("bdi", "title", entry[4])] : [];
      return make("li", "", rank, chip(entry[1]), moved, make("bdi", "doc", entry[0]), ...title);
    });
    return items.length ? make("ol", "ranking", ...items) : make("p", "caption", "No document.");
  };
  /* A small table; its first column names the row. */
  const line = (tag, texts, tone) => make("tr", "", ...texts.map((content, place) => {
    const cell = make(place ? tag : "th", `${place ? "num" : ""}${tone && place === 3 ? ` tone-${tone}` : ""}`, content);
    if (!place || tag === "th") cell.scope = place ? "col" : tag === "th" ? "col" : "row";
    return cell;
  }));
  const small = (name, text, head, rows) => make("table", name, make("caption", "", text),
    make("thead", "", line("th", head)), make("tbody", "", ...rows));
  /* Every measure of a row, and the address that opens it. */
  const everyMeasure = (row) => {
    const link = make("a", "", "Link to this query");
    link.href = address(row);
    const below = make("div", "every", make("p", "", link));
    if (!data.measures) return below;
    below.prepend(small("", "Every measure", ["Measure", "A", "B", "Δ"], data.measures.map((measure) => (
      line("td", [measure.name, measure.a[row], measure.b[row], measure.texts[row]], side(measure, measure.texts[row]))
    ))));
    return below;
  };
  /* Where the relevant documents went that only one list has in its top. */
  const inOneTop = (row, entries) => {
    const flat = data.went[row];
    const rows = [];
    for (let i = 0; i < flat.length; i += 2) {
      const [doc, grade, rankA, rankB] = entries[flat[i]];
      const other = { 0: "not retrieved", "-1": "further down or not retrieved" }[flat[i + 1]] || String(flat[i + 1]);
      const inA = rankA > 0 && rankA <= data.depth;
      rows.push(line("td", [make("bdi", "doc", doc), String(grade), inA ? String(rankA) : other, inA ? other : String(rankB)]));
    }
    if (!rows.length) return [];
    return [small("went", `Relevant, but in one top ${data.depth} only`, ["Document", "Grade", "A", "B"], rows)];
  };
  const listsNode = (row) => {
    const [sentence, ...flat] = data.lists[row];
    const entries = [];
    const titles = (data.titles && data.titles[row]) || [];
    for (let i = 0; i < flat.length; i += 4) entries.push([...flat.slice(i, i + 4), titles[i / 4]]);
    const scores = columns.filter((column) => column.kind === "score");
    const pair = ["a", "b"].map((name, index) => {
      const title = make("p", "side-title", make("span", `dot ${name}`), `${scores[index].title} · ${text(scores[index], row)}`);
      return make("div", "", title, ranking(entries, index === 0));
    });
    const cell = make("td", "", make("p", "why", sentence), make("div", "pair", ...pair), make("div", "pair below", ...inOneTop(row, entries), everyMeasure(row)), make("p", "caption", by("lists-legend").textContent));
    cell.colSpan = columns.length + 1;
    return make("tr", "lists", cell);
  };
  const setOpen = (row, on) => {
    const line = body.querySelector(`tr[data-row="${row}"]`);
    if (!line) return;
    line.classList.toggle("found", on);
    const button = line.querySelector(".opener");
    if (button) button.setAttribute("aria-expanded", String(on));
    const below = line.nextElementSibling;
    if (below && below.classList.contains("lists")) below.remove();
    if (on && button) line.after(listsNode(row));
  };
  const toggle = (row) => {
    const before = state.open;
    if (before >= 0) setOpen(before, false);
    state.open = before === row ? -1 : row;
    if (state.open >= 0) setOpen(row, true);
    note(state.open);
    light(state.open);
  };

  /* ---- the open query stands in the address, so that a link opens it */
  const address = (row) => (row < 0 ? "#queries" : `#query=${encodeURIComponent(ids[row])}`);
  const note = (row) => {
    try { history.replaceState(null, "", address(row)); } catch (error) { /* sandboxed */ }
  };
  const follow = () => {
    let wanted = "";
    try { wanted = decodeURIComponent(location.hash.replace(/^#query=/, "")); } catch (error) { return; }
    const row = location.hash.startsWith("#query=") ? ids.indexOf(wanted) : -1;
    if (row >= 0) find(row);
  };
  window.addEventListener("hashchange", follow);

  /* ---- which rows, in which order, on which page */
  const choose = () => {
    const wanted = state.search.trim().toLowerCase();
    view = [];
    for (let row = 0; row < ids.length; row += 1) {
      if (state.outcome !== "" && outcome[row] !== Number(state.outcome)) continue;
      if (wanted && !haystack[row].includes(wanted)) continue;
      if ([...state.segments].some(([column, level]) => columns[column].values[row] !== level)) continue;
      view.push(row);
    }
    const { values, kind } = columns[state.column];
    const order = kind === "id" || kind === "text"
      ? new Intl.Collator("en", { numeric: true }).compare
      : (left, right) => left - right;
    const direction = state.down ? -1 : 1;
    view.sort((left, right) => direction * order(values[left], values[right]) || left - right);
  };
  const gapRow = (text) => {
    const cell = make("td", "", text);
    cell.colSpan = columns.length + 1;
    return make("tr", "gap", cell);
  };
  const draw = () => {
    const pages = Math.max(1, Math.ceil(view.length / pageSize));
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const start = state.page * pageSize;
    body.replaceChildren(...view.slice(start, start + pageSize).map(rowNode));
    if (!view.length) body.append(gapRow("No query matches."));
    if (state.open >= 0) setOpen(state.open, true);
    by("query-count").textContent = `${count(view.length)} of ${count(data.total)} queries`;
    by("query-page").textContent = `Page ${count(state.page + 1)} of ${count(pages)}`;
    by("query-back").disabled = state.page === 0;
    by("query-next").disabled = state.page === pages - 1;
    heads.forEach((head, index) => {
      head.setAttribute("aria-sort", index !== state.column ? "none" : state.down ? "descending" : "ascending");
    });
  };
  const refresh = () => { state.page = 0; choose(); draw(); };

  heads.forEach((head, index) => {
    const button = make("button", "", head.textContent);
    button.type = "button";
    button.addEventListener("click", () => {
      state.down = state.column === index ? !state.down : false;
      state.column = index;
      refresh();
    });
    head.replaceChildren(button);
  });
  by("query-search").addEventListener("input", (event) => { state.search = event.target.value; refresh(); });
  const outcomes = [...box.querySelectorAll("[data-outcome]")];
  const setOutcome = (value) => {
    state.outcome = value;
    for (const button of outcomes) button.setAttribute("aria-pressed", String(button.dataset.outcome === value));
  };
  for (const button of outcomes) {
    button.addEventListener("click", () => { setOutcome(button.dataset.outcome); refresh(); });
  }
  const pickers = [...box.querySelectorAll("[data-segment]")];
  for (const picker of pickers) {
    picker.addEventListener("change", () => {
      const column = Number(picker.dataset.segment);
      if (picker.value === "") state.segments.delete(column);
      else state.segments.set(column, Number(picker.value));
      refresh();
    });
  }
  const measurePicker = by("query-measure");
  const declared = columns.map((column) => ({ ...column }));
  const setMeasure = (place) => {
    const measure = data.measures[place];
    const named = { a: measure.a, b: measure.b };
    for (const column of columns) {
      if (column.kind === "score") Object.assign(column, { texts: named[column.csv], values: named[column.csv].map(numberOf) });
    }
    const title = `Δ ${measure.name}`;
    Object.assign(columns[barColumn], { title, csv: `diff ${measure.name}`, values: measure.values, texts: measure.texts, flip: measure.flip });
    if (place === 0) columns.forEach((column, index) => Object.assign(column, declared[index]));
    ({ outcome, largest } = measure);
    heads[barColumn].querySelector("button").textContent = columns[barColumn].title;
  };
  if (measurePicker) {
    measurePicker.addEventListener("change", () => { setMeasure(Number(measurePicker.value)); refresh(); });
  }
  const turn = (step, button, other) => {
    state.page += step;
    draw();
    if (by(button).disabled) by(other).focus();
  };
  by("query-back").addEventListener("click", () => turn(-1, "query-back", "query-next"));
  by("query-next").addEventListener("click", () => turn(1, "query-next", "query-back"));
  body.addEventListener("click", (event) => {
    const line = event.target.closest("tr.openable");
    // A click that ends a selection of text opens nothing.
    if (line && (event.target.closest("button") || getSelection().isCollapsed)) toggle(Number(line.dataset.row));
  });

  /* ---- CSV of the view: quoted, and no cell a spreadsheet would run */
  const field = (value) => {
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  by("query-csv").addEventListener("click", () => {
    const lines = [columns.map((column) => field(column.csv)).join(",")];
    for (const row of view) lines.push(columns.map((column) => field(column.levels ? text(column, row) : column.values[row])).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
    link.download = "queries.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

  /* ---- a bar of the figure finds its row, a row lights its bar */
  const rowOf = new Map(ids.map((id, row) => [id, row]));
  const bars = new Map();
  for (const bar of document.querySelectorAll("svg [data-query]")) {
    const row = rowOf.get(bar.dataset.query);
    if (row !== undefined) bars.set(row, [...(bars.get(row) || []), bar]);
  }
  const readout = by("query-readout");
  const sentence = (row) => {
    const name = make("bdi", "", make("b", "", text(columns[0], row)));
    const rest = columns.slice(1).map((column) => (
      column.kind === "text" ? `“${text(column, row)}”` : `${column.title} ${text(column, row)}`
    ));
    return [name, make("bdi", "", ` ${rest.join(" · ")}`)];
  };
  function light(row) {
    for (const bar of document.querySelectorAll("svg .lit")) bar.classList.remove("lit");
    for (const bar of bars.get(row) || []) bar.classList.add("lit");
  }
  function find(row) {
    state.open = row;
    note(row);
    state.search = "";
    by("query-search").value = "";
    state.segments.clear();
    for (const picker of pickers) picker.value = "";
    setOutcome("");
    choose();
    state.page = Math.floor(view.indexOf(row) / pageSize);
    draw();
    const line = body.querySelector(".found");
    if (line) line.scrollIntoView({ block: "center" });
  }
  for (const [row, parts] of bars) {
    for (const bar of parts) {
      bar.addEventListener("mouseenter", () => { light(row); readout.replaceChildren(...sentence(row)); });
      bar.addEventListener("mouseleave", () => light(state.open));
      bar.addEventListener("click", () => { light(row); find(row); });
    }
  }
  body.addEventListener("mouseover", (event) => {
    const line = event.target.closest("tr[data-row]");
    if (line) light(Number(line.dataset.row));
  });
  body.addEventListener("mouseleave", () => light(state.open));

  /* ---- paper has both ends of the table, as a reader without scripts has */
  const onPaper = window.matchMedia("print");
  onPaper.addEventListener("change", () => {
    if (!onPaper.matches || view.length <= pageSize) { draw(); return; }
    const rows = [...view.slice(0, 10).map(rowNode), gapRow(`${count(view.length - 20)} queries between these`), ...view.slice(-10).map(rowNode)];
    body.replaceChildren(...rows);
    if (state.open >= 0) setOpen(state.open, true);
  });

  for (const node of box.querySelectorAll(".tools, .pages, .needs-script")) node.hidden = false;
  if (readout) readout.hidden = bars.size === 0;
  choose();
  draw();
  follow();
  box.dataset.ready = "";
  }
})();
