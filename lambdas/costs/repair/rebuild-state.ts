/**
 * The state of the rebuild of an organization's rollups, in the item that says which generation of them is read.
 *
 * A rebuild makes a new generation of rows beside the one that is read. It counts every entry that was written before
 * an instant, `fromMs`, from the entries; the stream adds what is written from then on. When both have met, the new
 * generation is read instead of the former one, and the former one is deleted.
 *
 * Every step is one conditional write, so two commands at once, or one whose response was lost, do no harm: whoever gets
 * `false` reads the state again.
 */

import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import type { RollupRecord } from '../rollups/increments.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { generationsAt, type RollupGeneration, updateStateItem } from '../rollups/state.ts';
import { readStateItem, type StoredRebuild } from '../rollups/state-item.ts';

/** The run of the command that a rebuild is a part of: a run that continues leaves out what it had done before. */
export interface RebuildRun {
  startedMs: number;
  /** Whether it rebuilds all organizations, not one that was named. */
  isOfAll: boolean;
}

/** One organization's part in a run. */
export interface OrganizationRun {
  organizationId: string;
  run: RebuildRun;
  store: RebuildStore;
}

/** Decided when a rebuild begins. */
export interface RebuildPlan {
  run: RebuildRun;
  /** Entries that are written from this instant on come from the stream, earlier ones are counted. */
  fromMs: number;
  /** Entries from this instant on are counted, the start of a day; rows of before are copied. 0 when there are none. */
  countsFromMs: number;
  /** When the first of these entries may expire: what was counted by then is complete. */
  countsUntilMs: number;
}

export interface Rebuild extends RollupGeneration, RebuildPlan {
  /** Whether the state was seen to have it before `fromMs`; if not, the stream may not have written to it in time. */
  cutoverConfirmed: boolean;
  copied: CopyProgress | null;
  counted: CountProgress | null;
}

export interface CopyProgress {
  /** The partition that was being copied; `null` when all have been. */
  partition: string | null;
  /** The last row of it that was copied. */
  after: string | null;
}

export interface CountProgress {
  /** The last id that was counted. */
  after: string;
  entries: number;
}

/** A generation that nobody reads any more. */
export interface Discard {
  generation: number;
  /** By then everything that began to read it or to add to it has ended. */
  notBeforeMs: number;
  run: RebuildRun;
}

export interface RebuildState extends RollupGeneration {
  /** Older rows were copied from the generation before, not counted from entries. 0 when none was. */
  countsFromMs: number;
  /** The highest generation that there ever was: none is used twice. */
  lastGeneration: number;
  rebuild: Rebuild | null;
  /** Prices are being changed: nothing can be rebuilt meanwhile. */
  isRepriced: boolean;
  /** When they were changed last; 0 when they never were. */
  repricedMs: number;
  discards: Discard[];
}

/** The state while a generation is being built. */
export interface StateWithRebuild extends RebuildState {
  rebuild: Rebuild;
}

/** Each step is one conditional write; `false` says that the state is not what it was taken to be. */
export interface RebuildStore {
  /** Strongly consistent. */
  find(): Promise<RebuildState>;
  /** Begins a new generation. */
  begin(state: RebuildState, plan: RebuildPlan): Promise<boolean>;
  confirmCutover(rebuild: Rebuild): Promise<boolean>;
  saveCopied(rebuild: Rebuild, progress: CopyProgress): Promise<boolean>;
  saveCounted(rebuild: Rebuild, progress: CountProgress): Promise<boolean>;
  /** From now on the new generation is read. */
  finish(state: RebuildState, rebuild: Rebuild, notBeforeMs: number): Promise<boolean>;
  /** Gives up the new generation. */
  abandon(rebuild: Rebuild, notBeforeMs: number): Promise<boolean>;
  /** Nothing is left of the generation. */
  endDiscard(discard: Discard): Promise<boolean>;
}

export type NotMissing = 'being rebuilt' | 'counted by a rebuild' | 'copied by a rebuild';

/**
 * The generations that lack a quarantined record of the stream. A rebuild has counted it with the other entries; for days
 * that a rebuild copies it is unknown, since the rows may have had it from an earlier rebuild.
 */
export function generationsMissing(state: RebuildState, record: RollupRecord): number[] | NotMissing {
  const { entry, writtenAtMs } = record;
  const createdMs = timestampOfLogId(entry.id);
  if (state.rebuild !== null && createdMs < state.rebuild.countsFromMs) return 'being rebuilt';
  if (writtenAtMs >= state.fromMs) return generationsAt(state, writtenAtMs);
  return createdMs < state.countsFromMs ? 'copied by a rebuild' : 'counted by a rebuild';
}

