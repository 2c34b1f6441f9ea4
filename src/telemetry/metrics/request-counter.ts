/** What nearly every request ends with is counted in cells that exist, one addition each, and read when somebody asks. */
export interface RequestCounter {
  /** A document that was sent: `method` is GET or HEAD, `status` 200 or 304. */
  add(path: string, method: string, status: number): void;
  /** What has come since the last call. */
  drain(): Counted[];
}

export interface Counted {
  route: string;
  method: string;
  status: number;
  count: number;
}

const CELLS = [
  { method: 'GET', status: 200 },
  { method: 'GET', status: 304 },
  { method: 'HEAD', status: 200 },
  { method: 'HEAD', status: 304 },
];

/** Documents have fixed paths, some dozens: should there ever be more, the rest is counted as one. */
const MAX_ROUTES = 200;
const OTHERS = 'others';

export function createRequestCounter(): RequestCounter {
  const routes = new Map<string, Float64Array>();

  function cellsOf(path: string): Float64Array {
    const known = routes.get(path);
    if (known) return known;
    if (routes.size >= MAX_ROUTES && path !== OTHERS) return cellsOf(OTHERS);
    const cells = new Float64Array(CELLS.length);
    routes.set(path, cells);
    return cells;
  }

  return {
    add(path, method, status) {
      const cells = cellsOf(path);
      const cell = (method === 'HEAD' ? 2 : 0) + (status === 304 ? 1 : 0);
      cells[cell] = cells[cell]! + 1;
    },
    drain() {
      const counted = [...routes].flatMap(([route, cells]) =>
        CELLS.map((kind, cell) => ({ route, ...kind, count: cells[cell]! })),
      );
      for (const cells of routes.values()) cells.fill(0);
      return counted.filter(({ count }) => count > 0);
    },
  };
}
