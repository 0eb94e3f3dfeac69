/**
 * Prices the entries of one organization again, all of its shards.
 *
 * It can be stopped or killed at any moment and started again. Each change is one conditional write, after which the
 * entry has its price and needs none; the rollups follow by the difference that the table's stream brings. So what is
 * done twice, because the progress was kept only now and then, changes nothing.
 */
import type { Directory } from '#lambdas/access/directory.ts';
import type { Repricing } from '#lambdas/costs/reprice/new-price.ts';
import type { RepriceProgress } from '#lambdas/costs/reprice/run.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { changePrice } from '#lambdas/request-log/table/change-price.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/sdk-writer.ts';
import type { RepriceCounts } from './reprice-counts.ts';
import { type RepriceHold, takeHold } from './reprice-hold.ts';
import { type PageWork, repricePage } from './reprice-page.ts';

export interface RepriceSources {
  directory: Pick<Directory, 'logShardsOf'>;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  now(): Date;
  pause(ms: number): Promise<void>;
}

export interface RepriceTask {
  /** Says which entries are priced by which prices, so that no other task goes on with what this one left. */
  name: string;
  repricing: Repricing;
  startMs: number;
  /** Not inside; of a task that was begun earlier, its own end holds. */
  endMs: number;
  isDryRun: boolean;
  mayResume: boolean;
}

export interface RepriceJob {
  sources: RepriceSources;
  task: RepriceTask;
  organizationId: string;
  /** Kept up to date, also when the job fails. */
  counts: RepriceCounts;
  signal: AbortSignal;
  onResume(): void;
  onPage(reachedId: string): void;
}

/** As many shards as keep the connections of the AWS SDK busy. */
const shardsAtOnce = 8;

/** Rejects when the signal aborts; then a later run goes on where this one stopped. Says until when entries were read. */
export async function repriceOrganization(job: RepriceJob): Promise<{ endMs: number }> {
  const { sources, task, organizationId, signal } = job;
  if (task.isDryRun) {
    const progress: RepriceProgress = { task: task.name, untilMs: task.endMs, nextShard: 0, reached: {} };
    await repriceShards(job, { progress, hold: null });
    return { endMs: task.endMs };
  }
  const hold = await takeHold({
    table: sources.costRollups,
    organizationId,
    task: task.name,
    untilMs: task.endMs,
    mayResume: task.mayResume,
    now: sources.now,
  });
  if (hold.isResumed) job.onResume();
  try {
    await repriceShards(job, { progress: hold.progress, hold });
  } catch (error) {
    // After any other failure a change may still be under way.
    if (error === signal.reason) await hold.leave();
    throw error;
  }
  await hold.end();
  return { endMs: hold.progress.untilMs };
}

interface Held {
  progress: RepriceProgress;
  /** `null` in a dry run. */
  hold: RepriceHold | null;
}

async function repriceShards(job: RepriceJob, held: Held): Promise<void> {
  const { sources, organizationId, signal } = job;
  const { progress } = held;
  const count = await sources.directory.logShardsOf(organizationId);
  const begun = Object.keys(progress.reached).map(Number);
  const waiting = Array.from({ length: count }, (_, shard) => shard).slice(progress.nextShard);
  const failed = new AbortController();
  const shardJob = { ...job, signal: AbortSignal.any([signal, failed.signal]) };
  await forEachAtOnce([...begun, ...waiting], shardsAtOnce, async (shard) => {
    try {
      await repriceShard(shardJob, held, shard);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
}

async function repriceShard(job: RepriceJob, { progress, hold }: Held, shard: number): Promise<void> {
  const { sources, task, organizationId, signal, onPage } = job;
  progress.nextShard = Math.max(progress.nextShard, shard + 1);
  progress.reached[shard] ??= '';
  const pages = readLogEntryPages(sources.logEntries, {
    organizationId,
    shard,
    window: { startMs: task.startMs, endMs: progress.untilMs },
    after: progress.reached[shard],
  });
  const work = pageWork(job, hold);
  for await (const page of pages) {
    signal.throwIfAborted();
    await repricePage(work, page);
    const reachedId = page.at(-1)?.entry.id;
    if (reachedId === undefined) continue;
    progress.reached[shard] = reachedId;
    onPage(reachedId);
    await hold?.save();
  }
  delete progress.reached[shard];
}

function pageWork({ sources, task, counts, signal }: RepriceJob, hold: RepriceHold | null): PageWork {
  const { logEntries, now, pause } = sources;
  return {
    repricing: task.repricing,
    counts,
    signal,
    pause: hold === null ? async () => {} : pause,
    async change(stored: StoredLogEntry, price: Price) {
      if (hold === null) return { isWritten: true };
      await hold.confirm();
      const writtenAtMs = Math.max(now().getTime(), stored.writtenAtMs + 1, hold.rollupsFromMs);
      return changePrice(logEntries, { stored, price, writtenAtMs });
    },
  };
}
