import { INDONESIAN_MODERATION } from './indonesian-moderation.ts';
import { INDONESIAN_RESUMABLE } from './indonesian-resumable.ts';
import { INDONESIAN_SCHEMAS } from './indonesian-schemas.ts';

/** The texts of the OpenAPI document in Indonesian, by the English text. A test finds those that are missing. */
export const INDONESIAN: Record<string, string> = {
  Listing: 'Jadwal',
  'The weekly schedule and the anime that are airing.': 'Jadwal mingguan dan anime yang sedang tayang.',
  News: 'Kabar terbaru',
  'What has changed: a list of events, a stream of them, feeds and a calendar.':
    'Apa yang berubah: daftar peristiwa, alirannya secara langsung, feed, dan kalender.',
  Uploads: 'Unggahan',
  'Store a file for a limited time, show it and delete it.':
    'Menyimpan berkas untuk waktu terbatas, menampilkannya, dan menghapusnya.',
  Service: 'Layanan',
  'The state of the service, and this description.': 'Keadaan layanan, dan dokumentasi ini.',

  'Get everything in one document': 'Ambil semuanya dalam satu dokumen',
  'The schedule of the week and every anime that is airing, in order.':
    'Jadwal minggu ini dan semua anime yang sedang tayang, berurutan.',
  'The whole listing.': 'Seluruh daftar.',
  'Get one anime': 'Ambil satu anime',
  'Its day, its episodes as they were seen, the next one that is expected, and its page at the source.':
    'Harinya, episodenya sejak terlihat, episode berikutnya yang diperkirakan, dan halamannya di situs sumber.',
  'The anime.': 'Animenya.',
  'The slug of an anime, as both listings have it.': 'Slug anime, seperti pada kedua daftar.',
  'The anime is in neither listing.': 'Anime itu tidak ada di kedua daftar.',
  'List the episodes that are expected': 'Ambil daftar episode yang diperkirakan',
  'Those of the next seven days, the soonest first.':
    'Untuk tujuh hari ke depan, yang terdekat lebih dahulu.',
  'The expected episodes.': 'Episode yang diperkirakan.',
  'Its page at the source.': 'Halamannya di situs sumber.',
  'The episodes that were seen to appear, the newest first.':
    'Episode yang terlihat muncul, yang terbaru lebih dahulu.',
  'Null unless at least three observations agree on a time.':
    'Null kecuali bila sedikitnya tiga pengamatan sepakat tentang suatu waktu.',
  'The episode that is expected.': 'Episode yang diperkirakan.',
  'The most likely time.': 'Waktu yang paling mungkin.',
  'How many observations agree on the time.': 'Berapa pengamatan yang sepakat tentang waktunya.',
  'The episodes that are expected in the next seven days, the soonest first.':
    'Episode yang diperkirakan dalam tujuh hari ke depan, yang terdekat lebih dahulu.',
  'Show one anime as a page': 'Tampilkan satu anime sebagai halaman',
  'One anime for people, in Indonesian or English.':
    'Satu anime untuk pembaca, dalam bahasa Indonesia atau Inggris.',
  'A calendar of the whole week, or of the anime that are named.':
    'Kalender untuk seminggu penuh, atau untuk anime yang disebut.',
  'Only these anime: up to 50, each as a parameter of its own.':
    'Hanya anime ini: sampai 50, masing-masing sebagai parameter sendiri.',
  'There are more than 50 slugs.': 'Ada lebih dari 50 slug.',
  'None of the anime has a day of the week.': 'Tidak ada anime itu yang memiliki hari tayang.',

  'Get the schedule of the week': 'Ambil jadwal minggu ini',
  'Which anime airs on which day: always eight groups, Senin to Minggu and then Random.':
    'Anime apa tayang pada hari apa: selalu delapan kelompok, Senin sampai Minggu lalu Random.',
  'The schedule.': 'Jadwalnya.',
  'The copy that you have is current.': 'Salinan yang Anda miliki masih berlaku.',
  'None of the encodings that you accept is offered.':
    'Tidak ada encoding yang Anda terima di antara yang tersedia.',
  'This is not the version that If-Match or If-Unmodified-Since names.':
    'Ini bukan versi yang disebut oleh If-Match atau If-Unmodified-Since.',
  'The first refresh has not finished yet.': 'Pengambilan data yang pertama belum selesai.',
  'List the anime that are airing': 'Ambil daftar anime yang sedang tayang',
  'The newest episode first, 25 to a page. All pages are of one snapshot: no anime is on two pages or missing between them.':
    'Episode terbaru lebih dahulu, 25 per halaman. Semua halaman berasal dari satu snapshot: tidak ada anime yang muncul dua kali atau hilang di antara dua halaman.',
  'The number of the page, from 1 to maxPage.': 'Nomor halaman, dari 1 sampai maxPage.',
  'One page of the list.': 'Satu halaman dari daftar.',
  'The page is not a whole number from 1 on.': 'Nomor halaman bukan bilangan bulat mulai dari 1.',
  'The list has no such page.': 'Daftar tidak memiliki halaman itu.',
  'Show the week as a page': 'Tampilkan minggu ini sebagai halaman',
  'The schedule and the list for people, in Indonesian or English.':
    'Jadwal dan daftar untuk pembaca, dalam bahasa Indonesia atau Inggris.',
  'The language; without it, the one that Accept-Language prefers, else Indonesian.':
    'Bahasa; tanpa ini, bahasa yang diutamakan Accept-Language, atau bahasa Indonesia.',
  'The page.': 'Halamannya.',

  'List what is new': 'Ambil daftar yang baru',
  'New episodes, added anime, changed days and ended anime of the last 30 days, after the event that you know.':
    'Episode baru, anime yang ditambahkan, hari yang berubah, dan anime yang selesai dalam 30 hari terakhir, setelah peristiwa yang sudah Anda ketahui.',
  'The number of the last event that you know; 0 for the beginning.':
    'Nomor peristiwa terakhir yang Anda ketahui; 0 untuk dari awal.',
  'The events, oldest first.': 'Peristiwa-peristiwanya, yang terlama lebih dahulu.',
  'The number of the event is not a whole number.': 'Nomor peristiwa bukan bilangan bulat.',
  'Receive what is new as it happens': 'Terima kabar terbaru secara langsung',
  'Server-Sent Events: each is named after its type, and its data is one Event. An event named reset means that some were missed: request the list again.':
    'Server-Sent Events: setiap peristiwa dinamai menurut jenisnya, dan datanya adalah satu Event. Peristiwa bernama reset berarti ada yang terlewat: ambil kembali daftarnya.',
  'The event after which the stream begins.':
    'Peristiwa yang menjadi awal aliran; aliran dimulai sesudahnya.',
  'The same as `EPOCH-NUMBER`; a browser sends it when it connects again.':
    'Sama, sebagai EPOCH-NOMOR; dikirim oleh peramban ketika tersambung kembali.',
  'The epoch of that event: `data.epoch` of the response that had it.':
    'Epoch peristiwa itu: data.epoch dari jawaban yang memuatnya.',
  'The stream.': 'Alirannya.',
  'Too many clients are listening already.': 'Sudah terlalu banyak klien yang mendengarkan.',
  'Subscribe to new episodes (Atom)': 'Berlangganan episode baru (Atom)',
  'The newest episodes for a feed reader.': 'Episode terbaru untuk pembaca feed.',
  'The feed.': 'Feed-nya.',
  'Subscribe to new episodes (JSON Feed)': 'Berlangganan episode baru (JSON Feed)',
  'Subscribe to the schedule (iCalendar)': 'Berlangganan jadwal (iCalendar)',
  'Only this anime.': 'Hanya anime ini.',
  'The calendar.': 'Kalendernya.',
  'The slug is given more than once.': 'Slug diberikan lebih dari sekali.',

  'Upload a file': 'Unggah berkas',
  'One file in the field file of a multipart form. The answer has its addresses; X-Delete-Url deletes it. A form of a browser receives a page.':
    'Satu berkas dalam field file dari formulir multipart. Jawabannya memuat alamat-alamatnya; X-Delete-Url menghapusnya. Formulir peramban menerima sebuah halaman.',
  'How long to keep the file: a number and s, m, h or d. It is never kept for longer than the service allows.':
    'Berapa lama berkas disimpan: angka dan s, m, h, atau d. Tidak pernah lebih lama dari yang diizinkan layanan.',
  'The file is stored.': 'Berkas sudah disimpan.',
  'There is no file, a wrong field or a second file, or the body is malformed or cut off.':
    'Tidak ada berkas, field-nya salah, ada berkas kedua, atau isi permintaan rusak atau terputus.',
  'The file is too large.': 'Berkas terlalu besar.',
  'The body is not multipart/form-data.': 'Isi permintaan bukan multipart/form-data.',
  'Your address has too many uploads under way, or has sent too many recently.':
    'Terlalu banyak unggahan dari alamat Anda yang sedang berlangsung, atau yang baru saja dilakukan.',
  'The storage cannot be reached.': 'Penyimpanan tidak dapat dijangkau.',
  'The storage or the malware scanner cannot be reached.':
    'Penyimpanan atau pemindai program jahat tidak dapat dijangkau.',
  'The malware scanner found something in the file.': 'Pemindai menemukan program jahat di dalam berkas.',
  'Your share of the storage, or all of it, is full.':
    'Jatah penyimpanan Anda, atau seluruhnya, sudah penuh.',
  'Show the page of a file': 'Tampilkan halaman berkas',
  'Name, size, type, expiry, SHA-256 and a preview, in Indonesian or English.':
    'Nama, ukuran, jenis, batas waktu, SHA-256, dan pratinjau, dalam bahasa Indonesia atau Inggris.',
  'The name of the file in its addresses.': 'Nama berkas di dalam alamatnya.',
  'The file never existed, or it was deleted.': 'Berkas tidak pernah ada, atau sudah dihapus.',
  'Download a file': 'Unduh berkas',
  'The bytes as they were sent. Parts and conditional requests are supported.':
    'Byte seperti saat dikirim. Permintaan sebagian dan permintaan bersyarat didukung.',
  'The name of the file in its addresses, with its extension.':
    'Nama berkas di dalam alamatnya, beserta ekstensinya.',
  'Only these bytes.': 'Hanya byte ini.',
  'The whole file.': 'Seluruh berkas.',
  'A part of the file.': 'Sebagian berkas.',
  'The file has no such bytes.': 'Berkas tidak memiliki byte itu.',
  'Your address has too many downloads under way.':
    'Terlalu banyak unduhan dari alamat Anda yang sedang berlangsung.',
  ...INDONESIAN_MODERATION,
  'Show the page that deletes a file': 'Tampilkan halaman untuk menghapus berkas',
  'A page with a button. Opening it deletes nothing.':
    'Halaman dengan sebuah tombol. Membukanya tidak menghapus apa pun.',
  'The secret that only the uploader has.': 'Rahasia yang hanya dimiliki pengunggah.',
  'Delete a file with the button of that page': 'Hapus berkas dengan tombol di halaman itu',
  'For forms of a browser, which cannot send DELETE.':
    'Untuk formulir peramban, yang tidak dapat mengirim DELETE.',
  'The file is deleted.': 'Berkas sudah dihapus.',
  'Delete a file': 'Hapus berkas',
  'The page, the bytes and this address are gone at once.':
    'Halaman, isi berkas, dan alamat ini langsung hilang.',
  'Get the configuration for ShareX': 'Ambil konfigurasi untuk ShareX',
  'A custom uploader: open it with ShareX.': 'Custom uploader: buka dengan ShareX.',
  'The configuration.': 'Konfigurasinya.',

  ...INDONESIAN_RESUMABLE,

  'Check that the process runs': 'Periksa apakah proses hidup',
  'For supervisors. It says nothing about the listing.':
    'Untuk supervisor. Tidak menyatakan apa pun tentang jadwal.',
  'The process runs.': 'Proses hidup.',
  'Check that the listing can be answered': 'Periksa apakah jadwal dapat disajikan',
  'For load balancers and monitors: the state of the source site, the snapshot and the store.':
    'Untuk load balancer dan pemantau: keadaan situs sumber, snapshot, dan penyimpanan data.',
  'The listing can be answered.': 'Jadwal dapat disajikan.',
  'There is no listing yet.': 'Belum ada jadwal.',
  'Get this description for programs': 'Ambil dokumentasi ini untuk program',
  'An OpenAPI 3.1 document of both origins.': 'Dokumen OpenAPI 3.1 untuk kedua origin.',
  'The document.': 'Dokumennya.',
  'Show this description as a page': 'Tampilkan dokumentasi ini sebagai halaman',
  'The page that documents both origins, in Indonesian or English.':
    'Halaman yang mendokumentasikan kedua origin, dalam bahasa Indonesia atau Inggris.',

  'Pages of any origin may read the answer.': 'Halaman dari origin mana pun boleh membaca jawabannya.',
  'The headers that such a page may read.': 'Header yang boleh dibaca oleh halaman semacam itu.',
  'How long a copy may be kept, and whether it may be used while it is stale.':
    'Berapa lama salinan boleh disimpan, dan apakah boleh dipakai setelah usang.',
  'How fresh the listing is (RFC 9211): ttl in seconds until the next refresh, negative when it is overdue; detail is the state of the source site: ok, blocked, moved, changed or down.':
    'Seberapa baru jadwalnya (RFC 9211): ttl dalam detik sampai pembaruan berikutnya, negatif bila terlambat; detail adalah keadaan situs sumber: ok, blocked, moved, changed, atau down.',
  'Whether a browser shows or saves the file, and the name that it was sent with.':
    'Apakah peramban menampilkan atau menyimpan berkas, dan nama berkas saat dikirim.',
  'The language of the page.': 'Bahasa halaman.',
  'Which bytes of the file the answer holds, and how many there are.':
    'Byte mana dari berkas yang ada dalam jawaban, dan berapa jumlah seluruhnya.',
  'What the page may load and do.': 'Apa yang boleh dimuat dan dilakukan halaman.',
  'Pages of any origin may embed the file.': 'Halaman dari origin mana pun boleh menyematkan berkas.',
  'Parts of the file can be requested.': 'Berkas dapat diminta sebagian.',
  'A strong tag of exactly these bytes; send it as If-None-Match to receive 304 while nothing has changed.':
    'Tag kuat dari byte ini; kirim sebagai If-None-Match untuk menerima 304 selama tidak ada yang berubah.',
  'When the content last changed.': 'Kapan isinya terakhir berubah.',
  'How many uploads remain of the tightest limit (r), and the seconds until all of it is available again (t).':
    'Sisa dari batas yang paling ketat (r), dan berapa detik sampai pulih sepenuhnya (t).',
  'The number of uploads that an address may make (q) in a window of seconds (w).':
    'Jumlah unggahan yang boleh dilakukan satu alamat (q) dalam sekian detik (w).',
  'Links on the page do not disclose its address.': 'Tautan di halaman tidak membocorkan alamatnya.',
  'Seconds to wait before the next attempt.': 'Berapa detik harus menunggu sebelum mencoba lagi.',
  'Tells a reverse proxy not to buffer the stream.': 'Meminta reverse proxy agar tidak menahan aliran.',
  'Browsers must not guess another media type.': 'Peramban tidak boleh menebak media type lain.',
  'Search engines must not list the file.': 'Mesin pencari tidak boleh mencantumkan berkas ini.',
  'The id of this request in the log of the service; quote it when you report a problem.':
    'Nama permintaan ini di log layanan; sebutkan bila Anda melaporkan masalah.',
  'A secret address: DELETE removes the file, GET is a page with a button that does.':
    'Alamat rahasia: DELETE menghapus berkas, GET adalah halaman dengan tombol untuk menghapusnya.',
  ...INDONESIAN_SCHEMAS,
};
