import { load } from 'cheerio';

/** A page as text, with the position of each element. A mutation changes the text, so the rest stays the same. */
export interface Markup {
  html: string;
  /** Those of the body, in the order of their start tags. */
  elements: Span[];
}

export interface Span {
  tag: string;
  /** What elements of the same make have in common: `div.epz`, `a.page-numbers`, `li`. */
  make: string;
  start: number;
  /** Equal to `innerStart`, `innerEnd` and `end` where there is none of it. */
  innerStart: number;
  innerEnd: number;
  end: number;
  attributes: { name: string; value: string; start: number; end: number }[];
}

/** One broken page. `kind` is what many of them have in common; `name` says exactly which this is. */
export interface Mutation {
  kind: string;
  name: string;
  apply(): string;
}

export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The properties of an element that parse5 sets and the types of cheerio lack. */
interface WithAttributes {
  attrs?: Record<string, { startOffset: number; endOffset: number }>;
}

const SKIPPED = new Set(['html', 'head', 'body', 'style', 'script']);

export function readMarkup(html: string): Markup {
  const $ = load(html, { sourceCodeLocationInfo: true });
  const elements = $('body *')
    .toArray()
    .flatMap((element): Span[] => {
      const at = element.sourceCodeLocation as (typeof element.sourceCodeLocation & WithAttributes) | null;
      if (!at || SKIPPED.has(element.name)) return [];
      const innerStart = at.startTag?.endOffset ?? at.endOffset;
      const innerEnd = Math.max(innerStart, at.endTag?.startOffset ?? at.endOffset);
      const attributes = Object.entries(element.attribs).flatMap(([name, value]) => {
        const place = at.attrs?.[name];
        return place ? [{ name, value, start: place.startOffset, end: place.endOffset }] : [];
      });
      const kind = element.attribs.class ? `.${element.attribs.class.replaceAll(' ', '.')}` : '';
      const make = `${element.name}${kind}`;
      return [
        {
          tag: element.name,
          make,
          start: at.startOffset,
          innerStart,
          innerEnd,
          end: at.endOffset,
          attributes,
        },
      ];
    });
  return { html, elements };
}

/** The text with the edits made; they must not overlap. */
export function edit(html: string, edits: readonly Edit[]): string {
  const lastFirst = [...edits].sort((a, b) => b.start - a.start || b.end - a.end);
  return lastFirst.reduce(
    (text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end),
    html,
  );
}

/** A mutation that makes these edits. */
export function mutation(
  { html }: Pick<Markup, 'html'>,
  kind: string,
  name: string,
  edits: readonly Edit[],
): Mutation {
  return { kind, name, apply: () => edit(html, edits) };
}

/** The same edit in all places, and in some. */
export function* mutateAllAndSome<Place>(
  page: Markup,
  [kind, kindOfOne]: readonly [everywhere: string, once: string],
  all: readonly Place[],
  { name, put }: { name: (place?: Place) => string; put: (place: Place) => Edit },
): Generator<Mutation> {
  yield mutation(page, kind, name(), all.map(put));
  for (const { item, place } of pickSome(all))
    yield mutation(page, kindOfOne, `${name(item)}, ${place}`, [put(item)]);
}

/** The first, the one in the middle and the last, each with its place: `3 of 25`. Of few, every one. */
export function pickSome<Item>(items: readonly Item[]): { item: Item; place: string }[] {
  const count = items.length;
  const picked = count <= 3 ? [...items.keys()] : [0, Math.floor(count / 2), count - 1];
  return picked.map((index) => ({ item: items[index]!, place: `${index + 1} of ${count}` }));
}

export function elementsOf(page: Markup, make: string): Span[] {
  return page.elements.filter((element) => element.make === make);
}

export function makesOf(page: Markup): string[] {
  return [...new Set(page.elements.map((element) => element.make))];
}

export const textOf = ({ html }: Markup, { start, end }: Pick<Span, 'start' | 'end'>) =>
  html.slice(start, end);
