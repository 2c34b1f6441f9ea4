// Runs before the page is painted: what the script will add later has its space from the beginning, so that nothing moves.
const { dataset } = document.documentElement;
try {
  if (JSON.parse(localStorage.getItem('tayang-followed') ?? '[]').length > 0) {
    dataset.mine = '';
    dataset.returning = '';
  }
} catch {
  // Storage is not allowed, and there are no followed anime.
}
// Somebody comes back to a search: its result is shown at once, not after all that it leaves out.
if (history.state?.filter) dataset.searching = '';
// A day in the address has the place of today before the script chooses it.
if (location.hash.startsWith('#Day-')) dataset.day = '';
