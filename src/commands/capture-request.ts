import path from 'node:path';
import { otakudesu as site } from '../source/sites/otakudesu/site.ts';
import { parseArguments, UsageError } from './arguments.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures', site.name);
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

/** A page to capture. */
export interface CaptureRequest {
  page: 'schedule' | 'ongoing';
  /** The addresses to try, in order. */
  addresses: string[];
  /** The path of the files to write, without extension. */
  file: string;
}

/** Parses the arguments of `capture`. Throws UsageError. */
export function parseCaptureRequest(args: string[], mirrors: readonly string[], now: Date): CaptureRequest {
  const options = { to: { type: 'string', default: FIXTURES } } as const;
  const { positionals, values } = parseArguments(args, { options, allowPositionals: true });
  const [what, name, ...rest] = positionals;
  if (!what || rest.length > 0) throw new UsageError('Name one page, and at most one name for its files.');
  if (name && !NAME.test(name)) throw new UsageError(`A name is like days-misspelt, not "${name}".`);
  const { page, number, addresses } = parsePage(what, mirrors);
  const file = path.join(path.resolve(values.to), `${page}--${name ?? defaultName(number, now)}`);
  return { page, addresses, file };
}

/** Parses a URL, or a word such as `ongoing/3`, which stands for that page at each mirror. */
function parsePage(what: string, mirrors: readonly string[]) {
  const url = /^https?:/u.test(what) ? URL.parse(what) : undefined;
  const number = Number(/\/(\d+)\/?$/u.exec(url?.pathname ?? what)?.[1] ?? 1);
  const pages = [
    { page: 'schedule', word: 'schedule', path: site.schedulePath },
    { page: 'ongoing', word: 'ongoing', path: site.ongoingPath(1) },
    { page: 'ongoing', word: `ongoing/${number}`, path: site.ongoingPath(number) },
  ] as const;
  const known = pages.find((one) =>
    url ? url.pathname.replace(/\/?$/u, '/') === one.path : what === one.word,
  );
  if (!known || number < 1) {
    const paths = `${site.schedulePath} and ${site.ongoingPath(1)}`;
    throw new UsageError(`There is no parser for ${what}; there are parsers for ${paths}.`);
  }
  const addresses = url ? [url.href] : mirrors.map((mirror) => new URL(known.path, mirror).href);
  return { page: known.page, number, addresses };
}

function defaultName(number: number, now: Date): string {
  const date = now.toISOString().slice(0, 10);
  return number > 1 ? `page-${number}-${date}` : date;
}
