import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as openRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { filePart, MULTIPART, multipart } from '../../support/upload-body.ts';
import type { ClientLog } from './client-log.ts';

/** Longer than any fault lasts. */
const TIMEOUT_MS = 120_000;
const PAUSE_MS = 400;
const RETRY_MS = 1_000;
const MAX_BYTES = 2_000_000;
const CUT = Symbol('cut by the client itself');
const TUS = { 'Tus-Resumable': '1.0.0' };

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  /** Pieces that are written one after the other. */
  body?: Iterable<Buffer>;
  /** After so many bytes the client breaks the connection. */
  breakAfter?: number;
  /** The address that the client has on the loopback. */
  localAddress?: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends one request over a connection of its own. Rejects where no whole answer comes. */
export async function ask(url: string, options: Ask = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body = [], breakAfter = Infinity, localAddress } = options;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const own = { agent: false, method, headers, signal, ...(localAddress && { localAddress }) } as const;
  const request = openRequest(url, own);
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {});
  // A response may come before everything is sent; errors after that do not matter.
  request.on('error', () => {});
  // Each piece may wait for room.
  request.setMaxListeners(0);
  let sent = 0;
  for (const piece of body) {
    if (request.destroyed) break;
    if (!request.write(piece)) await Promise.race([once(request, 'drain'), once(request, 'close'), answered]);
    sent += piece.length;
    if (sent >= breakAfter) {
      request.destroy();
      throw CUT;
    }
    await nextTurn();
  }
  request.end();
  const [response] = await answered;
  return { status: response.statusCode!, headers: response.headers, body: await buffer(response) };
}

/** A file whose upload was acknowledged; `expired` in ms since 1970. */
export interface KeptFile {
  url: string;
  sha256: string;
  bytes: number;
  expired: number;
  way: string;
}

export interface UploadLedger {
  files: KeptFile[];
  deleted: KeptFile[];
  /** Resumable uploads that are gone, or that have lost acknowledged bytes. */
  lostInProgress: string[];
}

interface UploaderOptions {
  origin: string;
  localAddress: string;
  random: () => number;
  clients: ClientLog;
  ledger: UploadLedger;
  signal: AbortSignal;
}

/** One client at one address that uploads in every way, and deletes some of it. */
export async function runUploader(options: UploaderOptions): Promise<void> {
  const { origin, localAddress, random, clients, ledger, signal } = options;
  const ways = { whole: sendWhole, chunked: sendInChunks, tus: sendResumable };

  /** Like `ask`, but notes errors, and resolves with undefined then. */
  async function attempt(what: string, url: string, sending: Ask = {}): Promise<Answer | undefined> {
    const from = Date.now();
    try {
      const answer = await ask(url, { localAddress, ...sending });
      const detail = answer.status < 400 ? undefined : answer.body.toString().slice(0, 200);
      clients.note({ origin: 'uploads', what, status: answer.status, from, ...(detail && { detail }) });
      return answer;
    } catch (error) {
      if (error !== CUT) clients.note({ origin: 'uploads', what, error, from });
      return undefined;
    }
  }

  /** Notes what was acknowledged, and deletes some of it. */
  async function keep(answer: Answer, content: Buffer, way: string): Promise<void> {
    const { url_file: url, expired } = JSON.parse(answer.body.toString()).result;
    const sha256 = createHash('sha256').update(content).digest('hex');
    const file = { url, sha256, bytes: content.length, expired, way };
    const deletion = answer.headers['x-delete-url'];
    if (random() < 0.9 || deletion === undefined) return void ledger.files.push(file);
    const deleted = await attempt('delete', String(deletion), { method: 'DELETE' });
    // Without a response it is not known whether the file was deleted.
    if (deleted?.status === 204) ledger.deleted.push(file);
  }

  async function sendWhole(content: Buffer, query: string): Promise<Answer | undefined> {
    const body = multipart(filePart('a.bin', content));
    const headers = { 'Content-Type': MULTIPART, 'Content-Length': String(body.length) };
    return attempt('whole', `${origin}/upload${query}`, {
      method: 'POST',
      headers,
      body: cut(body, () => 65_536),
    });
  }

  async function sendInChunks(content: Buffer, query: string): Promise<Answer | undefined> {
    const headers = { 'Content-Type': MULTIPART, 'Transfer-Encoding': 'chunked' };
    const pieceBytes = random() < 0.5 ? () => 16_384 : () => 70 + Math.floor(random() * 60_000);
    const body = cut(multipart(filePart('a.bin', content)), pieceBytes);
    return attempt('chunked', `${origin}/upload${query}`, { method: 'POST', headers, body });
  }

  /** In pieces, some of which the client breaks off; each starts at the offset that the service returns. */
  async function sendResumable(content: Buffer, query: string): Promise<Answer | undefined> {
    const create = { ...TUS, 'Upload-Length': String(content.length) };
    const created = await attempt('tus create', `${origin}/files${query}`, {
      method: 'POST',
      headers: create,
    });
    if (created?.status !== 201) return undefined;
    const url = String(created.headers.location);
    let acknowledged = 0;
    for (let tries = 0; tries < 60 && !signal.aborted; tries += 1) {
      const head = await attempt('tus head', url, { method: 'HEAD', headers: TUS });
      if (head && [404, 410].includes(head.status)) {
        ledger.lostInProgress.push(`${url}: ${head.status} after ${acknowledged} bytes`);
        return undefined;
      }
      const offset = Number(head?.headers['upload-offset'] ?? Number.NaN);
      if (offset < acknowledged) ledger.lostInProgress.push(`${url}: ${offset} of ${acknowledged} bytes`);
      if (offset === content.length) return attempt('tus result', url);
      const reached = head?.status === 200 ? await append(url, content, offset) : undefined;
      if (reached === undefined) await sleep(RETRY_MS);
      acknowledged = reached ?? acknowledged;
    }
    return undefined;
  }

  /** Resolves with the offset that was acknowledged. */
  async function append(url: string, content: Buffer, offset: number): Promise<number | undefined> {
    const end = random() < 0.5 ? content.length : offset + Math.ceil(random() * (content.length - offset));
    const piece = content.subarray(offset, end);
    const headers = {
      ...TUS,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
      ...(random() < 0.5 ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(piece.length) }),
    };
    const breakAfter = random() < 0.2 ? piece.length * random() : Infinity;
    const body = cut(piece, () => 16_384);
    const answer = await attempt('tus patch', url, { method: 'PATCH', headers, body, breakAfter });
    return answer?.status === 204 ? end : undefined;
  }

  while (!signal.aborted) {
    const content = randomBytes(Math.ceil(1 + random() ** 3 * MAX_BYTES));
    const [way, send] = Object.entries(ways)[Math.floor(random() * 3)]!;
    const query = random() < 0.15 ? `?expires=${20 + Math.floor(random() * 60)}s` : '?expires=2h';
    const answer = await send(content, query);
    if (answer?.status === 200) await keep(answer, content, way);
    await sleep(answer?.status === 200 ? PAUSE_MS * random() : RETRY_MS);
  }
}

function* cut(bytes: Buffer, pieceBytes: () => number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + pieceBytes();
    yield bytes.subarray(at, end);
    at = end;
  }
}
