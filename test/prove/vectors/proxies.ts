import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type StartProxy, startCaddy, startNginx, startProgram } from '../../support/proxies.ts';
import { findFreePort } from '../../support/redis.ts';
import { temporaryFolder } from '../../support/service.ts';
import type { WAYS } from './expected-answers.ts';

export interface TestedProxy {
  name: Exclude<(typeof WAYS)[number], 'the service'>;
  isThere: boolean;
  start: StartProxy;
}

/** HAProxy as its own manual begins: HTTP, and connections to the service that are used again. */
const startHaproxy: StartProxy = async ({ listing, uploads }, defer) => {
  const file = path.join(await temporaryFolder(defer), 'haproxy.cfg');
  const ports = [await findFreePort(), await findFreePort()] as const;
  const site = (name: string, port: number, origin: string) => `
frontend ${name}
  bind 127.0.0.1:${port}
  default_backend ${name}_service
backend ${name}_service
  server service ${new URL(origin).host}
`;
  const configuration = `
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  option forwardfor
${site('listing', ports[0], listing)}${site('uploads', ports[1], uploads)}`;
  await writeFile(file, configuration);
  return startProgram('haproxy', ['-f', file, '-db'], ports, defer);
};

/** Varnish with its built-in rules, which cache what a service lets it cache. */
const startVarnish: StartProxy = async ({ listing, uploads }, defer) => {
  const folder = await temporaryFolder(defer);
  const ports = [await findFreePort(), await findFreePort()] as const;
  const backend = (name: string, origin: string) => {
    const { hostname, port } = new URL(origin);
    return `backend ${name} { .host = "${hostname}"; .port = "${port}"; }\n`;
  };
  const rules = `vcl 4.1;
${backend('listing', listing)}${backend('uploads', uploads)}
sub vcl_recv { if (local.socket == "uploads") { set req.backend_hint = uploads; } }
`;
  const file = path.join(folder, 'default.vcl');
  await writeFile(file, rules);
  const sockets = ['-a', `listing=127.0.0.1:${ports[0]}`, '-a', `uploads=127.0.0.1:${ports[1]}`];
  const args = [
    '-F',
    '-j',
    'none',
    '-n',
    path.join(folder, 'work'),
    '-f',
    file,
    '-s',
    'malloc,16m',
    ...sockets,
  ];
  return startProgram('varnishd', args, ports, defer);
};

const isThere = (program: string, version: string) => spawnSync(program, [version]).error === undefined;

export const PROXIES: TestedProxy[] = [
  { name: 'nginx', isThere: isThere('nginx', '-v'), start: startNginx },
  { name: 'Caddy', isThere: isThere('caddy', 'version'), start: startCaddy },
  { name: 'HAProxy', isThere: isThere('haproxy', '-v'), start: startHaproxy },
  { name: 'Varnish', isThere: isThere('varnishd', '-V'), start: startVarnish },
];
