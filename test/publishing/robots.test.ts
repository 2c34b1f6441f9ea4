import { expect, test } from 'vitest';
import { listingRobots, UPLOAD_ROBOTS } from '../../src/publishing/site-files.ts';

/** The rules for a robot, as RFC 9309 chooses them: those of the group that names it, else those of `*`. */
function rulesFor(robots: string, agent: string): string[] {
  const groups = robots.split('\n\n').map((group) => group.trim().split('\n'));
  const named = [agent, '*'].flatMap((name) =>
    groups.filter((group) => group.includes(`User-agent: ${name}`)),
  );
  return named[0]!.filter((line) => !line.startsWith('User-agent'));
}

test.each([
  ...['Discordbot', 'WhatsApp', 'TelegramBot', 'facebookexternalhit', 'Twitterbot'],
  ...['Slackbot', 'Slackbot-LinkExpanding', 'Slack-ImgProxy'],
])('lets %s fetch an uploaded file and its page for a preview, and no address that deletes', (agent) => {
  expect(rulesFor(UPLOAD_ROBOTS, agent)).toEqual(['Disallow: /d/']);
});

test.each(['Googlebot', 'Bingbot', 'CCBot', 'GPTBot'])('keeps %s away from what was uploaded', (agent) => {
  expect(rulesFor(UPLOAD_ROBOTS, agent)).toEqual(['Allow: /$', 'Allow: /assets/', 'Disallow: /']);
});

test('opens the pages of the listing, and leaves the API to programs', () => {
  expect(rulesFor(listingRobots('https://tayang.example'), 'Googlebot')).toEqual(['Disallow: /api/']);
});
