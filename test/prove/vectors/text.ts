/** Text as a table of cases has it. `{n}` in what is repeated is its number, from 0. */
export type Text = string | Text[] | { repeat: Text; times: number };

export function renderText(text: Text): string {
  if (typeof text === 'string') return text;
  return Array.isArray(text) ? text.map(renderText).join('') : repeat(renderText(text.repeat), text.times);
}

export function repeat(text: string, times: number): string {
  return Array.from({ length: times }, (_, n) => text.replaceAll('{n}', String(n))).join('');
}
