/** The texts about resumable uploads. */
export const INDONESIAN_RESUMABLE: Record<string, string> = {
  'Begin an upload that can be continued': 'Mulai unggahan yang dapat dilanjutkan',
  'Announces a file; Location is where its bytes go. The protocol is tus 1.0.0 (https://tus.io), with creation-with-upload, checksum, termination and expiration.':
    'Mengumumkan sebuah berkas; Location adalah tujuan byte-nya. Protokolnya tus 1.0.0 (https://tus.io), dengan creation-with-upload, checksum, termination, dan expiration.',
  'The version of the protocol.': 'Versi protokol.',
  'The size of the whole file in bytes.': 'Ukuran seluruh berkas dalam byte.',
  'Name and type of the file: filename and filetype, each with its value in Base64.':
    'Nama dan jenis berkas: filename dan filetype, masing-masing dengan nilainya dalam Base64.',
  'The algorithm, sha1 or sha256, then a space and the digest of the body in Base64.':
    'Algoritmenya, sha1 atau sha256, lalu satu spasi dan digest isi permintaan dalam Base64.',
  'The secret in the address of the upload, which Location names.':
    'Rahasia di dalam alamat unggahan, yang disebut oleh Location.',
  'The upload has begun.': 'Unggahan sudah dimulai.',
  'A header is missing or malformed.': 'Ada header yang hilang atau rusak.',
  'The file is too large, or the body goes beyond its length.':
    'Berkas terlalu besar, atau isi permintaan melampaui panjangnya.',
  'The body is not application/offset+octet-stream.': 'Isi permintaan bukan application/offset+octet-stream.',
  'Tus-Resumable is not 1.0.0.': 'Tus-Resumable bukan 1.0.0.',
  'The upload never existed, or it was removed.': 'Unggahan tidak pernah ada, atau sudah dihapus.',
  'The time of the upload is over.': 'Waktu unggahan sudah habis.',
  'Ask where an upload goes on': 'Tanyakan dari mana unggahan berlanjut',
  'Upload-Offset is the number of bytes that are stored.':
    'Upload-Offset adalah jumlah byte yang sudah disimpan.',
  'The upload can be continued, or is complete.': 'Unggahan dapat dilanjutkan, atau sudah lengkap.',
  'Send the next bytes of an upload': 'Kirim byte berikutnya dari unggahan',
  'What arrives is kept although the connection breaks, unless there is a checksum. With the last byte the file is stored.':
    'Yang sudah tiba tetap disimpan walaupun sambungan putus, kecuali bila ada checksum. Dengan byte terakhir, berkas tersimpan.',
  'Where the bytes begin: where the upload goes on.': 'Awal byte itu: tempat unggahan berlanjut.',
  'The bytes are stored.': 'Byte sudah disimpan.',
  'The upload goes on at another offset.': 'Unggahan berlanjut dari offset lain.',
  'Another request is writing to the upload.': 'Permintaan lain sedang menulis ke unggahan itu.',
  'Your address has too many uploads under way.':
    'Terlalu banyak unggahan dari alamat Anda yang sedang berlangsung.',
  'The bytes do not match their checksum.': 'Byte tidak cocok dengan checksum-nya.',
  'The storage is full.': 'Penyimpanan sudah penuh.',
  'Get the addresses of a file whose upload is complete':
    'Ambil alamat berkas yang unggahannya sudah lengkap',
  'The same answer as that of POST /upload.': 'Jawaban yang sama dengan POST /upload.',
  'The upload is not complete.': 'Unggahan belum lengkap.',
  'Remove an upload': 'Hapus unggahan',
  'What has arrived is removed, and the file too if the upload is complete.':
    'Yang sudah tiba dihapus, begitu juga berkasnya bila unggahan sudah lengkap.',
  'The upload is removed.': 'Unggahan sudah dihapus.',
  'The address of the upload. It is secret: whoever has it can continue and remove the upload.':
    'Alamat unggahan. Alamat ini rahasia: siapa pun yang memilikinya dapat melanjutkan dan menghapus unggahan.',
  'The versions that are spoken here.': 'Versi yang didukung di sini.',
  'Until when an upload that is not complete can be continued.':
    'Sampai kapan unggahan yang belum lengkap dapat dilanjutkan.',
  'The metadata as they were announced.': 'Metadata seperti saat diumumkan.',
  'How many bytes are stored.': 'Berapa byte yang sudah disimpan.',
};
