// How figures look: each series has a colour, a dash, a point and a fill of its own, and its name
// beside it, so that none of it hangs on colour.

const looks = {
  main: { dash: [], point: "circle", fill: "hollow", width: 2 },
  quiet: { dash: [2, 3], point: "line", fill: "hollow", width: 2 },
  good: { dash: [7, 4], point: "rectRot", fill: "hatched", width: 2 },
  bad: { dash: [], point: "triangle", fill: "solid", width: 3 },
  warn: { dash: [9, 3, 2, 3], point: "crossRot", fill: "crossed", width: 2 },
};
const times = [
  [0.01, "10 ms"], [0.1, "0.1 s"], [1, "1 s"], [5, "5 s"], [10, "10 s"], [30, "30 s"],
  [60, "1 min"], [300, "5 min"], [900, "15 min"], [3600, "1 h"], [14400, "4 h"],
  [86400, "1 d"], [604800, "7 d"],
];

// The colours of the tokens as the browser has worked them out, in this theme.
export function palette(root) {
  const found = { font: getComputedStyle(root.body).fontFamily };
  for (const one of root.querySelectorAll("[data-colour]")) {
    found[one.dataset.colour] = getComputedStyle(one).color;
  }
  return found;
}

function fill(name, colour) {
  if (name === "solid") return colour;
  if (name === "hollow") return "transparent";
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  pen.strokeStyle = colour;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) {
    pen.moveTo(shift, 6);
    pen.lineTo(shift + 6, 0);
    if (name === "crossed") {
      pen.moveTo(shift, 0);
      pen.lineTo(shift + 6, 6);
    }
  }
  pen.stroke();
  return pen.createPattern(tile, "repeat");
}

function styled(one, colours) {
  const look = looks[one.look];
  const colour = colours[one.look];
  const painted = fill(look.fill, colour);
  return {
    label: one.label,
    data: one.values,
    borderColor: colour,
    hoverBorderColor: colour,
    borderWidth: look.width,
    borderDash: look.dash,
    backgroundColor: painted,
    hoverBackgroundColor: painted,
    pointStyle: look.point,
    pointBackgroundColor: colour,
    pointBorderColor: colour,
    pointHoverBackgroundColor: colour,
    pointHoverBorderColor: colour,
  };
}

function base(colours, legend) {
  const font = { family: colours.font, size: 12 };
  const axis = { ticks: { color: colours.quiet, font }, border: { color: colours.line } };
  const counts = { ...axis, beginAtZero: true, grace: "10%", grid: { color: colours.line } };
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    interaction: { mode: "index", intersect: false },
    scales: {
      x: { ...axis, grid: { display: false } },
      y: { ...counts, ticks: { ...counts.ticks, precision: 0, maxTicksLimit: 6 } },
    },
    plugins: {
      legend: {
        display: legend,
        align: "start",
        labels: { color: colours.ink, font, usePointStyle: true, boxHeight: 7, padding: 14 },
      },
      tooltip: { titleFont: font, bodyFont: font, animation: false },
    },
  };
}

function pen(chart, colours) {
  const { ctx } = chart;
  ctx.save();
  ctx.font = `12px ${colours.font}`;
  ctx.textBaseline = "middle";
  return ctx;
}

// Each line's name at its end, pushed apart where they would cover each other.
const named = (colours) => ({
  id: "named",
  afterDatasetsDraw(chart) {
    const ctx = pen(chart, colours);
    const ends = chart.data.datasets.map((one, place) => {
      const last = chart.getDatasetMeta(place).data.at(-1);
      return { text: one.label, colour: one.borderColor, x: last.x, y: last.y };
    });
    ends.sort((a, b) => b.y - a.y);
    ends.forEach((end, place) => {
      if (place) end.y = Math.min(end.y, ends[place - 1].y - 15);
    });
    for (const end of ends) {
      ctx.fillStyle = end.colour;
      ctx.fillText(end.text, end.x + 8, end.y);
    }
    ctx.restore();
  },
});

export function lines(shown, colours, width) {
  const narrow = width < 480;
  const options = base(colours, narrow);
  if (!narrow) options.layout = { padding: { right: 128, top: 8 } };
  options.scales.x.ticks = {
    ...options.scales.x.ticks,
    maxTicksLimit: narrow ? 4 : 6,
    autoSkipPadding: 20,
    maxRotation: 0,
  };
  options.elements = { point: { radius: shown.names.length > 40 ? 0 : 3 } };
  const datasets = shown.series.map((one) => ({ ...styled(one, colours), backgroundColor: "transparent" }));
  const plugins = narrow ? [] : [named(colours)];
  return { type: "line", data: { labels: shown.names, datasets }, options, plugins };
}

// Each bar's number above it, where there is room for it.
const counted = (colours) => ({
  id: "counted",
  afterDatasetsDraw(chart) {
    const ctx = pen(chart, colours);
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    ctx.fillStyle = colours.ink;
    chart.data.datasets.forEach((one, place) => {
      for (const [index, bar] of chart.getDatasetMeta(place).data.entries()) {
        const text = one.data[index].toLocaleString("en");
        if (one.data[index] && ctx.measureText(text).width < bar.width + 4) {
          ctx.fillText(text, bar.x, bar.y - 2);
        }
      }
    });
    ctx.restore();
  },
});

