// Draws each figure from the table behind it: what is drawn and what is read are the same numbers.

import { bars, curve, lines, palette } from "desk/plots.js";
import { ownZone } from "desk/zones.js";

const kinds = { bars, curve, lines };
let drawn = [];

function numbers(table) {
  const [, ...heads] = table.tHead.rows[0].cells;
  const rows = [...table.tBodies[0].rows];
  return {
    names: rows.map((row) => row.cells[0].textContent),
    places: rows.map((row) => Number(row.cells[0].dataset.seconds)),
    series: heads.map((head, place) => ({
      label: head.textContent,
      look: head.dataset.look,
      values: rows.map((row) => Number(row.cells[place + 1].dataset.value)),
    })),
  };
}

function canvas(figure) {
  const plot = document.createElement("div");
  plot.className = "plot";
  const found = document.createElement("canvas");
  found.setAttribute("role", "img");
  found.setAttribute("aria-label", `${figure.querySelector("h3").textContent}: drawn; its table follows`);
  plot.append(found);
  figure.querySelector("details").before(plot);
  return found;
}

function draw() {
  for (const chart of drawn) chart.destroy();
  const colours = palette(document);
  drawn = [...document.querySelectorAll("figure[data-chart]")].map((figure) => {
    const found = figure.querySelector("canvas") ?? canvas(figure);
    const shown = { ...figure.dataset, ...numbers(figure.querySelector("table")) };
    return new window.Chart(found, kinds[figure.dataset.chart](shown, colours, found.parentNode.clientWidth));
  });
}

draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
matchMedia("(width < 36rem)").addEventListener("change", draw);

// On paper the colours are those of light.
addEventListener("beforeprint", () => {
  document.documentElement.style.colorScheme = "light";
  draw();
});
addEventListener("afterprint", () => {
  document.documentElement.style.colorScheme = "";
  draw();
});

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// Days end at midnight somewhere: who is elsewhere may have them by their own clock.
const mine = ownZone();
const link = document.querySelector("[data-in-my-zone]");
if (link && !document.documentElement.dataset.zone && link.dataset.inMyZone !== mine) {
  const there = new URL(location.href);
  there.searchParams.set("zone", mine);
  link.href = there.href;
  link.textContent = `by the clock in ${mine}`;
  link.hidden = false;
}
