import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { AppError, describeError } from '../domain/errors.ts';
import { createPageFetcher, type FetchedPage, type PageFetcher } from '../source/fetch-page.ts';
import { otakudesu as site } from '../source/sites/otakudesu/site.ts';
import { isUnreadable, type OngoingPage, type SchedulePage } from '../source/source.ts';
import { validatePage } from '../source/validate-page.ts';
import { loadConfig, loadEnvironment } from './environment.ts';
import { describeStartError } from './serve.ts';

const USAGE = 'npm run capture -- schedule|ongoing|ongoing/3|URL [name] [--to FOLDER]';
const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures', site.name);
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

/** What was asked for on the command line. */
interface Wanted {
  page: 'schedule' | 'ongoing';
  /** The number of the page, where it is one of the list. */
  number: number;
  /** Where to ask, in order, until one answers with the page. */
  addresses: string[];
}

type Parsed = SchedulePage | OngoingPage;

interface Captured {
  fetched: FetchedPage;
  /** What the parser makes of it, or why it does not. */
  result: { parsed: Parsed } | { refusal: AppError };
}

/** Saves one page, fetched as the crawler does, as the start of a fixture. The exit code is 0 if it was recognised. */
export async function capture(args: string[]): Promise<number> {
  const config = loadConfig(loadEnvironment());
  if (!config) return 1;
  try {
    const { what, name, folder } = readArguments(args);
    const wanted = readWanted(what, config.source.urls);
    const file = path.join(folder, `${wanted.page}--${name ?? defaultName(wanted, new Date())}`);
    const taken = [`${file}.html`, `${file}.json`].find((one) => existsSync(one));
    if (taken) throw new UsageError(`${taken} exists already, and is left as it is: give another name`);

    const origins = wanted.addresses.map((address) => new URL(address).origin);
    const fetcher = createPageFetcher({ ...config.source, origins, now: Date.now });
    const captured = await fetchFirst(fetcher, wanted);
    await fetcher.close();
    return captured ? await save(captured, file) : 1;
  } catch (error) {
    console.error(error instanceof UsageError ? error.message : describeStartError(error));
    return 1;
  }
}

class UsageError extends Error {}

function readArguments(args: string[]): { what: string; name: string | undefined; folder: string } {
  try {
    const options = { to: { type: 'string', default: FIXTURES } } as const;
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    const [what, name, ...rest] = positionals;
    if (!what || rest.length > 0) throw new Error('one page, and at most one name');
    if (name && !NAME.test(name)) throw new Error(`a name is like days-misspelt, not "${name}"`);
    return { what, name, folder: path.resolve(values.to) };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** An address says by its path which page it is; so does a word, which is asked of the mirrors in order. */
function readWanted(what: string, mirrors: readonly string[]): Wanted {
  const url = /^https?:/u.test(what) ? URL.parse(what) : undefined;
  const number = Number(/\/(\d+)\/?$/u.exec(url?.pathname ?? what)?.[1] ?? 1);
  const kinds = [
    { page: 'schedule', word: 'schedule', path: site.schedulePath },
    { page: 'ongoing', word: 'ongoing', path: site.ongoingPath(1) },
    { page: 'ongoing', word: `ongoing/${number}`, path: site.ongoingPath(number) },
  ] as const;
  const kind = kinds.find((one) =>
    url ? url.pathname.replace(/\/?$/u, '/') === one.path : what === one.word,
  );
  if (!kind || number < 1) {
    const paths = `${site.schedulePath} and ${site.ongoingPath(1)}`;
    throw new UsageError(`there is no parser for ${what}: there is one for ${paths}\n${USAGE}`);
  }
  const addresses = url ? [url.href] : mirrors.map((mirror) => new URL(kind.path, mirror).href);
  return { page: kind.page, number, addresses };
}

function defaultName({ number }: Wanted, now: Date): string {
  const date = now.toISOString().slice(0, 10);
  return number > 1 ? `page-${number}-${date}` : date;
}

/** The first page that is recognised, else the first answer: what is not the site is worth looking at too. */
async function fetchFirst(fetcher: PageFetcher, { page, addresses }: Wanted): Promise<Captured | undefined> {
  let firstAnswer: Captured | undefined;
  for (const address of addresses) {
    try {
      const fetched = await fetcher.fetchPage(address, new AbortController().signal);
      const captured = { fetched, result: tryToParse(fetched, page) };
      if ('parsed' in captured.result) return captured;
      firstAnswer ??= captured;
    } catch (error) {
      console.error(`${address}: no answer: ${describeError(error)}`);
    }
  }
  return firstAnswer;
}

function tryToParse(fetched: FetchedPage, page: Wanted['page']): Captured['result'] {
  const parse = page === 'schedule' ? site.parseSchedule : site.parseOngoing;
  try {
    return { parsed: validatePage<Parsed>(fetched, () => parse(fetched.html, fetched.url)) };
  } catch (error) {
    if (error instanceof AppError) return { refusal: error };
    throw error;
  }
}

async function save({ fetched, result }: Captured, file: string): Promise<number> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.html`, fetched.html, { flag: 'wx' });
  console.log(`${fetched.url} answered ${fetched.status}; saved as ${file}.html`);
  if ('parsed' in result) {
    await writeFile(`${file}.json`, `${JSON.stringify(result.parsed, null, 2)}\n`, { flag: 'wx' });
    console.log(`Recognised: ${describe(result.parsed)}; what the parser makes of it is in ${file}.json`);
  } else {
    console.log(`Refused: ${result.refusal.message}`);
    console.log('There is no .json, without which it is no fixture yet: npm test will say so.');
  }
  if (!fetched.isUtf8) console.log('It is not UTF-8: bytes that are none were saved as U+FFFD.');
  console.log("It holds the site's content: rewrite it with data of your own before you commit it.");
  return 'parsed' in result ? 0 : 1;
}

function describe(parsed: Parsed): string {
  const isList = 'cards' in parsed;
  const cards = isList ? parsed.cards : parsed.groups.flatMap((group) => group.cards);
  const unreadable = [...cards].filter((card) => isUnreadable(card)).length;
  const what = isList ? `page ${parsed.number} of ${parsed.lastNumber}` : `${parsed.groups.length} groups`;
  return `${what}, ${cards.length} cards, ${unreadable} of them unreadable`;
}
