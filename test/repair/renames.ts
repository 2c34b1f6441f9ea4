import { type Pages, SCHEDULE } from '../support/sample-pages.ts';
import { type Change, editing, renameClasses } from './change.ts';

const PAGER = ['pagination', 'pagenavix', 'page-numbers', 'current', 'dots', 'next', 'prev'];
const SETS = 8;

/** Every change that gives elements other names and leaves them where they are. */
export function listRenames(pages: Pages): Change[] {
  const names = listClasses(pages);
  const sets = Array.from({ length: SETS }, (_, set) =>
    names.filter((_name, index) => (index * 7 + set * 3) % SETS < 2 + (set % 3)),
  );
  return [
    ...names.map((name) => renaming(`class ${name}`, 'one class renamed', (one) => one === name)),
    ...sets.map((set) => renaming(set.join(', '), 'several classes renamed', (one) => set.includes(one))),
    renaming('all classes', 'all classes renamed', () => true),
    renaming("the pager's classes", "the pager's classes renamed", (one) => PAGER.includes(one)),
    ...['h3', 'strong', 'div class="hari"'].map((tag) => renamingHeadings(tag)),
  ];
}

function renaming(name: string, row: string, isMeant: (name: string) => boolean): Change {
  return editing('rename', row, name, ($) => renameClasses($, isMeant));
}

function renamingHeadings(tag: string): Change {
  return {
    name: `h2 → ${tag}`,
    row: "the schedule's headings renamed",
    kind: 'rename',
    apply: (html, path) =>
      path === SCHEDULE
        ? html.replaceAll('<h2>', `<${tag}>`).replaceAll('</h2>', `</${tag.split(' ')[0]}>`)
        : html,
  };
}

function listClasses(pages: Pages): string[] {
  const inCards = ['venz', 'kgjdwl321', 'kglist321', 'thumb', 'jdlflm', 'pagenavix'];
  const own = [...pages.values()].filter((html) => inCards.some((name) => html.includes(name)));
  const body = own.map((html) => html.slice(html.indexOf('venutama') - 20, html.indexOf('id="sidebar"')));
  const values = body.flatMap((html) =>
    [...html.matchAll(/class=["']([^"']+)["']/gu)].map(([, value = '']) => value),
  );
  return [...new Set(values.flatMap((value) => value.split(/\s+/u)))].filter(Boolean).sort();
}
