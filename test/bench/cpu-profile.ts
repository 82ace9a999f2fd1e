import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The parts into which the profile divides the CPU time. A function belongs to the first matching part. */
export const parts = [
  'garbage collection',
  'sockets',
  'crypto',
  'PostgreSQL driver',
  'Eaas',
  'HTTP',
  'Node',
] as const;

type Part = (typeof parts)[number];

/** `start` and `end` are values of `process.hrtime` in microseconds. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const names: Readonly<Partial<Record<Part, RegExp>>> = {
  'garbage collection': /^\(garbage collector\)$/,
  sockets: /^(?:writev|writeBuffer|write\w+String|readStart|\(program\))$/,
};

const files: Readonly<Partial<Record<Part, RegExp>>> = {
  crypto: /^node:(?:internal\/)?crypto|@noble/,
  'PostgreSQL driver': /node_modules\/postgres\//,
  Eaas: /\/packages\/\w+\/(?:src\/|dist\/|node_modules\/\.cache\/)/,
  HTTP: /^node:_?http|node_modules\//,
};

export async function profileFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'eaas-profile-'));
  return {
    options: ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'],
    remove: () => rm(folder, { recursive: true, force: true }),
    /** Node writes the profiles when the process exits. */
    async read(): Promise<CpuProfile[]> {
      const texts = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'));
      return (await Promise.all(texts)).map((text) => JSON.parse(text) as CpuProfile);
    },
  };
}

export function sharesIn(profiles: readonly CpuProfile[], { start, end }: Period): ReadonlyMap<Part, number> {
  const times = new Map<Part, number>(parts.map((part) => [part, 0]));
  for (const { nodes, samples, startTime, timeDeltas } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    let time = startTime;
    for (const [at, id] of samples.entries()) {
      const taken = timeDeltas[at] ?? 0;
      time += taken;
      const frame = frames.get(id);
      if (!frame || frame.functionName === '(idle)' || time < start || time > end) continue;
      const part = partOf(frame);
      times.set(part, (times.get(part) ?? 0) + taken);
    }
  }
  const total = Array.from(times.values()).reduce((sum, taken) => sum + taken, 0);
  if (total === 0)
    throw new Error(
      'the CPU profile must have samples in each period that the benchmark measures (got a period without samples)',
    );
  return new Map(Array.from(times, ([part, taken]) => [part, taken / total]));
}

function partOf({ functionName, url }: Frame): Part {
  return parts.find((part) => names[part]?.test(functionName) || files[part]?.test(url)) ?? 'Node';
}
