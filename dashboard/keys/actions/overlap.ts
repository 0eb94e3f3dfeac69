/** How long a key works beside the one that replaces it. */

import { hourSeconds } from '#lambdas/platform/duration.ts';

export const overlaps = {
  '1-hour': { label: '1 hour', seconds: hourSeconds },
  '24-hours': { label: '24 hours', seconds: 24 * hourSeconds },
  '7-days': { label: '7 days', seconds: 7 * 24 * hourSeconds },
  '30-days': { label: '30 days', seconds: 30 * 24 * hourSeconds },
} as const;

export type Overlap = keyof typeof overlaps;

/** Returns when the old key ends: not later than it would have expired anyway. */
export function overlapEnd(overlap: Overlap, expiresAt: string | null, now: Date): Date {
  const endMs = now.getTime() + overlaps[overlap].seconds * 1000;
  return new Date(expiresAt === null ? endMs : Math.min(endMs, Date.parse(expiresAt)));
}
