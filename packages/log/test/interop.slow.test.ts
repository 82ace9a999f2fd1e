import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  buildPrefixTree,
  formatExtra,
  formatTlogProof,
  momentEntry,
  parsePolicy,
  verifyProof,
} from '@eaas/protocol/internal-log';
import { finish } from '@eaas/test-kit/finish';
import { whereAvailable } from '@eaas/test-kit/available';
import { newDirectory } from '@eaas/test-kit/directory';
import { listening } from '@eaas/test-kit/listening';
import { verifyEd25519 } from '@eaas/server/internal';
import { buildInterop, hasGo } from './interop.ts';
import { LogInMemory, origin } from './log-in-memory.ts';

const file = async (text: string): Promise<string> => {
  const path = join(await newDirectory(), 'file');
  await writeFile(path, text);
  return path;
};

/** Serves the files of a log, and returns their address. */
async function serveLog(log: Pick<LogInMemory, 'file'>): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const bytes = log.file(url.replace('/log/', ''));
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  return `http://127.0.0.1:${await listening(server)}/log`;
}

whereAvailable('Go', await hasGo(), () => {
  test('litewitness cosigns the log as it grows, and libraries in Go read all of it', async () => {
    const go = await buildInterop();
    const [ann, ben] = await Promise.all([
      go.litewitness('witness.example/ann'),
      go.litewitness('witness.example/ben'),
    ]);
    const log = new LogInMemory();
    await ann.admit(log.vkey);
    await ben.admit(log.vkey);
    const replica = log.replica([ann, ben]);
    const [address, policy] = [await serveLog(log), await file(replica.policy)];
    let [size, earlier] = [0, ''];
    for (const moments of [1, 1, 5, 248, 1, 1, 300]) {
      await log.grow(moments);
      await replica.ask();
      expect(replica.warnings).toEqual([]);
      const found = await go.read(address, policy, earlier);
      size += moments;
      expect([found.origin, found.size, found.entries.length]).toEqual([origin, size, size]);
      earlier = await file(log.note);
    }

    for (const tile of ['tile/0/000', 'tile/1/000.p/2', 'tile/entries/001']) {
      const changed = (path: string): Uint8Array | undefined =>
        log.file(path)?.map((byte, at) => (path === tile && at === 40 ? byte ^ 1 : byte));
      await expect(go.read(await serveLog({ file: changed }), policy)).rejects.toThrow(
        /inconsistent tile|hash mismatch/,
      );
    }

    const restarted = (await log.grow()).replica([ann, ben]);
    await restarted.ask();
    expect(restarted.warnings).toEqual([]);
    expect(await go.read(address, policy, earlier)).toMatchObject({ size: size + 1 });

    const other = log.copy();
    await log.grow();
    await restarted.ask();
    const unwitnessed = await file(`log ${log.vkey}\nquorum none\n`);
    const forkAt = await serveLog(await other.grow());
    await expect(go.read(forkAt, policy)).rejects.toThrow('1/2 policy components satisfied');
    await expect(go.read(forkAt, unwitnessed, await file(log.note))).rejects.toThrow(
      'invalid transparency proof',
    );
    const forked = other.replica([ann, ben]);
    await forked.ask();
    const reason = 'it refuses our newest tree (status 422), but shows no checkpoint with our signature';
    expect(forked.warnings).toHaveLength(2);
    for (const { name: witness } of [ann, ben]) expect(forked.warnings).toContainEqual({ witness, reason });
  });

  test('torchwood verifies our proof of a head, and we verify its cosignature with ML-DSA-44', async () => {
    const go = await buildInterop();
    const heads = Array.from({ length: 9 }, (_, id) => ({
      tenantId: randomUUID(),
      id,
      hash: randomBytes(32),
    }));
    const [tree, time] = [finish(buildPrefixTree(heads)), Date.now()];
    const log = await new LogInMemory().grow(20);
    await log.grow(1, momentEntry(time, tree.root));
    await log.grow(300);
    const witness = await go.litewitness('witness.example/ann');
    await witness.admit(log.vkey);
    await log.replica([witness]).ask();
    const { vkey, line } = await go.cosign('witness.example/pq', log.note);
    const checkpoint = log.note + line;
    const policy = [
      `log ${log.vkey}`,
      `witness ann ${witness.vkey}`,
      `witness pq ${vkey}`,
      'group both all ann pq',
      'quorum both\n',
    ].join('\n');
    const path = await log.inclusion(20);
    for (const head of heads) {
      const extra = formatExtra({ ...head, time, path: tree.pathOf(head.tenantId) ?? [] });
      const proof = formatTlogProof({ extra, index: 20, path, checkpoint });
      const found = await go.verify(proof, await file(policy));
      const hash = head.hash.toString('hex');
      expect(found).toMatchObject({ tenant_id: head.tenantId, id: head.id, hash, time });
      const verified = await verifyProof(proof, parsePolicy(policy), verifyEd25519);
      expect(verified).toMatchObject({
        tenantId: head.tenantId,
        id: head.id,
        hash,
        witnesses: ['ann', 'pq'],
      });
    }

    const [head = { tenantId: '', id: 0, hash: randomBytes(32) }] = heads;
    const wrong = formatExtra({ ...head, id: 77, time, path: tree.pathOf(head.tenantId) ?? [] });
    const refused = formatTlogProof({ extra: wrong, index: 20, path, checkpoint });
    await expect(go.verify(refused, await file(policy))).rejects.toThrow('verification failed for index 20');
    const right = formatExtra({ ...head, time, path: tree.pathOf(head.tenantId) ?? [] });
    const alone = formatTlogProof({ extra: right, index: 20, path, checkpoint: log.note });
    await expect(go.verify(alone, await file(policy))).rejects.toThrow('1/2 policy components satisfied');
  });
});
