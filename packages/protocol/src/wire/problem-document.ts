import * as z from 'zod/mini';
import { type ProblemCode, problems } from './problems.ts';
import { count } from './primitives.ts';

/** An error as it travels (RFC 9457). */
export const problemDocument = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: count,
  detail: z.string(),
  code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
});
