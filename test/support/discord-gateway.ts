import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Defer } from './defer.ts';
import { openHttpServer } from './http-server.ts';

/** The package with which discord.js connects; it is not one of ours. */
const { WebSocketServer } = createRequire(createRequire(import.meta.url).resolve('discord.js'))('ws');

const BOT = { id: '1', username: 'bot', discriminator: '0', global_name: null, avatar: null };
const FAN = { ...BOT, id: '2', username: 'fan' };

interface DiscordRequest {
  method: string;
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: JSON from outside
  body: any;
}

/**
 * A Discord with one bot: its HTTP API, which notes every request, and the gateway of events. Of both it has what a bot needs
 * that answers a slash command.
 */
export async function openDiscord(defer: Defer) {
  const requests: DiscordRequest[] = [];
  const gateway = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  defer(() => gateway.close());
  await once(gateway, 'listening');
  const { port } = gateway.address() as AddressInfo;
  // biome-ignore lint/suspicious/noExplicitAny: the package has no types here
  let connection: any;
  let sequence = 0;
  const dispatch = (t: string, d: object) => {
    sequence += 1;
    connection.send(JSON.stringify({ op: 0, t, s: sequence, d }));
  };
  gateway.on('connection', (socket: typeof connection) => {
    connection = socket;
    defer(() => socket.terminate());
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }));
    socket.on('message', (message: Buffer) => {
      if (JSON.parse(String(message)).op !== 2) return;
      const url = `ws://127.0.0.1:${port}`;
      const application = { id: '3', flags: 0 };
      dispatch('READY', {
        v: 10,
        user: BOT,
        guilds: [],
        session_id: 's',
        resume_gateway_url: url,
        application,
      });
    });
  });

  const api = await openHttpServer(defer, async (request, response) => {
    const { method = '' } = request;
    const path = decodeURIComponent(request.url ?? '');
    const body = ['POST', 'PATCH'].includes(method) ? await json(request) : undefined;
    requests.push({ method, path, body });
    if (path.includes('/callback')) return void response.writeHead(204).end();
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answerTo(path, body)));
  });

  function answerTo(path: string, body: unknown): object {
    if (path.endsWith('/gateway/bot')) {
      const limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };
      return { url: `ws://127.0.0.1:${port}`, shards: 1, session_start_limit: limit };
    }
    if (path.endsWith('/commands'))
      return { id: '4', application_id: '3', version: '1', ...(body as object) };
    return {
      id: '5',
      channel_id: '6',
      author: BOT,
      embeds: [],
      attachments: [],
      mentions: [],
      mention_roles: [],
    };
  }

  return {
    /** For the option `rest.api` of a client. */
    api,
    requests,
    /** Lets somebody use a slash command. */
    useCommand(name: string) {
      dispatch('INTERACTION_CREATE', {
        id: '7',
        application_id: '3',
        type: 2,
        token: 'reply',
        version: 1,
        data: { id: '4', name, type: 1 },
        channel_id: '6',
        user: FAN,
        locale: 'id',
        entitlements: [],
        authorizing_integration_owners: {},
      });
    },
  };
}
