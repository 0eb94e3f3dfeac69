/** What `costs reprice` says of what it did. */

import { textTable } from '#cli/text-table.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import type { RepriceCounts } from './reprice-counts.ts';
import type { RepriceTask } from './reprice-organization.ts';
import type { RepricedOrganization } from './reprice-organizations.ts';

export interface RepriceResult {
  task: RepriceTask;
  organizations: RepricedOrganization[];
  total: RepriceCounts;
}

export function repriceSentence(
  { read, changed, difference }: RepriceCounts,
  { isDryRun }: RepriceTask,
): string {
  return `${read} entries read, ${changed} ${isDryRun ? 'to change' : 'changed'}, ${difference} $ of difference`;
}

export function repriceJson({ task, organizations, total }: RepriceResult) {
  return {
    dry_run: task.isDryRun,
    price_table: task.repricing.table.version,
    ...countsJson(total),
    organizations: organizations.map(({ organizationId, endMs, counts }) => ({
      organization_id: organizationId,
      from: new Date(task.startMs).toISOString(),
      to: new Date(endMs).toISOString(),
      ...countsJson(counts),
    })),
  };
}

function countsJson({ read, changed, stillUnknown, difference }: RepriceCounts) {
  return {
    read,
    changed,
    kept: read - changed,
    still_unknown: stillUnknown,
    cost_difference_usd: usdJson(difference),
  };
}

export function repriceText({ task, organizations, total }: RepriceResult): string {
  const row = (name: string, { read, changed, stillUnknown, difference }: RepriceCounts) =>
    [name, read, changed, read - changed, stillUnknown, difference].map(String);
  const table = textTable(
    ['ORGANIZATION', 'READ', 'CHANGED', 'KEPT', 'STILL UNKNOWN', 'DIFFERENCE IN USD'],
    [...organizations.map(({ organizationId, counts }) => row(organizationId, counts)), row('total', total)],
  );
  return task.isDryRun ? `${table}\n\nThis is what would change: nothing was written.` : table;
}
