// A public log whose witnesses outlive the servers and the database, and what must hold of it whatever breaks.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  consistencyProof,
  parseNote,
  parsePolicy,
  parseTreeHead,
  type ReadTile,
  rootFromTiles,
  type TreeHead,
  tilePath,
  verifyCheckpoint,
} from '@eaas/protocol/internal-log';
import { verifyProof } from '@eaas/audit';
import { verifyConsistency } from '@eaas/test-kit/consistency';
import { call, type Place } from '@eaas/test-kit/faults/client';
import type { Tenant } from '@eaas/test-kit/faults/place';
import { eaas, type Environment, run } from '@eaas/test-kit/program';
import { openWitness } from '@eaas/test-kit/witness';
import { verifyEd25519 } from '@eaas/server/internal';
import { holdsWithin } from '../../machine/until.ts';
import type { Findings } from '../../trial.ts';

/** Starts the witnesses of a log. The one that proofs need is called `witness`, and the others have these names. */
export async function openLog(findings: Findings, ...others: readonly string[]) {
  const witness = await openWitness('witness');
  const witnesses = [witness, ...(await Promise.all(others.map(openWitness)))];
  for (const each of witnesses) findings.defer(() => each.close());
  const file = join(await findings.newDirectory(), 'log.policy');
  let env: Environment = {};
  let policy = `${witnesses.map(({ name, vkey, url }) => `witness ${name} ${vkey} ${url}\n`).join('')}quorum witness\n`;

  async function command(...args: readonly string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await run([...eaas, 'log', ...args, '--json'], env);
    if (stdout === '') throw new Error(`eaas log ${args.join(' ')} failed:\n${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  async function follow(verb: 'init' | 'restart', origin: string): Promise<void> {
    const { policy_line } = await command(verb, '--origin', origin);
    policy = `${String(policy_line)}\n${policy}`;
    await writeFile(file, policy);
  }

  /** Waits until the witness signs a tree that it has not signed. The lease of a killed server lasts a minute. */
  async function grows(): Promise<boolean> {
    const before = headOf(witness.signed.at(-1))?.size;
    return holdsWithin(90, async () => headOf(witness.signed.at(-1))?.size !== before);
  }

  /** Checks that the log goes on. With `lost`, it has stopped, and is shorter than what was signed of it. */
  async function judge(place: Place, tenants: readonly Tenant[], state: 'whole' | 'lost' = 'whole') {
    if (state === 'whole') findings.check('the public log goes on', await grows());
    const signed = witnesses.flatMap((each) => each.signed.flatMap((note) => headOf(note) ?? []));
    // A server reads its checkpoint at most once a second.
    await sleep(1_100);
    const now = headOf(Buffer.from(await readFile(place, 'checkpoint')).toString());
    if (!now) throw new Error('/log/checkpoint must be a checkpoint (it is not)');
    const due = signed.filter(
      ({ origin, size }) => origin === now.origin && (state === 'whole' || size <= now.size),
    );
    const wrong: string[] = [];
    for (const head of due)
      if (!(await isBeginning(place, head, now))) wrong.push(`${head.size} of ${now.size}`);
    findings.figure(`checkpoints signed of ${now.origin}`, `${due.length}, up to the size ${now.size}`);
    findings.check(
      'every checkpoint that a witness signed is the beginning of the public log',
      due.length > 0 && wrong.length === 0,
      wrong,
    );
    for (const tenant of tenants) {
      let fault = '';
      // The newest checkpoint may wait for its witness.
      const holds = await holdsWithin(15, async () => {
        fault = await faultOfProof(place, tenant, policy).catch(String);
        return fault === '';
      });
      findings.check("the proof of every tenant's newest head verifies", holds, fault);
    }
  }

  return {
    witnesses,
    grows,
    judge,
    /** Begins the log, and returns what its servers need. */
    async begin(operator: { readonly env: Environment }): Promise<Environment> {
      env = operator.env;
      await follow('init', 'eaas.example/log');
      return { EAAS_LOG_POLICY_FILE: file, EAAS_LOG_INTERVAL: '10' };
    },
    /** Ends the log and begins another. The servers must then be restarted. */
    restart: () => follow('restart', 'eaas.example/log2'),
    /** Why the log was halted, if it was, and the size of the tree that its own signature in the reason is for, or 0. */
    async halted() {
      const { halted } = await command('status');
      if (typeof halted !== 'string') return undefined;
      const keys = parsePolicy(policy).logs.map(({ key }) => key);
      const note = halted.slice(halted.indexOf('\n\n') + 2);
      const evidence = await verifyCheckpoint(note, keys, verifyEd25519).catch(() => undefined);
      const isSigned = evidence?.signatures.length === 1;
      return { reason: halted, signed: isSigned ? evidence.size : 0 };
    },
  };
}

const headOf = (note = ''): TreeHead | undefined => parseTreeHead(parseNote(note)?.text ?? '');

/** Whether the served tiles show that the log of now begins with an earlier one. */
async function isBeginning(place: Place, before: TreeHead, now: TreeHead): Promise<boolean> {
  const read: ReadTile = (level, n, width) => readFile(place, tilePath({ level, n, width }));
  const isWhole = Buffer.from(await rootFromTiles(read, now.size)).equals(now.root);
  const proof = await consistencyProof(read, before.size, now.size).catch(() => undefined);
  return isWhole && proof !== undefined && verifyConsistency(before, now, proof);
}

async function faultOfProof(place: Place, { token, tenantId }: Tenant, policy: string): Promise<string> {
  const { proof } = await call<{ proof: string }>(place, token, 'GET', '/v1/audit/proof');
  const proven = await verifyProof(proof, policy);
  return proven.tenantId === tenantId ? '' : `a proof of the tenant ${proven.tenantId}`;
}

async function readFile({ port }: Place, path: string): Promise<Uint8Array> {
  const response = await fetch(`http://127.0.0.1:${port}/log/${path}`);
  if (!response.ok) throw new Error(`/log/${path} must be there (got ${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}
