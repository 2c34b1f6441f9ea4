import type { Site } from '../site.ts';
import { parseOngoing } from './ongoing-page.ts';
import { parseSchedule } from './schedule-page.ts';

/** A WordPress theme whose class names have stood since 2020 while its host moved twenty times. */
export const otakudesu: Site = {
  name: 'otakudesu',
  schedulePath: '/jadwal-rilis/',
  ongoingPath: (page) => (page === 1 ? '/ongoing-anime/' : `/ongoing-anime/page/${page}/`),
  parseSchedule,
  parseOngoing,
};
