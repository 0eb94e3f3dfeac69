/** Names a task of `costs reprice` by all that decides what it does: a task goes on only with what it left itself. */
import { createHash } from 'node:crypto';
import type { Repricing } from '#lambdas/costs/reprice/new-price.ts';

export interface TaskFacts {
  repricing: Repricing;
  /** The one that was named: of all, a run leaves out those in front of where it was stopped. */
  organization?: string;
  /** As they were given: an open end is not the same moment in each run. */
  from?: number;
  to?: number;
}

export function taskName({ repricing, organization, from, to }: TaskFacts): string {
  const { entries, table, settings } = repricing;
  const prices = Object.keys(settings)
    .sort()
    .map((name) => [name, settings[name]?.prices ?? null]);
  const facts = JSON.stringify([
    entries,
    organization ?? null,
    from ?? null,
    to ?? null,
    table.version,
    prices,
  ]);
  return createHash('sha256').update(facts).digest('base64url').slice(0, 22);
}
