import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { PushMessage } from '../../src/domain/push-message.ts';
import type { Subscription } from '../../src/outbox/push/subscription.ts';
import type { Defer } from './defer.ts';
import { openHttpServer } from './http-server.ts';

interface Accepted {
  /** The name of the browser. */
  name: string;
  headers: IncomingHttpHeaders;
  message: PushMessage;
}

/** A status, alone or with headers and a body; null for no answer at all. */
type Answer = number | { status: number; headers?: Record<string, string>; body?: string } | null;

/**
 * A push service on the loopback, with browsers that decrypt what reaches them. It answers 201 unless `answer` is
 * replaced.
 */
export async function openPushService(defer: Defer) {
  const browsers = new Map<string, ReturnType<typeof createBrowserKeys>>();
  const accepted: Accepted[] = [];
  const service = {
    origin: '',
    accepted,
    asked: 0,
    answer: (_name: string): Answer | Promise<Answer> => 201,
  };
  service.origin = await openHttpServer(defer, async (request, response) => {
    const name = new URL(request.url ?? '/', service.origin).pathname.slice('/send/'.length);
    const body = await buffer(request);
    service.asked += 1;
    const answer = await service.answer(name);
    if (answer === null) return;
    const {
      status,
      headers = {},
      body: text = '',
    } = typeof answer === 'number' ? { status: answer } : answer;
    if (status < 300) {
      const message = JSON.parse(browsers.get(name)?.decrypt(body) ?? 'null');
      accepted.push({ name, headers: request.headers, message });
    }
    response.writeHead(status, headers).end(text);
  });

  return Object.assign(service, {
    /** The subscription of a new browser. */
    subscribe(name: string, slugs: string[]): Subscription {
      const keys = createBrowserKeys();
      browsers.set(name, keys);
      return { endpoint: `${service.origin}/send/${name}`, keys: keys.keys, slugs };
    },
    /** The names of the browsers that were reached, with the episodes they were notified of. */
    told: () => accepted.map(({ name, message }) => [name, ...message.anime.map(({ episode }) => episode)]),
  });
}

export type TestPushService = Awaited<ReturnType<typeof openPushService>>;

/** The keys of a browser, which decrypts by RFC 8291 what it receives. */
export function createBrowserKeys(ecdh = newKeyPair(), auth = randomBytes(16)) {
  const own = ecdh.getPublicKey();

  function decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const sender = body.subarray(21, 21 + body.readUInt8(20));
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender]);
    const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
    const derive = (what: string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${what}\0`, bytes));
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(body.subarray(-16));
    const padded = Buffer.concat([decipher.update(body.subarray(21 + sender.length, -16)), decipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  }

  return { keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') }, decrypt };
}

function newKeyPair() {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return ecdh;
}
