import { lazy } from '#lambdas/platform/lazy.ts';

/** Needed only when a response has ended, and therefore no part of a cold start. */
export const loadRecording = lazy(async () => {
  const [{ billOf }, { completionLine }] = await Promise.all([
    import('./bill.ts'),
    import('./completion-line.ts'),
  ]);
  return { billOf, completionLine };
});
