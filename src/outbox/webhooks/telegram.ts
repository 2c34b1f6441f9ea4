import { html } from '../../pages/html.ts';
import { chatText } from './chat-text.ts';
import type { Message } from './message.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import type { WebhookRequest } from './standard-webhook.ts';

const TELEGRAM_API = 'https://api.telegram.org';

/** Requests to Telegram: a photo of the cover with a caption, and a text alone. */
export function telegramRequests(
  { token, chat }: Extract<ReceiverAddress, { kind: 'telegram' }>,
  message: Message,
): WebhookRequest[] {
  const { title, text, link, image } = chatText(message);
  const heading = html`<b>${title}</b>`;
  const linked = link ? html`<a href="${link}">${heading}</a>` : heading;
  const caption = String(html`${linked}\n${text}`);
  const request = (method: string, fields: object): WebhookRequest => ({
    url: `${TELEGRAM_API}/bot${token}/${method}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: chat, parse_mode: 'HTML', ...fields }),
  });
  const plain = request('sendMessage', { text: caption, link_preview_options: { is_disabled: true } });
  return image ? [request('sendPhoto', { photo: image, caption }), plain] : [plain];
}

/** The wait that Telegram names in the body of a 429, in ms. */
export function parseTelegramWait(body: string): number | undefined {
  const seconds = /"retry_after"\s*:\s*(\d{1,9})/u.exec(body)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
