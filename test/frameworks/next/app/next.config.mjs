import { join } from 'node:path';

// The root is the repository, because the packages are links that point to folders above the app.
const root = join(import.meta.dirname, '../../../..');

export default { turbopack: { root }, outputFileTracingRoot: root };
