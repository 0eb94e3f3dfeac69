/** Whose rollups may lack records that Lambda gave up on: of which organization these were, it does not say. */
import type { Directory, Organization } from '#lambdas/access/directory.ts';
import { readLogEntryExtent } from '#lambdas/request-log/table/presence.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/sdk-writer.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import type { BatchLetter } from './dead-letter.ts';
import { createRebuildStore } from './rebuild-state.ts';

export interface LackingParts {
  directory: Pick<Directory, 'listOrganizations'>;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  now(): Date;
}

/** Between the clock that stamps an entry and the one that stamps its record, with a second that is cut off. */
const clockToleranceMs = 60_000;
/** A record comes so long after the request. */
const longestRequestMs = 15 * 60_000;

/** Those with entries that have not been rebuilt since, or only in part of that time. */
export async function findLacking(parts: LackingParts, batch: BatchLetter): Promise<string[]> {
  const lacking: string[] = [];
  for (const organization of await parts.directory.listOrganizations()) {
    if (await isLacking(parts, organization, batch)) lacking.push(organization.id);
  }
  return lacking;
}

async function isLacking(
  { logEntries, costRollups }: LackingParts,
  { id, created_at, log_shards }: Organization,
  { firstMs, lastMs }: BatchLetter,
): Promise<boolean> {
  if (Date.parse(created_at) > lastMs + clockToleranceMs) return false;
  const { fromMs, countsFromMs } = await createRebuildStore(costRollups, id).find();
  const isRebuilt = fromMs > lastMs + clockToleranceMs && countsFromMs <= firstMs - longestRequestMs;
  return !isRebuilt && (await readLogEntryExtent(logEntries, id, log_shards)) !== null;
}
