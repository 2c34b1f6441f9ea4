import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type Origins,
  type StartProxy,
  startCaddy,
  startNginx,
  startProgram,
} from '../../support/proxies.ts';
import { findFreePort } from '../../support/redis.ts';
import { temporaryFolder } from '../../support/service.ts';

/** Starts a program with a file of this folder, in which ports and origins are filled in. */
function startWith(
  program: string,
  template: string,
  argumentsFor: (file: string, ports: readonly [number, number]) => string[],
): StartProxy {
  return async (behind, defer) => {
    const ports = [await findFreePort(), await findFreePort()] as const;
    const file = path.join(await temporaryFolder(defer), template);
    await writeFile(
      file,
      fillIn(readFileSync(path.join(import.meta.dirname, template), 'utf8'), behind, ports),
    );
    return startProgram(program, argumentsFor(file, ports), ports, defer);
  };
}

function fillIn(template: string, behind: Origins, ports: readonly [number, number]): string {
  let text = template;
  for (const [index, name] of (['listing', 'uploads'] as const).entries()) {
    const { host, hostname, port } = new URL(behind[name]);
    text = text
      .replaceAll(`{${name} port}`, String(ports[index]))
      .replaceAll(`{${name} host}`, host)
      .replaceAll(`{${name} name}`, hostname)
      .replaceAll(`{${name} own port}`, port);
  }
  return text;
}

const startHaproxy = startWith('haproxy', 'haproxy.cfg', (file) => ['-f', file, '-db']);

const startVarnish = startWith('varnishd', 'varnish.vcl', (file, [listing, uploads]) => [
  ...['-F', '-j', 'none', '-n', path.join(path.dirname(file), 'work'), '-f', file, '-s', 'malloc,16m'],
  ...['-a', `listing=127.0.0.1:${listing}`, '-a', `uploads=127.0.0.1:${uploads}`],
]);

const isThere = (program: string, version: string) => spawnSync(program, [version]).error === undefined;

export const PROXIES = [
  { name: 'nginx', isThere: isThere('nginx', '-v'), start: startNginx },
  { name: 'Caddy', isThere: isThere('caddy', 'version'), start: startCaddy },
  { name: 'HAProxy', isThere: isThere('haproxy', '-v'), start: startHaproxy },
  { name: 'Varnish', isThere: isThere('varnishd', '-V'), start: startVarnish },
] as const;
