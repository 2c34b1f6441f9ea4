import { expect, onTestFinished, test } from 'vitest';
import { openDiscord } from '../support/discord.ts';
import { runCommand, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';

const defer = onTestFinished;
const TOKEN = 'token-of-';

/** The whole service in processes of its own, as an operator runs it. */
test('channels are told across a restart, the operator can list and remove them, and no address shows anywhere', async () => {
  const discord = await openDiscord(defer);
  const source = await openTestSource(defer);
  const environment = {
    DATA_DIR: await temporaryFolder(defer),
    SOURCE_URLS: source.origin,
    SOURCE_DELAY: '0',
    SOURCE_TIMEOUT: '15s',
    REFRESH_CRON: '* * * * * *',
    REFRESH_DETAILS: 'off',
    CHANNELS: 'discord',
    WEBHOOK_PRIVATE: 'on',
    METRICS_PORT: '0',
    LOG_LEVEL: 'trace',
  };
  /** Everything that the service has said to anybody but Discord. */
  let said = '';
  const command = async (...args: string[]) => {
    const run = runCommand(args, environment, defer);
    const code = await run.ended;
    said += run.output();
    return { code, output: run.output() };
  };
  const start = async () => {
    const serve = await startServe(environment, defer);
    await expect.poll(async () => (await fetch(`${serve.listing}/readyz`)).status).toBe(200);
    return serve;
  };
  let serve = await start();
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(serve.listing + path, init);
    const text = await response.text();
    said += text + JSON.stringify([...response.headers]);
    return { status: response.status, text };
  };
  const change = (method: string, body: object) =>
    ask('/channels/subscription', {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const put = (id: number, slugs: string[] | null = null) =>
    change('PUT', { url: discord.addressOf(id), slugs, language: 'id' });

  const [anime, other] = source.catalogue.anime;
  for (const id of [1, 2, 3]) expect((await put(id)).status).toBe(204);
  expect((await put(4, [other!.slug])).status).toBe(204);
  discord.answer = (id) => {
    if (id === '5') return { status: 404, body: { message: `Unknown Webhook ${TOKEN}5` } };
    return id === '3' ? { status: 503 } : undefined;
  };
  expect(await put(5)).toMatchObject({ status: 422, text: expect.stringContaining('404 Unknown Webhook') });
  expect((await change('PUT', { url: `${discord.addressOf(6)}?x`, slugs: [], language: 'xx' })).status).toBe(
    400,
  );
  expect(discord.posted.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  discord.posted.length = 0;

  anime!.episode += 1;
  const told = [`Episode ${anime!.episode} sudah rilis`];
  for (const id of [1, 2]) await expect.poll(() => discord.told(id)).toEqual(told);
  const [posted] = discord.posted;
  expect(posted?.embeds[0]).toMatchObject({
    title: expect.stringContaining(anime!.title.slice(0, 5)),
    url: expect.stringMatching(/\/anime\/[^/]+\?lang=id$/u),
    thumbnail: { url: expect.stringMatching(/^http/u) },
  });
  const metrics = await (await fetch(`${serve.operations}/metrics`)).text();
  said += metrics;
  expect(metrics).toContain('tayang_channel_messages_total');
  for (const path of ['/readyz', '/channels', '/status', '/docs', '/openapi.json']) await ask(path);

  // One was not told before the process ends.
  serve.kill('SIGTERM');
  await serve.ended;
  said += serve.output();
  discord.answer = () => undefined;
  serve = await start();
  await expect.poll(() => discord.told(3)).toEqual(told);

  const list = await command('channels', 'list');
  expect(
    JSON.parse(list.output)
      .map(({ webhook }: { webhook: string }) => webhook)
      .sort(),
  ).toEqual(['1', '2', '3', '4']);
  expect((await command('channels', 'remove', '2')).code).toBe(0);
  expect(await command('channels', 'remove', '2')).toMatchObject({ code: 1 });
  expect((await command('doctor')).output).toMatch(/Channels\n {2}ok +3 channels/u);
  expect((await change('DELETE', { url: discord.addressOf(3) })).status).toBe(204);

  anime!.episode += 1;
  other!.episode += 1;
  told.push(`Episode ${anime!.episode} sudah rilis`);
  await expect.poll(() => discord.told(1)).toHaveLength(3);
  await expect.poll(() => discord.told(4)).toEqual([`Episode ${other!.episode} sudah rilis`]);
  for (const id of [2, 3]) expect(discord.told(id)).toEqual(told.slice(0, 1));
  said += serve.output();
  expect(said).not.toContain(TOKEN);
});
