import type { UploadWords } from './uploads.ts';

const errors: UploadWords['errors'] = {
  missing: {
    heading: 'Tidak ditemukan',
    lead: 'Tidak ada apa-apa di alamat ini: berkasnya sudah dihapus, atau tidak pernah ada.',
  },
  expired: { heading: 'Sudah kedaluwarsa', lead: 'Waktu simpan berkas ini sudah habis.' },
  tooLarge: { heading: 'Terlalu besar', lead: 'Ukuran berkas paling besar {max}.' },
  tooMany: {
    heading: 'Terlalu banyak permintaan',
    lead: 'Silakan coba lagi dalam {seconds} detik.',
  },
  full: {
    heading: 'Tempat sudah penuh',
    lead: 'Silakan coba beberapa saat lagi, atau hapus dahulu berkas Anda yang lain.',
  },
  wrongType: {
    heading: 'Permintaan tidak dapat diproses',
    lead: 'Kirim satu berkas sebagai multipart/form-data, dalam field file.',
  },
  malware: {
    heading: 'Berkas ditolak',
    lead: 'Pemindai menemukan program jahat di dalam berkas ini, sehingga berkas tidak disimpan.',
  },
  wrong: {
    heading: 'Permintaan tidak dapat diproses',
    lead: 'Periksa alamatnya, atau pilih satu berkas lalu coba lagi.',
  },
  away: {
    heading: 'Sedang tidak tersedia',
    lead: 'Layanan berkas sedang tidak dapat digunakan. Silakan coba beberapa saat lagi.',
  },
  broken: {
    heading: 'Terjadi kesalahan',
    lead: 'Kesalahan ada di pihak kami. Silakan coba beberapa saat lagi.',
  },
};

export const uploadsId: UploadWords = {
  language: 'id',
  locale: 'id-ID',

  title: 'Unggah berkas',
  lead: 'Berkas mendapat halaman dan alamat langsung, selama {longest} atau sampai Anda menghapusnya.',
  choose: 'Pilih berkas, paling besar {max}',
  chooseLive: ', letakkan di sini, atau tempelkan',
  chooseButton: 'Pilih berkas',
  keepFor: 'Simpan selama',
  upload: 'Unggah',
  uploading: 'Sedang mengunggah {name}',
  progress: 'Kemajuan unggahan',
  cancel: 'Batalkan',
  uploaded: 'Terunggah: {name}',
  page: 'Halaman',
  direct: 'Alamat langsung',
  deletion: 'Alamat untuk menghapus',
  deletionHint: 'Simpan alamat untuk menghapus: hanya dengan itu berkas dapat dihapus sebelum waktunya.',
  expires: 'Berakhir',
  expiresIn: 'dalam {left}, {at}',
  copy: 'Salin',
  copyLink: 'Salin tautan',
  copied: 'Tersalin',
  share: 'Bagikan',
  another: 'Unggah yang lain',
  deleteIt: 'Hapus',
  mine: 'Unggahan dari peramban ini',
  mineLead: 'Daftar ini hanya ada di peramban Anda.',
  terminal: 'Dari terminal',
  terminalHint:
    'Tambahkan {option} agar disimpan lebih singkat. {header} pada jawabannya menghapus berkas. Untuk ShareX tersedia {configuration}.',
  configuration: 'konfigurasi',
  forDevelopers: 'Untuk pengembang',

  download: 'Unduh ({size})',
  size: 'Ukuran',
  type: 'Jenis',
  thisPage: 'Halaman ini',
  qrCode: 'QR untuk alamat halaman ini',
  theText: 'Isi teks',
  goesOn: 'Berkas ini masih berlanjut; unduh untuk melihat seluruhnya.',
  noPreview: 'Tidak ada pratinjau untuk jenis ini.',
  social: '{size}, tersedia sampai {at}',

  deleteTitle: 'Hapus {name}',
  deleteQuestion: 'Hapus berkas ini?',
  deleteWarning: 'Berkas yang sudah dihapus tidak dapat dikembalikan.',
  deleteNow: 'Hapus sekarang',
  deleted: 'Terhapus',
  deletedLead: 'Berkas sudah dihapus.',

  errors,
  toFront: 'Ke halaman depan',
  error: 'Kode kesalahan {n}',

  live: {
    locale: 'id-ID',
    oneFile: 'Satu berkas setiap kali. Belum ada yang diunggah.',
    tooLarge: '“{name}” terlalu besar: ukurannya {size}, padahal paling besar {max}.',
    notSent: 'Berkas tidak dapat dikirim. Periksa berkas dan sambungan Anda, lalu coba lagi.',
    cancelled: 'Dibatalkan. Tidak ada yang disimpan.',
    cancelledLate: 'Dibatalkan, tetapi berkas mungkin sudah sampai.',
    starting: 'Memulai…',
    progress: '{done} dari {total}',
    pace: '{speed}/detik, sisa {left}',
    sent: 'Terkirim. Menunggu jawaban…',
    notDeleted: 'Berkas tidak dapat dihapus. Coba lagi.',
    deleted: 'Berkas sudah dihapus.',
    expiresIn: 'dalam {left}, {at}',
    refusals: {
      413: errors.tooLarge.lead,
      422: errors.malware.lead,
      429: `Terlalu banyak permintaan. ${errors.tooMany.lead}`,
      503: errors.away.lead,
      507: `Tempat sudah penuh. ${errors.full.lead}`,
      other: 'Permintaan tidak dapat diproses. Silakan coba beberapa saat lagi.',
    },
  },
};
