/** One line of a chart: a value for each minute, from the first one. */
export interface Line {
  name: string;
  values: readonly number[];
}

export interface Panel {
  title: string;
  lines: readonly Line[];
}

const WIDTH = 720;
const PANEL_HEIGHT = 170;
const PLOT = { left: 56, right: 28, top: 40, bottom: 28 };
const TICKS = 4;
/** A longer run has fewer marks. */
const SHORT_MINUTES = 60;

/** Text and lines keep their contrast on a light page and on a dark one. */
const STYLE = `text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-weight:600}line{stroke:#8c959f;stroke-opacity:.35}
polyline{fill:none;stroke-width:1.5}.c0{stroke:#0969da}.c1{stroke:#bf5700}text.c0{fill:#0969da;stroke:none}text.c1{fill:#bf5700;stroke:none}
@media(prefers-color-scheme:dark){text{fill:#9198a1}.c0{stroke:#58a6ff}.c1{stroke:#f0883e}text.c0{fill:#58a6ff}text.c1{fill:#f0883e}}`;

/** Draws panels below each other, each with a value for every minute, from 0 up. `title`: the alternative text. */
export function drawChart(title: string, panels: readonly Panel[]): string {
  const height = PANEL_HEIGHT * panels.length;
  const drawn = panels.map((panel, index) => {
    return `<g transform="translate(0 ${index * PANEL_HEIGHT})">${drawPanel(panel)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="t"><title id="t">${title}</title><style>${STYLE}</style>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel({ title, lines }: Panel): string {
  const minutes = Math.max(2, ...lines.map(({ values }) => values.length));
  const top = roundUp(Math.max(...lines.flatMap(({ values }) => values)));
  const x = (index: number) => scale(index / (minutes - 1), PLOT.left, WIDTH - PLOT.right);
  const y = (value: number) => scale(value / top, PANEL_HEIGHT - PLOT.bottom, PLOT.top);
  const grid = Array.from({ length: TICKS + 1 }, (_, tick) => {
    const value = (top * tick) / TICKS;
    return `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y(value)}" y2="${y(value)}"/><text x="${PLOT.left - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`;
  });
  const step = minutes > SHORT_MINUTES ? 20 : 10;
  const marks = Array.from({ length: Math.floor(minutes / step) }, (_, index) => {
    const minute = (index + 1) * step;
    return `<text x="${x(minute - 1)}" y="${PANEL_HEIGHT - 8}" text-anchor="middle">${minute} min</text>`;
  });
  const plotted = lines.map(({ name, values }, line) => {
    const points = values.map((value, index) => `${x(index)},${y(value)}`).join(' ');
    const label = `<text class="c${line}" x="${WIDTH - PLOT.right - 130 * (lines.length - 1 - line)}" y="20" text-anchor="end">${name}</text>`;
    return `<polyline class="c${line}" points="${points}"/>${label}`;
  });
  return [`<text class="title" x="${PLOT.left}" y="20">${title}</text>`, ...grid, ...marks, ...plotted].join(
    '',
  );
}

function scale(share: number, from: number, to: number): number {
  return Math.round((from + share * (to - from)) * 10) / 10;
}

/** The next of 1, 2, 4 and 8 times a power of ten, so that a quarter of it is a round number. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 2, 4, 8, 10].find((factor) => factor * power >= value) ?? 10) * power;
}
