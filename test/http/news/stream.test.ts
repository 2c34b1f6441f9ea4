import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openNewsService } from '../../support/news.ts';
import { eventually, readJson } from '../../support/service.ts';
import { openOnce } from '../../support/until-end.ts';

const service = openOnce(openNewsService);

/** Connects to the stream, and collects what it sends. */
async function listen(headers: Record<string, string> = {}, query = '') {
  const request = get(`${service.address}/api/anime/events/stream${query}`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  onTestFinished(() => void request.destroy());
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const blocks = () => text.split('\n\n').map((block) => Object.fromEntries(block.split('\n').map(readLine)));
  return {
    response,
    request,
    events: () => blocks().filter((block) => block.event),
    lastId: () => blocks().findLast((block) => block.id)?.id ?? '',
  };
}

const readLine = (line: string) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)];
const until = <Value>(read: () => Value, isIt: (value: Value) => boolean) =>
  eventually(async () => read(), isIt);

const epoch = async () => (await readJson(fetch(`${service.address}/api/anime/events`))).data.epoch;

let aired = 0;
async function air(): Promise<void> {
  service.airEpisode(aired);
  aired += 1;
  await service.refreshUntil(aired);
}

describe('the stream of events', () => {
  test('can be read by a browser from any origin, and is uncacheable', async () => {
    const { response } = await listen();
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-accel-buffering': 'no',
    });
  });

  test('sends each client every new event with its number', async () => {
    const clients = [await listen(), await listen()];
    await air();
    for (const client of clients) {
      await until(client.events, (events) => events.length === 1);
      const [event] = client.events();
      expect(event).toMatchObject({ id: `${await epoch()}-${aired}`, event: 'new-episode' });
      expect(JSON.parse(event?.data ?? '')).toMatchObject({ number: aired, type: 'new-episode' });
    }
  });

  test('replays the missed events to a client that reconnects', async () => {
    const client = await listen();
    await until(client.lastId, Boolean);
    const lastId = client.lastId();
    client.request.destroy();
    await air();
    await air();
    const back = await listen({ 'Last-Event-ID': lastId });
    await until(back.events, (events) => events.length === 2);
    await air();
    await until(back.events, (events) => events.length === 3);
    expect(back.events().map(({ id }) => Number(id?.split('-')[1]))).toEqual([aired - 2, aired - 1, aired]);
  });

  test('sends nothing that was before now to a client that begins there, and what it misses when it comes back', async () => {
    const client = await listen({}, '?since=now');
    const beginning = await listen({}, '?since=0');
    await until(beginning.events, (events) => events.length === aired);
    await air();
    await until(client.events, (events) => events.length > 0);
    expect(client.events()).toMatchObject([{ id: `${await epoch()}-${aired}`, event: 'new-episode' }]);
    await air();
    const back = await listen({ 'Last-Event-ID': client.events()[0]?.id ?? '' }, '?since=now');
    await until(back.events, (events) => events.length > 0);
    expect(back.events()).toMatchObject([{ id: `${await epoch()}-${aired}`, event: 'new-episode' }]);
  });

  test('sends a reset to a client of another epoch, and none to one that names a number alone', async () => {
    const [other, former] = [
      await listen({ 'Last-Event-ID': '0-1' }),
      await listen({ 'Last-Event-ID': '1' }),
    ];
    await until(other.events, (events) => events.length === 1);
    expect(other.events()).toMatchObject([{ event: 'reset', id: `${await epoch()}-${aired}` }]);
    await until(former.events, (events) => events.length === aired - 1);
    expect(former.events().map(({ event }) => event)).not.toContain('reset');
  });

  test.each(['-1', 'e1-', 'E1-1', 'e1-x', 'kemarin'])('refuses the Last-Event-ID %j', async (id) => {
    expect((await listen({ 'Last-Event-ID': id })).response.statusCode).toBe(400);
  });

  test('answers HEAD without a stream', async () => {
    const response = await fetch(`${service.address}/api/anime/events/stream`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/u);
  });
});
