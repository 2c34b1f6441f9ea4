import type { MessageContent } from './message.ts';

/** The text of a message in a chat, in Indonesian like the feeds. */
interface ChatText {
  title: string;
  text: string;
  /** Absolute addresses of a page and of a cover. */
  link: string | null;
  image: string | null;
}

/** Discord refuses a title of more than 256 characters, and escaping can double its length. */
const MAX_TITLE_LENGTH = 128;
const MAX_TEXT_LENGTH = 500;

export function chatText(message: MessageContent): ChatText {
  const { title, text, link = null, image = null } = describe(message);
  return { title: cut(title, MAX_TITLE_LENGTH), text: cut(text, MAX_TEXT_LENGTH), link, image };
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
      return { title: `Berkas dilaporkan: ${reason}`, text: id };
    }
    default: {
      const { title, link, image } = message.data;
      return { ...describeChange(message.data), title: titleOf(title, message.data), link, image };
    }
  }
}

type EventData = Extract<MessageContent, { type: `anime.${string}` }>['data'];

function titleOf(title: string, event: EventData): string {
  return 'episode' in event ? `${title} – Episode ${event.episode}` : title;
}

function describeChange(event: EventData): { text: string } {
  switch (event.type) {
    case 'new-episode':
      return { text: `Episode baru${event.day === 'None' ? '' : `, ${event.day}`}` };
    case 'added':
      return { text: `Anime baru${event.day === 'None' ? '' : `, ${event.day}`}` };
    case 'moved':
      return { text: `Pindah dari ${dayName(event.from)} ke ${dayName(event.to)}` };
    case 'left':
      return { text: 'Tidak lagi di daftar yang sedang tayang' };
  }
}

const dayName = (day: string) => (day === 'None' ? 'tanpa hari' : day);

/** Counts code points, so that no character is cut in two. */
function cut(text: string, maxLength: number): string {
  const characters = [...text];
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : text;
}
