import type { AnimeRecord } from '../../domain/anime-record.ts';
import { releaseTime } from '../../domain/episode-history.ts';
import type { AnimeEvent, EpisodeEvent } from '../../domain/event.ts';
import { excerpt } from '../../domain/text.ts';
import { type Language, TRANSLATIONS } from '../../pages/i18n/translations.ts';
import { animePath } from '../../pages/listing-page.ts';
import type { Log } from '../cursor.ts';
import { type Embed, escapeMarkdown, MAX_EMBEDS, MAX_TITLE_LENGTH } from '../discord.ts';
import { selectNews } from '../news.ts';
import type { Channel, ChannelRequest } from './channel.ts';

/** What is known of the anime that are listed. */
export interface AnnouncedAnime {
  /** The origin of the pages. */
  url: string;
  /** The address of a cover that is kept here. */
  coverOf(slug: string): string | undefined;
  /** By slug. */
  records: ReadonlyMap<string, AnimeRecord>;
}

/** So many titles are named in the first message. */
const MAX_NAMED = 10;

/** The embeds of a message about events that announce episodes: the first ones of the anime that the channel follows. */
export function composeAnnouncement(
  channel: Pick<Channel, 'slugs' | 'language'>,
  events: readonly AnimeEvent[],
  { renamed }: Pick<Log, 'renamed'>,
  known: AnnouncedAnime,
): { message: Embed[]; upTo: AnimeEvent } | undefined {
  const news = selectNews(events, channel.slugs, renamed);
  if (news.length === 0) return undefined;
  const message = news
    .slice(0, MAX_EMBEDS)
    .map((event) => announce(event, renamed.get(event.slug) ?? event.slug, channel.language, known));
  // What comes after the last one concerns other channels.
  const upTo = news.length > MAX_EMBEDS ? news[MAX_EMBEDS - 1] : events.at(-1);
  return upTo && { message, upTo };
}

function announce(event: EpisodeEvent, slug: string, language: Language, known: AnnouncedAnime): Embed {
  const { isOut, next } = TRANSLATIONS[language].channels.messages;
  const record = known.records.get(slug);
  const release = record?.episodes.find(({ episode }) => episode === event.episode);
  const out = timestamp((release && releaseTime(release)) ?? event.at, 't');
  const lines = [`**${fill(isOut, { n: event.episode })}** · ${out}`];
  const coming = record?.next;
  if (coming && !coming.late && coming.episode > event.episode)
    lines.push(fill(next, { n: coming.episode, time: timestamp(coming.expectedAt, 'f') }));
  const image = known.coverOf(slug) ?? record?.image ?? event.image;
  return {
    title: titleOf(record?.title ?? event.title),
    description: lines.join('\n'),
    url: known.url + animePath(slug, language),
    ...(image && { thumbnail: { url: image } }),
  };
}

/** The first message in a channel: what will come, and where that can be changed. */
export function composeWelcome(
  { slugs, language }: Pick<ChannelRequest, 'slugs' | 'language'>,
  { url, records }: AnnouncedAnime,
): Embed[] {
  const { messages } = TRANSLATIONS[language].channels;
  const page = `${url}/channels?lang=${language}`;
  const titles = slugs?.map((slug) => titleOf(records.get(slug)?.title ?? slug)) ?? [];
  const named = titles.slice(0, MAX_NAMED).map((title) => `- ${title}`);
  const others = titles.length - named.length;
  const lines = [
    slugs === null ? messages.all : fill(messages.some, { count: titles.length }),
    ...named,
    ...(others > 0 ? [fill(messages.others, { count: others })] : []),
    fill(messages.stop, { page }),
  ];
  return [{ title: messages.welcome, description: lines.join('\n'), url: page }];
}

const titleOf = (title: string) => escapeMarkdown(excerpt(title, MAX_TITLE_LENGTH));

/** Shown by Discord in the time zone of each reader. `t`: the hour; `f`: the day as well. */
function timestamp(at: number, style: 't' | 'f'): string {
  return `<t:${Math.floor(at / 1_000)}:${style}>`;
}

/** A text, which is no HTML, with values where it has `{name}`. */
function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/gu, (whole, name: string) => String(values[name] ?? whole));
}
