import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';
import { manualLines } from './manual.ts';
import { findFreePort } from './redis.ts';
import { eventually, temporaryFolder } from './service.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The origins of a proxy, and of the service behind it. */
export interface Origins {
  listing: string;
  uploads: string;
}

/** Starts a proxy in front of processes, as the project configures it, but on free ports of the loopback and without TLS. */
export type StartProxy = (behind: Origins[], defer: Defer) => Promise<Origins>;

/** A file of deploy/, or the Caddyfile of the manual. */
export function readRecipe(file: string): string {
  return file === 'the manual'
    ? manualLines('caddyfile').join('\n')
    : readFileSync(path.join(ROOT, 'deploy', file), 'utf8');
}

export const startNginx: StartProxy = async (behind, defer) => {
  const folder = await temporaryFolder(defer);
  const ports = [await findFreePort(), await findFreePort()] as const;
  const servers = (origin: keyof Origins) =>
    behind.map((one) => `server ${new URL(one[origin]).host} max_fails=0;`).join('\n');
  const recipe = readRecipe('nginx/tayang.conf')
    .replace('server 127.0.0.1:3000 max_fails=0;', servers('listing'))
    .replace('server 127.0.0.1:3001 max_fails=0;', servers('uploads'))
    .replace('/var/cache/nginx', folder)
    .replaceAll(/^ *ssl_certificate .*\n/gmu, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${ports[0]};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${ports[1]};`);
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, nginxConfiguration(folder, recipe));
  return startProgram('nginx', ['-c', file, '-p', folder], ports, defer);
};

/** Caddy in front of one process, as in the manual, or of two, as in compose.yaml. */
export const startCaddy: StartProxy = async (behind, defer) => {
  const folder = await temporaryFolder(defer);
  const ports = [await findFreePort(), await findFreePort()] as const;
  const recipe = withBackends(readRecipe(behind.length === 1 ? 'the manual' : 'compose/Caddyfile'), behind)
    .replace(/^(?:anime.example.org|:8080)/mu, `http://127.0.0.1:${ports[0]}`)
    .replace(/^(?:files.example.net|:8081)/mu, `http://127.0.0.1:${ports[1]}`);
  const file = path.join(folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n\tauto_https off\n}\n${recipe}`);
  return startProgram('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], ports, defer, folder);
};

/** HAProxy in front of two processes or more. */
export const startHaproxy: StartProxy = async (behind, defer) => {
  const folder = await temporaryFolder(defer);
  const ports = [await findFreePort(), await findFreePort()] as const;
  const recipe = withBackends(readRecipe('haproxy/haproxy.cfg'), behind)
    .replace(/^\tbind .*$/mu, `\tbind 127.0.0.1:${ports[0]}\n\tbind 127.0.0.1:${ports[1]}`)
    .replace('hdr(host) -i files.example.net', `dst_port ${ports[1]}`)
    .replace(/^\tserver tayang-2 .*$/mu, (line) =>
      [line, ...serverLines(behind.slice(2), 'listing')].join('\n'),
    )
    .replace(/(?<=^backend uploads\n.*\n)\tserver tayang-2 .*$/mu, (line) =>
      [line, ...serverLines(behind.slice(2), 'uploads')].join('\n'),
    );
  const file = path.join(folder, 'haproxy.cfg');
  await writeFile(file, recipe);
  return startProgram('haproxy', ['-db', '-f', file], ports, defer);
};

/** The lines of HAProxy for the third process and further ones. */
function serverLines(behind: Origins[], origin: keyof Origins): string[] {
  return behind.map((one, index) => `\tserver tayang-${index + 3} ${new URL(one[origin]).host}`);
}

/** Varnish in front of one listing. */
export const startVarnish: StartProxy = async ([behind], defer) => {
  const folder = await temporaryFolder(defer);
  const { hostname, port } = new URL(behind!.listing);
  const recipe = readRecipe('varnish/tayang.vcl')
    .replace('127.0.0.1', hostname)
    .replace('"3000"', `"${port}"`);
  const file = path.join(folder, 'tayang.vcl');
  await writeFile(file, recipe);
  const own = await findFreePort();
  const args = [
    '-j',
    'none',
    '-F',
    '-n',
    folder,
    '-a',
    `127.0.0.1:${own}`,
    '-f',
    file,
    '-p',
    'http_gzip_support=off',
  ];
  const front = await startProgram('varnishd', [...args, '-s', 'malloc,64m'], [own, own], defer);
  return { ...front, uploads: behind!.uploads };
};

/** Replaces the addresses of the first and the second process, by name or by port. */
function withBackends(recipe: string, [first, second = first]: Origins[]): string {
  const hosts: [RegExp, string][] = [
    [/tayang-1:3000|127\.0\.0\.1:3000/gu, first!.listing],
    [/tayang-1:3001|127\.0\.0\.1:3001/gu, first!.uploads],
    [/tayang-2:3000|127\.0\.0\.1:3002/gu, second!.listing],
    [/tayang-2:3001|127\.0\.0\.1:3003/gu, second!.uploads],
  ];
  return hosts.reduce((text, [pattern, origin]) => text.replaceAll(pattern, new URL(origin).host), recipe);
}

/** What stands around a site's configuration in the nginx.conf of a distribution, with all files in one folder. */
export function nginxConfiguration(folder: string, sites: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  return `daemon off; user root; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http {
access_log off; sendfile on; tcp_nopush on; gzip on;
${temporary}
${sites}
}`;
}

/** Starts a proxy that listens on two ports, and waits until it does. */
export async function startProgram(
  program: string,
  args: string[],
  [listing, uploads]: readonly [number, number],
  defer: Defer,
  home?: string,
): Promise<Origins> {
  const env = { PATH: process.env.PATH, ...(home ? { HOME: home } : {}) };
  const child = spawn(program, args, { stdio: 'ignore', env });
  defer(() => endProcess(child, 'SIGTERM'));
  for (const port of [listing, uploads]) await eventually(() => canConnect(port), Boolean);
  return { listing: `http://127.0.0.1:${listing}`, uploads: `http://127.0.0.1:${uploads}` };
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
