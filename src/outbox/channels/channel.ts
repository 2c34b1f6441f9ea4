import { invalidRequest } from '../../domain/errors.ts';
import { LANGUAGES, type Language } from '../../pages/i18n/translations.ts';
import type { Cursor } from '../cursor.ts';
import { isDiscordHost, webhookPath } from '../discord.ts';
import { parseObject, parseSlugs, rowKeyOf } from '../subscription-body.ts';

/** All that is kept of a channel. */
export interface Channel {
  /** The address of its webhook, which is a secret: anyone who has it can post in the channel. */
  url: string;
  /** The anime whose episodes are announced; null for all. */
  slugs: readonly string[] | null;
  language: Language;
  /** What happened before is not announced. */
  from: Pick<Cursor, 'position' | 'eventAt'>;
}

/** The announcements that a channel asks for, in place of its earlier ones. */
export type ChannelRequest = Omit<Channel, 'from'>;

/** A change that was asked for: a channel's announcements begin, or end. */
export type ChannelChange = { type: 'start'; channel: ChannelRequest } | { type: 'stop'; url: string };

const MAX_ADDRESS = 500;

/** Parses the body of a request for a channel. Throws AppError `invalid-request`, whose message has no part of the address. */
export function parseChannel(body: string, allowsPrivate: boolean): ChannelChange {
  const { url, slugs, language } = parseObject(body, '{"url","slugs","language"}');
  return startOf({ url, slugs, language }, allowsPrivate);
}

/** The same of the body of a request that ends the announcements in a channel. */
export function parseChannelRemoval(body: string, allowsPrivate: boolean): ChannelChange {
  return { type: 'stop', url: parseWebhook(parseObject(body, '{"url"}').url, allowsPrivate) };
}

/** Checks what was asked for. Throws AppError `invalid-request`. */
export function startOf(
  { url, slugs, language }: { url: unknown; slugs: unknown; language: unknown },
  allowsPrivate: boolean,
): ChannelChange {
  const known = LANGUAGES.find((one) => one === language);
  if (!known) throw invalidRequest(`language must be one of ${LANGUAGES.join(', ')}`);
  const channel = {
    url: parseWebhook(url, allowsPrivate),
    slugs: slugs === null ? null : parseSlugs(slugs),
    language: known,
  };
  if (channel.slugs?.length === 0) throw invalidRequest('slugs must name an anime, or be null for all');
  return { type: 'start', channel };
}

/** Parses the address of a webhook of Discord, of whose query only the thread is kept. */
export function parseWebhook(value: unknown, allowsPrivate: boolean): string {
  const url = typeof value === 'string' && value.length <= MAX_ADDRESS ? URL.parse(value.trim()) : null;
  if (!url || !isAllowedWebhook(url, allowsPrivate)) throw invalidRequest(WRONG_ADDRESS);
  const thread = url.searchParams.get('thread_id');
  const address = url.origin + url.pathname;
  if (thread === null) return address;
  if (!/^\d{1,20}$/u.test(thread)) throw invalidRequest(WRONG_ADDRESS);
  return `${address}?thread_id=${thread}`;
}

const WRONG_ADDRESS =
  'url must be the address of a Discord webhook, https://discord.com/api/webhooks/ID/TOKEN';

/** Whether messages may be sent there: to Discord alone, unless private addresses are allowed. */
export function isAllowedWebhook(url: URL, allowsPrivate: boolean): boolean {
  const { protocol, username, password, hostname, port } = url;
  if (username || password || webhookPath(url) === undefined) return false;
  if (allowsPrivate) return protocol === 'https:' || protocol === 'http:';
  return protocol === 'https:' && port === '' && isDiscordHost(hostname);
}

/** The key of the row of a webhook, which is the same for all forms of its address. It does not reveal the address. */
export function channelKeyOf(address: string): string {
  const url = new URL(address);
  const host = isDiscordHost(url.hostname) ? '' : url.host;
  return rowKeyOf(`${host} ${webhookPath(url)}`);
}

/** The id of a webhook, by which the operator can tell channels apart. Without the token it allows nothing. */
export function webhookId(address: string): string {
  return webhookPath(new URL(address))?.split('/')[0] ?? '';
}
