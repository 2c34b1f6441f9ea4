import type { Site } from '../site.ts';
import { knownOngoing, knownSchedule, ONGOING_MODEL, SCHEDULE_MODEL } from './models.ts';
import { parseOngoing } from './ongoing-page.ts';
import { parseSchedule } from './schedule-page.ts';

/** A WordPress theme. Its class names have not changed since 2020, its host has changed about twenty times. */
export const otakudesu: Site = {
  name: 'otakudesu',
  schedulePath: '/jadwal-rilis/',
  ongoingPath: (page) => (page === 1 ? '/ongoing-anime/' : `/ongoing-anime/page/${page}/`),
  parseSchedule,
  parseOngoing,
  schedule: { model: SCHEDULE_MODEL, knownFrom: ({ schedule }) => knownSchedule(schedule) },
  ongoing: { model: ONGOING_MODEL, knownFrom: ({ ongoing }) => knownOngoing(ongoing) },
};
