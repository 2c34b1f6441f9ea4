import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Embed } from '../../src/outbox/discord.ts';
import type { Defer } from './defer.ts';
import { openHttpServer } from './http-server.ts';

/** What Discord documents or answers: how many messages a webhook takes, and requests an address may send, in a time. */
const OF_WEBHOOK = { limit: 5, windowMs: 2_000 };
const OF_ADDRESS = { limit: 50, windowMs: 1_000 };

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: object | string;
}

export interface Posted {
  /** The id of the webhook. */
  id: string;
  at: number;
  embeds: Embed[];
}

/**
 * A stand-in for Discord on the loopback, with its limits. `answer` decides for one webhook; null is no answer at all, undefined
 * what Discord would answer.
 */
export async function openDiscord(defer: Defer) {
  const posted: Posted[] = [];
  const requests: { id: string; url: string; body: Record<string, unknown> }[] = [];
  const times = new Map<string, number[]>();
  const discord = {
    origin: '',
    posted,
    /** All requests, accepted or not. */
    requests,
    limited: { webhook: 0, address: 0 },
    answer: (_id: string): Answer | null | undefined | Promise<Answer | null | undefined> => undefined,
    addressOf: (id: string | number) => `${discord.origin}/api/webhooks/${id}/token-of-${id}`,
    /** The descriptions of the embeds in a channel, in their order, without Markdown and times. */
    told: (id: string | number) =>
      posted
        .filter((one) => one.id === String(id))
        .flatMap(({ embeds }) => embeds.map(({ description }) => description.split('**')[1] ?? description)),
  };

  /** Counts a request, and returns how long to wait where there were too many. */
  function count(key: string, { limit, windowMs }: typeof OF_WEBHOOK) {
    const now = performance.now();
    const recent = (times.get(key) ?? []).filter((at) => at > now - windowMs);
    const isAllowed = recent.length < limit;
    if (isAllowed) recent.push(now);
    times.set(key, recent);
    const resetMs = (recent[0] ?? now) + windowMs - now;
    return { isAllowed, remaining: limit - recent.length, resetMs };
  }

  function answerAs(id: string): Answer {
    const address = count('address', OF_ADDRESS);
    if (!address.isAllowed) {
      discord.limited.address += 1;
      const seconds = address.resetMs / 1_000;
      return {
        status: 429,
        headers: {
          'retry-after': String(Math.ceil(seconds)),
          'x-ratelimit-global': 'true',
          'x-ratelimit-scope': 'global',
        },
        body: { message: 'You are being rate limited.', retry_after: seconds, global: true },
      };
    }
    const webhook = count(id, OF_WEBHOOK);
    const seconds = webhook.resetMs / 1_000;
    const headers = {
      'x-ratelimit-limit': String(OF_WEBHOOK.limit),
      'x-ratelimit-remaining': String(webhook.remaining),
      'x-ratelimit-reset-after': seconds.toFixed(3),
      'x-ratelimit-bucket': 'bucket',
    };
    if (webhook.isAllowed) return { status: 200, headers, body: { id: '1' } };
    discord.limited.webhook += 1;
    return {
      status: 429,
      headers: { ...headers, 'retry-after': String(Math.ceil(seconds)), 'x-ratelimit-scope': 'user' },
      body: { message: 'You are being rate limited.', retry_after: seconds, global: false },
    };
  }

  discord.origin = await openHttpServer(defer, async (request, response) => {
    const url = request.url ?? '';
    const id = /\/webhooks\/(\d+)\//u.exec(url)?.[1] ?? '';
    const body = (await json(request)) as { embeds: Embed[] };
    requests.push({ id, url, body });
    const answer = await discord.answer(id);
    if (answer === null) return;
    const { status, headers = {}, body: said = '' } = answer ?? answerAs(id);
    if (status < 300) posted.push({ id, at: performance.now(), embeds: body.embeds });
    const text = typeof said === 'string' ? said : JSON.stringify(said);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  });
  return discord;
}

export type TestDiscord = Awaited<ReturnType<typeof openDiscord>>;

/** How long a slow webhook takes. */
export const slowly = (ms: number) => sleep(ms, undefined);
