import type { Translations } from './translations.ts';

export const id: Translations = {
  language: 'id',
  locale: 'id-ID',
  name: 'Bahasa Indonesia',

  title: 'Jadwal anime minggu ini',
  description: 'Anime yang tayang hari ini dan minggu ini, dan episode mana yang sudah rilis.',
  parts: 'Bagian halaman',
  tabs: { today: 'Hari ini', week: 'Minggu', all: 'Semua', mine: 'Saya', search: 'Cari' },

  today: 'Hari ini',
  todayEmpty: 'Tidak ada anime yang dijadwalkan hari ini.',
  isOut: 'Sudah rilis',
  notOut: 'Belum rilis',
  outCount: '{n} dari {all} sudah rilis',
  out: '{episode}, sudah rilis',
  awaited: '{episode}, belum rilis',
  last: 'Terakhir {episode}, {date}',
  week: 'Minggu ini',
  weekLead: 'Mulai dari hari ini, dengan episode yang ditunggu. Jadwal dapat berubah sewaktu-waktu.',
  isToday: 'hari ini',
  nothing: 'Tidak ada',
  ongoing: 'Semua anime yang sedang tayang',
  days: {
    Senin: 'Senin',
    Selasa: 'Selasa',
    Rabu: 'Rabu',
    Kamis: 'Kamis',
    Jumat: 'Jumat',
    Sabtu: 'Sabtu',
    Minggu: 'Minggu',
    Random: 'Tak tentu',
  },

  episode: 'Episode {n}',
  episodeShort: 'Ep {n}',

  filter: 'Saring daftar',
  byTitle: 'Cari judul',
  byDay: 'Hari',
  everyDay: 'Semua hari',
  onlyNew: 'Hanya yang baru',
  onlyMine: 'Hanya anime saya',

  mine: 'Anime saya',
  mineEmpty:
    'Belum ada. Ketuk ☆ pada sebuah anime untuk mengikutinya; daftarnya hanya disimpan di peramban ini.',
  mineCalendar: 'Kalender anime saya',
  mineLink: 'Salin tautan daftar ini',

  push: {
    start: 'Beri tahu saya',
    lead: 'Dapatkan notifikasi episode baru dari anime yang Anda ikuti, meski semua tab ditutup.',
    privacy:
      'Untuk itu server ini menyimpan alamat notifikasi peramban Anda beserta kuncinya, dan daftar anime yang Anda ikuti (paling banyak 200), tanpa nama dan tanpa akun. Berhenti kapan saja di sini: semuanya langsung dihapus.',
  },

  updated: 'Diperbarui {time}',
  stale: {
    blocked: {
      heading: 'Akses ke situs sumber sedang ditolak',
      why: 'Sejak {since} situs sumber tidak mengizinkan kami membaca datanya.',
    },
    moved: {
      heading: 'Situs sumber sepertinya pindah',
      why: 'Sejak {since} alamat situs sumber menampilkan halaman lain.',
    },
    changed: {
      heading: 'Tampilan situs sumber berubah',
      why: 'Sejak {since} halamannya tidak dapat kami baca dengan benar.',
    },
    down: {
      heading: 'Situs sumber sedang tidak dapat dihubungi',
      why: 'Sejak {since} situs sumber tidak merespons.',
    },
  },
  staleCopy:
    'Yang Anda lihat adalah data per {good}; episode yang lebih baru mungkin belum tampil. Kami terus mencoba.',

  about:
    'Gambar sampul dimuat langsung dari situs sumber. Selain itu, peramban Anda hanya terhubung ke situs ini: tanpa kuki, tanpa pelacak.',
  forDevelopers: 'Untuk pengembang',

  anime: {
    description: 'Jadwal tayang dan episode terbaru {title}.',
    day: 'Hari tayang',
    noDay: 'Belum ada hari tetap',
    newest: 'Episode terbaru',
    notListed: 'Belum ada di daftar anime yang sedang tayang',
    next: 'Ditunggu',
    notOut: 'Episode {n}, belum rilis',
    expected: 'Episode {n}, diperkirakan {time}',
    left: 'Keluar dari daftar',
    status: 'Status',
    ended: 'Tamat',
    startedOn: 'Tayang sejak',
    japanese: 'Judul Jepang',
    type: 'Tipe',
    minutes: 'Durasi',
    minutesValue: '{n} menit',
    score: 'Skor',
    genres: 'Genre',
    studios: 'Studio',
    producers: 'Produser',
    episodeOf: 'Episode {n} dari {all}',
    late: 'Episode {n} terlambat, seharusnya {time}',
    synopsis: 'Sinopsis',
    hasEnded: 'Anime ini sudah tamat.',
    hasLeft: 'Anime ini sudah tidak ada di daftar situs sumber.',
    episodes: 'Riwayat episode',
    episodesLead: 'Kapan tiap episode keluar di situs sumber.',
    noEpisodes: 'Belum ada yang diketahui.',
    source: 'Buka di situs sumber',
    calendar: 'Kalender',
    feed: 'Feed Atom',
  },

  errors: {
    missing: { heading: 'Halaman tidak ditemukan', lead: 'Halaman yang Anda cari tidak ada.' },
    wrong: { heading: 'Permintaan tidak dapat diproses', lead: 'Ada yang salah pada alamatnya.' },
    waiting: {
      heading: 'Sebentar lagi',
      lead: 'Jadwal sedang diambil untuk pertama kali. Silakan coba beberapa saat lagi.',
    },
    failing: {
      heading: 'Belum ada jadwal',
      lead: 'Situs sumber belum dapat dibaca. Kami terus mencoba secara otomatis.',
    },
    broken: {
      heading: 'Terjadi kesalahan',
      lead: 'Kesalahan ada di pihak kami. Silakan coba beberapa saat lagi.',
    },
  },
  nextAttempt: 'Percobaan berikutnya: {time}.',
  toFront: 'Ke halaman depan',
  again: 'Coba lagi',
  error: 'Kode kesalahan {n}',

  scripts: {
    updated: 'Diperbarui {time}',
    justNow: 'baru saja',
    overdue: 'Pembaruan terlambat: terakhir {time}',
    episode: 'Episode {n}',
    isNew: 'Baru',
    news: {
      one: '{n} episode baru',
      other: '{n} episode baru',
    },
    shown: { one: '{n} anime', other: '{n} anime' },
    none: 'Tidak ada yang cocok. Coba kata lain atau hari lain.',
    outdated: 'Ada data yang lebih baru.',
    reload: 'Muat ulang',
    followButton: 'Ikuti',
    followed: 'Diikuti',
    follow: 'Ikuti {title}',
    copied: 'Tautan disalin',
    import: { one: 'Ikuti {n} anime dari tautan ini', other: 'Ikuti {n} anime dari tautan ini' },
    push: {
      stop: 'Berhenti memberi tahu',
      on: 'Anda akan diberi tahu begitu anime yang Anda ikuti punya episode baru.',
      denied:
        'Peramban Anda memblokir notifikasi dari situs ini. Izinkan di setelan situs, lalu muat ulang halaman.',
      failed: 'Belum berhasil. Silakan coba beberapa saat lagi.',
    },
  },
};
