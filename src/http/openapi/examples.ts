/** Example responses, of anime that do not exist. */

const ANIME = {
  title: 'Naga Kecil dan Kebun Rahasia',
  episode: 7,
  day: 'Jumat',
  date: '20 Nov',
  image: 'https://otakudesu.example/wp-content/uploads/2026/10/naga-kecil.jpg',
  slug: 'naga-kecil-dan-kebun-rahasia-sub-indo',
};

const { title, slug, episode, day, date, image } = ANIME;
const WEEK = ['Senin', 'Selasa', 'Rabu', 'Kamis', 'Jumat', 'Sabtu', 'Minggu', 'Random'];

export const SCHEDULE = {
  status: true,
  data: WEEK.map((name) => ({ day: name, animeList: name === day ? [{ title, slug }] : [] })),
};

export const HOME = {
  status: true,
  data: { currentPage: 1, maxPage: 6, hasNextPage: true, hasPrevPage: false, data: [ANIME] },
};

const LINK = `https://otakudesu.example/anime/${slug}/`;
const AT = '2026-11-20T12:15:04.000Z';
const EXPECTED = {
  episode: episode + 1,
  expectedAt: '2026-11-27T12:10:00.000Z',
  earliest: '2026-11-27T11:50:00.000Z',
  latest: '2026-11-27T12:40:00.000Z',
};

export const LISTING = { status: true, data: { schedule: SCHEDULE.data, ongoing: [ANIME] } };

export const DETAIL = {
  status: true,
  data: {
    title,
    slug,
    day,
    episode,
    date,
    image,
    link: LINK,
    episodes: [{ episode, seenAt: AT }],
    next: { ...EXPECTED, basis: 4 },
  },
};

export const UPCOMING = { status: true, data: [{ slug, title, ...EXPECTED }] };

export const EVENTS = {
  status: true,
  data: {
    epoch: 'mwoifq80',
    last: 42,
    complete: true,
    hasMore: false,
    events: [{ number: 42, type: 'new-episode', slug, title, episode, day, image, link: LINK, at: AT }],
  },
};

export const STREAM = `retry: 5000\nid: mwoifq80-41\n\nid: mwoifq80-42\nevent: new-episode\ndata: ${JSON.stringify(EVENTS.data.events[0])}\n\n`;

export const READINESS = {
  status: true,
  source: {
    state: 'ok',
    since: '2026-11-18T03:00:11.482Z',
    reason: null,
    nextAttempt: '2026-11-20T12:30:37.000Z',
    repaired: [],
  },
  dependencies: { store: 'ok', storage: 'ok', limiter: 'ok', scanner: 'absent' },
  snapshot: { refreshedAt: AT, changedAt: AT, anime: 133, scheduled: 54, omitted: 0, keptFromBefore: 1 },
  store: { state: 'ok', since: '2026-11-18T03:00:02.117Z', reason: null, writable: true, damagedAt: null },
  webhooks: [],
  threads: {
    crawler: { state: 'running', since: '2026-11-18T03:00:02.093Z', restarts: 0, reason: null },
    uploads: { state: 'running', since: '2026-11-18T03:00:02.160Z', restarts: 0, reason: null },
  },
};

export const ID = 'mi8f2k4w3q9r2d8w4t6y1z7b5n0c8v6x';

export const UPLOAD = {
  status: true,
  result: {
    originalname: 'sampul ½.png',
    encoding: '7bit',
    mimetype: 'image/png',
    filesize: '1.21 MB',
    expired: 1_763_727_304_000,
    expiredFmt: '19:15:04 21/11/2026',
    url: `https://files.example.net/${ID}`,
    url_file: `https://files.example.net/f/${ID}.png`,
  },
};

export const REPORT = { reason: 'copyright', note: 'This is chapter 12 of my book.' };

export const REPORTED = {
  status: true,
  message: 'the report has been passed on to the operator of this service',
};