// A name in lines short enough to stand below its bar.
function wrapped(name) {
  const found = [""];
  for (const word of name.split(" ")) {
    if (found.at(-1) && `${found.at(-1)} ${word}`.length > 6) found.push(word);
    else found.push(`${found.pop()} ${word}`.trim());
  }
  return found;
}

export function bars(shown, colours, width) {
  const upright = width / shown.names.length < 50;
  const alone = shown.names.every(
    (_, row) => shown.series.filter((one) => one.values[row]).length < 2,
  );
  const options = base(colours, shown.series.length > 1);
  options.layout = { padding: { top: 14 } };
  options.plugins.legend.labels = { ...options.plugins.legend.labels, usePointStyle: false, boxWidth: 24 };
  const turned = upright ? 90 : 0;
  options.scales.x.ticks = {
    ...options.scales.x.ticks,
    minRotation: turned,
    maxRotation: turned,
    autoSkip: false,
  };
  const labels = upright ? shown.names : shown.names.map(wrapped);
  const datasets = shown.series.map((one) => ({
    ...styled(one, colours),
    borderDash: [],
    borderWidth: 1.5,
    grouped: !alone,
    maxBarThickness: 56,
  }));
  return { type: "bar", data: { labels, datasets }, options, plugins: [counted(colours)] };
}

// The window as a line across the curve, and the one that is recommended.
const marks = (shown, colours) => ({
  id: "marks",
  afterDatasetsDraw(chart) {
    const ctx = pen(chart, colours);
    const { top, bottom, left, right } = chart.chartArea;
    const wanted = chart.scales.y.getPixelForValue(95);
    const rule = (colour, dash, ...ends) => {
      ctx.strokeStyle = ctx.fillStyle = colour;
      ctx.lineWidth = 2;
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.moveTo(ends[0], ends[1]);
      ctx.lineTo(ends[2], ends[3]);
      ctx.stroke();
    };
    rule(colours.line, [2, 4], left, wanted, right, wanted);
    const found = [
      ["window", shown.window, colours.ink, []],
      ["recommended", shown.recommended, colours.good, [7, 4]],
    ].filter(([name, at]) => at && !(name === "recommended" && at === shown.window));
    const place = (at) => chart.scales.x.getPixelForValue(Number(at));
    for (const [, at, colour, dash] of found) rule(colour, dash, place(at), top, place(at), bottom);
    found.forEach(([name, at, colour], number) => {
      const x = place(at);
      const text = name === "window" ? `window ${spoken(at)}: ${shown.share}%` : `${name} ${spoken(at)}`;
      const wide = ctx.measureText(text).width;
      const begin = x + wide + 8 < right ? x + 5 : x - wide - 5;
      const middle = bottom - 12 - 17 * number;
      ctx.fillStyle = colours.card;
      ctx.fillRect(begin - 2, middle - 8, wide + 4, 16);
      ctx.fillStyle = colour;
      ctx.fillText(text, begin, middle);
    });
    ctx.restore();
  },
});

function spoken(at) {
  const seconds = Number(at);
  if (seconds < 60) return `${seconds} s`;
  const [size, unit] = seconds < 3600 ? [60, "min"] : [3600, "h"];
  return `${Number((seconds / size).toFixed(1))} ${unit}`;
}

export function curve(shown, colours) {
  const [one] = shown.series;
  const options = base(colours, false);
  const marked = [shown.window, shown.recommended].filter(Boolean).map(Number);
  const lowest = Math.min(shown.places[0] ?? 1, ...marked);
  const highest = Math.max(...shown.places, ...marked);
  options.interaction = { mode: "nearest", axis: "x", intersect: false };
  options.scales.x = {
    ...options.scales.x,
    type: "logarithmic",
    min: lowest / 1.2,
    max: highest * 1.2,
    afterBuildTicks: (scale) => {
      scale.ticks = times
        .filter(([at]) => at >= scale.min && at <= scale.max)
        .map(([value]) => ({ value }));
    },
    ticks: {
      ...options.scales.x.ticks,
      maxRotation: 0,
      callback: (value) => times.find(([at]) => at === value)?.[1],
    },
  };
  options.scales.y = { ...options.scales.y, min: 0, max: 100 };
  options.scales.y.ticks = { ...options.scales.y.ticks, callback: (value) => `${value}%` };
  options.plugins.tooltip.callbacks = {
    title: ([item]) => `within ${shown.names[item.dataIndex]}`,
    label: (item) => `${item.parsed.y}% seen`,
  };
  const data = one.values.map((y, place) => ({ x: shown.places[place], y }));
  const datasets = [{ ...styled(one, colours), data, backgroundColor: "transparent", pointRadius: 2 }];
  return { type: "line", data: { datasets }, options, plugins: [marks(shown, colours)] };
}
