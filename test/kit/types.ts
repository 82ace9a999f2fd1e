// What `tsc` judges and nothing runs. Its files are named `*.types.ts`, because vitest would count a test that cannot fail.

/** A claim about types. Each line in the function must compile, or has `@ts-expect-error`. */
export function claim(_says: string, _holds: () => unknown): void {}
