import { chromium } from './chromium.ts';
import { programs } from './programs.ts';
import type { Runtime } from './runtime.ts';
import { workerd } from './workerd.ts';

/** Where the packages are promised to work. */
export const runtimes: readonly Runtime[] = [...programs, workerd(), chromium];
