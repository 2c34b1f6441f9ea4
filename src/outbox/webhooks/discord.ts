import type { PostedRequest } from '../client.ts';
import { discordRequests, type Embed, escapeMarkdown } from '../discord.ts';
import { chatText } from './chat-text.ts';
import type { Message } from './message.ts';

/** Requests to a Discord webhook: an embed with cover and link, and one without the cover. */
export function discordMessageRequests(url: string, message: Message): PostedRequest[] {
  const { title, text, link, image } = chatText(message);
  const embed: Embed = {
    title: escapeMarkdown(title),
    description: escapeMarkdown(text),
    timestamp: new Date(message.at).toISOString(),
    ...(link && { url: link }),
    ...(image && { thumbnail: { url: image } }),
  };
  return discordRequests(url, [embed]);
}
