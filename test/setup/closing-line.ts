import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints `N passed, N failed, N skipped` as the last line of a run. Whatever made the run fail without a failing test (a
 * file that does not load, an error outside of any test, a failing setup) counts as a failed one.
 */
export class ClosingLine implements Reporter {
  private passed = 0;
  private failed = 0;
  private skipped = 0;

  onInit(): void {
    process.once('exit', (code) => {
      const failed = code === 0 ? this.failed : Math.max(this.failed, 1);
      process.stdout.write(`${this.passed} passed, ${failed} failed, ${this.skipped} skipped\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    Object.assign(this, { passed: 0, failed: unhandledErrors.length, skipped: 0 });
    for (const module of modules) this.count(module);
  }

  private count(module: TestModule): void {
    let failed = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') this.passed += 1;
      else if (state === 'skipped') this.skipped += 1;
      else failed += 1;
    }
    this.failed += failed === 0 && module.state() === 'failed' ? 1 : failed;
  }
}
