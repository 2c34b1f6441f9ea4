import type { PostedRequest } from './client.ts';

/* Webhooks of Discord, by https://docs.discord.com/developers/resources/webhook. */

const HOSTS = ['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com'];
const PATH = /^\/api\/(?:v\d+\/)?webhooks\/(\d{1,20}\/[\w-]{1,200})\/?$/u;

export function isDiscordHost(hostname: string): boolean {
  return HOSTS.includes(hostname);
}

/** `ID/TOKEN` in the address of a webhook, which is the same in each of its forms; undefined where it is none. */
export function webhookPath({ pathname }: URL): string | undefined {
  return PATH.exec(pathname)?.[1];
}

/** The most embeds of a message. */
export const MAX_EMBEDS = 10;
/** Discord refuses a title of more than 256 characters, and escaping can double its length. */
export const MAX_TITLE_LENGTH = 128;

/** All titles and descriptions of a message may have 6,000 characters together. */
export interface Embed {
  /** With Markdown. */
  title: string;
  description: string;
  url?: string;
  timestamp?: string;
  thumbnail?: { url: string };
}

/** Requests that post embeds: with their covers, and without them for when Discord refuses one. They mention nobody. */
export function discordRequests(url: string, embeds: readonly Embed[]): PostedRequest[] {
  const plain = embeds.map(({ thumbnail: _, ...embed }) => embed);
  const forms = embeds.some(({ thumbnail }) => thumbnail) ? [embeds, plain] : [embeds];
  return forms.map((form) => ({
    url: waitingAddress(url),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ embeds: form, allowed_mentions: { parse: [] } }),
  }));
}

/** With `wait`, Discord answers once the message is posted. */
function waitingAddress(url: string): string {
  const address = new URL(url);
  address.searchParams.set('wait', 'true');
  return address.href;
}

export function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<@-]/gu, '\\$&');
}
