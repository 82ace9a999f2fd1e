// A log in memory, for tests of what is around a log. Its replicas share it, as they share a database.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  appendedHashes,
  bundledEntry,
  entryLeaf,
  formatNoteKey,
  formatSignature,
  inclusionProof,
  type NoteKey,
  noteKey,
  parseNote,
  parsePolicy,
  parseTilePath,
  rootFromTiles,
  treeHeadText,
  verifyCheckpoint,
} from '@eaas/protocol/internal-log';
import { verifyEd25519 } from '@eaas/server/internal';
import type { WitnessContext } from '../src/witness-context.ts';
import { askWitnesses } from '../src/witnesses.ts';

export const origin = 'eaas.example/log';

type InPolicy = Record<'name' | 'vkey' | 'url', string>;

export class LogInMemory {
  readonly #key: NoteKey;
  readonly #privateKey: KeyObject;
  /** By level and number, as the paths of tiles have them. */
  readonly #tiles = new Map<string, Uint8Array>();
  /** The checkpoint of each size. */
  readonly #notes: string[] = [];
  /** Why the log was halted. */
  readonly halted: string[] = [];

  constructor(name = origin, keys = generateKeyPairSync('ed25519')) {
    const raw = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    this.#key = noteKey(name, 1, new Uint8Array(raw));
    this.#privateKey = keys.privateKey;
    this.copy = () => {
      const copied = new LogInMemory(name, keys);
      for (const [tile, bytes] of this.#tiles) copied.#tiles.set(tile, bytes);
      copied.#notes.push(...this.#notes);
      return copied;
    };
  }

  /** Returns another database with the same log and key, as after a restore. */
  readonly copy: () => LogInMemory;

  get key(): NoteKey {
    return this.#key;
  }

  get vkey(): string {
    return formatNoteKey(this.#key);
  }

  get note(): string {
    return this.#notes.at(-1) ?? '';
  }

  newest() {
    return this.#at(this.#notes.length);
  }

  async grow(times = 1, entry: Uint8Array = randomBytes(20)): Promise<this> {
    for (let time = 0; time < times; time++) {
      const index = this.#notes.length;
      for (const { level, n, hash } of await appendedHashes(this.#read, index, entryLeaf(entry))) {
        this.#append(`${level}/${n}`, hash);
      }
      this.#append(`-1/${Math.floor(index / 256)}`, bundledEntry(entry));
      const root = await rootFromTiles(this.#read, index + 1);
      const text = treeHeadText({ origin: this.#key.name, size: index + 1, root });
      const bytes = new Uint8Array(sign(null, Buffer.from(text), this.#privateKey));
      this.#notes.push(`${text}\n${formatSignature({ ...this.#key, bytes })}`);
    }
    return this;
  }

  /** Returns what GET /log/… has: the checkpoint, or a tile as it was when it had that width. */
  file(path: string): Uint8Array | undefined {
    if (path === 'checkpoint') return Buffer.from(this.note);
    const { level, n, width } = parseTilePath(path) ?? { level: 0, n: -1, width: 0 };
    const bytes = this.#tiles.get(`${level}/${n}`);
    if (level >= 0 || !bytes) return bytes?.subarray(0, width * 32);
    let end = 0;
    for (let entry = 0; entry < width; entry++) end += 2 + Buffer.from(bytes).readUInt16BE(end);
    return bytes.subarray(0, end);
  }

  inclusion(index: number): Promise<Uint8Array[]> {
    return inclusionProof(this.#read, index, this.#notes.length);
  }

  /** Returns a server that has asked nobody yet. Its policy demands each of the witnesses. */
  replica(witnesses: readonly InPolicy[], monitors: ReadonlyMap<string, string> = new Map()) {
    const policy = [
      `log ${this.vkey}`,
      ...witnesses.map(({ name, vkey, url }) => `witness ${name} ${vkey} ${url}`),
      `group all all ${witnesses.map(({ name }) => name).join(' ')}`,
      'quorum all\n',
    ].join('\n');
    const warnings: unknown[] = [];
    const stopping = new AbortController();
    const context: WitnessContext = {
      policy: parsePolicy(policy),
      monitors,
      key: this.#key,
      signal: stopping.signal,
      log: { info: () => {}, error: () => {}, warn: (fields: unknown) => void warnings.push(fields) },
      memory: { sizes: new Map(), failures: new Map(), reasons: new Map() },
      newest: () => this.newest(),
      tiles: this.#read,
      cosigned: async (size, lines) => {
        this.#notes[size - 1] += lines.join('');
      },
      halt: async (reason) => void this.halted.push(reason),
    };
    return { context, policy, warnings, ask: () => askWitnesses(context), stop: () => stopping.abort() };
  }

  /** Returns whose cosignatures the newest checkpoint has, all of them valid ones of witnesses in the policy. */
  async signers({ context }: { readonly context: WitnessContext }): Promise<string[]> {
    const keys = context.policy.witnesses.map((witness) => witness.key);
    const { signatures } = await verifyCheckpoint(this.note, keys, verifyEd25519);
    if (parseNote(this.note)?.signatures.length !== signatures.length + 1) {
      throw new Error('the note has a line of a key that is not in the policy');
    }
    return signatures.map((signature) => signature.key.name);
  }

  readonly #read = async (level: number, n: number): Promise<Uint8Array> =>
    this.#tiles.get(`${level}/${n}`) ?? new Uint8Array();

  #append(tile: string, bytes: Uint8Array): void {
    this.#tiles.set(tile, Buffer.concat([this.#tiles.get(tile) ?? Buffer.of(), bytes]));
  }

  async #at(size: number) {
    const root = await rootFromTiles(this.#read, size);
    return { size, root, note: this.#notes[size - 1] ?? '' };
  }
}
