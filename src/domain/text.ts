/**
 * Text that a stranger wrote. Every title, word and reason taken from the source passes through here, so that nothing
 * downstream (JSON, HTML, calendars, logs, a terminal) has to clean it again.
 */

const WHITE_SPACE = /[\s\u0085\u2800]+/gu;

/**
 * What shows nothing and can reorder, hide or break the text around it: control characters, format characters (bidi
 * controls and zero-width ones among them), lone surrogates, blank letters, noncharacters. A joiner is kept between two
 * emoji, and a variation selector after a symbol.
 */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?<![\p{S}\p{P}\p{N}])[\ufe0e\ufe0f]|[[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]--[\t-\r\u0085\u200d\ufe0e\ufe0f]]/gv;

/** What shows something of its own: a replacement character stands for what was lost. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\ufffc\ufffd]]/v;

/** Removes what is invisible, and makes white space of every kind, line separators included, into single spaces. */
export function cleanText(text: string): string {
  return text.replace(INVISIBLE, '').replace(WHITE_SPACE, ' ').trim();
}

/** Whether cleaned text shows anything: combining marks alone do not. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** The text cleaned, and its beginning alone where it is longer than `maxLength`. */
export function excerpt(text: string, maxLength: number): string {
  // The first cut bounds the work; white space collapses, so it leaves some to spare.
  const cleaned = cleanText(text.slice(0, maxLength * 4));
  if (cleaned.length <= maxLength) return cleaned;
  return `${cleaned
    .slice(0, maxLength - 1)
    .replace(/\p{Cs}$/u, '')
    .trimEnd()}…`;
}
