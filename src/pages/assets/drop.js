// Makes the upload form better where it can: drop, paste, progress with speed and time left, cancel, delete.
const form = document.getElementById('drop');
const input = document.getElementById('file');
const maxBytes = Number(form.dataset.maxBytes);
const sections = ['progress', 'refusal', 'done'].map((id) => document.getElementById(id));
const [progress, refusal, done] = sections;
let upload;

form.querySelector('.enhanced').hidden = false;
form.querySelector('button').hidden = true;
input.addEventListener('change', () => input.files[0] && send(input.files[0]));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (input.files[0]) send(input.files[0]);
});
for (const kind of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    form.classList.toggle('over', kind === 'dragover');
  });
}
document.addEventListener(
  'drop',
  (event) => event.dataTransfer.files[0] && send(event.dataTransfer.files[0]),
);
document.addEventListener(
  'paste',
  (event) => event.clipboardData.files[0] && send(event.clipboardData.files[0]),
);
document.getElementById('cancel').addEventListener('click', () => upload?.abort());

function show(section) {
  for (const one of sections) one.hidden = one !== section;
}

function refuse(message) {
  show(refusal);
  refusal.textContent = message;
  input.value = '';
}

function send(file) {
  upload?.abort();
  if (file.size > maxBytes) {
    return refuse(`${file.name} has ${inWords(file.size)}; a file may have up to ${form.dataset.maxSize}.`);
  }
  const request = new XMLHttpRequest();
  upload = request;
  const startedAt = performance.now();
  show(progress);
  document.getElementById('sending').textContent = file.name;
  const bar = progress.querySelector('progress');
  bar.value = 0;
  request.upload.onprogress = ({ loaded, total }) => {
    bar.value = loaded / total;
    const perSecond = loaded / ((performance.now() - startedAt) / 1000);
    const left = Math.ceil((total - loaded) / perSecond);
    document.getElementById('pace').textContent =
      `${inWords(loaded)} of ${inWords(total)}, ${inWords(perSecond)}/s, ${left} s left`;
  };
  request.onload = () => (request.status === 200 ? finish(request) : refuse(messageOf(request)));
  request.onerror = () => refuse('The connection broke before the file had arrived. Try again.');
  request.onabort = () => request === upload && refuse('Cancelled. Nothing was kept.');
  request.open('POST', '/upload');
  request.responseType = 'json';
  const body = new FormData();
  body.append('file', file);
  request.send(body);
}

function messageOf(request) {
  const message = request.response?.message ?? `The server answered ${request.status}.`;
  return message[0].toUpperCase() + message.slice(1);
}

function finish(request) {
  const { url, url_file: direct, expiredFmt } = request.response.result;
  show(done);
  for (const [id, address] of Object.entries({ page: url, direct })) {
    const link = document.getElementById(id);
    link.href = address;
    link.textContent = address;
  }
  document.getElementById('expires').textContent = expiredFmt;
  const deletion = new URL(request.getResponseHeader('X-Delete-Url'));
  document.getElementById('delete').onclick = async () => {
    const response = await fetch(deletion.pathname, { method: 'DELETE' });
    refuse(response.ok ? 'Deleted. The file is gone.' : 'It could not be deleted; it may be gone already.');
  };
  input.value = '';
}

function inWords(bytes) {
  const power = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power ? 1 : 0)} ${['B', 'KB', 'MB', 'GB'][power]}`;
}
