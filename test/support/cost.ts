import { load } from 'cheerio/slim';

/** An ordinary page of a megabyte. */
const PAGE = `<!DOCTYPE html><html><body><ul>${'<li class="a b"><a href="/anime/judul/">Judul</a><p>Episode 1</p></li>'.repeat(15_000)}</ul></body></html>`;

let unitMs: number | undefined;

/**
 * The CPU time of an act, in units of what the parsing of an ordinary page takes in the same process: it says as much on
 * a slow machine and on a busy one. What grows with the square of a megabyte costs thousands.
 */
export function costOf(act: () => void): number {
  unitMs ??= Math.max(...[1, 2, 3].map(() => cpuMsOf(() => load(PAGE))));
  return cpuMsOf(act) / unitMs;
}

function cpuMsOf(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
