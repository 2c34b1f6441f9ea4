// The page of an anime: follows it, and says up to which episode it was watched.
import './keep-pages.js';
import { countDown } from './clock.js';
import {
  createElement,
  follow,
  followed,
  newestOf,
  onChange,
  page,
  texts,
  unfollow,
  watched,
} from './my-anime.js';
import { byId, fill, find, findAll } from './shared.js';
import { tick, watchBefore } from './ticks.js';

const { slug = '', total } = page.dataset;
const button = byId('Follow');
const label = find(button, 'span');
const progress = document.getElementById('Progress');
const outText = progress?.lastElementChild?.textContent ?? '';
/** The rows of the episodes, with a tick each: up to here. */
const rows = findAll(document, '#Episodes [data-episode]').map((row) => {
  const episode = Number(row.dataset.episode);
  const tickButton = createElement('button', { type: 'button', className: 'tick', textContent: '✓' });
  tickButton.ariaLabel = fill(texts.watchedTo, { n: episode });
  tickButton.addEventListener('click', () => {
    if (watched().get(slug) === episode) watchBefore(slug, episode, tickButton);
    else tick(slug, episode, tickButton);
  });
  row.append(tickButton);
  return { episode, tickButton };
});

button.addEventListener('click', () =>
  followed().has(slug) ? unfollow(slug, button) : follow([[slug]], button),
);
onChange(show);
show();
countDown();

function show() {
  const isFollowed = followed().has(slug);
  const number = watched().get(slug) ?? newestOf(slug) ?? 0;
  button.ariaPressed = `${isFollowed}`;
  label.textContent = isFollowed ? texts.followed : texts.followButton;
  for (const { episode, tickButton } of rows) {
    tickButton.hidden = !isFollowed;
    tickButton.ariaPressed = `${episode <= number}`;
  }
  const bar = progress?.querySelector('progress');
  const text = progress?.lastElementChild;
  if (!bar || !text) return;
  bar.value = isFollowed ? number : Number(newestOf(slug));
  text.textContent = isFollowed ? fill(texts.progress, { n: number, all: total ?? bar.max }) : outText;
}
