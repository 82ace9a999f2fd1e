// A witness as C2SP's tlog-witness describes it, with an Ed25519 key, in memory. A test can let it respond with something else.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyConsistency } from './consistency.ts';
import { listening } from './listening.ts';

export type Witness = Awaited<ReturnType<typeof startWitness>>;

interface HeldCheckpoint {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
}

/** A witness that ends with the test. */
export async function startWitness(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = Buffer.concat([Buffer.of(4), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);
  const id = createHash('sha256').update(`${name}\n`).update(key).digest().subarray(0, 4);
  // Each cosignature has another time, as those of a witness that is asked again later.
  const now = (): number => Math.floor(Date.now() / 1000) + witness.asked.length;
  /** The line for a checkpoint, as the witness would sign it. */
  const cosign = (note: string, seconds = now()): string => {
    const message = `cosignature/v1\ntime ${seconds}\n${textOf(note)}`;
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    const line = Buffer.concat([id, time, sign(null, Buffer.from(message), privateKey)]);
    return `— ${name} ${line.toString('base64')}\n`;
  };
  const cosignIfNext = (body: string): { status: number; text: string } => {
    const [, old = '', proof = '', note = ''] = /^old (\d+)\n((?:\S+\n)*)\n([^]+)$/.exec(body) ?? [];
    const [origin = '', size = '', root = ''] = note.split('\n');
    const now = { size: Number(size), root: Buffer.from(root, 'base64'), note };
    const before = witness.held.get(origin) ?? { size: 0, root: new Uint8Array(), note: '' };
    if (Number(old) > now.size) return { status: 400, text: 'the old size is larger\n' };
    if (Number(old) !== before.size) return { status: 409, text: `${before.size}\n` };
    const hashes = proof
      .split('\n')
      .slice(0, -1)
      .map((line) => Buffer.from(line, 'base64'));
    if (!verifyConsistency(before, now, hashes)) return { status: 422, text: 'another tree\n' };
    const line = cosign(note);
    witness.held.set(origin, { ...now, note: note + line });
    witness.signed.push(note);
    return { status: 200, text: line };
  };
  const cosigning = async (request: IncomingMessage): Promise<{ status: number; text: string }> => {
    const body = await text(request);
    witness.asked.push(body);
    return cosignIfNext(body);
  };
  const showing = (path = ''): { status: number; text: string } => {
    const origin = [...witness.held.keys()].find((one) => path === `/${sha256Hex(one)}/checkpoint`) ?? '';
    const shown = witness.shows ?? witness.held.get(origin)?.note;
    return shown === undefined ? { status: 404, text: 'unknown\n' } : { status: 200, text: shown };
  };
  const server = createServer((request, response) => {
    if (request.method === 'POST' && witness.instead) return witness.instead(request, response);
    const answer =
      request.url === '/add-checkpoint' ? cosigning(request) : Promise.resolve(showing(request.url));
    void answer.then(({ status, text: body }) => response.writeHead(status).end(body));
  });
  const witness = {
    name,
    vkey: `${name}+${id.toString('hex')}+${key.toString('base64')}`,
    url: `http://127.0.0.1:${await listening(server)}`,
    /** The bodies of the requests for a cosignature, in their order. */
    asked: [] as string[],
    /** The checkpoints that it has cosigned, in their order, with nobody else's cosignatures. */
    signed: [] as string[],
    /** The newest checkpoint that it has cosigned, by the log's origin. */
    held: new Map<string, HeldCheckpoint>(),
    /** What it does instead of cosigning, if a test sets it. */
    instead: undefined as RequestListener | undefined,
    /** What it shows to monitors, if that is not what it has cosigned. */
    shows: undefined as string | undefined,
    cosign,
  };
  return witness;
}

/** The text of a note, which its signatures are for. */
function textOf(note: string): string {
  return note.slice(0, note.lastIndexOf('\n\n') + 1);
}

function sha256Hex(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
