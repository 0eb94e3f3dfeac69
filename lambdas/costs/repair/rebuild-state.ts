/**
 * Reads and writes the state of an organization's rebuild, in the state item of its rollups. `rebuild-organization.ts`
 * describes the steps of a rebuild.
 *
 * Each step is one conditional write, which makes concurrent commands and retries after a lost response safe. A step
 * resolves to `false` when the state has changed: the caller then reads it again.
 */

import {
  type Changes,
  type Condition,
  equals,
  ifNotExists,
  type Operand,
  unchanged,
} from '#lambdas/platform/dynamodb/expressions.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import type { RollupRecord } from '../rollups/row-updates.ts';
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
}

/** Fixed when a rebuild begins. */
interface RebuildPlan {
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

interface CopyProgress {
  /** The partition being copied; `null` when all are complete. */
  partition: string | null;
  /** The sort key of its last copied row. */
  after: string | null;
}

interface CountProgress {
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

export async function findRebuildState(
  table: CostRollupsTable,
  organizationId: string,
): Promise<RebuildState> {
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

export function scheduleRebuild(
  table: CostRollupsTable,
  organizationId: string,
  state: RebuildState,
  plan: RebuildPlan,
): Promise<boolean> {
  const last_generation = state.lastGeneration || undefined;
  const read = { rebuild: undefined, reprice: undefined, last_generation };
  return updateState(table, organizationId, { set: beginningOf(state, plan) }, ...unchanged(read));
}

export function confirmCutover(
  table: CostRollupsTable,
  organizationId: string,
  rebuild: Rebuild,
): Promise<boolean> {
  return setFields(table, organizationId, rebuild, { cutover_confirmed: true });
}

export function saveCopyProgress(
  table: CostRollupsTable,
  organizationId: string,
  rebuild: Rebuild,
  copied: CopyProgress,
): Promise<boolean> {
  return setFields(table, organizationId, rebuild, { copied });
}

export function saveCountProgress(
  table: CostRollupsTable,
  organizationId: string,
  rebuild: Rebuild,
  counted: CountProgress,
): Promise<boolean> {
  return setFields(table, organizationId, rebuild, { counted });
}

/** From `notBeforeMs` on, no function uses the former generation. */
export function activateRebuild(
  table: CostRollupsTable,
  organizationId: string,
  { generation, rebuild }: StateWithRebuild,
  notBeforeMs: number,
): Promise<boolean> {
  return changeRebuild(table, organizationId, rebuild, {
    set: {
      generation: rebuild.generation,
      from_ms: rebuild.cutoverMs,
      counts_from_ms: rebuild.countsFromMs,
      discards: withDiscard({ generation, notBeforeMs, run: rebuild.run }),
    },
    remove: ['rebuild'],
  });
}

/** From `notBeforeMs` on, no function uses the generation of the rebuild. */
export function abandonRebuild(
  table: CostRollupsTable,
  organizationId: string,
  rebuild: Rebuild,
  notBeforeMs: number,
): Promise<boolean> {
  const { generation, run } = rebuild;
  return changeRebuild(table, organizationId, rebuild, {
    set: { discards: withDiscard({ generation, notBeforeMs, run }) },
    remove: ['rebuild'],
  });
}

/** Call when all rows of the generation are deleted. */
export function removeDiscard(
  table: CostRollupsTable,
  organizationId: string,
  { generation }: ObsoleteGeneration,
): Promise<boolean> {
  const isFirst = equals(['discards', 0, 'generation'], generation);
  return updateState(table, organizationId, { remove: [['discards', 0]] }, isFirst);
}

function setFields(
  table: CostRollupsTable,
  organizationId: string,
  rebuild: Rebuild,
  fields: Partial<StoredRebuild>,
): Promise<boolean> {
  const set = new Map(Object.entries(fields).map(([field, value]) => [['rebuild', field] as const, value]));
  return changeRebuild(table, organizationId, rebuild, { set });
}

/** The generation number identifies the rebuild. */
function changeRebuild(
  table: CostRollupsTable,
  organizationId: string,
  { generation }: Rebuild,
  changes: Changes,
): Promise<boolean> {
  return updateState(table, organizationId, changes, equals(['rebuild', 'generation'], generation));
}

async function updateState(
  table: CostRollupsTable,
  organizationId: string,
  changes: Changes,
  ...conditions: readonly Condition[]
): Promise<boolean> {
  return (await updateStateItem(table, organizationId, changes, ...conditions)) !== null;
}

function beginningOf(state: RebuildState, plan: RebuildPlan) {
  const generation = state.lastGeneration + 1;
  return {
    generation: state.generation,
    from_ms: state.cutoverMs,
    last_generation: generation,
    rebuild: {
      generation,
      from_ms: plan.cutoverMs,
      ...runAttributes(plan.run),
      counts_from_ms: plan.countsFromMs,
      counts_until_ms: plan.countsUntilMs,
    },
  };
}

function withDiscard({ generation, notBeforeMs, run }: ObsoleteGeneration): Operand {
  const discard = { generation, not_before_ms: notBeforeMs, ...runAttributes(run) };
  return (placeholders, path) =>
    `list_append(${ifNotExists([])(placeholders, path)}, ${placeholders.value([discard])})`;
}

function runAttributes({ startedMs, coversAllOrganizations }: RebuildRun) {
  return { run_ms: startedMs, run_of_all: coversAllOrganizations };
}
