import type { AnimeEvent, Change } from '../domain/event.ts';
import type { Notice, NoticeContent } from '../domain/notice.ts';
import { presentEvent } from '../publishing/events.ts';

/** One message to a receiver. */
export type Message = {
  /** The same in every process and for every attempt, so that a receiver recognizes a repeated message. */
  id: string;
  /** When it happened, ms since 1970. */
  at: number;
} & MessageContent;

export type MessageContent =
  | { type: `anime.${Change['type']}`; data: ReturnType<typeof presentEvent> }
  | NoticeContent;

/** `data` is the event exactly as `/api/anime/events` has it. */
export function eventMessage(event: AnimeEvent): Message {
  const { number, at, type } = event;
  return { id: idOf('anime', number, at), at, type: `anime.${type}`, data: presentEvent(event) };
}

export function noticeMessage({ number, at, ...content }: Notice): Message {
  return { id: idOf('notice', number, at), at, ...content };
}

/** The id contains the time, because the numbers restart when a store is lost. */
function idOf(kind: string, number: number, at: number): string {
  return `msg_${kind}_${number}_${at.toString(36)}`;
}
