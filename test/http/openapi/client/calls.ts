import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

/** Calls every operation with types that are generated from /openapi.json, and prints each as `get /api/anime`. */

const [listing = '', uploads = '', subscription = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: listing });
const files = createClient<paths>({ baseUrl: uploads });
for (const one of [client, files])
  one.use({ onRequest: ({ request, schemaPath }) => console.log(request.method.toLowerCase(), schemaPath) });

/** The data of a good answer. An answer without a type does not compile. */
async function read<Data>(call: Promise<{ data?: Data; response: Response }>) {
  const { data, response } = await call;
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return data as unknown extends Data ? never : NonNullable<Data>;
}

/** A form in which the fields that hold a file are sent as files. */
function sendForm(body: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    for (const text of [value].flat())
      if (name.startsWith('file')) form.append(name, new Blob([text]), 'halo.txt');
      else form.append(name, text);
  return form;
}

const text = { parseAs: 'text', headers: { Accept: '*/*' } } as const;
const form = { bodySerializer: sendForm };
const tus = { 'Tus-Resumable': '1.0.0' } as const;

const { data: all } = await read(client.GET('/api/anime'));
const slug: string = all.ongoing[0]!.slug;
const anime = { params: { path: { slug } } };
const chosen = { params: { query: { slugs: slug, q: 'a' } } };
const ofToday = { params: { query: { day: 'today', slugs: [slug, 'entah'].join() } } };
const titles: string[] = [
  (await read(client.GET('/api'))).data.endpoints[0]!.path,
  ...(await read(client.GET('/api/anime', chosen))).data.ongoing.map(({ title }) => title),
  ...(await read(client.GET('/api/anime/releases', ofToday))).data.map(({ title }) => title),
  all.schedule[0]!.animeList[0]!.title,
  (await read(client.GET('/api/anime/{slug}', anime))).data.title,
  (await read(client.GET('/api/anime/schedule'))).data[0]!.day,
  (await read(client.GET('/api/anime/home', { params: { query: { page: 2 } } }))).data.data[0]!.title,
  (await read(client.GET('/feeds/episodes.json'))).title,
  (await read(client.GET('/otakudesu/home'))).data.ongoing.animeList[0]!.episodes,
  (await read(client.GET('/otakudesu/ongoing'))).data.animeList[0]!.latestReleaseDate,
  (await read(client.GET('/otakudesu/schedule'))).data.scheduleList[0]!.title,
  (await read(client.GET('/otakudesu/anime/{slug}', anime))).data.details.title,
  (await read(client.GET('/openapi.json'))).openapi,
  (await read(client.GET('/push/key'))).data.key,
  await read(client.GET('/', text)),
  await read(client.GET('/anime/{slug}', { ...anime, ...text })),
  await read(client.GET('/docs', text)),
  await read(client.GET('/feeds/episodes.atom', text)),
  await read(client.GET('/feeds/schedule.ics', { ...text, params: { query: { slug: [slug] } } })),
];
const { data: releases } = await read(client.GET('/api/anime/releases'));
const { data: upcoming } = await read(client.GET('/api/anime/upcoming'));
const times: (string | null | undefined)[] = [releases[0]?.releasedAt, upcoming[0]?.expectedAt];
const { data: news } = await read(client.GET('/api/anime/events', { params: { query: { since: 0 } } }));
for (const event of news.events) {
  if (event.type === 'moved') times.push(event.from, event.to);
  if (event.type === 'renamed') titles.push(event.from);
}
const stream = await read(client.GET('/api/anime/events/stream', { parseAs: 'stream' }));
await stream?.cancel();
const isHealthy: boolean = (await read(client.GET('/healthz'))).status;
const { source } = await read(client.GET('/readyz'));
if (!isHealthy || source.state !== 'ok' || titles.includes('')) throw new Error('the listing is not right');
// A new service may not have its covers yet.
const cover = { parseAs: 'blob', params: { path: { cover: `${slug}-0000000000000000` } } } as const;
const covers: (Blob | undefined)[] = [
  (await client.GET('/covers/{cover}.jpg', cover)).data,
  (await client.GET('/covers/{cover}.webp', cover)).data,
];
if (covers.some(Boolean)) throw new Error('there is no such cover');
await client.PUT('/push/subscription', { body: JSON.parse(subscription) });
await client.DELETE('/push/subscription', { body: { endpoint: 'https://push.example/1' } });
// Nothing answers there.
const webhook = 'https://127.0.0.1:9/api/webhooks/1/x';
await client.PUT('/channels/subscription', { body: { url: webhook, slugs: null, language: 'id' } });
await client.DELETE('/channels/subscription', { body: { url: webhook } });

