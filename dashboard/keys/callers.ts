/**
 * The users and prompts of a key. No report has those of one key alone, so its newest entries are counted, which is enough to
 * know whom to ask.
 */
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { addUsd } from '#lambdas/platform/money.ts';

export const maxCountedEntries = 100;

export type CallerField = 'user_id' | 'prompt_id';

export interface Caller {
  value: string;
  requests: number;
  costUsd: string;
}

/** The values of the field, the most frequent first. Entries without a value are left out. */
export function callersOf(entries: readonly ListedLogEntry[], field: CallerField): Caller[] {
  return [...Map.groupBy(entries, (entry) => entry[field])]
    .flatMap(([value, group]) =>
      value === null
        ? []
        : [
            {
              value,
              requests: group.length,
              costUsd: group.reduce((sum, { cost_usd: cost }) => addUsd(sum, cost), '0'),
            },
          ],
    )
    .toSorted((one, other) => other.requests - one.requests);
}
