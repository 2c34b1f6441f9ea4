import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../app/config.ts';
import { AppError, describeError } from '../domain/errors.ts';
import { createPageFetcher, type PageFetcher } from '../source/fetch-page.ts';
import type { FetchedPage } from '../source/fetched-page.ts';
import { parseOngoing } from '../source/sites/otakudesu/ongoing-page.ts';
import { parseSchedule } from '../source/sites/otakudesu/schedule-page.ts';
import { otakudesu as site } from '../source/sites/otakudesu/site.ts';
import { isUnreadable, type OngoingPage, type SchedulePage } from '../source/source.ts';
import { validatePage } from '../source/validate-page.ts';
import { parseArguments, UsageError } from './arguments.ts';
import { loadConfig, loadEnvironment } from './environment.ts';
import { createFolder } from './folders.ts';
import { CONSOLE, type Printer } from './printer.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures', site.name);
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

type Parsed = SchedulePage | OngoingPage;

interface Captured {
  fetched: FetchedPage;
  /** What the parser returned, or the error that it threw. */
  result: { parsed: Parsed } | { refusal: AppError };
}

/** Saves a page for a fixture. Resolves with the exit code. */
export async function capture(args: string[]): Promise<number> {
  const config = loadConfig(loadEnvironment());
  return config ? capturePage(config, args, CONSOLE) : 1;
}

/** Fetches a page as the crawler does, and saves it. Resolves with exit code 0 if the page was recognised. */
export async function capturePage(config: Config, args: string[], printer: Printer): Promise<number> {
  const request = parseCaptureRequest(args, config.source.urls, new Date());
  const existing = [`${request.file}.html`, `${request.file}.json`].find((file) => existsSync(file));
  if (existing)
    throw new UsageError(`${existing} exists already and is not overwritten; choose another name.`);

  const origins = request.addresses.map((address) => new URL(address).origin);
  const fetcher = createPageFetcher({ ...config.source, origins, now: Date.now });
  try {
    const captured = await fetchFirst(fetcher, request, printer);
    return captured ? await save(captured, request.file, printer) : 1;
  } catch (error) {
    printer.printError(`The page cannot be saved: ${describeError(error)}`);
    return 1;
  } finally {
    await fetcher.close();
  }
}

/** Returns the first page that is recognised, else the first answer: a page of another site is useful as well. */
async function fetchFirst(
  fetcher: PageFetcher,
  { page, addresses }: CaptureRequest,
  printer: Printer,
): Promise<Captured | undefined> {
  let firstAnswer: Captured | undefined;
  for (const address of addresses) {
    try {
      const fetched = await fetcher.fetchPage(address, new AbortController().signal);
      const captured = { fetched, result: tryToParse(fetched, page) };
      if ('parsed' in captured.result) return captured;
      firstAnswer ??= captured;
    } catch (error) {
      printer.printError(`${address}: no answer: ${describeError(error)}`);
    }
  }
  return firstAnswer;
}

function tryToParse(fetched: FetchedPage, page: CaptureRequest['page']): Captured['result'] {
  const parse = page === 'schedule' ? parseSchedule : parseOngoing;
  try {
    return { parsed: validatePage<Parsed>(fetched, () => parse(fetched.html, fetched.url)) };
  } catch (error) {
    if (error instanceof AppError) return { refusal: error };
    throw error;
  }
}

async function save({ fetched, result }: Captured, file: string, printer: Printer): Promise<number> {
  await createFolder(path.dirname(file));
  await writeFile(`${file}.html`, fetched.html, { flag: 'wx' });
  printer.print(`${fetched.url} answered ${fetched.status}; it is saved as ${file}.html.`);
  if ('parsed' in result) {
    await writeFile(`${file}.json`, `${JSON.stringify(result.parsed, null, 2)}\n`, { flag: 'wx' });
    printer.print(`Recognised: ${describePage(result.parsed)}; the parsed records are in ${file}.json.`);
  } else {
    printer.print(`Refused: ${result.refusal.message}`);
    printer.print('No .json file was written. A fixture needs one, and npm test fails without it.');
  }
  if (!fetched.isUtf8) printer.print('It is not UTF-8; invalid bytes were saved as U+FFFD.');
  printer.print("It holds the site's content; rewrite it with data of your own before you commit it.");
  return 'parsed' in result ? 0 : 1;
}

function describePage(parsed: Parsed): string {
  const isList = 'cards' in parsed;
  const cards = isList ? parsed.cards : parsed.groups.flatMap((group) => group.cards);
  const unreadable = [...cards].filter((card) => isUnreadable(card)).length;
  const page = isList ? `page ${parsed.number} of ${parsed.lastNumber}` : `${parsed.groups.length} groups`;
  return `${page}, ${cards.length} cards, ${unreadable} of them unreadable`;
}

/** A page to capture. */
interface CaptureRequest {
  page: 'schedule' | 'ongoing';
  /** The addresses to try, in order. */
  addresses: string[];
  /** The path of the files to write, without extension. */
  file: string;
}

/** Parses the arguments of `capture`. Throws UsageError. */
function parseCaptureRequest(args: string[], mirrors: readonly string[], now: Date): CaptureRequest {
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
