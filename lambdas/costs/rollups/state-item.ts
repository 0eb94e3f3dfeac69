/**
 * Reads the complete state item of an organization's rollups, for the repair commands. Its key is the organization's id and
 * `state`; a missing attribute means that its step has never happened. Times are in milliseconds since 1970.
 *
 * - `generation`, `from_ms`: the active generation, and its cutover: from then on the stream adds to it. The rollup function
 *   and reports need only these and `rebuild`: `state.ts` reads them without zod.
 * - `counts_from_ms`: rows from this time on were counted from entries; older rows were copied.
 * - `last_generation`: the highest generation number ever assigned.
 * - `rebuild`: the generation under construction, its cutover and the progress of the rebuild.
 * - `discards`: obsolete generations, each with the time from which it may be deleted.
 * - `reprice`: the run of `costs reprice` that has locked the organization. Mutually exclusive with `rebuild`.
 * - `reprice_progress`: the progress of an unfinished reprice, also while no run has the lock.
 * - `repriced_ms`: when the last reprice ended.
 * - `restored_until_ms`: until then, there may be marks of restored entries.
 * - `organization_counter`, `key_counters`: true if the organization and its keys may have counters of budgets.
 * - `counter_changes`: the number of times that one of these flags was stored.
 *
 * `repair/rebuild-state.ts` writes the attributes of rebuilds, and `reprice/run.ts` those that begin with `reprice`.
 */
import { z } from 'zod';
import type { CostRollupsTable } from './item.ts';
import { findStateItem, type StateItem } from './state.ts';

const count = z.number().int().nonnegative();
const timestampMs = z.number().nonnegative();
const run = { run_ms: timestampMs, run_of_all: z.boolean() };

const storedRebuild = z.object({
  ...run,
  generation: count,
  from_ms: timestampMs,
  counts_from_ms: timestampMs,
  counts_until_ms: timestampMs,
  cutover_confirmed: z.boolean().default(false),
  copied: z
    .object({ partition: z.string().nullable(), after: z.string().nullable() })
    .nullable()
    .default(null),
  counted: z.object({ after: z.string(), entries: count }).nullable().default(null),
});

const stateItem = z.object({
  generation: count.default(0),
  from_ms: timestampMs.default(0),
  counts_from_ms: timestampMs.default(0),
  last_generation: count.default(0),
  rebuild: storedRebuild.nullable().default(null),
  discards: z.array(z.object({ ...run, generation: count, not_before_ms: timestampMs })).default([]),
  reprice: z.object({ run: z.string(), started_at: z.string() }).nullable().default(null),
  repriced_ms: timestampMs.default(0),
  reprice_progress: z
    .object({
      task: z.string(),
      until_ms: timestampMs,
      next_shard: count,
      reached: z.record(z.string().regex(/^\d+$/), z.string()),
    })
    .nullable()
    .default(null),
});

export type StoredRebuild = z.output<typeof storedRebuild>;
export type StoredState = z.output<typeof stateItem>;

export async function readStateItem(table: CostRollupsTable, organizationId: string): Promise<StoredState> {
  return parseStateItem(organizationId, (await findStateItem(table, organizationId)) ?? {});
}

/** Throws an `Error` that names the invalid fields. */
export function parseStateItem(organizationId: string, item: StateItem): StoredState {
  const { success, data, error } = stateItem.safeParse(item);
  if (success) return data;
  const fields = error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new Error(
    `The rollup state of ${organizationId} has invalid fields (${fields}): use the version of the command line that wrote it`,
  );
}
