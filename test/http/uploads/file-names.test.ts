import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { testWith } from '../../support/needs.ts';
import { filePart, KB, multipart, openOnce, openUploads, part } from '../../support/upload-client.ts';

const uploads = openOnce(openUploads);

/** The name that a file gets whose disposition has these parameters. */
async function nameOf(parameters: string, userAgent = 'curl/8.0'): Promise<string> {
  const body = multipart(part(`form-data; name="file"; ${parameters}`, 'x'));
  const answer = await uploads.post(body, { headers: { 'User-Agent': userAgent } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json().result.originalname;
}

const AIOHTTP = 'Python/3.11 aiohttp/3.8.4';

test.each([
  ['a quote as browsers write it', 'filename="a%22b%22.png"', 'curl/8.0', 'a"b".png'],
  ['line ends as browsers write them', 'filename="a%0D%0Ab.png"', 'curl/8.0', 'ab.png'],
  ['no other code', 'filename="50%20off%2F%25.png"', 'curl/8.0', '50%20off%2F%25.png'],
  ['all of aiohttp', 'filename="foto%20100%25%20%C3%BC.png"', AIOHTTP, 'foto 100% ü.png'],
  ['the last segment of aiohttp', 'filename="a%2Fb%5Cc.png"', AIOHTTP, 'c.png'],
  ['a code that aiohttp has encoded', 'filename="50%2520off.txt"', AIOHTTP, '50%20off.txt'],
  ['nothing of a name that aiohttp has not encoded', 'filename="50%20 off.txt"', AIOHTTP, '50%20 off.txt'],
  ['nothing of aiohttp that is not UTF-8', 'filename="%FF.txt"', AIOHTTP, '%FF.txt'],
  ['nothing more of an extended name', "filename*=UTF-8''a%2520b.txt", AIOHTTP, 'a%20b.txt'],
])('a name is decoded: %s', async (_what, parameters, userAgent, name) => {
  expect(await nameOf(parameters, userAgent)).toBe(name);
});

const hasAiohttp = spawnSync('/usr/bin/python3', ['-c', 'import aiohttp']).status === 0;

testWith(hasAiohttp, 'aiohttp: install python3-aiohttp')(
  'names of a real aiohttp are those of the files',
  async () => {
    const name = 'foto liburan 100% "ü" 50%20.png';
    const code = `import asyncio, aiohttp, sys
async def main():
    async with aiohttp.ClientSession() as session:
        form = aiohttp.FormData()
        form.add_field("file", b"x", filename=sys.argv[2])
        async with session.post(sys.argv[1], data=form) as answer:
            print(await answer.text())
asyncio.run(main())`;
    const url = `${uploads.origin}/upload`;
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', code, url, name]);
    expect(JSON.parse(stdout).result.originalname).toBe(name);
  },
);

describe('a refusal says in words what to change', () => {
  const refusalOf = async (body: Buffer, path = '/upload') => {
    const answer = await uploads.post(body, { path });
    expect(answer.status, answer.text).toBe(400);
    return answer.text;
  };

  test.each([1, 3 * KB])('where %i bytes of a file came as text', async (size) => {
    const text = part('form-data; name="file"', 'x'.repeat(size));
    for (const path of ['/upload', '/api/upload.php', '/'])
      expect(await refusalOf(multipart(text), path)).toMatch(/"?file\\?" came as text.*file=@/u);
    const many = part('form-data; name="files[]"', 'x'.repeat(size));
    expect(await refusalOf(multipart(many), '/upload.php')).toMatch(/came as text.*files\[\]=@/u);
  });

  test.each(['', '.', '..', '/', 'a/..'])('where the name of a file is "%s"', async (name) => {
    for (const type of ['text/plain', 'application/octet-stream'])
      expect(await refusalOf(multipart(filePart(name, 'x', type)))).toContain('no usable name');
  });

  test('where there is nothing but other fields', async () => {
    expect(await refusalOf(multipart(part('form-data; name="expires"', '1h')))).toContain(
      'send the file in the field',
    );
  });
});
