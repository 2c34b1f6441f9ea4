/**
 * Cleans untrusted text. All text of the source passes through here, so that JSON, HTML, calendars, logs and terminals
 * need no cleaning of their own.
 */

const WHITE_SPACE = /[\s\u0085\u2800]+/gu;

/**
 * Characters without a glyph that can reorder, hide or break the text around them: control and format characters (bidi
 * controls and zero-width characters included), lone surrogates, blank letters, noncharacters. A zero-width joiner
 * between two emoji and a variation selector after a symbol do not match.
 */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?<![\p{S}\p{P}\p{N}])[\ufe0e\ufe0f]|[[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]--[\t-\r\u0085\u200d\ufe0e\ufe0f]]/gv;

/** Characters with a glyph. A replacement character does not count: it stands for a lost one. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\ufffc\ufffd]]/v;

/** Whatever is not a word of ASCII, or one space between two: most text has nothing of it, and is clean already. */
const UNCLEAN = /[^ -~]| {2}|^ | $/u;

/** Removes invisible characters, and replaces each run of white space, line separators included, by one space. */
export function cleanText(text: string): string {
  return UNCLEAN.test(text) ? text.replace(INVISIBLE, '').replace(WHITE_SPACE, ' ').trim() : text;
}

/** Whether cleaned text has a visible character; combining marks alone do not count. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** Cleans the text, and cuts it to `maxLength` characters with an ellipsis. */
export function excerpt(text: string, maxLength: number): string {
  // The first cut limits the work. It leaves spare characters because white space collapses.
  const cleaned = cleanText(text.slice(0, maxLength * 4));
  if (cleaned.length <= maxLength) return cleaned;
  return `${cleaned
    .slice(0, maxLength - 1)
    .replace(/\p{Cs}$/u, '')
    .trimEnd()}…`;
}
