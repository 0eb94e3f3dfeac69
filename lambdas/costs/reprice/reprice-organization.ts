/**
 * Prices the entries of one organization again, in all of its shards.
 *
 * It can be stopped or killed at any moment and started again. Each change is one conditional write, after which the
 * entry has its price and needs none; the rollups follow by the difference that the table's stream brings. So what is
 * done twice, because the progress is saved only from time to time, changes nothing.
 */
import type { Directory } from '#lambdas/access/directory.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { changePrice, type PriceChangeResult } from '#lambdas/request-log/table/change-price.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { acquireLock, type RepriceLock } from './lock.ts';
import { newPriceOf, type Repricing } from './new-price.ts';
import type { RepriceProgress } from './run.ts';

export interface RepriceDependencies {
  directory: Pick<Directory, 'logShardsOf'>;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  now(): Date;
  pause(ms: number): Promise<void>;
}

export interface RepriceTask {
  /** From `taskName`: only a run of the same task continues what this one left. */
  name: string;
  repricing: Repricing;
  startMs: number;
  /** Exclusive; a task that began earlier keeps its own end. */
  endMs: number;
  isDryRun: boolean;
  mayResume: boolean;
}

export interface RepriceCounts {
  read: number;
  /** Entries that have another price now. */
  changed: number;
  /** Entries that have usage and still no price. */
  stillUnknown: number;
  /** The present cost of the changed entries minus their former cost. */
  difference: Usd;
}

export const noCounts: RepriceCounts = { read: 0, changed: 0, stillUnknown: 0, difference: '0' };

export interface RepriceJob {
  dependencies: RepriceDependencies;
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

/**
 * Rejects when the signal aborts; a later run then continues where this one stopped. Resolves to the time up to which
 * entries were read.
 */
export async function repriceOrganization(job: RepriceJob): Promise<{ endMs: number }> {
  const { dependencies, task, organizationId, signal } = job;
  if (task.isDryRun) {
    const progress = { task: task.name, untilMs: task.endMs, nextShard: 0, reached: {} };
    await repriceShards(job, progress, null);
    return { endMs: task.endMs };
  }
  const hold = await acquireLock({
    table: dependencies.costRollups,
    organizationId,
    task: task.name,
    untilMs: task.endMs,
    mayResume: task.mayResume,
    now: dependencies.now,
  });
  if (hold.isResumed) job.onResume();
  try {
    await repriceShards(job, hold.progress, hold);
  } catch (error) {
    // After any other failure a change may still be in flight.
    if (error === signal.reason) await hold.release();
    throw error;
  }
  await hold.end();
  return { endMs: hold.progress.untilMs };
}

/** A dry run has no hold. */
async function repriceShards(
  job: RepriceJob,
  progress: RepriceProgress,
  hold: RepriceLock | null,
): Promise<void> {
  const count = await job.dependencies.directory.logShardsOf(job.organizationId);
  const started = Object.keys(progress.reached).map(Number);
  const waiting = Array.from({ length: count }, (_, shard) => shard).slice(progress.nextShard);
  const failed = new AbortController();
  const shardJob = { ...job, signal: AbortSignal.any([job.signal, failed.signal]) };
  await forEachConcurrently([...started, ...waiting], shardsAtOnce, async (shard) => {
    try {
      await repriceShard(shardJob, progress, hold, shard);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
}

async function repriceShard(
  job: RepriceJob,
  progress: RepriceProgress,
  hold: RepriceLock | null,
  shard: number,
): Promise<void> {
  const { dependencies, task, organizationId, signal, onPage } = job;
  progress.nextShard = Math.max(progress.nextShard, shard + 1);
  progress.reached[shard] ??= '';
  const pages = readLogEntryPages(dependencies.logEntries, {
    organizationId,
    shard,
    window: { startMs: task.startMs, endMs: progress.untilMs },
    after: progress.reached[shard],
  });
  for await (const page of pages) {
    signal.throwIfAborted();
    await repricePage(job, hold, page);
    const reachedId = page.at(-1)?.entry.id;
    if (reachedId === undefined) continue;
    progress.reached[shard] = reachedId;
    onPage(reachedId);
    await hold?.save();
  }
  delete progress.reached[shard];
}

/**
 * 200 changes a second, each of up to two write units: what the partitions of a shard have left beside 500 requests a
 * second, so that no request's own entry is throttled because of this.
 */
const changesAtOnce = 6;
const changesIntervalMs = 30;

async function repricePage(
  job: RepriceJob,
  hold: RepriceLock | null,
  page: readonly StoredLogEntry[],
): Promise<void> {
  const { dependencies, task, counts, signal } = job;
  counts.read += page.length;
  const changing = page.filter(({ entry }) => newPriceOf(entry, task.repricing) !== null);
  counts.stillUnknown += page.filter(isUnknown).length - changing.filter(isUnknown).length;
  for (let from = 0; from < changing.length; from += changesAtOnce) {
    signal.throwIfAborted();
    const some = changing.slice(from, from + changesAtOnce);
    await Promise.all([
      hold === null ? null : dependencies.pause(changesIntervalMs),
      forEachConcurrently(some, changesAtOnce, (stored) => repriceEntry(job, hold, stored)),
    ]);
  }
}

function isUnknown({ entry }: StoredLogEntry): boolean {
  return entry.pricing === 'unknown';
}

/** Another run may have changed the entry since it was read, or it may have expired. */
async function repriceEntry(
  job: RepriceJob,
  hold: RepriceLock | null,
  stored: StoredLogEntry,
): Promise<void> {
  const { counts, task } = job;
  let current: StoredLogEntry | null = stored;
  while (current !== null) {
    const price = newPriceOf(current.entry, task.repricing);
    if (price === null) return;
    const result = await change(job, hold, current, price);
    if (result.isWritten) {
      counts.changed += 1;
      counts.difference = addUsd(counts.difference, subtractUsd(price.cost_usd, current.entry.cost_usd));
      return;
    }
    current = result.current;
  }
}

async function change(
  { dependencies: { logEntries, now } }: RepriceJob,
  hold: RepriceLock | null,
  stored: StoredLogEntry,
  price: Price,
): Promise<PriceChangeResult> {
  if (hold === null) return { isWritten: true };
  await hold.confirm();
  const writtenAtMs = Math.max(now().getTime(), stored.writtenAtMs + 1, hold.rollupsFromMs);
  return changePrice(logEntries, { stored, price, writtenAtMs });
}
