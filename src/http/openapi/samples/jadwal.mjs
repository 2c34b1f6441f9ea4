import { Client, EmbedBuilder, Events, escapeMarkdown, SlashCommandBuilder } from 'discord.js';

const TOKEN = 'TOKEN';
const TAYANG = '{listing}';
const STATES = { out: 'sudah rilis', expected: 'akan rilis', late: 'telat', unseen: 'mungkin sudah rilis' };

const client = new Client({ intents: [] });

client.once(Events.ClientReady, async ({ application, user }) => {
  await application.commands.create(
    new SlashCommandBuilder().setName('jadwal').setDescription('Anime yang rilis hari ini'),
  );
  console.log(`${user.tag} siap. Coba ketik /jadwal.`);
});

client.on(Events.InteractionCreate, async (interaction) => {
  if (!interaction.isChatInputCommand() || interaction.commandName !== 'jadwal') return;
  try {
    await interaction.deferReply();
    await interaction.editReply({ embeds: [await showToday()] });
  } catch (error) {
    console.error(error);
    await interaction.editReply('Jadwal belum bisa diambil. Coba lagi sebentar lagi.').catch(() => {});
  }
});

async function showToday() {
  const answer = await fetch(`${TAYANG}/api/anime/releases?day=today`);
  const { status, message, data } = await answer.json();
  if (!status) throw new Error(message);
  const lines = data.map(({ slug, title, episode, state, releasedAt, expectedAt }) => {
    const at = releasedAt ?? expectedAt;
    // Each reader sees the hour of their own time zone.
    const hour = at ? `<t:${Math.round(Date.parse(at) / 1000)}:t>` : '–';
    const name = `${title}${episode ? ` – episode ${episode}` : ''}`;
    return `${hour} [${escapeMarkdown(name)}](${TAYANG}/anime/${slug}) ${STATES[state] ?? state}`;
  });
  // Discord refuses a longer text.
  while (lines.join('\n').length > 4096) lines.pop();
  const cover =
    data.find(({ state, image }) => state === 'expected' && image) ?? data.findLast(({ image }) => image);
  return new EmbedBuilder()
    .setTitle('Anime hari ini')
    .setURL(TAYANG)
    .setDescription(lines.join('\n') || 'Tidak ada jadwal untuk hari ini.')
    .setThumbnail(cover?.image ?? null);
}

await client.login(TOKEN);
