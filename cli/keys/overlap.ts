/** How long a key works on beside the one that takes its place. */
import { InvalidArgumentError } from 'commander';

const hourMs = 3_600_000;
const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: hourMs, d: 24 * hourMs };
const longestMs = 90 * 24 * hourMs;

export const defaultOverlapMs = 24 * hourMs;

/** In milliseconds. */
export function parseOverlap(text: string): number {
  if (text === '0') return 0;
  const [, count = '', unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const overlap = Number(count) * (unitMs[unit] ?? Number.NaN);
  if (overlap <= longestMs) return overlap;
  throw new InvalidArgumentError('It is 0, or a whole number of s, m, h or d, at most 90d.');
}
