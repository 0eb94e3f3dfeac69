/**
 * How far the rebuild of an organization's rollups is, in the item that says which generation of them is read.
 *
 * Every step is one conditional write, of which two commands that run at once, or one whose answer was lost, can do
 * no harm: who is told `false` reads the state again.
 */
import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { RollupGeneration } from '../domain/rollup.ts';
import type {
  CopyProgress,
  CountProgress,
  Discard,
  Rebuild,
  RebuildPlan,
  RebuildRun,
  RebuildState,
  RebuildStore,
} from '../domain/rollup-rebuild.ts';
import type { CostRollupsTable } from './cost-rollup-item.ts';
import { findStateItem, updateStateItem } from './rollup-state-item.ts';

async function findRebuildState(table: CostRollupsTable, organizationId: string): Promise<RebuildState> {
  const item = (await findStateItem(table, organizationId)) ?? {};
  const {
    generation = 0,
    from_ms = 0,
    counts_from_ms = 0,
    last_generation = 0,
    rebuild,
    discards = [],
  } = item;
  return {
    generation,
    fromMs: from_ms,
    countsFromMs: counts_from_ms,
    lastGeneration: last_generation,
    rebuild: rebuild === undefined ? null : readRebuild(rebuild),
    isRepriced: item.reprice !== undefined,
    repricedMs: item.repriced_ms ?? 0,
    discards: discards.map(readDiscard),
  };
}

export function createRebuildStore(table: CostRollupsTable, organizationId: string): RebuildStore {
  const update = async (input: Partial<UpdateCommandInput>) =>
    (await updateStateItem(table, organizationId, input)) !== null;
  const change = ({ generation }: RollupGeneration, input: Change) => update(ofRebuild(generation, input));
  return {
    find: () => findRebuildState(table, organizationId),
    begin: (state, plan) => update(beginning(state, plan)),
    confirmTimely: (rebuild) =>
      change(rebuild, { expression: 'SET #rebuild.is_timely = :yes', values: { ':yes': true } }),
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

/** A reserved word of DynamoDB's. */
const names = { '#rebuild': 'rebuild' };

interface Change {
  expression: string;
  values: Record<string, unknown>;
}

/** Each rebuild has a generation of its own, so that it is known by that. */
function ofRebuild(generation: number, { expression, values }: Change): Partial<UpdateCommandInput> {
  return {
    UpdateExpression: expression,
    ConditionExpression: '#rebuild.generation = :rebuild',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':rebuild': generation },
  };
}

function beginning(state: RebuildState, plan: RebuildPlan & { fromMs: number }): Partial<UpdateCommandInput> {
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

function readRun(item: Record<string, unknown>): RebuildRun {
  return { startedMs: Number(item.run_ms), isOfAll: item.run_of_all === true };
}

function readRebuild(item: Record<string, unknown>): Rebuild {
  return {
    generation: Number(item.generation),
    fromMs: Number(item.from_ms),
    run: readRun(item),
    countsFromMs: Number(item.counts_from_ms),
    countsUntilMs: Number(item.counts_until_ms),
    isTimely: item.is_timely === true,
    copied: (item.copied ?? null) as CopyProgress | null,
    counted: (item.counted ?? null) as CountProgress | null,
  };
}

function readDiscard(item: Record<string, unknown>): Discard {
  return {
    generation: Number(item.generation),
    notBeforeMs: Number(item.not_before_ms),
    run: readRun(item),
  };
}
