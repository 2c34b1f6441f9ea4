const TAYANG = '{listing}';

// Run this once: it fills the sheet, and does so every hour from then on.
function install() {
  for (const trigger of ScriptApp.getProjectTriggers()) ScriptApp.deleteTrigger(trigger);
  ScriptApp.newTrigger('refresh').timeBased().everyHours(1).create();
  refresh();
}

function refresh() {
  const answer = UrlFetchApp.fetch(`${TAYANG}/api/anime/releases`, { muteHttpExceptions: true });
  const { status, message, data } = JSON.parse(answer.getContentText());
  if (!status) throw new Error(message);
  const rows = data.map(({ slug, title, episode, day, state, releasedAt, expectedAt }) => {
    const at = releasedAt ?? expectedAt;
    return [day, at ? new Date(at) : '', title, episode ?? '', state, `${TAYANG}/anime/${slug}`];
  });
  rows.unshift(['Hari', 'Waktu', 'Judul', 'Episode', 'Status', 'Halaman']);
  const file = SpreadsheetApp.getActive();
  const sheet = file.getSheetByName('Tayang') ?? file.insertSheet('Tayang');
  sheet.clearContents();
  sheet.getRange(1, 1, rows.length, rows[0].length).setValues(rows);
}
