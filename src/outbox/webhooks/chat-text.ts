import { excerpt } from '../../domain/text.ts';
import { MAX_TITLE_LENGTH } from '../discord.ts';
import type { MessageContent } from './message.ts';

/** The text of a message in a chat, in Indonesian like the feeds. */
interface ChatText {
  title: string;
  text: string;
  /** Absolute addresses of a page and of a cover. */
  link: string | null;
  image: string | null;
}

const MAX_TEXT_LENGTH = 500;

export function chatText(message: MessageContent): ChatText {
  const { title, text, link = null, image = null } = describe(message);
  return { title: excerpt(title, MAX_TITLE_LENGTH), text: excerpt(text, MAX_TEXT_LENGTH), link, image };
}

function describe(message: MessageContent): Pick<ChatText, 'title' | 'text'> & Partial<ChatText> {
  switch (message.type) {
    case 'source.down': {
      const { state, reason } = message.data;
      return { title: 'Situs sumber bermasalah', text: reason ?? state };
    }
    case 'source.ok':
      return { title: 'Situs sumber sudah pulih', text: 'Daftar kembali diperbarui.' };
    case 'upload.reported': {
      // A chat may have other readers than the operator, so it gets neither the link nor the note.
      const { id, reason } = message.data;
      return { title: `File dilaporkan: ${reason}`, text: id };
    }
    default: {
      const { data } = message;
      const title = 'episode' in data ? `${data.title} – Episode ${data.episode}` : data.title;
      return { title, text: describeChange(data), link: data.link, image: data.image };
    }
  }
}

function describeChange(event: Extract<MessageContent, { type: `anime.${string}` }>['data']): string {
  switch (event.type) {
    case 'new-episode':
      return event.day === 'None' ? 'Episode baru' : `Episode baru, ${event.day}`;
    case 'added':
      return event.day === 'None' ? 'Anime baru' : `Anime baru, ${event.day}`;
    case 'moved':
      return `Pindah dari ${dayName(event.from)} ke ${dayName(event.to)}`;
    case 'renamed':
      return 'Alamat halamannya di situs sumber berubah';
    case 'left':
      return 'Tidak lagi di daftar yang sedang tayang';
  }
}

function dayName(day: string): string {
  return day === 'None' ? 'tanpa hari' : day;
}
