import { describe, expect, test } from 'vitest';
import { LISTING_ROBOTS, UPLOAD_ROBOTS } from '../../src/publishing/site-files.ts';

type Rule = [kind: string, path: string];

/** The rules for a robot, as RFC 9309 chooses them: those of the group that names it, else those of `*`. */
function rulesFor(robots: string, agent: string): Rule[] {
  const groups = robots.trim().split('\n\n').map(parseGroup);
  const named = groups.find(({ agents }) => agents.includes(agent.toLowerCase()));
  return (named ?? groups.find(({ agents }) => agents.includes('*')))?.rules ?? [];
}

function parseGroup(text: string): { agents: string[]; rules: Rule[] } {
  const lines = text.split('\n').map((line) => line.split(': ') as Rule);
  const isAgent = ([name]: Rule) => name === 'User-agent';
  return {
    agents: lines.filter(isAgent).map(([, agent]) => agent.toLowerCase()),
    rules: lines.filter((line) => !isAgent(line)),
  };
}

/** The longest rule that matches decides; a path that none matches may be fetched. */
function mayFetch(robots: string, agent: string, path: string): boolean {
  const matches = ([, rule]: Rule) =>
    rule.endsWith('$') ? path === rule.slice(0, -1) : path.startsWith(rule);
  const [decisive] = rulesFor(robots, agent)
    .filter(matches)
    .sort(([, one], [, other]) => other.length - one.length);
  return decisive?.[0] !== 'Disallow';
}

const PAGE = '/mi8f2k4w3q9r2d8w4t6y1z7b5n0c8v6x0';
const FILE = `/f${PAGE}.png`;
const DELETION = `/d${PAGE}/J1ZQm8uUQd6sXkq0yq2c3A`;

describe('robots.txt of the uploads', () => {
  test.each([
    ...['Discordbot', 'WhatsApp', 'TelegramBot', 'facebookexternalhit', 'Twitterbot'],
    ...['Slackbot', 'Slackbot-LinkExpanding', 'Slack-ImgProxy'],
  ])('lets %s fetch a page and its picture for a preview, and no address that deletes', (agent) => {
    expect([PAGE, FILE, DELETION].map((path) => mayFetch(UPLOAD_ROBOTS, agent, path))).toEqual([
      ...[true, true, false],
    ]);
  });

  test.each(['Googlebot', 'Bingbot', 'CCBot', 'GPTBot'])('keeps %s away from what was uploaded', (agent) => {
    for (const path of [PAGE, FILE, DELETION]) expect(mayFetch(UPLOAD_ROBOTS, agent, path)).toBe(false);
    for (const path of ['/', '/assets/style.css']) expect(mayFetch(UPLOAD_ROBOTS, agent, path)).toBe(true);
  });
});

test('robots.txt of the listing opens the pages, and leaves the API to programs', () => {
  expect(mayFetch(LISTING_ROBOTS, 'Googlebot', '/anime/naga')).toBe(true);
  expect(mayFetch(LISTING_ROBOTS, 'Googlebot', '/api/anime/home')).toBe(false);
});
