/** The requests of `npm run demo-data`, written to a local gateway. */
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { setBudget } from '#lambdas/limits/budgets.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { demoEntries } from '#local/demo-data/entries.ts';
import { openLocalTables } from '#local/demo-data/gateway.ts';
import { ensureDemoKeys } from '#local/demo-data/keys.ts';
import { waitUntilCounted, writeEntries } from '#local/demo-data/write.ts';
import type { LocalGateway } from '#local/local-gateway.ts';

/** Returns them, the oldest first, when the rollups have counted them. The organization has a monthly budget of 1,000 dollars. */
export async function writeDemoRequests(gateway: LocalGateway, requests: number): Promise<LogEntry[]> {
  const now = () => new Date();
  const tables = openLocalTables(gateway.connection, now);
  const { organizationId, audit, directory, budgets } = tables;
  const keys = await ensureDemoKeys(createDirectoryStore(directory), audit, organizationId);
  const entries = await demoEntries({ ...tables, keys, until: now(), requests });
  await writeEntries(tables, entries, () => {});
  await waitUntilCounted(tables, entries);
  const budget = { amountUsd: '1000', hard: false, allowsUnpriced: false };
  await setBudget({ directory, budgets }, { organizationId, keyId: null }, 'month', budget, audit);
  tables.close();
  return entries;
}
