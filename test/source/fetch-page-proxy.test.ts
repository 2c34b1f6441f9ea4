import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, listen, openFetcher } from './support/loopback.ts';
import { refusal } from './support/refusal.ts';

const { signal } = new AbortController();

/** A proxy that answers requests for http sites itself and refuses tunnels; `seen` lists the requests. */
async function openProxy() {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} for ${request.headers['user-agent']}`);
    response.end('Lewat perantara');
  });
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  onTestFinished(() => closeServer(proxy));
  return { proxy: (await listen(proxy)).href, seen };
}

test('a page over http is requested from the proxy, which resolves the host', async () => {
  const { proxy, seen } = await openProxy();
  const page = await openFetcher({ proxy }).fetchPage('http://otakudesu.example/jadwal-rilis/', signal);
  expect(page).toMatchObject({ url: 'http://otakudesu.example/jadwal-rilis/', html: 'Lewat perantara' });
  expect(seen).toEqual(['GET http://otakudesu.example/jadwal-rilis/ for Tayang/test']);
});

test('a page over https is requested through a tunnel, and a refused tunnel is source-down', async () => {
  const { proxy, seen } = await openProxy();
  const page = openFetcher({ proxy }).fetchPage('https://otakudesu.example/', signal);
  await expect(page).rejects.toThrow(refusal('source-down', /^otakudesu\.example: ./u));
  expect(seen).toEqual(['CONNECT otakudesu.example:443']);
});

test('a request through a silent proxy takes no longer than the timeout', async () => {
  const silent = createServer(() => {}).on('connect', (_, socket) =>
    socket.resume().once('end', () => socket.end()),
  );
  onTestFinished(() => closeServer(silent));
  const { href: proxy } = await listen(silent);
  const { fetchPage } = openFetcher({ proxy, timeoutMs: 100 });
  const pages = ['http://otakudesu.example/', 'https://otakudesu.example/'].map((url) =>
    expect(fetchPage(url, signal)).rejects.toThrow(refusal('source-down', /within 100 ms/u)),
  );
  await Promise.all(pages);
});

test.each(['http', 'https'])(
  'the reason of a failed %s request names neither the proxy nor its password',
  async (scheme) => {
    const server = createServer();
    const gone = await listen(server);
    await closeServer(server);
    const { fetchPage } = openFetcher({ proxy: `http://user:rahasia@${gone.host}` });
    const error = await fetchPage(`${scheme}://otakudesu.example/`, signal).catch((reason: Error) => reason);
    expect(error).toEqual(
      refusal('source-down', /^otakudesu\.example: no answer through the proxy \(ECONNREFUSED\)/u),
    );
    expect(error).toEqual(refusal('source-down', /check SOURCE_PROXY$/u));
    expect(String(error)).not.toContain(gone.host);
    expect(String(error)).not.toContain('rahasia');
  },
);

test('a proxy that redirects to itself is not named in the reason', async () => {
  const login = createServer((_request, response) => {
    response.writeHead(302, { Location: 'http://10.0.0.5:8080/login' }).end();
  });
  onTestFinished(() => closeServer(login));
  const { href: proxy } = await listen(login);
  const page = openFetcher({ proxy }).fetchPage('http://otakudesu.example/', signal);
  await expect(page).rejects.toThrow(
    refusal('source-moved', /redirects to a private address: not followed$/u),
  );
});
