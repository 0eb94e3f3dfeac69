/** Prices the entries of several organizations again, one after the other. */

import type { Organization } from '#lambdas/access/directory.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import {
  noCounts,
  type RepriceCounts,
  type RepriceDependencies,
  type RepriceTask,
  repriceOrganization,
} from './reprice-organization.ts';
import { findRepriceProgress } from './run.ts';

export interface RepricedOrganization {
  organizationId: string;
  /** The end of the window in which entries were read; an earlier run that is continued had an end of its own. */
  endMs: number;
  counts: RepriceCounts;
}

export interface RepriceWork {
  dependencies: RepriceDependencies;
  organizations: readonly Organization[];
  task: RepriceTask;
  job: Pick<LongJob, 'signal' | 'report' | 'note'>;
  /** Called before the work on an organization, which keeps the object up to date. */
  onBegin(organization: RepricedOrganization): void;
}

export async function repriceOrganizations(work: RepriceWork): Promise<void> {
  const { dependencies, task, job, onBegin } = work;
  for (const { id: organizationId } of await organizationsLeft(work)) {
    job.signal.throwIfAborted();
    const repriced = { organizationId, endMs: task.endMs, counts: { ...noCounts } };
    onBegin(repriced);
    const { endMs } = await repriceOrganization({
      dependencies,
      task,
      organizationId,
      counts: repriced.counts,
      signal: job.signal,
      onResume: () =>
        job.note(`${organizationId}: continuing where an earlier run stopped (--restart begins anew)`),
      onPage: (reachedId) => {
        const { read, changed } = repriced.counts;
        const reached = new Date(timestampOfLogId(reachedId)).toISOString();
        job.report(`${organizationId}: ${read} entries read, ${changed} changed, at ${reached}`);
      },
    });
    repriced.endMs = endMs;
  }
}

/** Leaves out those before the one in which an earlier run stopped: they are done. */
async function organizationsLeft(work: RepriceWork): Promise<readonly Organization[]> {
  const { dependencies, organizations, task, job } = work;
  if (task.isDryRun || !task.mayResume) return organizations;
  for (const [index, { id }] of organizations.entries()) {
    const progress = await findRepriceProgress(dependencies.costRollups, id);
    if (progress?.task !== task.name) continue;
    if (index > 0) job.note(`an earlier run has done the organizations before ${id}`);
    return organizations.slice(index);
  }
  return organizations;
}

export function totalCounts(organizations: readonly RepricedOrganization[]): RepriceCounts {
  return organizations.reduce(
    (total, { counts }) => ({
      read: total.read + counts.read,
      changed: total.changed + counts.changed,
      stillUnknown: total.stillUnknown + counts.stillUnknown,
      difference: addUsd(total.difference, counts.difference),
    }),
    noCounts,
  );
}
