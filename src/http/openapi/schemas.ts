import { EVENT, EVENTS } from '../../publishing/schemas/events.ts';
import {
  ANIME,
  ANIME_DETAIL,
  HOME,
  ONGOING_DAY,
  RELEASES,
  SCHEDULE,
  UPCOMING,
} from '../../publishing/schemas/listing.ts';
import { PUSH_ENDPOINT, PUSH_KEY, PUSH_SUBSCRIPTION } from '../../publishing/schemas/push.ts';
import {
  ERROR,
  HEALTH,
  READINESS,
  REPAIR,
  REPORT,
  REPORTED,
  UPLOAD,
} from '../../publishing/schemas/responses.ts';
import { SLUG } from '../../publishing/schemas/schema.ts';

const { oneOf: EVENT_KINDS } = EVENT;

/** Every schema that has a name: what documents and pages refer to. */
const NAMED: Record<string, object> = {
  Schedule: SCHEDULE,
  DaySchedule: SCHEDULE.properties.data.items,
  ScheduledAnime: SCHEDULE.properties.data.items.properties.animeList.items,
  Home: HOME,
  HomePage: HOME.properties.data,
  OngoingAnime: HOME.properties.data.properties.data.items,
  AnimeListing: ANIME,
  AnimeListingData: ANIME.properties.data,
  Anime: ANIME_DETAIL,
  AnimeDetail: ANIME_DETAIL.properties.data,
  AnimeDetails: ANIME_DETAIL.properties.data.properties.details.oneOf[0],
  KnownEpisode: ANIME_DETAIL.properties.data.properties.episodes.items,
  ExpectedEpisode: ANIME_DETAIL.properties.data.properties.next.oneOf[0],
  Upcoming: UPCOMING,
  UpcomingEpisode: UPCOMING.properties.data.items,
  Releases: RELEASES,
  Release: RELEASES.properties.data.items,
  Day: ONGOING_DAY,
  Slug: SLUG,
  Events: EVENTS,
  EventList: EVENTS.properties.data,
  Event: EVENT,
  AddedEvent: EVENT_KINDS[0],
  NewEpisodeEvent: EVENT_KINDS[1],
  MovedEvent: EVENT_KINDS[2],
  LeftEvent: EVENT_KINDS[3],
  PushKey: PUSH_KEY,
  PushKeyData: PUSH_KEY.properties.data,
  PushSubscription: PUSH_SUBSCRIPTION,
  BrowserSubscription: PUSH_SUBSCRIPTION.properties.subscription,
  BrowserKeys: PUSH_SUBSCRIPTION.properties.subscription.properties.keys,
  PushEndpoint: PUSH_ENDPOINT,
  Upload: UPLOAD,
  UploadedFile: UPLOAD.properties.result,
  Report: REPORT,
  Reported: REPORTED,
  Readiness: READINESS,
  SourceState: READINESS.properties.source,
  RepairedSelector: REPAIR,
  DetailsCount: READINESS.properties.source.properties.details,
  SnapshotState: READINESS.properties.snapshot.oneOf[0],
  WebhookState: READINESS.properties.webhooks.items,
  Dependencies: READINESS.properties.dependencies,
  StoreState: READINESS.properties.store,
  ThreadState: READINESS.properties.threads.additionalProperties,
  Health: HEALTH,
  Error: ERROR,
};

const NAMES = new Map(Object.entries(NAMED).map(([name, schema]) => [schema, name]));

/** The named schemas; where one holds another, it refers to it by its name. */
export function nameSchemas(): Record<string, object> {
  return Object.fromEntries(Object.entries(NAMED).map(([name, schema]) => [name, refer(schema)]));
}

function refer(schema: object): object {
  const text = JSON.stringify(schema, (key, value) => {
    // The key is empty for the schema itself.
    const name = key === '' ? undefined : NAMES.get(value);
    return name === undefined ? value : { $ref: `#/components/schemas/${name}` };
  });
  return JSON.parse(text);
}
