import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { vi } from 'vitest';
import { RESUME_LIMIT } from '../../src/http/uploads/limit-rate.ts';
import type { Defer } from './defer.ts';
import { type Answer, type Sending, send } from './upload-client.ts';

export const TUS = { 'Tus-Resumable': '1.0.0' };
export const OFFSET_STREAM = { ...TUS, 'Content-Type': 'application/offset+octet-stream' };

/** POST /files; resolves with the answer and the path of the new upload, empty when it was refused. */
export async function createUpload(origin: string, length: number, { headers, ...sending }: Sending = {}) {
  const own = { ...TUS, 'Upload-Length': String(length), ...headers };
  const answer = await send(origin, { method: 'POST', path: '/files', ...sending, headers: own });
  const { location } = answer.headers;
  return { answer, path: location === undefined ? '' : new URL(location).pathname };
}

/** Creates an upload, which must succeed; resolves with its path. */
export async function createdUpload(origin: string, length: number, sending: Sending = {}): Promise<string> {
  const { answer, path } = await createUpload(origin, length, sending);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return path;
}

export function patch(
  origin: string,
  path: string,
  offset: number | string,
  body: Buffer,
  { headers, ...sending }: Sending = {},
): Promise<Answer> {
  const own = { ...OFFSET_STREAM, 'Upload-Offset': String(offset), ...headers };
  return send(origin, { method: 'PATCH', path, ...sending, headers: own, body });
}

/** The offset that HEAD answers; -1 when it answers none. */
export async function offsetOf(origin: string, path: string): Promise<number> {
  const { headers } = await send(origin, { method: 'HEAD', path, headers: TUS });
  return Number(headers['upload-offset'] ?? -1);
}

/** Fewer than the connections that one client may have where few descriptors are allowed. */
const CONNECTIONS = 20;

/** Stops the clock of a service of this process, and asks for an offset as often as one address may. */
export async function reachResumeLimit(
  defer: Defer,
  { origin, path, headers }: { origin: string; path: string; headers: Record<string, string> },
) {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  defer(() => clock.mockRestore());
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  defer(() => agent.destroy());
  const askOnce = async (): Promise<number | undefined> => {
    const asking = request(new URL(path, origin), { method: 'HEAD', headers, agent }).end();
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: RESUME_LIMIT.requests }, askOnce));
  return { clock, statuses: [...new Set(statuses)] };
}

/** Base64 of each value, as `Upload-Metadata` has it. */
export function metadata(values: Record<string, string>): string {
  const pairs = Object.entries(values);
  return pairs.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join(',');
}
