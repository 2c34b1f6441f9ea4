import { html } from '../../pages/html.ts';
import type { PostedRequest } from '../client.ts';
import { chatText } from './chat-text.ts';
import type { Message } from './message.ts';
import type { ReceiverAddress } from './receiver-address.ts';

const TELEGRAM_API = 'https://api.telegram.org';

/** Requests to Telegram: a photo of the cover with a caption, and a text alone. */
export function telegramRequests(
  { token, chat }: Extract<ReceiverAddress, { kind: 'telegram' }>,
  message: Message,
): PostedRequest[] {
  const { title, text, link, image } = chatText(message);
  const heading = html`<b>${title}</b>`;
  const linked = link ? html`<a href="${link}">${heading}</a>` : heading;
  const caption = String(html`${linked}\n${text}`);
  const request = (method: string, fields: object): PostedRequest => ({
    url: `${TELEGRAM_API}/bot${token}/${method}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: chat, parse_mode: 'HTML', ...fields }),
  });
  const plain = request('sendMessage', { text: caption, link_preview_options: { is_disabled: true } });
  return image ? [request('sendPhoto', { photo: image, caption }), plain] : [plain];
}