const uploaded = await files.POST('/upload', { body: { file: 'halo' }, ...form });
const { url, url_file }: { url: string; url_file: string } = (await read(Promise.resolve(uploaded))).result;
const id = new URL(url).pathname.slice(1);
const name = new URL(url_file).pathname.split('/').at(-1)!;
const [, , secretId = '', key = ''] = uploaded.response.headers
  .get('x-delete-url')!
  .split(/(?<!\/)\/(?!\/)/u);
const links: string[] = [
  (await read(files.POST('/api/upload.php', { body: { file: 'halo' }, ...form }))).result.url,
  (await read(files.POST('/upload.php', { body: { 'files[]': ['halo'] }, ...form }))).files[0]!.url,
  (await read(files.POST('/api/v1/upload', { body: { file: 'halo' }, ...form }))).data.url,
  await read(files.POST('/', { ...text, body: { file: 'halo' }, ...form })),
  await read(
    files.POST('/resources/internals/api.php', {
      ...text,
      body: { reqtype: 'fileupload', time: '1h', fileToUpload: 'halo' },
      ...form,
    }),
  ),
  (await read(files.GET('/sharex.sxcu'))).RequestURL,
  await read(files.GET('/{id}', { ...text, params: { path: { id } } })),
  await read(files.GET('/f/{name}', { ...text, params: { path: { name } } })),
  await read(files.GET('/dl/{id}', { ...text, params: { path: { id } } })),
  await read(files.GET('/r/{id}', { ...text, params: { path: { id } } })),
  (await read(files.POST('/r/{id}', { params: { path: { id } }, body: { reason: 'spam' } }))).message,
];
const collected = await read(files.POST('/c', { body: { files: [url] } }));
const collection = { params: { path: { id: new URL(collected.result.url).pathname.split('/').at(-1)! } } };
await read(files.GET('/c/{id}', { ...collection, ...text }));
const archive = await read(files.GET('/c/{id}.zip', { ...collection, parseAs: 'arrayBuffer' }));
if (archive.byteLength < 100) throw new Error('the archive is not whole');
links.push(
  await read(
    files.PUT('/{id}', {
      ...text,
      params: { path: { id: 'halo.txt' } },
      body: 'halo',
      bodySerializer: String,
    }),
  ),
);
if (links.includes('')) throw new Error('the uploads are not right');
const removal = { params: { path: { id: secretId, key } } };
await read(files.GET('/d/{id}/{key}', { ...removal, ...text }));
await read(files.POST('/d/{id}/{key}', { ...removal, ...text }));
await files.DELETE('/d/{id}/{key}', removal);

const begin = { ...tus, 'Upload-Length': '8' };
const octets = {
  headers: { 'Content-Type': 'application/offset+octet-stream' },
  body: 'halo',
  bodySerializer: String,
};
const created = await files.POST('/files', { params: { header: begin }, ...octets });
const path = { secret: created.response.headers.get('location')!.split('/').at(-1)! };
await files.HEAD('/files/{secret}', { params: { path, header: tus } });
const next = { ...tus, 'Upload-Offset': '4' };
await files.PATCH('/files/{secret}', { params: { path, header: next }, ...octets });
const whole: string = (await read(files.GET('/files/{secret}', { params: { path } }))).result.filesize;
if (whole !== '8 B') throw new Error(`a resumable upload has ${whole}`);
await files.DELETE('/files/{secret}', { params: { path, header: tus } });
