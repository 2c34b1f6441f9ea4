import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A response as it was received, in the form that bench/baselines/answer.ts sends. */
export interface RawAnswer {
  status: number;
  /** Names and values, alternating. */
  headers: string[];
  /** Base64; null when there is no body. */
  body: string | null;
}

/** Headers that Node adds to every response. */
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
