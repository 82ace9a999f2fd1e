import { join } from 'node:path';

// The packages of this repository are links, which point to folders above the app.
const root = join(import.meta.dirname, '../../../..');

export default { turbopack: { root }, outputFileTracingRoot: root };
