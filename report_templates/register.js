// Search, filter and sort the rows that are in the page. Without this script the whole table stands there as it is.
"use strict";
(() => {
  const STEP = 100;
  const table = document.getElementById("agents");
  const body = table.tBodies[0];
  const form = document.getElementById("tools");
  const find = document.getElementById("find");
  const silent = document.getElementById("silent");
  const order = document.getElementById("order");
  const selects = [...form.querySelectorAll("select[data-key]")];
  const status = document.getElementById("shown");
  const more = document.getElementById("more");
  const files = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const number = new Intl.NumberFormat("en");
  const compare = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  const texts = new Map();
  let rows = files;
  let room = STEP;

  // The text of a row is read when the first search needs it.
  const textOf = (row) => {
    let text = texts.get(row);
    if (text === undefined) {
      text = [...row.cells].map((cell) => cell.textContent).join("\n").toLowerCase();
      texts.set(row, text);
    }
    return text;
  };

  const matches = (row, words, chosen, column) =>
    chosen.every(([key, value]) => (row.dataset[key] ?? "").split(" ").includes(value)) &&
    (!column || row.cells[column - 1].classList.contains("n")) &&
    words.every((word) => textOf(row).includes(word));

  const show = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = selects.filter((select) => select.value).map((select) => [select.dataset.key, select.value]);
    const column = Number(silent.value);
    let found = 0;
    for (const row of rows) {
      const keep = matches(row, words, chosen, column);
      if (keep) found += 1;
      row.hidden = !keep;
      row.classList.toggle("later", keep && found > room);
    }
    const all = number.format(rows.length);
    const part = found === rows.length ? `${all} rows` : `${number.format(found)} of ${all} rows match`;
    const seen = found > room ? `; the first ${number.format(room)} are shown` : found ? "; all of them are shown" : "";
    status.textContent = part + seen;
    more.hidden = found <= room;
  };

  const anew = () => {
    room = STEP;
    show();
  };

  // What is not declared comes last in either direction: silence is no value. Equal rows keep the order of the files.
  const sort = (column, way) => {
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    if (way === "") {
      rows = files;
    } else {
      heads[column].setAttribute("aria-sort", way);
      const sign = way === "ascending" ? 1 : -1;
      const keyed = files.map((row, index) => {
        const cell = row.cells[column];
        return { row, index, none: cell.classList.contains("n"), text: cell.textContent.slice(0, 200) };
      });
      keyed.sort((a, b) => a.none - b.none || sign * compare(a.text, b.text) || a.index - b.index);
      rows = keyed.map((entry) => entry.row);
    }
    body.append(...rows);
    show();
  };

  const columns = () => {
    for (const box of form.elements.group) table.classList.toggle(`no-${box.value}`, !box.checked);
  };

  heads.forEach((head, column) => {
    const label = head.firstElementChild;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...label.childNodes);
    button.addEventListener("click", () => {
      const way = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      order.value = String(column);
      sort(column, way);
    });
    label.replaceWith(button);
  });
  let waiting = 0;
  find.addEventListener("input", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(anew);
  });
  form.addEventListener("change", (event) => {
    if (event.target.name === "group") columns();
    else if (event.target === order) sort(Number(order.value), order.value && "ascending");
    else if (event.target !== find) anew();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    columns();
    room = STEP;
    sort(0, "");
    find.focus();
  }));
  more.addEventListener("click", (event) => {
    const wanted = event.target.dataset.rows;
    if (!wanted) return;
    const first = room;
    room = wanted === "all" ? Infinity : room + STEP;
    show();
    const row = rows.filter((other) => !other.hidden)[first];
    row.cells[0].tabIndex = -1;
    row.cells[0].focus();
  });
  columns();
  show();
  form.hidden = false;
  document.documentElement.dataset.ready = "yes";
  performance.mark("ready");
})();
