const form = new FormData();
form.append('file', new Blob(['Halo, dunia!'], { type: 'text/plain' }), 'halo.txt');

const answer = await fetch('{uploads}/upload?expires=1h', { method: 'POST', body: form });
const { status, message, result } = await answer.json();
if (!status) throw new Error(message);
console.log(result.url, 'delete:', answer.headers.get('X-Delete-Url'));
