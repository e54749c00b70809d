(() => {
  "use strict";
  const root = document.documentElement;
  const by = (id) => document.getElementById(id);
  root.classList.add("js");

  /* ---- theme: auto, light, dark; remembered where the browser allows it */
  const themes = ["auto", "light", "dark"];
  const themeButton = by("theme");
  const store = {
    get() { try { return localStorage.getItem("abrank-theme"); } catch (error) { return null; } },
    set(value) { try { localStorage.setItem("abrank-theme", value); } catch (error) { /* sandboxed */ } },
  };
  const setTheme = (theme) => {
    if (theme === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
    themeButton.textContent = `Theme: ${theme}`;
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

  /* ---- query by query */
  if (!by("query-data")) return;
  const data = JSON.parse(by("query-data").textContent);
  const { columns, outcome } = data;
  const ids = columns[0].values;
  const pageSize = 25;
  const box = by("query-table");
  const body = box.querySelector("tbody");
  const heads = [...box.querySelectorAll("thead th")];
  const barColumn = columns.findIndex((column) => column.bar);
  const lowered = ids.map((id) => id.toLowerCase());
  const state = { search: "", outcome: "", column: barColumn, down: false, page: 0, found: -1 };
  let view = [];

  // Every number was rounded once, when the report was written: the page only shows the texts.
  const text = (column, row) => (column.shown || column.values)[row];
  const tone = (shown) => ({ "+": " tone-b", "−": " tone-a" })[shown[0]] || " tone-tie";
  const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, data.group);

  const svgNode = (name, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const barCell = (number) => {
    const cell = document.createElement("td");
    const width = (Math.abs(number) / data.largest) * 100;
    const svg = svgNode("svg", { viewBox: "-100 0 200 13", preserveAspectRatio: "none", height: 13, "aria-hidden": "true" });
    svg.append(
      svgNode("rect", { x: Math.min(0, Math.sign(number) * width), y: 1, width, height: 11, fill: number < 0 ? data.fill.a : data.fill.b }),
      svgNode("rect", { x: -0.4, width: 0.8, height: 13, fill: data.fill.axis }),
    );
    cell.className = "bar";
    cell.append(svg);
    return cell;
  };
  const rowNode = (row) => {
    const line = document.createElement("tr");
    line.dataset.row = row;
    if (row === state.found) line.className = "found";
    for (const [index, column] of columns.entries()) {
      const cell = document.createElement(index === 0 ? "th" : "td");
      const content = text(column, row);
      if (index === 0) {
        cell.scope = "row";
        cell.title = content;
        const isolated = document.createElement("bdi");
        isolated.textContent = content;
        cell.append(isolated);
      } else {
        cell.className = `num${column.kind === "delta" ? tone(content) : ""}`;
        cell.textContent = content;
      }
      if (column.bar) line.append(barCell(column.values[row]));
      line.append(cell);
    }
    return line;
  };

  const choose = () => {
    const wanted = state.search.trim().toLowerCase();
    view = [];
    for (let row = 0; row < ids.length; row += 1) {
      if (state.outcome !== "" && outcome[row] !== Number(state.outcome)) continue;
      if (wanted && !lowered[row].includes(wanted)) continue;
      view.push(row);
    }
    const { values } = columns[state.column];
    const order = columns[state.column].kind === "text"
      ? new Intl.Collator("en", { numeric: true }).compare
      : (left, right) => left - right;
    const direction = state.down ? -1 : 1;
    view.sort((left, right) => direction * order(values[left], values[right]) || left - right);
  };
  const draw = () => {
    const pages = Math.max(1, Math.ceil(view.length / pageSize));
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const start = state.page * pageSize;
    body.replaceChildren(...view.slice(start, start + pageSize).map(rowNode));
    if (!view.length) {
      const line = document.createElement("tr");
      const cell = document.createElement("td");
      line.className = "gap";
      cell.colSpan = columns.length + 1;
      cell.textContent = "No query matches.";
      line.append(cell);
      body.append(line);
    }
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
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
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
    for (const each of outcomes) each.setAttribute("aria-pressed", String(each.dataset.outcome === value));
  };
  for (const button of outcomes) {
    button.addEventListener("click", () => { setOutcome(button.dataset.outcome); refresh(); });
  }
  const turn = (step, button, other) => {
    state.page += step;
    draw();
    if (by(button).disabled) by(other).focus();
  };
  by("query-back").addEventListener("click", () => turn(-1, "query-back", "query-next"));
  by("query-next").addEventListener("click", () => turn(1, "query-next", "query-back"));

  /* ---- CSV of the view: quoted, and no cell a spreadsheet would run */
  const field = (value) => {
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  by("query-csv").addEventListener("click", () => {
    const lines = [columns.map((column) => field(column.csv)).join(",")];
    for (const row of view) lines.push(columns.map((column) => field(column.values[row])).join(","));
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
    const strong = document.createElement("b");
    strong.textContent = text(columns[0], row);
    const isolated = document.createElement("bdi");
    isolated.append(strong);
    const numbers = columns.slice(1).map((column) => `${column.title} ${text(column, row)}`);
    return [isolated, ` ${numbers.join(" · ")}`];
  };
  const light = (row) => {
    for (const bar of document.querySelectorAll("svg .lit")) bar.classList.remove("lit");
    for (const bar of bars.get(row) || []) bar.classList.add("lit");
  };
  const find = (row) => {
    state.found = row;
    state.search = "";
    by("query-search").value = "";
    setOutcome("");
    choose();
    state.page = Math.floor(view.indexOf(row) / pageSize);
    draw();
    body.querySelector(".found").scrollIntoView({ block: "center" });
  };
  for (const [row, drawn] of bars) {
    for (const bar of drawn) {
      bar.addEventListener("mouseenter", () => { light(row); readout.replaceChildren(...sentence(row)); });
      bar.addEventListener("mouseleave", () => light(state.found));
      bar.addEventListener("click", () => { light(row); find(row); });
    }
  }
  body.addEventListener("mouseover", (event) => {
    const line = event.target.closest("tr[data-row]");
    if (line) light(Number(line.dataset.row));
  });
  body.addEventListener("mouseleave", () => light(state.found));

  box.querySelector(".tools").hidden = false;
  box.querySelector(".pages").hidden = false;
  if (readout) readout.hidden = bars.size === 0;
  choose();
  draw();
})();
