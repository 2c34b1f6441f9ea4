import { altering, LIST, pageOfList, renderPath, showPlainly } from '../answers.ts';
import type { SourceFault } from '../fault.ts';
import { readRows } from '../read-rows.ts';

const HOUR_MS = 3_600_000;
/** What is wrong with a page that came. */
export const pageFaults: SourceFault[] = [
  {
    name: 'two themes in turn',
    does: 'calls `.jdlflm` something else on every second page that it sends',
    state: 'ok',
    expectedReason: /now reading title by \.jdlflm-baru instead of \.jdlflm/u,
    begin({ configured }) {
      let sent = 0;
      return altering(configured, (html) => {
        sent += 1;
        return sent % 2 === 0 ? html.replaceAll('jdlflm', 'jdlflm-baru') : html;
      });
    },
  },
  {
    name: 'page 1 served for page 2',
    does: 'shows page 1 of the list at the address of page 2',
    state: 'changed',
    expectedReason: /page 2 of the ongoing list was requested, but page 1 was sent/u,
    begin: ({ configured }) => altering(configured, () => renderPath(configured, LIST) ?? '', pageOfList(2)),
  },
  {
    name: 'stale page-cache copy',
    does: 'shows the same pages with a `Last-Modified` of an hour ago',
    state: 'ok',
    begin: ({ configured }) => showPlainly(configured, new Date(Date.now() - HOUR_MS)),
  },
  ...readRows('pages'),
];
