// A store over a key file, which several processes change. Its rows are in memory, sealed as in the file; what others changed is
// read before each call. The local service opens it, as `#key-file`.
import { toHex } from '@eaas/protocol/internal';
import {
  type Appended,
  keys,
  keyVersions,
  type Known,
  type Link,
  type Need,
  type Service,
  subjects,
  type Table,
} from '@eaas/service';
import { type Held, lockNow, lockSoon } from './file-lock.ts';
import { openerOfEnvironment } from './file-opener.ts';
import { holding, lockOf, nameOf, placeOfKeyFile, readKeyFile, stampOf, writeKeyFile } from './key-file.ts';
import {
  defaultKeyIn,
  type FileContents,
  type FileKey,
  fileKey,
  formatKeyFile,
  type KeyFile,
  newDefaultKey,
  openKeyFile,
  textOf,
} from './key-file-format.ts';
import { isKept, type KeyStore, layIn, refuseAsUnavailable, tenantIn } from './key-store.ts';
import type { MemoryStore, MemoryTenant } from './memory-store.ts';

/** Opens a key file. If it is missing, makes it, or throws InputError if `create` is false. */
export function openKeyFileStore(given: string, memory: MemoryStore, create = true): KeyStore {
  const opener = openerOfEnvironment();
  const path = placeOfKeyFile(given, opener, create);
  let { text, stamp } = readKeyFile(path);
  let file = openKeyFile(nameOf(path), text, opener);
  const { tenantId, secret } = file;
  let service: Service | undefined;

  function refresh(): void {
    if (stamp !== '' && stampOf(path) === stamp) return;
    const found = readKeyFile(path);
    if (found.text !== text) {
      const next = openKeyFile(nameOf(path), found.text, opener, file);
      if (service) layIn(service, tenantIn(memory, tenantId), next);
      file = next;
    }
    ({ text, stamp } = found);
  }

  /** If anything fails, memory can differ from the file, so the next call reads the file again. */
  function write(next: KeyFile, lock: Held): void {
    text = '';
    stamp = '';
    const written = formatKeyFile(next);
    writeKeyFile(path, written, lock);
    file = next;
    text = written;
  }

  function append(link: Link, lock: Held): Appended {
    const appended = memory.appendNow(tenantId, link);
    if (appended.outcome === 'written' && isKept(link)) {
      write({ ...file, ...contentsOf(tenantIn(memory, tenantId)) }, lock);
    }
    return appended;
  }

  function makeDefaultKey(lock: Held): FileKey {
    refresh();
    const known = defaultKeyIn(file);
    if (known) return known;
    const made = newDefaultKey(file, Date.now());
    write({ ...file, keys: [...file.keys, made] }, lock);
    return made;
  }

  const read = (id: string, needs: readonly Need[]): Known => {
    refresh();
    return memory.readNow(id, needs);
  };
  const { key_id: keyId } = defaultKeyIn(file) ?? holding(lockNow(lockOf(path)), makeDefaultKey);

  return {
    tenantId,
    keyId,
    secret,
    refresh: () => orUnavailable(refresh),
    open(opened) {
      service = opened;
      layIn(service, tenantIn(memory, tenantId), file);
    },
    store: {
      ...memory,
      read: async (id, needs) => orUnavailable(() => read(id, needs)),
      // What the file has is judged under its lock. All else changes nothing but the head.
      append: async (id, link) => {
        if (isKept(link)) return { outcome: 'moved', time: Date.now() };
        orUnavailable(refresh);
        return memory.appendNow(id, link);
      },
      async locked(id, needs, _, work) {
        const judge = () => work({ ...read(id, needs), written: undefined });
        const link = orUnavailable(judge);
        if (!link || !isKept(link)) return link && memory.appendNow(id, link);
        const lock = await lockSoon(lockOf(path)).catch(refuseAsUnavailable);
        return orUnavailable(() =>
          holding(lock, () => {
            const judged = judge();
            return judged && append(judged, lock);
          }),
        );
      },
    },
  };
}

/** What memory has of keys and people, as a file has it. */
function contentsOf({ tables }: MemoryTenant): FileContents {
  const rowsOf = <Row>({ name }: Table<Row>) =>
    Array.from(tables.get(name)?.values() ?? [], ({ row }) => row as Row);
  const versions = new Map<string, { created_at: number; sealed: string | null }[]>();
  for (const { key_id, created_at, sealed } of rowsOf(keyVersions)) {
    const ofKey = versions.get(key_id) ?? [];
    ofKey.push({ created_at, sealed: textOf(sealed) });
    versions.set(key_id, ofKey);
  }
  return {
    keys: rowsOf(keys).map((row) => fileKey(row, versions.get(row.key_id) ?? [])),
    subjects: rowsOf(subjects).map(({ subject_id, created_at, erased_at, sealed }) => ({
      subject_id: toHex(subject_id),
      created_at,
      erased_at,
      sealed: textOf(sealed),
    })),
  };
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return refuseAsUnavailable(error);
  }
}
