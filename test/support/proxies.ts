import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';
import { findFreePort } from './redis.ts';
import { eventually, temporaryFolder } from './service.ts';

const MANUAL = path.resolve(import.meta.dirname, '../../docs/operations.md');

/** The origins of a proxy, and those of the service behind it. */
export interface Origins {
  listing: string;
  uploads: string;
}

/** Starts a proxy in front of a service, as the manual says, but on free ports of the loopback and without TLS. */
export type StartProxy = (behind: Origins, defer: Defer) => Promise<Origins>;

/** The configuration for that program, as it stands in the manual. */
export function readRecipe(language: 'nginx' | 'caddyfile'): string {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'msu');
  const [, recipe] = fence.exec(readFileSync(MANUAL, 'utf8')) ?? [];
  if (!recipe) throw new Error(`the manual has no recipe for ${language}`);
  return recipe;
}

export const startNginx: StartProxy = async (behind, defer) => {
  const folder = await temporaryFolder(defer);
  const ports = [await findFreePort(), await findFreePort()] as const;
  const recipe = withBackends(readRecipe('nginx'), behind)
    .replaceAll(/^ *ssl_certificate .*\n/gmu, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${ports[0]};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${ports[1]};`);
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, nginxConfiguration(folder, recipe));
  return startProgram('nginx', ['-c', file, '-p', folder], ports, defer);
};

export const startCaddy: StartProxy = async (behind, defer) => {
  const folder = await temporaryFolder(defer);
  const ports = [await findFreePort(), await findFreePort()] as const;
  const recipe = withBackends(readRecipe('caddyfile'), behind)
    .replace('anime.example.org', `http://127.0.0.1:${ports[0]}`)
    .replace('files.example.net', `http://127.0.0.1:${ports[1]}`);
  const file = path.join(folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n\tauto_https off\n}\n${recipe}`);
  return startProgram('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], ports, defer, folder);
};

function withBackends(recipe: string, { listing, uploads }: Origins): string {
  return recipe
    .replaceAll('127.0.0.1:3000', new URL(listing).host)
    .replaceAll('127.0.0.1:3001', new URL(uploads).host);
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
