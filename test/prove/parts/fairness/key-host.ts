import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Findings } from '../../trial.ts';

const program = fileURLToPath(new URL('key-host-process.ts', import.meta.url));

/** The ways in which a host is hostile. */
export const moods = ['hangs', 'large', 'junk', 'changes'] as const;

const each = 7;

export interface KeyHost {
  /** As `EAAS_ISSUER_HOSTS` has it. */
  readonly address: string;
  readonly uris: readonly string[];
  /** Where a key set is found the first time; later, the host hangs. */
  readonly once: (jwks: object) => string;
  /** How often each path was asked, in how many seconds, and the most bytes that a response could send. */
  asked(): {
    readonly seconds: number;
    readonly fetches: ReadonlyMap<string, number>;
    readonly mostBytes: number;
  };
}

/** Starts a host of key sets in a process of its own, because its work would slow the measurement. */
export async function startKeyHost(findings: Findings): Promise<KeyHost> {
  const node = ['--conditions=@eaas/source', '--import', 'tsx', program];
  const child = spawn('nice', ['-n', '5', process.execPath, ...node], { stdio: ['pipe', 'pipe', 'inherit'] });
  findings.defer(() => void child.stdin.end());
  const lines = createInterface({ input: child.stdout });
  const [port] = (await once(lines, 'line')) as [string];
  const fetches = new Map<string, number>();
  const startedAt = performance.now();
  let mostBytes = 0;
  lines.on('line', (line) => {
    if (line.startsWith('/')) fetches.set(line, (fetches.get(line) ?? 0) + 1);
    else mostBytes = Math.max(mostBytes, Number(line));
  });
  const base = `http://127.0.0.1:${port}`;
  return {
    address: `127.0.0.1:${port}`,
    uris: moods.flatMap((mood) => Array.from({ length: each }, (_, nth) => `${base}/${mood}/${nth}`)),
    once: (jwks) => `${base}/once/${Buffer.from(JSON.stringify(jwks)).toString('base64url')}`,
    asked: () => ({ seconds: (performance.now() - startedAt) / 1_000, fetches, mostBytes }),
  };
}
