/** The texts about reports, and about files that the operator has removed or blocked. */
export const INDONESIAN_MODERATION: Record<string, string> = {
  'The file has expired, or the operator has removed it.':
    'Berkas sudah kedaluwarsa, atau dihapus oleh pengelola layanan.',
  'The operator has removed the file for legal reasons.':
    'Berkas dihapus oleh pengelola layanan karena alasan hukum.',
  'The operator has blocked your address or the content of the file.':
    'Alamat jaringan Anda atau isi berkas diblokir oleh pengelola layanan.',
  'Show the form that reports a file': 'Tampilkan formulir untuk melaporkan berkas',
  'A form that works without JavaScript.': 'Formulir yang berfungsi tanpa JavaScript.',
  'Report a file to the operator': 'Laporkan berkas kepada pengelola layanan',
  'As JSON or as that form, ten times an hour from one address. The report is stored without your address.':
    'Sebagai JSON atau dari formulir itu, sepuluh kali per jam dari satu alamat. Laporan disimpan tanpa alamat jaringan Anda.',
  'The report has been passed on.': 'Laporan sudah diteruskan.',
  'There is no reason or an unknown one, or the note is too long.':
    'Alasannya tidak ada atau tidak dikenal, atau catatannya terlalu panjang.',
  'The body is too large.': 'Isi permintaan terlalu besar.',
  'The body is neither JSON nor a form.': 'Isi permintaan bukan JSON dan bukan formulir.',
  'Your address has sent too many reports in the last hour.':
    'Terlalu banyak laporan dari alamat Anda dalam satu jam terakhir.',
  'What is wrong with the file.': 'Apa masalah berkas itu.',
  'What the operator should know.': 'Hal yang perlu diketahui pengelola layanan.',
};
