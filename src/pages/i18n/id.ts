import type { Translations } from './translations.ts';

export const id: Translations = {
  language: 'id',
  locale: 'id-ID',
  name: 'Bahasa Indonesia',

  title: 'Jadwal anime minggu ini',
  description: 'Anime yang tayang hari ini dan minggu ini, dan episode mana yang sudah keluar.',
  skip: 'Langsung ke isi',
  parts: 'Bagian halaman',

  today: 'Hari ini',
  todayEmpty: 'Tidak ada anime yang dijadwalkan hari ini.',
  isOut: 'Sudah ada',
  isExpected: 'Menunggu',
  week: 'Minggu ini',
  weekLead: 'Mulai dari hari ini. Jadwal bisa berubah sewaktu-waktu.',
  isToday: 'hari ini',
  nothing: 'Tidak ada',
  ongoing: 'Semua yang sedang tayang',
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

  changed: 'Data berubah {time}',
  stale: {
    blocked: {
      heading: 'Sumber data sedang menolak kami',
      why: 'Sejak {since} situs sumber tidak mengizinkan kami membaca datanya.',
    },
    moved: {
      heading: 'Sumber data sepertinya pindah',
      why: 'Sejak {since} di alamat situs sumber ada halaman lain.',
    },
    changed: {
      heading: 'Sumber data berubah bentuk',
      why: 'Sejak {since} halaman situs sumber tidak dapat kami baca dengan benar.',
    },
    down: {
      heading: 'Sumber data sedang tidak dapat dijangkau',
      why: 'Sejak {since} situs sumber tidak menjawab.',
    },
  },
  staleCopy:
    'Yang Anda lihat adalah keadaan {good}; episode yang lebih baru mungkin belum tampil. Kami terus mencoba.',

  about:
    'Sampul dimuat langsung dari situs sumber. Selain itu peramban Anda hanya berbicara dengan situs ini: tanpa kuki, tanpa pelacak.',
  forPrograms: 'Untuk program',

  errors: {
    missing: { heading: 'Tidak ada apa-apa di sini', lead: 'Halaman yang Anda cari tidak ada.' },
    wrong: { heading: 'Permintaan itu tidak dapat dijawab', lead: 'Ada yang salah pada alamatnya.' },
    waiting: {
      heading: 'Sebentar lagi',
      lead: 'Jadwalnya sedang diambil untuk pertama kali. Cobalah lagi beberapa saat lagi.',
    },
    failing: {
      heading: 'Belum ada jadwal',
      lead: 'Situs sumber belum dapat dibaca. Kami mencobanya lagi secara otomatis; silakan kembali beberapa saat lagi.',
    },
    broken: { heading: 'Ada yang rusak', lead: 'Itu kesalahan kami. Cobalah lagi beberapa saat lagi.' },
  },
  toFront: 'Ke halaman depan',
  again: 'Coba lagi',
  error: 'Galat {n}',

  live: {
    checked: 'diperiksa {time}',
    justNow: 'baru saja',
    overdue: 'Pembaruan terlambat: sumber terakhir diperiksa {time}.',
    isNew: 'Baru',
    news: {
      one: '{n} episode baru sejak {time}',
      other: '{n} episode baru sejak {time}',
    },
    noNews: 'Belum ada yang baru sejak {time}',
    firstVisit: 'Pada kunjungan berikutnya, episode baru akan ditandai.',
    shown: { one: '{n} anime', other: '{n} anime' },
    none: 'Tidak ada yang cocok. Coba kata lain atau hari lain.',
    outdated: 'Ada data yang lebih baru.',
    reload: 'Muat ulang',
  },
};
