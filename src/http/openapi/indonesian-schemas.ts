/** The texts of the schemas: what the fields of answers mean. */
export const INDONESIAN_SCHEMAS: Record<string, string> = {
  'Always eight groups, in this order; an empty day is an empty list.':
    'Selalu delapan kelompok, dalam urutan ini; hari yang kosong berupa daftar kosong.',
  'The newest episode that is out.': 'Episode terbaru yang sudah keluar.',
  'When that episode came out; the source names no year.':
    'Kapan episode itu keluar; sumber tidak menyebut tahun.',
  'The same anime has the same slug everywhere.': 'Anime yang sama memiliki slug yang sama di mana pun.',
  'The value of `since` for the next request.': 'Nilai since untuk permintaan berikutnya.',
  'Identifies the numbering: send it back as `epoch`, with `last` as `since`.':
    'Menandai penomoran: kirim kembali sebagai epoch, bersama last sebagai since.',
  'False when events may have been missed, because they are no longer kept or the numbering is another one: read the list again.':
    'False: mungkin ada yang terlewat, karena sudah tidak disimpan atau penomorannya lain; ambil kembali daftarnya.',
  'There are more events after `last`: request them as well.': 'Masih ada lagi setelah last: minta lagi.',
  'Counts up by one in each epoch.': 'Bertambah satu setiap kali dalam setiap epoch.',
  'When it was seen: the source names no time of day.': 'Kapan terlihat: sumber tidak menyebut jam.',
  'ms since 1970': 'ms sejak 1970',
  'HH:mm:ss DD/MM/YYYY in the service’s time zone': 'HH:mm:ss DD/MM/YYYY dalam zona waktu layanan',
  'A page for people.': 'Halaman untuk pembaca.',
  'The bytes.': 'Isi berkas.',
  'Whether the listing can be answered.': 'Apakah jadwal dapat disajikan.',
  'The threads of the process beside the one that answers.':
    'Thread dalam proses selain yang menjawab permintaan.',
  'Cards left out by the last good crawl, which could not read them.':
    'Entri yang tidak terbaca oleh pengambilan terakhir yang berhasil, dan tidak disertakan.',
  'Cards that it could not read, and that are kept from an earlier crawl.':
    'Entri yang juga tidak terbaca, dan tetap seperti hasil pengambilan sebelumnya.',
  'What the selector finds.': 'Apa yang dicari selektor ini.',
  'The selector that no longer matches.': 'Selektor yang tidak lagi berlaku.',
  'The selector that replaces it.': 'Selektor yang kini dipakai membaca halaman.',
  'The share of the known anime on which the pages agree with the last good list.':
    'Bagian anime yang dikenal yang isinya sama dengan daftar terakhir yang berhasil.',
  'Selectors that were repaired because the markup of the source has changed; usually none.':
    'Selektor yang ditemukan kembali karena markup sumber berubah; biasanya tidak ada.',
  'Null when this process has not written.': 'Null bila proses ini belum pernah menulis.',
  'The receivers that the operator has configured.': 'Penerima yang diatur oleh pengelola.',
  'What this process depends on; absent what it does not use.':
    'Yang dibutuhkan proses ini; absent bila tidak dipakai.',
  'When this process last set a damaged store aside.':
    'Kapan proses ini terakhir menyisihkan penyimpanan yang rusak.',
  'Why it was last restarted.': 'Mengapa terakhir dimulai ulang.',
};
