/** Says on standard error how far a long piece of work has come: once a second, and not when it is short. */
export function progress(what: string): (done: number, all: number) => void {
  let next = performance.now() + 1_000;
  return (done, all) => {
    if (performance.now() < next) return;
    next = performance.now() + 1_000;
    process.stderr.write(`${what}: ${done} of ${all}\n`);
  };
}
