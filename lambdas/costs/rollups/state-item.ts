/**
 * Reads the whole state item of an organization's rollups, for the commands that repair them. Its key is the
 * organization's id and `state`; an attribute that is missing says that its step was never taken. Times are in
 * milliseconds since 1970.
 *
 * - `generation`, `from_ms`: the rows that are read, and from when on the stream has brought what they hold. The rollup
 *   function and reports need these and `rebuild` alone: `state.ts` reads them without zod.
 * - `counts_from_ms`: from when on those rows were counted from entries; what is older was copied.
 * - `last_generation`: the highest number given to a generation.
 * - `rebuild`: the generation that is being built, from when on the stream adds to it, and how far the rebuild has come.
 * - `discards`: the generations that are to be deleted, and when.
 * - `reprice`: the run of `costs reprice` that holds the organization; it and `rebuild` exclude each other.
 * - `reprice_progress`: the part of the reprice that is left, also while no run holds the organization.
 * - `repriced_ms`: when the last such run ended.
 *
 * `repair/rebuild-state.ts` writes what belongs to rebuilds, and `reprice/run.ts` what begins with `reprice`.
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

/** Strongly consistent. */
export async function readStateItem(table: CostRollupsTable, organizationId: string): Promise<StoredState> {
  return parseStateItem(organizationId, (await findStateItem(table, organizationId)) ?? {});
}

/** Throws an `Error` that names the field at fault. */
export function parseStateItem(organizationId: string, item: StateItem): StoredState {
  const { success, data, error } = stateItem.safeParse(item);
  if (success) return data;
  const fields = error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new Error(
    `The state of the rollups of ${organizationId} cannot be read (${fields}): use the version of the command line that wrote it`,
  );
}
