import type { Report } from '../../domain/operational-event.ts';
import type { Scanner } from '../scanner.ts';
import { parseClamdUrl } from './clamd-connection.ts';

/** Only the chosen driver is loaded. A scanner is a file of this folder and a line here; its URL holds its options. */
export const SCANNER_DRIVERS: Record<string, (url: string, options: { report: Report }) => Promise<Scanner>> =
  {
    'clamd:': async (url, options) =>
      (await import('./clamd.ts')).openClamdScanner(parseClamdUrl(url), options),
  };
