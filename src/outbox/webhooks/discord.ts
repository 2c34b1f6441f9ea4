import { chatText } from './chat-text.ts';
import type { Message } from './message.ts';
import type { WebhookRequest } from './standard-webhook.ts';

/** Requests to a Discord webhook: an embed with cover and link, and one without the cover. Neither mentions anybody. */
export function discordRequests(url: string, message: Message): WebhookRequest[] {
  const { title, text, link, image } = chatText(message);
  const plain = {
    title: escapeMarkdown(title),
    description: escapeMarkdown(text),
    timestamp: new Date(message.at).toISOString(),
    ...(link && { url: link }),
  };
  const embeds = image ? [{ ...plain, thumbnail: { url: image } }, plain] : [plain];
  return embeds.map((embed) => ({
    url: waitingAddress(url),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }),
  }));
}

/** With `wait`, Discord answers once the message is posted. */
function waitingAddress(url: string): string {
  const address = new URL(url);
  address.searchParams.set('wait', 'true');
  return address.href;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<@-]/gu, '\\$&');
}
