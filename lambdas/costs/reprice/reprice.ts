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
  endMs: number;
  counts: RepriceCounts;
}

interface RepriceRequest {
  dependencies: RepriceDependencies;
  organizations: readonly Organization[];
  task: RepriceTask;
  job: Pick<LongJob, 'signal' | 'report' | 'note'>;
  /** Called before each organization with an object that is updated during the work. */
  onBegin(organization: RepricedOrganization): void;
}

export async function repriceOrganizations(request: RepriceRequest): Promise<void> {
  const { dependencies, task, job, onBegin } = request;
  for (const { id: organizationId } of await remainingOrganizations(request)) {
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
        job.note(`${organizationId}: continuing where an earlier run stopped (use --restart to start again)`),
      onPage: (reachedId) => {
        const { read, changed } = repriced.counts;
        const reached = new Date(timestampOfLogId(reachedId)).toISOString();
        job.report(`${organizationId}: ${read} entries read, ${changed} changed, at ${reached}`);
      },
    });
    repriced.endMs = endMs;
  }
}

/** Skips the organizations before the one in which an earlier run stopped: they are complete. */
async function remainingOrganizations(request: RepriceRequest): Promise<readonly Organization[]> {
  const { dependencies, organizations, task, job } = request;
  if (task.isDryRun || !task.mayResume) return organizations;
  for (const [index, { id }] of organizations.entries()) {
    const progress = await findRepriceProgress(dependencies.costRollups, id);
    if (progress?.task !== task.name) continue;
    if (index > 0) job.note(`an earlier run has completed the organizations before ${id}`);
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
      stillAssumed: total.stillAssumed + counts.stillAssumed,
      difference: addUsd(total.difference, counts.difference),
    }),
    noCounts,
  );
}
