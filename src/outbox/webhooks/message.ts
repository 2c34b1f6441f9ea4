import type { AnimeEvent, Change } from '../../domain/event.ts';
import { type EventContext, presentEvent } from '../../publishing/events.ts';
import type { Event } from '../../publishing/schemas/listing.ts';
import type { FromSchema } from '../../publishing/schemas/schema.ts';
import type { Notice, NoticeContent } from '../notices.ts';

/** One message to a receiver. */
export type Message = {
  /** The same in every process and for every attempt, so that a receiver recognizes a repeated message. */
  id: string;
  /** When it happened, ms since 1970. */
  at: number;
} & MessageContent;

export type MessageContent =
  | { type: `anime.${Change['type']}`; data: FromSchema<typeof Event> }
  | NoticeContent;

/**
 * `data` is the event exactly as `/api/anime/events` has it. The id contains the time, because numbers begin anew in another
 * epoch.
 */
export function eventMessage(event: AnimeEvent, context: EventContext): Message {
  const { number, at, type } = event;
  return {
    id: `msg_anime_${number}_${at.toString(36)}`,
    at,
    type: `anime.${type}`,
    data: presentEvent(event, context),
  };
}

export function noticeMessage({ at, ...content }: Notice): Message {
  return { id: `msg_notice_${at.toString(36)}`, at, ...content };
}
