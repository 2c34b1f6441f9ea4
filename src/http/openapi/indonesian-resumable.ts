/** The texts about resumable uploads. */
export const INDONESIAN_RESUMABLE: Record<string, string> = {
  'Create a resumable upload': 'Mulai unggahan yang dapat dilanjutkan',
  'Announces a file; Location is the address for its bytes. The protocol is tus 1.0.0 (https://tus.io), with creation-with-upload, checksum, termination and expiration.':
    'Mengumumkan sebuah berkas; Location adalah tujuan byte-nya. Protokolnya tus 1.0.0 (https://tus.io), dengan creation-with-upload, checksum, termination, dan expiration.',
  'The version of the protocol.': 'Versi protokol.',
  'The size of the whole file in bytes.': 'Ukuran seluruh berkas dalam byte.',
  'Name and type of the file: filename and filetype, each with its value in Base64.':
    'Nama dan jenis berkas: filename dan filetype, masing-masing dengan nilainya dalam Base64.',
  'The algorithm, sha1 or sha256, then a space and the digest of the body in Base64.':
    'Algoritmenya, sha1 atau sha256, lalu satu spasi dan digest isi permintaan dalam Base64.',
  'The secret in the address of the upload, which is in Location.':
    'Rahasia di dalam alamat unggahan, yang disebut oleh Location.',
  'The upload is created.': 'Unggahan sudah dimulai.',
  'A header is missing or malformed.': 'Ada header yang hilang atau rusak.',
  'The file is too large, or the body exceeds the announced length.':
    'Berkas terlalu besar, atau isi permintaan melampaui panjangnya.',
  'The body is not application/offset+octet-stream.': 'Isi permintaan bukan application/offset+octet-stream.',
  'Tus-Resumable is not 1.0.0.': 'Tus-Resumable bukan 1.0.0.',
  'The upload never existed, or it was removed.': 'Unggahan tidak pernah ada, atau sudah dihapus.',
  'The upload has expired.': 'Waktu unggahan sudah habis.',
  'Get the offset from which an upload continues': 'Tanyakan dari mana unggahan berlanjut',
  'Upload-Offset is the number of bytes that are stored.':
    'Upload-Offset adalah jumlah byte yang sudah disimpan.',
  'The upload can be continued, or is complete.': 'Unggahan dapat dilanjutkan, atau sudah lengkap.',
  'Send the next bytes of an upload': 'Kirim byte berikutnya dari unggahan',
  'The bytes that have arrived are kept when the connection breaks, unless there is a checksum. The last byte completes the file.':
    'Yang sudah tiba tetap disimpan walaupun sambungan putus, kecuali bila ada checksum. Dengan byte terakhir, berkas tersimpan.',
  'The offset of the first byte: the number of bytes that are stored.':
    'Awal byte itu: tempat unggahan berlanjut.',
  'The bytes are stored.': 'Byte sudah disimpan.',
  'Upload-Offset is not the number of bytes that are stored.': 'Unggahan berlanjut dari offset lain.',
  'Another request is writing to the upload.': 'Permintaan lain sedang menulis ke unggahan itu.',
  'Your address has sent too many requests.': 'Terlalu banyak permintaan dari alamat Anda.',
  'The bytes do not match their checksum.': 'Byte tidak cocok dengan checksum-nya.',
  'The storage is full.': 'Penyimpanan sudah penuh.',
  'Get the addresses of a file whose upload is complete':
    'Ambil alamat berkas yang unggahannya sudah lengkap',
  'The same answer as that of POST /upload.': 'Jawaban yang sama dengan POST /upload.',
  'The upload is not complete.': 'Unggahan belum lengkap.',
  'Remove an upload': 'Hapus unggahan',
  'Removes the bytes that have arrived, and the file if the upload is complete.':
    'Yang sudah tiba dihapus, begitu juga berkasnya bila unggahan sudah lengkap.',
  'The upload is removed.': 'Unggahan sudah dihapus.',
  'The address of the upload. Keep it secret: with it, the upload can be continued and removed.':
    'Alamat unggahan. Rahasiakan alamat ini: dengannya, unggahan dapat dilanjutkan dan dihapus.',
  'The supported versions of the protocol.': 'Versi yang didukung di sini.',
  'When the upload expires unless it is complete.':
    'Sampai kapan unggahan yang belum lengkap dapat dilanjutkan.',
  'Upload-Metadata as it was sent.': 'Metadata seperti saat diumumkan.',
  'The number of bytes that are stored.': 'Berapa byte yang sudah disimpan.',
};
