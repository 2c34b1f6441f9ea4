import { hasProgram } from '../../support/needs.ts';
import { startCaddy, startNginx } from '../../support/proxies.ts';

/** What the service needs for all cases to come from one address, and the listing to stay as it is. */
export const CONFIGURATION = {
  UPLOAD_RATE_LIMIT: '10000',
  UPLOAD_CONCURRENCY: '1000',
  TRUST_PROXY: '1',
  REFRESH_PEEK: 'off',
};

/** What the table says of HAProxy and Varnish is of an earlier run. */
export const PROXIES = [
  { name: 'nginx', isThere: hasProgram('nginx'), start: startNginx },
  { name: 'Caddy', isThere: hasProgram('caddy'), start: startCaddy },
] as const;
