import { isPrivateHost } from '../../network/private-address.ts';
import { isDiscordHost, webhookPath } from '../discord.ts';

/** The address of a receiver: of Standard Webhooks, of a Discord webhook, or of a Telegram chat. */
export type ReceiverAddress =
  | { kind: 'standard' | 'discord'; url: string }
  | { kind: 'telegram'; token: string; chat: string };

const MAX_RECEIVERS = 16;
const MAX_LENGTH = 2_048;
const TELEGRAM = /^telegram:\/\/(\d{1,20}(?::|%3a)[\w-]{1,200})@(-?\d{1,20}|@?[a-z]\w{1,63})$/iu;

/**
 * Parses a comma-separated list, which may be empty. Throws an Error that says what the addresses must be and which one is
 * wrong, by its number: each address is a secret.
 */
export function parseReceivers(list: string, allowsPrivate: boolean): ReceiverAddress[] {
  const items = [...new Set(list.split(',').map((item) => item.trim()))].filter(Boolean);
  if (items.length > MAX_RECEIVERS) throw new Error(`must be ${MAX_RECEIVERS} addresses at most`);
  return items.map((item, index) =>
    parseAddress(item, allowsPrivate, (rule) => {
      throw new Error(`must be addresses that ${rule}; number ${index + 1} is not`);
    }),
  );
}

/** `refuse` throws, with the rule that the address breaks. */
function parseAddress(
  item: string,
  allowsPrivate: boolean,
  refuse: (rule: string) => never,
): ReceiverAddress {
  const [, token, chat] = TELEGRAM.exec(item) ?? [];
  if (token && chat) {
    const name = /^[a-z]/iu.test(chat) ? `@${chat}` : chat;
    return { kind: 'telegram', token: decodeURIComponent(token), chat: name };
  }
  const url = URL.parse(item);
  const schemes = allowsPrivate ? ['https:', 'http:'] : ['https:'];
  if (!url || !schemes.includes(url.protocol) || item.length > MAX_LENGTH || /\s/u.test(item))
    return refuse('are https://… or telegram://TOKEN@CHAT');
  if (url.username || url.password) refuse('have no user name and no password');
  if (!allowsPrivate && isPrivateHost(url.hostname)) refuse('are public, or WEBHOOK_PRIVATE must be on');
  url.hash = '';
  const isDiscord = isDiscordHost(url.hostname) && webhookPath(url) !== undefined;
  return { kind: isDiscord ? 'discord' : 'standard', url: url.href };
}

/** Names receivers without their secrets: by origin, or `telegram`; numbered where several have the same name. */
export function nameReceivers(addresses: readonly ReceiverAddress[]): string[] {
  const names = addresses.map((address) =>
    address.kind === 'telegram' ? 'telegram' : new URL(address.url).origin,
  );
  return names.map((name, index) =>
    names.filter((other) => other === name).length > 1 ? `${name} #${index + 1}` : name,
  );
}
