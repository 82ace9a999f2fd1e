import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from './report.ts';

export interface Check {
  readonly invariant: string;
  readonly holds: boolean;
  readonly found: string;
}

export interface Trial {
  readonly name: string;
  readonly about: string;
  readonly limit: number;
  run(findings: Findings): Promise<void>;
  unavailable?(): Promise<string | undefined>;
}

export interface Part {
  readonly name: string;
  readonly about: string;
  readonly trials: readonly Trial[];
  unavailable?(): Promise<string | undefined>;
}

const open = new Set<Findings>();

export async function closeAll(): Promise<void> {
  for (const findings of open) await findings.close();
}

export class Findings {
  readonly tried = new Map<string, number>();
  readonly answered = new Map<string, number>();
  readonly figures = new Map<string, string>();
  readonly checks: Check[] = [];
  lost: number | undefined;
  readonly #longest = new Map<string, number>();
  readonly #cleanups: (() => unknown)[] = [];

  try(what: string, times = 1): void {
    this.tried.set(what, (this.tried.get(what) ?? 0) + times);
  }

  answer(kinds: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(kinds)) {
      this.answered.set(kind, (this.answered.get(kind) ?? 0) + count);
    }
  }

  figure(name: string, value: string | number): void {
    this.figures.set(name, String(value));
  }

  longest(name: string, milliseconds: number): void {
    const most = Math.max(this.#longest.get(name) ?? 0, milliseconds);
    this.#longest.set(name, most);
    this.figure(name, `${Math.round(most)} ms`);
  }

  check(invariant: string, holds: boolean, found: unknown = ''): void {
    const text = typeof found === 'string' ? found : JSON.stringify(found);
    const index = this.checks.findIndex((known) => known.invariant === invariant);
    const known = this.checks[index];
    if (!known) this.checks.push({ invariant, holds, found: text });
    else if (!holds && (known.holds || !known.found.includes(text))) {
      const both = known.holds ? text : `${known.found}; ${text}`;
      this.checks[index] = { invariant, holds: false, found: both };
    }
  }

  lose(count: number): void {
    this.lost = (this.lost ?? 0) + count;
  }

  /** A directory that is removed at the end. */
  async newDirectory(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'eaas-prove-'));
    this.defer(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  defer(cleanup: () => unknown): void {
    open.add(this);
    this.#cleanups.push(cleanup);
  }

  async close(): Promise<void> {
    for (let next = this.#cleanups.pop(); next; next = this.#cleanups.pop()) {
      try {
        await next();
      } catch (error) {
        this.check('the trial cleans up after itself', false, String(error));
      }
    }
    open.delete(this);
  }
}

export const lasting = new Findings();

const isSmall = process.argv.includes('--small');
const number = process.argv.slice(2).find((arg) => /^\d+$/.test(arg));
/** How many cases were asked for, by a number among the names. */
export const asked = number === undefined ? undefined : Number(number);

const seed = process.argv.find((arg) => /^--seed=\d+$/.test(arg));
/** The first seed, by `--seed=…`. */
export const chosenSeed = seed === undefined ? undefined : Number(seed.slice('--seed='.length));

export function scaled(size: number): number {
  return isSmall ? Math.ceil(size / 10) : size;
}

export async function runTrial(part: Part, trial: Trial): Promise<Outcome> {
  const unavailable = (await part.unavailable?.()) ?? (await trial.unavailable?.());
  const findings = new Findings();
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  try {
    if (unavailable === undefined) {
      const late = new Promise<never>((_, reject) => {
        const error = new Error(`the trial did not end within ${trial.limit} seconds`);
        timer = setTimeout(() => reject(error), trial.limit * 1_000);
      });
      await Promise.race([trial.run(findings), late]);
    }
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    findings.check('the trial runs to its end', false, text);
  } finally {
    clearTimeout(timer);
    await findings.close();
  }
  return {
    name: `${part.name}:${trial.name}`,
    about: trial.about,
    seconds: (performance.now() - startedAt) / 1_000,
    findings,
    ...(unavailable !== undefined && { unavailable }),
  };
}
