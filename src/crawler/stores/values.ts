/**
 * The text of a value. Earlier versions wrote by Keyv, whose form this is: a text in it that begins with a colon has another
 * one before it.
 */
export function encodeValue(value: unknown): string {
  return JSON.stringify({ value }, (_key, one) => (beginsWithColon(one) ? `:${one}` : one));
}

/** The value of a text; undefined where there is none. Throws for a damaged one. */
// biome-ignore lint/suspicious/noExplicitAny: whoever reads a value states what it is
export function decodeValue(text: string | undefined): any {
  const parse = (json: string) =>
    JSON.parse(json, (_key, one) => (beginsWithColon(one) ? one.slice(1) : one));
  return text === undefined ? undefined : parse(text).value;
}

function beginsWithColon(one: unknown): one is string {
  return typeof one === 'string' && one.startsWith(':');
}
