import * as listing from '../../publishing/schemas/listing.ts';
import * as responses from '../../publishing/schemas/responses.ts';
import { SLUG } from '../../publishing/schemas/schema.ts';

const { oneOf: EVENT_KINDS } = listing.EVENT;

/** Every schema that has a name: what documents and pages refer to. */
const NAMED: Record<string, object> = {
  Schedule: listing.SCHEDULE,
  DaySchedule: listing.SCHEDULE.properties.data.items,
  ScheduledAnime: listing.SCHEDULE.properties.data.items.properties.animeList.items,
  Home: listing.HOME,
  HomePage: listing.HOME.properties.data,
  OngoingAnime: listing.HOME.properties.data.properties.data.items,
  AnimeListing: listing.ANIME,
  AnimeListingData: listing.ANIME.properties.data,
  Anime: listing.ANIME_DETAIL,
  AnimeDetail: listing.ANIME_DETAIL.properties.data,
  AnimeDetails: listing.ANIME_DETAIL.properties.data.properties.details.oneOf[0],
  KnownEpisode: listing.ANIME_DETAIL.properties.data.properties.episodes.items,
  ExpectedEpisode: listing.ANIME_DETAIL.properties.data.properties.next.oneOf[0],
  Upcoming: listing.UPCOMING,
  UpcomingEpisode: listing.UPCOMING.properties.data.items,
  Releases: listing.RELEASES,
  Release: listing.RELEASES.properties.data.items,
  Day: listing.ONGOING_DAY,
  Slug: SLUG,
  Events: listing.EVENTS,
  EventList: listing.EVENTS.properties.data,
  Event: listing.EVENT,
  AddedEvent: EVENT_KINDS[0],
  NewEpisodeEvent: EVENT_KINDS[1],
  MovedEvent: EVENT_KINDS[2],
  LeftEvent: EVENT_KINDS[3],
  PushKey: responses.PUSH_KEY,
  PushKeyData: responses.PUSH_KEY.properties.data,
  PushSubscription: responses.PUSH_SUBSCRIPTION,
  BrowserSubscription: responses.PUSH_SUBSCRIPTION.properties.subscription,
  BrowserKeys: responses.PUSH_SUBSCRIPTION.properties.subscription.properties.keys,
  PushEndpoint: responses.PUSH_ENDPOINT,
  Upload: responses.UPLOAD,
  UploadedFile: responses.UPLOAD.properties.result,
  Report: responses.REPORT,
  Reported: responses.REPORTED,
  Readiness: responses.READINESS,
  SourceState: responses.READINESS.properties.source,
  RepairedSelector: responses.REPAIR,
  DetailsCount: responses.READINESS.properties.source.properties.details,
  SnapshotState: responses.READINESS.properties.snapshot.oneOf[0],
  WebhookState: responses.READINESS.properties.webhooks.items,
  Dependencies: responses.READINESS.properties.dependencies,
  StoreState: responses.READINESS.properties.store,
  ThreadState: responses.READINESS.properties.threads.additionalProperties,
  Health: responses.HEALTH,
  Error: responses.ERROR,
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
