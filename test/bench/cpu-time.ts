import { readdir, readFile } from 'node:fs/promises';
import { type Process, readProcesses } from '@eaas/test-kit/processes';

/** Reads the list of processes once, because that takes several milliseconds. */
export async function cpuMicrosecondsOfEach(roots: readonly number[]): Promise<number[]> {
  const processes = await readProcesses();
  return Promise.all(roots.map((root) => timeOfFamily(root, processes)));
}

async function timeOfFamily(root: number, processes: readonly Process[]): Promise<number> {
  const family = new Set([root]);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  }
  const times = await Promise.all(Array.from(family, timeOf));
  return times.reduce((sum, time) => sum + time, 0);
}

/** `schedstat` counts nanoseconds. `/proc/<pid>/stat` counts only hundredths of a second. */
async function timeOf(pid: number): Promise<number> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`${folder}/${thread}/schedstat`, 'utf8').catch(() => '')),
  );
  return texts.reduce((sum, text) => sum + Number.parseInt(text || '0') / 1_000, 0);
}
