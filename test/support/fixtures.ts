import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures');

/** A page and its expected records: `fixtures/FOLDER/PAGE--why.html` and its `.json`. */
interface Fixture {
  /** `ongoing--days-misspelt` */
  name: string;
  /** `ongoing` */
  page: string;
  /** `days misspelt`; `as it should be` when the name has no reason. */
  why: string;
}

/** All fixtures of a folder, in order, also incomplete ones, which fail when they are read. */
export function listFixtures(folder: string): Fixture[] {
  const files = readdirSync(path.join(FIXTURES, folder));
  const names = new Set(files.map((file) => path.parse(file).name));
  return [...names].sort().map((name) => {
    const [page = '', why = 'as it should be'] = name.split('--');
    return { name, page, why: why.replaceAll('-', ' ') };
  });
}

/** A page that stands between visitors and a site: `fixtures/challenges/NAME.html`. */
export function readChallenge(name: 'attention-required' | 'turnstile'): string {
  return readFileSync(path.join(FIXTURES, 'challenges', `${name}.html`), 'utf8');
}

export function readFixture(folder: string, { name }: Fixture): { html: string; expected: unknown } {
  const read = (extension: string) =>
    readFileSync(path.join(FIXTURES, folder, `${name}.${extension}`), 'utf8');
  return { html: read('html'), expected: JSON.parse(read('json')) };
}