async function findRebuildState(table: CostRollupsTable, organizationId: string): Promise<RebuildState> {
  const item = await readStateItem(table, organizationId);
  return {
    generation: item.generation,
    fromMs: item.from_ms,
    countsFromMs: item.counts_from_ms,
    lastGeneration: item.last_generation,
    rebuild: item.rebuild === null ? null : rebuildOf(item.rebuild),
    isRepriced: item.reprice !== null,
    repricedMs: item.repriced_ms,
    discards: item.discards.map(({ generation, not_before_ms, ...run }) => ({
      generation,
      notBeforeMs: not_before_ms,
      run: runOf(run),
    })),
  };
}

function rebuildOf(item: StoredRebuild): Rebuild {
  return {
    generation: item.generation,
    fromMs: item.from_ms,
    run: runOf(item),
    countsFromMs: item.counts_from_ms,
    countsUntilMs: item.counts_until_ms,
    cutoverConfirmed: item.cutover_confirmed,
    copied: item.copied,
    counted: item.counted,
  };
}

function runOf({ run_ms, run_of_all }: Pick<StoredRebuild, 'run_ms' | 'run_of_all'>): RebuildRun {
  return { startedMs: run_ms, isOfAll: run_of_all };
}

export function createRebuildStore(table: CostRollupsTable, organizationId: string): RebuildStore {
  const update = async (input: Partial<UpdateCommandInput>) =>
    (await updateStateItem(table, organizationId, input)) !== null;
  const change = ({ generation }: RollupGeneration, input: Change) => update(ofRebuild(generation, input));
  return {
    find: () => findRebuildState(table, organizationId),
    begin: (state, plan) => update(beginning(state, plan)),
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
          ':from': rebuild.fromMs,
          ':counts': rebuild.countsFromMs,
          ...discardValues({ generation: state.generation, notBeforeMs, run: rebuild.run }),
        },
      }),
    abandon: (rebuild, notBeforeMs) =>
      change(rebuild, {
        expression: `SET ${addDiscard} REMOVE #rebuild`,
        values: discardValues({ generation: rebuild.generation, notBeforeMs, run: rebuild.run }),
      }),
    endDiscard: ({ generation }) =>
      update({
        UpdateExpression: 'REMOVE discards[0]',
        ConditionExpression: 'discards[0].generation = :generation',
        ExpressionAttributeValues: { ':generation': generation },
      }),
  };
}

/** A reserved word of DynamoDB. */
const names = { '#rebuild': 'rebuild' };

interface Change {
  expression: string;
  values: Record<string, unknown>;
}

/** Each rebuild has a generation of its own, which identifies it. */
function ofRebuild(generation: number, { expression, values }: Change): Partial<UpdateCommandInput> {
  return {
    UpdateExpression: expression,
    ConditionExpression: '#rebuild.generation = :rebuild',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':rebuild': generation },
  };
}

function beginning(state: RebuildState, plan: RebuildPlan): Partial<UpdateCommandInput> {
  const last = state.lastGeneration;
  const isUnchanged = last === 0 ? 'attribute_not_exists(last_generation)' : 'last_generation = :last';
  return {
    UpdateExpression:
      'SET generation = :current, from_ms = :from, last_generation = :next, #rebuild = :rebuild',
    ConditionExpression: `attribute_not_exists(#rebuild) AND attribute_not_exists(reprice) AND ${isUnchanged}`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: {
      ':current': state.generation,
      ':from': state.fromMs,
      ':next': last + 1,
      ':rebuild': {
        generation: last + 1,
        from_ms: plan.fromMs,
        ...runAttributes(plan.run),
        counts_from_ms: plan.countsFromMs,
        counts_until_ms: plan.countsUntilMs,
      },
      ...(last > 0 && { ':last': last }),
    },
  };
}

const addDiscard = 'discards = list_append(if_not_exists(discards, :none), :discard)';

function discardValues({ generation, notBeforeMs, run }: Discard) {
  return { ':none': [], ':discard': [{ generation, not_before_ms: notBeforeMs, ...runAttributes(run) }] };
}

function runAttributes({ startedMs, isOfAll }: RebuildRun) {
  return { run_ms: startedMs, run_of_all: isOfAll };
}
