import { cleanText, isVisible } from '../../../domain/text.ts';
import { parseImageUrl } from '../../address.ts';
import type { FieldFormat, FieldPlace } from '../../field-format.ts';
import { MAX_TEXT_LENGTH, textOf } from '../../markup/elements.ts';
import { isLastEpisode, parseDate, parseEpisode, parseOngoingDay } from '../../vocabulary.ts';

/** The formats of the fields, on both pages. */

const MAX_TITLE_LENGTH = 300;
const CSS_URL = /url\(\s*["']?([^"')]+)["']?\s*\)/u;

export const TITLE = textFormat(parseTitle);
export const EPISODE = textFormat(parseEpisode);
export const IS_LAST = textFormat(isLastEpisode);
export const DAY = textFormat(parseOngoingDay);
export const DATE = textFormat(parseDate);

/** The address of a cover. Without a named attribute, `parseImageUrl` chooses an attribute of the `img`. */
export const COVER: FieldFormat<string> = {
  rawText: ({ element, attribute = 'src' }) => element.attribs[attribute],
  parse(text, { element, attribute, pageUrl }) {
    if (attribute === undefined) return parseImageUrl(element.attribs, pageUrl);
    const name = attribute.endsWith('srcset') ? 'srcset' : 'src';
    return parseImageUrl({ [name]: CSS_URL.exec(text)?.[1] ?? text }, pageUrl);
  },
};

function textFormat<Value>(parse: (text: string) => Value | undefined): FieldFormat<Value> {
  return { rawText: readText, parse };
}

function readText({ element, attribute }: FieldPlace): string | undefined {
  return attribute === undefined ? textOf(element) : element.attribs[attribute];
}

/** The cleaned title; undefined when it has no visible character or is too long. */
export function parseTitle(text: string): string | undefined {
  const title = cleanText(text);
  const isWhole = text.length <= MAX_TEXT_LENGTH && title.length <= MAX_TITLE_LENGTH;
  return isWhole && isVisible(title) ? title : undefined;
}
