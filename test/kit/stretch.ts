// Time limits of the service are long in tests, so that a slow machine changes no result. A test of a limit sets its own.
import { stretchTimeLimits } from '../../packages/server/src/base/time-limit.ts';

stretchTimeLimits(Number(process.env['TEST_STRETCH'] ?? 1));
