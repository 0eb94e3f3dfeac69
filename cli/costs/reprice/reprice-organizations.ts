/** Prices the entries of several organizations again, one after the other. */

import type { Organization } from '#lambdas/access/directory.ts';
import { findRepriceProgress } from '#lambdas/costs/reprice/run.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import { noCounts, type RepriceCounts } from './reprice-counts.ts';
import { type RepriceSources, type RepriceTask, repriceOrganization } from './reprice-organization.ts';

export interface RepricedOrganization {
  organizationId: string;
  /** Until when entries were read; an earlier run that is gone on with had an end of its own. */
  endMs: number;
  counts: RepriceCounts;
}

export interface RepriceWork {
  sources: RepriceSources;
  organizations: readonly Organization[];
  task: RepriceTask;
  job: Pick<LongJob, 'signal' | 'report' | 'note'>;
  /** Given before the work on it, which keeps it up to date. */
  onBegin(organization: RepricedOrganization): void;
}

export async function repriceOrganizations(work: RepriceWork): Promise<void> {
  const { sources, task, job, onBegin } = work;
  for (const { id: organizationId } of await organizationsLeft(work)) {
    job.signal.throwIfAborted();
    const repriced = { organizationId, endMs: task.endMs, counts: { ...noCounts } };
    onBegin(repriced);
    const { endMs } = await repriceOrganization({
      sources,
      task,
      organizationId,
      counts: repriced.counts,
      signal: job.signal,
      onResume: () =>
        job.note(`${organizationId}: going on where an earlier run stopped (--restart begins anew)`),
      onPage: (reachedId) => {
        const { read, changed } = repriced.counts;
        const reached = new Date(timestampOfLogId(reachedId)).toISOString();
        job.report(`${organizationId}: ${read} entries read, ${changed} changed, at ${reached}`);
      },
    });
    repriced.endMs = endMs;
  }
}

/** A run stopped in one of them: those in front of it were done. */
async function organizationsLeft(work: RepriceWork): Promise<readonly Organization[]> {
  const { sources, organizations, task, job } = work;
  if (task.isDryRun || !task.mayResume) return organizations;
  for (const [index, { id }] of organizations.entries()) {
    const progress = await findRepriceProgress(sources.costRollups, id);
    if (progress?.task !== task.name) continue;
    if (index > 0) job.note(`an earlier run has done the organizations in front of ${id}`);
    return organizations.slice(index);
  }
  return organizations;
}
