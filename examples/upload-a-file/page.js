// Encrypts a file while it is uploaded in parts, and decrypts a range of the stored file.
import { createBrowserClient } from '@eaas/sdk/browser';
import { encryptBlob, openFile } from '@eaas/sdk/stream';

const partSize = 8 * 2 ** 20;
const eaas = createBrowserClient({ keyId: await (await fetch('/key-id')).text() });
const find = (selector) => document.querySelector(selector);
let id;

/** Splits a stream into Blobs of about 8 MiB, because a browser can send a Blob again after a failure. */
async function* partsOf(stream) {
  const reader = stream.getReader();
  let chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (!done) {
      chunks.push(value);
      length += value.length;
    }
    if (length >= partSize || (done && length > 0)) {
      yield new Blob(chunks);
      chunks = [];
      length = 0;
    }
    if (done) return;
  }
}

/**
 * Sends a part that begins at `begin`. After a failure, asks the server how many bytes it has, and sends the remaining
 * bytes.
 */
async function send(url, part, begin) {
  for (let sent = 0; sent < part.size;) {
    try {
      const headers = { 'upload-offset': String(begin + sent) };
      const { ok } = await fetch(url, { method: 'PUT', headers, body: part.slice(sent) });
      if (ok) return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    const stored = await fetch(url, { method: 'HEAD' }).catch(() => undefined);
    if (stored?.ok) sent = Math.max(0, Number(stored.headers.get('upload-offset')) - begin);
  }
}

async function upload(file) {
  id = crypto.randomUUID();
  const { stream, size } = await encryptBlob(eaas, file, { context: { file: id } });
  let offset = 0;
  for await (const part of partsOf(stream)) {
    await send(`/files/${id}`, part, offset);
    offset += part.size;
    find('progress').value = offset / size;
  }
  return `Stored ${file.size} bytes as ${id}`;
}

/** Decrypts 100 bytes of the stored file, and downloads only the chunks that contain these bytes. */
async function read(start) {
  const file = await openFile(eaas, `${location.origin}/files/${id}`, {
    context: { file: id },
  });
  const bytes = await file.read({ start, end: Math.min(start + 100, file.size) });
  file.close();
  return new TextDecoder().decode(bytes);
}

async function show(work) {
  try {
    find('output').textContent = await work;
  } catch (error) {
    find('output').textContent = error.message;
  }
}
find('[name=file]').addEventListener('change', ({ target }) => void show(upload(target.files[0])));
find('button').addEventListener('click', () => void show(read(Number(find('[name=start]').value))));
find('output').textContent = 'Choose a file.';
