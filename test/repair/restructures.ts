import type { CheerioAPI } from 'cheerio';
import { type Change, type Edit, editing, renameClasses } from './change.ts';
import { applyTheme, THEMES } from './themes.ts';

const restructuring = (name: string, row: string, edit: Edit) => editing('restructure', row, name, edit);

/** Every change that moves elements, or makes others of them. */
export function listRestructures(): Change[] {
  return [
    ...Object.entries(TAGS).map(([from, to]) =>
      restructuring(`${from} → ${to}`, 'tags changed', ($) => changeTag($, from, to)),
    ),
    restructuring('all of them', 'tags changed', ($) => {
      for (const [from, to] of Object.entries(TAGS)) changeTag($, from, to);
    }),
    ...WRAPPED.map((selector) =>
      restructuring(
        `around ${selector}`,
        'wrappers added',
        ($) => void $(selector).wrap('<div class="bungkus"></div>'),
      ),
    ),
    ...WRAPPERS.map((selector) =>
      restructuring(`${selector}`, 'wrappers removed', ($) => {
        for (const element of $(selector).toArray()) $(element).replaceWith($(element).contents());
      }),
    ),
    ...Object.entries(ATTRIBUTES).map(([name, edit]) => restructuring(name, 'attributes moved', edit)),
    restructuring('children of a card reversed', 'fields reordered', ($) => reverse($, '.detpost')),
    restructuring('the heading before the picture', 'fields reordered', ($) => reverse($, '.thumbz')),
    restructuring('both, all classes renamed', 'fields reordered', ($) => {
      reverse($, '.detpost');
      reverse($, '.thumbz');
      renameClasses($, () => true);
    }),
    ...THEMES.map((theme) => ({
      name: theme.name,
      row: theme.row,
      kind: 'restructure' as const,
      apply: (html: string, path: string) => applyTheme(html, path, theme),
    })),
  ];
}

const TAGS = { li: 'div', ul: 'section', h2: 'h4', div: 'section', span: 'b', '.epz': 'p', '.epztipe': 'em' };
const WRAPPED = [
  ...['.venz', '.venz ul', '.detpost', '.thumb', '.thumb a', '.thumbz', '.thumbz img', '.jdlflm', '.epz'],
  ...['.newnime', '.pagenavix', '.page-numbers', '.kgjdwl321', '.kglist321'],
  ...['.kglist321 h2', '.kglist321 li a'],
];
const WRAPPERS = [
  ...['.venutama', '.rseries', '.rapi', '.venz', '.venz ul', '.detpost', '.thumb', '.thumbz', '.pagination'],
  ...['.pagenavix', '.page', '.kgjdwl321', '.kglist321', '.kglist321 ul', '.kglist321 li'],
];
const ATTRIBUTES: Record<string, Edit> = {
  'src → data-src': ($) => moveCover($, 'data-src'),
  'src → data-gambar': ($) => moveCover($, 'data-gambar'),
  'src → a background': ($) => {
    for (const element of $('.thumbz img').toArray()) {
      $(element).replaceWith(`<i class="gambar" style="background-image:url('${element.attribs.src}')"></i>`);
    }
  },
  'title → an attribute': ($) => {
    for (const element of $('.jdlflm').toArray()) {
      $(element).attr('data-judul', $(element).text()).text('');
    }
  },
};

function changeTag($: CheerioAPI, from: string, to: string): void {
  const scope = '.venutama, .venutama *';
  for (const element of $(from).filter(scope).toArray()) element.name = to;
}

function moveCover($: CheerioAPI, attribute: string): void {
  for (const element of $('.thumbz img').toArray()) {
    element.attribs[attribute] = element.attribs.src ?? '';
    delete element.attribs.srcset;
    element.attribs.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
  }
}

function reverse($: CheerioAPI, selector: string): void {
  for (const element of $(selector).toArray()) $(element).append($(element).contents().toArray().reverse());
}
