import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** An answer as it came over the wire, in the form that bench/limits/answer.ts sends again. */
export interface RawAnswer {
  status: number;
  /** Names and values in turn. */
  headers: string[];
  /** In base64; null for none. */
  body: string | null;
}

/** What Node adds by itself to whatever it sends. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive'];

export async function exchange(url: string, headers: Record<string, string>): Promise<RawAnswer> {
  const asking = request(url, { headers });
  asking.end();
  const [response] = await once(asking, 'response');
  const bytes = await buffer(response);
  const raw: string[] = response.rawHeaders;
  const kept = raw.filter((_, index) => !OWN_HEADERS.includes(raw[index - (index % 2)]?.toLowerCase() ?? ''));
  const body = bytes.length > 0 ? bytes.toString('base64') : null;
  return { status: response.statusCode, headers: kept, body };
}

export function headerOf({ headers }: RawAnswer, name: string): string {
  const index = headers.findIndex((one, at) => at % 2 === 0 && one.toLowerCase() === name.toLowerCase());
  return headers[index + 1] ?? '';
}
