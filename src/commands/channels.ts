import type { Config } from '../app/config.ts';
import { openStore, storeFolder } from '../app/open-store.ts';
import { describeError } from '../domain/errors.ts';
import { redactSetting, redactText } from '../domain/setting-url.ts';
import { type Channel, webhookId } from '../outbox/channels/channel.ts';
import { readRows } from '../outbox/rows.ts';
import type { Rows } from '../store/store.ts';
import { parseArguments, suggest, UsageError } from './arguments.ts';
import { actAsOwner } from './data-owner.ts';
import { loadConfig } from './environment.ts';
import { CONSOLE, endSentence, type Printer } from './printer.ts';
import { formatJson, formatTable } from './table.ts';

/** The parsed arguments of the command. */
export interface ChannelsRequest {
  /** The id of the webhook whose channel is removed; null to list all of them. */
  removed: string | null;
  json: boolean;
}

/** Lists the channels that readers added, or removes one. Resolves with the exit code. */
export async function channels(args: string[]): Promise<number> {
  const request = parseChannelsArguments(args);
  const config = loadConfig();
  await actAsOwner(storeFolder(config) ?? config.dataDir);
  return runChannelsCommand(config, { ...request, json: request.json || !process.stdout.isTTY }, CONSOLE);
}

/** Throws UsageError. */
export function parseChannelsArguments(args: string[]): ChannelsRequest {
  const { values, positionals } = parseArguments(args, {
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const [action = '', id, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`"${action}" cannot take "${others[0]}" as well.`);
  if (action === 'list' && id === undefined) return { removed: null, json: values.json };
  if (action === 'remove' && id !== undefined) {
    if (!/^\d{1,20}$/u.test(id))
      throw new UsageError('"remove" takes the id of a webhook, as "list" prints it.');
    return { removed: id, json: values.json };
  }
  const known = ['list', 'remove'];
  if (!known.includes(action))
    throw new UsageError(
      `There is no action "${action}".${suggest(action, known)} The actions are list, remove.`,
    );
  throw new UsageError(
    action === 'list' ? '"list" takes nothing else.' : '"remove" needs the id of a webhook.',
  );
}

/** Runs the command on the store of a configuration. Resolves with the exit code. */
export async function runChannelsCommand(
  config: Config,
  { removed, json }: ChannelsRequest,
  { print, printError }: Printer,
): Promise<number> {
  try {
    const store = await openStore(config);
    try {
      if (!store.shared) {
        const place = redactSetting(config.cacheUrl);
        printError(`No other process sees CACHE_URL=${place}: set it to the value that the service uses.`);
        return 1;
      }
      const { data, text } = await (removed === null
        ? listChannels(store.channels)
        : removeChannel(store.channels, removed));
      print(json ? formatJson(data) : text);
      return 0;
    } finally {
      await store.close();
    }
  } catch (error) {
    printError(endSentence(redactText(describeError(error))));
    return 1;
  }
}

/** The result of an action, for programs and for people. */
interface Result {
  data: unknown;
  text: string;
}

async function listChannels(rows: Rows): Promise<Result> {
  const data: Record<'webhook' | 'anime' | 'language' | 'address', string>[] = [];
  for await (const [, text] of readRows(rows)) {
    const { url, slugs, language }: Channel = JSON.parse(text);
    const webhook = webhookId(url);
    data.push({ webhook, anime: slugs ? String(slugs.length) : 'all', language, address: shorten(url) });
  }
  const columns = ['webhook', 'anime', 'language', 'address'] as const;
  return { data, text: data.length > 0 ? formatTable(columns, data) : 'There are no channels.' };
}

/** An address without the token that makes it a secret. */
function shorten(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.split('/').slice(0, -1).join('/')}/…`;
}

async function removeChannel(rows: Rows, id: string): Promise<Result> {
  const found: string[] = [];
  for await (const [key, text] of readRows(rows)) {
    if (webhookId((JSON.parse(text) as Channel).url) === id) found.push(key);
  }
  if (found.length === 0) throw new Error(`There is no channel with webhook ${id}; "list" shows all of them`);
  for (const key of found) await rows.remove(key);
  return { data: { removed: id }, text: `Removed the channel of webhook ${id}. It gets no more messages.` };
}
