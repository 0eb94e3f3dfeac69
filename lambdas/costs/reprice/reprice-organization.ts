/**
 * Reprices the entries of one organization, in all of its shards.
 *
 * The job can be stopped or killed at any time and restarted. Each change is one conditional write, and the rollups are
 * updated by the difference through the table's stream. A repriced entry needs no change, so repeating work since the last
 * saved progress has no effect.
 */
import type { Directory } from '#lambdas/access/directory.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
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
  name: string;
  repricing: Repricing;
  startMs: number;
  /** Exclusive. A resumed task keeps its original end. */
  endMs: number;
  isDryRun: boolean;
  mayResume: boolean;
}

export interface RepriceCounts {
  read: number;
  changed: number;
  /** Entries that have usage but still no price. */
  stillUnknown: number;
  /** Entries whose price is assumed after the run, changed or not. */
  stillAssumed: number;
  /** The new cost of the changed entries minus their former cost. */
  difference: Usd;
}

export const noCounts: RepriceCounts = {
  read: 0,
  changed: 0,
  stillUnknown: 0,
  stillAssumed: 0,
  difference: '0',
};

interface RepriceJob {
  dependencies: RepriceDependencies;
  task: RepriceTask;
  organizationId: string;
  /** Updated during the job, so it is valid when the job fails. */
  counts: RepriceCounts;
  signal: AbortSignal;
  onResume(): void;
  onPage(reachedId: string): void;
}

/** Enough to use the connections of the AWS SDK. */
const maxConcurrentShards = 8;

/**
 * Resolves to the exclusive end of the window in which entries were read. Rejects when the signal aborts; a later run then
 * continues where this one stopped.
 */
export async function repriceOrganization(job: RepriceJob): Promise<{ endMs: number }> {
  const { dependencies, task, organizationId, signal } = job;
  if (task.isDryRun) {
    const progress = { task: task.name, untilMs: task.endMs, nextShard: 0, reached: {} };
    await repriceShards(job, progress, null);
    return { endMs: task.endMs };
  }
  const lock = await acquireLock({
    table: dependencies.costRollups,
    organizationId,
    task: task.name,
    untilMs: task.endMs,
    mayResume: task.mayResume,
    now: dependencies.now,
  });
  if (lock.isResumed) job.onResume();
  try {
    await repriceShards(job, lock.progress, lock);
  } catch (error) {
    // After any other error, a change may still be in flight, so the lock stays.
    if (error === signal.reason) await lock.release();
    throw error;
  }
  await lock.end();
  return { endMs: lock.progress.untilMs };
}

/** `lock` is `null` in a dry run. */
async function repriceShards(
  job: RepriceJob,
  progress: RepriceProgress,
  lock: RepriceLock | null,
): Promise<void> {
  const count = await job.dependencies.directory.logShardsOf(job.organizationId);
  const started = Object.keys(progress.reached).map(Number);
  const unstarted = Array.from({ length: count }, (_, shard) => shard).slice(progress.nextShard);
  const failure = new AbortController();
  const shardJob = { ...job, signal: AbortSignal.any([job.signal, failure.signal]) };
  await forEachConcurrently([...started, ...unstarted], maxConcurrentShards, async (shard) => {
    try {
      await repriceShard(shardJob, progress, lock, shard);
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  });
}

async function repriceShard(
  job: RepriceJob,
  progress: RepriceProgress,
  lock: RepriceLock | null,
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
    await repricePage(job, lock, page);
    const reachedId = page.at(-1)?.entry.id;
    if (reachedId === undefined) continue;
    progress.reached[shard] = reachedId;
    onPage(reachedId);
    await lock?.save();
  }
  delete progress.reached[shard];
}

/**
 * 200 changes per second, each up to two write units: the remaining capacity of a shard's partitions at 500 requests per
 * second, so that the entries of requests are not throttled.
 */
const maxConcurrentChanges = 6;
const changesIntervalMs = 30;

async function repricePage(
  job: RepriceJob,
  lock: RepriceLock | null,
  page: readonly StoredLogEntry[],
): Promise<void> {
  const { dependencies, task, counts, signal } = job;
  counts.read += page.length;
  const { kept = [], repriceable = [] } = Object.groupBy(page, ({ entry }) =>
    newPriceOf(entry, task.repricing) === null ? 'kept' : 'repriceable',
  );
  for (const { entry } of kept) countPricing(counts, entry);
  for (let from = 0; from < repriceable.length; from += maxConcurrentChanges) {
    signal.throwIfAborted();
    const batch = repriceable.slice(from, from + maxConcurrentChanges);
    await Promise.all([
      lock === null ? null : dependencies.pause(changesIntervalMs),
      forEachConcurrently(batch, maxConcurrentChanges, (stored) => repriceEntry(job, lock, stored)),
    ]);
  }
}

/** Call with the price that each entry has after the run. */
function countPricing(counts: RepriceCounts, { pricing }: Pick<LogEntry, 'pricing'>): void {
  if (pricing === 'unknown') counts.stillUnknown += 1;
  if (pricing === 'assumed') counts.stillAssumed += 1;
}

/** Retries when another run has changed the entry since it was read. Does nothing when the entry has expired. */
async function repriceEntry(
  job: RepriceJob,
  lock: RepriceLock | null,
  stored: StoredLogEntry,
): Promise<void> {
  const { counts, task } = job;
  let current: StoredLogEntry | null = stored;
  while (current !== null) {
    const price = newPriceOf(current.entry, task.repricing);
    if (price === null) return countPricing(counts, current.entry);
    const result = await writePrice(job, lock, current, price);
    if (result.isWritten) {
      counts.changed += 1;
      counts.difference = addUsd(counts.difference, subtractUsd(price.cost_usd, current.entry.cost_usd));
      countPricing(counts, price);
      return;
    }
    current = result.current;
  }
}

async function writePrice(
  { dependencies: { logEntries, now } }: RepriceJob,
  lock: RepriceLock | null,
  stored: StoredLogEntry,
  price: Price,
): Promise<PriceChangeResult> {
  if (lock === null) return { isWritten: true };
  await lock.confirm();
  const writtenAtMs = Math.max(now().getTime(), stored.writtenAtMs + 1, lock.cutoverMs);
  return changePrice(logEntries, { stored, price, writtenAtMs });
}
