// Reads what MyAnimeList and AniList export: the anime that somebody is watching, with their progress.

/** As much as a list of tens of thousands of anime. */
const MAX_BYTES = 50 * 1024 * 1024;
/** The formats of AniList's API, and the numbers in the data of an account: watching, and watching again. */
const WATCHING = ['CURRENT', 'REPEATING', 0, 5];

/**
 * An anime that is being watched.
 * @typedef {object} ListEntry
 * @property {number | undefined} mal its number at MyAnimeList
 * @property {number | undefined} anilist its number at AniList
 * @property {string} name what to call it
 * @property {string[]} names its titles
 * @property {number} progress the last episode that was watched
 */

/**
 * Rejects for a file of another kind.
 * @param {File} file
 * @returns {Promise<ListEntry[]>}
 */
export async function parseList(file) {
  const text = await readText(file);
  return text.trimStart().startsWith('<') ? parseXml(text) : parseJson(JSON.parse(text));
}

/** @param {File} file */
async function readText(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */
  const stream = isGzip ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const reader = stream.getReader();
  const chunks = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > MAX_BYTES) throw new Error('the file is too large');
    chunks.push(part.value);
  }
  return new Blob(chunks).text();
}

/** @param {string} text */
function parseXml(text) {
  const xml = new DOMParser().parseFromString(text, 'text/xml');
  if (!xml.querySelector('myanimelist')) throw new Error('it is not of MyAnimeList');
  return [...xml.querySelectorAll('anime')].flatMap((anime) => {
    /** @param {string} name */
    const read = (name) => anime.querySelector(name)?.textContent?.trim() ?? '';
    const isWatched = /^(?:watching|1)$/iu.test(read('my_status')) || Number(read('my_rewatching')) > 0;
    const name = read('series_title');
    const entry = { mal: Number(read('series_animedb_id')), anilist: undefined, name, names: [name] };
    return isWatched ? [{ ...entry, progress: readCount(read('my_watched_episodes')) }] : [];
  });
}

/** @param {unknown} value */
function readCount(value) {
  const count = Number(value);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/**
 * The answer to a query of `MediaListCollection`, or the data of an account.
 * @param {any} data
 */
function parseJson(data) {
  const { lists } = data?.data?.MediaListCollection ?? data?.MediaListCollection ?? data ?? {};
  if (!Array.isArray(lists)) throw new Error('it is not of AniList');
  /** @type {any[]} */
  const entries = lists.flatMap((one) => (Array.isArray(one?.entries) ? one.entries : [one]));
  const watching = entries.filter((one) => WATCHING.includes(one?.status) && (one.series_type ?? 0) === 0);
  // A list that somebody made of their own has its entries a second time.
  return [...new Map(watching.map((one) => [one.media?.id ?? one.mediaId ?? one.series_id, one]))].map(
    ([id, { media, progress }]) => {
      const { romaji, english, native, userPreferred } = media?.title ?? {};
      const names = [userPreferred, romaji, english, native].filter((name) => typeof name === 'string');
      const anilist = Number(id) || undefined;
      const mal = Number(media?.idMal) || undefined;
      return { mal, anilist, name: names[0] ?? `AniList ${id}`, names, progress: readCount(progress) };
    },
  );
}
