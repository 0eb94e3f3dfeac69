/** Raises the number of write shards of organizations. */
import { runOperation } from '#lambdas/audit/audit-trail.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { compares, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { maxTransactionItems } from '#lambdas/platform/dynamodb/transaction.ts';
import type { Organization, OrganizationChanges } from '../directory.ts';
import {
  changeItem,
  type DirectoryTable,
  organizationKey,
  recordKeyOf,
  updateRecordIf,
} from '../directory-table.ts';
import { listKeyRecords } from '../keys/read.ts';
import { organizationEvent } from './change.ts';
import { type OrganizationWithKeys, readOrganizationWithKeys, toOrganization } from './read.ts';

export function createLogShardRaise(table: DirectoryTable): Pick<OrganizationChanges, 'raiseLogShards'> {
  return {
    async raiseLogShards(organizationId, requested, audit) {
      for (;;) {
        const read = await readOrganizationWithKeys(table, organizationId);
        if (read === null || read.organization.deleted_at !== undefined) return null;
        const { organization, keys } = read;
        const raise = { table, read, logShards: Math.max(organization.log_shards, requested) };
        const lagging = keys.filter(({ log_shards }) => Number(log_shards) < raise.logShards);
        // Keys lag behind their organization after an interruption.
        if (organization.log_shards === raise.logShards && lagging.length === 0) return organization;
        const event = organizationEvent('organization.scaled', organization, {
          before: { log_shards: organization.log_shards },
          after: { log_shards: raise.logShards },
        });
        if (1 + lagging.length >= maxTransactionItems) {
          let raised = organization;
          await runOperation(audit, event, async () => {
            raised = await raiseInSteps(raise);
            return { log_shards: raised.log_shards };
          });
          return raised;
        }
        const items = [organizationItem(raise), ...lagging.map((key) => keyItem(raise, key))];
        const failed = await audit.transact({ event, items });
        if (failed.length === 0) return { ...organization, log_shards: raise.logShards };
      }
    },
  };
}

interface Raise {
  table: DirectoryTable;
  read: OrganizationWithKeys;
  /** Not lower than the organization's number. */
  logShards: number;
}

/** Readers must know a shard before keys write to it: at once with them, or earlier. */
function organizationItem({ table, read: { organization, keysCreated }, logShards }: Raise) {
  const { id, log_shards } = organization;
  return changeItem(table, organizationKey(id), {
    set: { log_shards: logShards },
    unchanged: { log_shards, keys_created: keysCreated, deleted_at: undefined },
  });
}

function keyItem({ table, logShards }: Raise, key: Item) {
  const { log_shards } = key;
  return changeItem(table, recordKeyOf(key), { set: { log_shards: logShards }, unchanged: { log_shards } });
}

async function raiseInSteps({ table, read, logShards }: Raise): Promise<Organization> {
  const { id } = read.organization;
  const raiseRecord = (Key: Item) =>
    updateRecordIf(table, {
      Key,
      ...updateExpressions({ set: { log_shards: logShards } }, compares('log_shards', '<', logShards)),
    });
  const item = await raiseRecord(organizationKey(id));
  if (item === null) throw new Error(`Organization ${id} does not exist any more`);
  // Keys that are created from now on have its number.
  const keys = await listKeyRecords(table, id);
  await forEachConcurrently(keys, maxConnections, async (key) => {
    await raiseRecord(recordKeyOf(key));
  });
  return toOrganization(item);
}
