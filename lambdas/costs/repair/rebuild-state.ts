/**
 * Reads and writes the state of an organization's rebuild, in the state item of its rollups. `rebuild-organization.ts`
 * describes the steps of a rebuild.
 */

import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import type { RollupRecord } from '../rollups/increments.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { generationsAt, type RollupGeneration, updateStateItem } from '../rollups/state.ts';
import { readStateItem, type StoredRebuild } from '../rollups/state-item.ts';

/** A run of `rollups rebuild`. A resumed run skips the organizations that it has finished. */
export interface RebuildRun {
  startedMs: number;
  coversAllOrganizations: boolean;
}

export interface OrganizationRun {
  organizationId: string;
  run: RebuildRun;
  store: RebuildStore;
}

/** Fixed when a rebuild begins. */
export interface RebuildPlan {
  run: RebuildRun;
  cutoverMs: number;
  /** Entries from this time on, the start of a day, are counted; earlier rows are copied. 0 when there are none. */
  countsFromMs: number;
  /** The earliest expiry of these entries: a count that ends earlier is complete. */
  countsUntilMs: number;
}

export interface Rebuild extends RollupGeneration, RebuildPlan {
  /**
   * True when the rebuild was in the state before `cutoverMs`. Otherwise an invocation of the rollup function may have
   * missed the cutover.
   */
  cutoverConfirmed: boolean;
  copied: CopyProgress | null;
  counted: CountProgress | null;
}

export interface CopyProgress {
  /** The partition being copied; `null` when all are complete. */
  partition: string | null;
  /** The sort key of its last copied row. */
  after: string | null;
}

export interface CountProgress {
  after: string;
  entries: number;
}

export interface ObsoleteGeneration {
  generation: number;
  /** From this time on, no function reads it or adds to it. */
  notBeforeMs: number;
  run: RebuildRun;
}

export interface RebuildState extends RollupGeneration {
  /** Rows from before this time were copied instead of counted; 0 when none were. */
  countsFromMs: number;
  /** The highest generation number ever assigned. Numbers are never reused. */
  lastGeneration: number;
  rebuild: Rebuild | null;
  /** True while `costs reprice` has locked the organization: no rebuild can begin. */
  isBeingRepriced: boolean;
  /** The end of the last reprice; 0 when there was none. */
  lastRepricedMs: number;
  discards: ObsoleteGeneration[];
}

export interface StateWithRebuild extends RebuildState {
  rebuild: Rebuild;
}

/**
 * Each step is one conditional write, which makes concurrent commands and retries after a lost response safe. A step
 * resolves to `false` when the state has changed: the caller then reads it again.
 */
export interface RebuildStore {
  find(): Promise<RebuildState>;
  begin(state: RebuildState, plan: RebuildPlan): Promise<boolean>;
  confirmCutover(rebuild: Rebuild): Promise<boolean>;
  saveCopied(rebuild: Rebuild, progress: CopyProgress): Promise<boolean>;
  saveCounted(rebuild: Rebuild, progress: CountProgress): Promise<boolean>;
  finish(state: RebuildState, rebuild: Rebuild, notBeforeMs: number): Promise<boolean>;
  abandon(rebuild: Rebuild, notBeforeMs: number): Promise<boolean>;
  /** Call when all rows of the generation are deleted. */
  removeDiscard(discard: ObsoleteGeneration): Promise<boolean>;
}

export type NotReplayable = 'being rebuilt' | 'counted by a rebuild' | 'copied by a rebuild';

/**
 * The generations that do not include a quarantined record, or the reason why it cannot be replayed. A rebuild that counts
 * entries includes the record. Copied rows may include it, since an earlier rebuild may have counted it.
 */
export function generationsMissing(state: RebuildState, record: RollupRecord): number[] | NotReplayable {
  const { entry, writtenAtMs } = record;
  const createdMs = timestampOfLogId(entry.id);
  if (state.rebuild !== null && createdMs < state.rebuild.countsFromMs) return 'being rebuilt';
  if (writtenAtMs >= state.cutoverMs) return generationsAt(state, writtenAtMs);
  return createdMs < state.countsFromMs ? 'copied by a rebuild' : 'counted by a rebuild';
}

async function findRebuildState(table: CostRollupsTable, organizationId: string): Promise<RebuildState> {
  const item = await readStateItem(table, organizationId);
  return {
    generation: item.generation,
    cutoverMs: item.from_ms,
    countsFromMs: item.counts_from_ms,
    lastGeneration: item.last_generation,
    rebuild: item.rebuild === null ? null : rebuildFromItem(item.rebuild),
    isBeingRepriced: item.reprice !== null,
    lastRepricedMs: item.repriced_ms,
    discards: item.discards.map(({ generation, not_before_ms, ...run }) => ({
      generation,
      notBeforeMs: not_before_ms,
      run: runFromItem(run),
    })),
  };
}

function rebuildFromItem(item: StoredRebuild): Rebuild {
  return {
    generation: item.generation,
    cutoverMs: item.from_ms,
    run: runFromItem(item),
    countsFromMs: item.counts_from_ms,
    countsUntilMs: item.counts_until_ms,
    cutoverConfirmed: item.cutover_confirmed,
    copied: item.copied,
    counted: item.counted,
  };
}

function runFromItem({ run_ms, run_of_all }: Pick<StoredRebuild, 'run_ms' | 'run_of_all'>): RebuildRun {
  return { startedMs: run_ms, coversAllOrganizations: run_of_all };
}

export function createRebuildStore(table: CostRollupsTable, organizationId: string): RebuildStore {
  const update = async (input: Partial<UpdateCommandInput>) =>
    (await updateStateItem(table, organizationId, input)) !== null;
  const change = ({ generation }: RollupGeneration, input: Change) =>
    update(conditionalOnRebuild(generation, input));
  return {
    find: () => findRebuildState(table, organizationId),
    begin: (state, plan) => update(beginUpdate(state, plan)),
    confirmCutover: (rebuild) =>
      change(rebuild, { expression: 'SET #rebuild.cutover_confirmed = :yes', values: { ':yes': true } }),
    saveCopied: (rebuild, progress) =>
      change(rebuild, { expression: 'SET #rebuild.copied = :progress', values: { ':progress': progress } }),
    saveCounted: (rebuild, progress) =>
      change(rebuild, { expression: 'SET #rebuild.counted = :progress', values: { ':progress': progress } }),
    finish: (state, rebuild, notBeforeMs) =>
      change(rebuild, {
        expression: `SET generation = :new, from_ms = :from, counts_from_ms = :counts, ${addDiscard} REMOVE #rebuild`,
        values: {
          ':new': rebuild.generation,
          ':from': rebuild.cutoverMs,
          ':counts': rebuild.countsFromMs,
          ...discardValues({ generation: state.generation, notBeforeMs, run: rebuild.run }),
        },
      }),
    abandon: (rebuild, notBeforeMs) =>
      change(rebuild, {
        expression: `SET ${addDiscard} REMOVE #rebuild`,
        values: discardValues({ generation: rebuild.generation, notBeforeMs, run: rebuild.run }),
      }),
    removeDiscard: ({ generation }) =>
      update({
        UpdateExpression: 'REMOVE discards[0]',
        ConditionExpression: 'discards[0].generation = :generation',
        ExpressionAttributeValues: { ':generation': generation },
      }),
  };
}

/** `rebuild` is a reserved word in DynamoDB. */
const names = { '#rebuild': 'rebuild' };

interface Change {
  expression: string;
  values: Record<string, unknown>;
}

/** The generation number identifies the rebuild. */
function conditionalOnRebuild(
  generation: number,
  { expression, values }: Change,
): Partial<UpdateCommandInput> {
  return {
    UpdateExpression: expression,
    ConditionExpression: '#rebuild.generation = :rebuild',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':rebuild': generation },
  };
}

function beginUpdate(state: RebuildState, plan: RebuildPlan): Partial<UpdateCommandInput> {
  const last = state.lastGeneration;
  const isUnchanged = last === 0 ? 'attribute_not_exists(last_generation)' : 'last_generation = :last';
  return {
    UpdateExpression:
      'SET generation = :current, from_ms = :from, last_generation = :next, #rebuild = :rebuild',
    ConditionExpression: `attribute_not_exists(#rebuild) AND attribute_not_exists(reprice) AND ${isUnchanged}`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: {
      ':current': state.generation,
      ':from': state.cutoverMs,
      ':next': last + 1,
      ':rebuild': {
        generation: last + 1,
        from_ms: plan.cutoverMs,
        ...runAttributes(plan.run),
        counts_from_ms: plan.countsFromMs,
        counts_until_ms: plan.countsUntilMs,
      },
      ...(last > 0 && { ':last': last }),
    },
  };
}

const addDiscard = 'discards = list_append(if_not_exists(discards, :none), :discard)';

function discardValues({ generation, notBeforeMs, run }: ObsoleteGeneration) {
  return { ':none': [], ':discard': [{ generation, not_before_ms: notBeforeMs, ...runAttributes(run) }] };
}

function runAttributes({ startedMs, coversAllOrganizations }: RebuildRun) {
  return { run_ms: startedMs, run_of_all: coversAllOrganizations };
}
