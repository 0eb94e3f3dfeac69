/**
 * Several actors change organizations, keys, budgets, rate limits, lists of models and routes, some at the same time, while calls fail
 * and callers are killed. A change and its audit record exist both or neither: the records tell exactly the state that is stored.
 */
import type { Scheduler } from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiKey, Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { findKeyRecords } from '#lambdas/access/keys/read.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import { type ModelList, newKeyModels, setAllowedModels } from '#lambdas/access/models/changes.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import { type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { type Actor, creatorOf } from '#lambdas/audit/record.ts';
import type { BudgetPeriod, BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { type BudgetTables, newKeyBudget, removeBudget, setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { listBudgets } from '#lambdas/limits/budgets/status.ts';
import {
  changeDefaultRateLimits,
  changeRateLimits,
  readNewKeyRateLimits,
} from '#lambdas/limits/rates/changes.ts';
import { rateLimitsOf } from '#lambdas/limits/rates/rate-limits.ts';
import { findDefaultRateLimits, listRateLimits } from '#lambdas/limits/rates/store.ts';
import { removeRoute, setRoute } from '#lambdas/routing/changes.ts';
import type { Route } from '#lambdas/routing/route.ts';
import { findRoutes } from '#lambdas/routing/store.ts';
import { apiKeyRecord, listAllApiKeys } from '#test/support/api-keys.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import {
  type AttemptOutcome,
  createFailingCaller,
  type FailingCaller,
} from '#test/support/dynamodb/failing-caller.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { type ReplayedState, replayAuditRecords } from './replay-audit-records.ts';
import { readStoredKeys } from './stored-keys.ts';

const actors: Actor[] = [
  { type: 'user', id: 'user-1', name: 'Ada', email: 'ada@example.com' },
  { type: 'user', id: 'user-2', name: null, email: 'grace@example.com' },
  { type: 'operator', id: 'arn:aws:iam::123456789012:user/operator', name: null, email: null },
];

interface Caller extends FailingCaller {
  directory: Directory;
  tables: BudgetTables;
  audit: AuditTrail;
}

let database: EmbeddedDynamoDB;
let tables: TestTables;
let callers: Caller[];
let runs = 0;
let nowMs = Date.parse('2026-11-23T12:00:00.000Z');
const now = () => new Date(nowMs++);
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
  callers = actors.map((actor) => {
    const caller = createFailingCaller(database);
    const { client } = caller;
    const auditTable = { client, tableName: tables.auditTrail, retentionDays: 400 };
    const stores = storesOf(client);
    return { ...caller, ...stores, audit: createAuditTrail(auditTable, actor, now) };
  });
});
afterAll(async () => {
  for (const { stop } of callers) stop();
  await database.stop();
});

function storesOf(client: EmbeddedDynamoDB['documentClient']) {
  const table = { client, tableName: tables.directory, now };
  const budgetCounters = { client, tableName: tables.budgetCounters };
  return { directory: createDirectoryStore(table), tables: { directoryTable: table, budgetCounters } };
}

/** Each change has its own values, so that none looks like another. */
interface Values {
  organizationId: string;
  keyId: string;
  name: string;
  number: number;
  period: BudgetPeriod;
  /** Selects an existing key. */
  selection: number;
}

const findKey = async ({ directory }: Caller, { organizationId, selection }: Values) => {
  const keys = await listAllApiKeys(directory, organizationId);
  return (
    keys[selection % keys.length] ?? apiKeyRecord({ id: 'key_unknown', organization_id: organizationId })
  );
};
const budgetOf = ({ number }: Values) => ({
  amountUsd: String(number),
  hard: number % 2 === 0,
  allowsUnpriced: false,
});
const expiryOf = ({ number }: Values) => new Date(Date.UTC(2030, 0, number)).toISOString();
const organizationScope = ({ organizationId }: Values): BudgetScope => ({ organizationId, keyId: null });
const keyScope = ({ organization_id, id }: ApiKey): BudgetScope => ({
  organizationId: organization_id,
  keyId: id,
});
/** Limits of a key are those of the first one of the keys that it has replaced. */
const firstKeyScope = ({ organization_id, id, budget_key_id }: ApiKey): BudgetScope => ({
  organizationId: organization_id,
  keyId: budget_key_id ?? id,
});
const newRateLimits = ({ number }: Values): RateLimits | null =>
  number % 4 === 0 ? null : { requests_per_minute: number, ...(number % 2 === 0 && { concurrent: number }) };
const newModels = ({ number }: Values): ModelList =>
  number % 3 === 0 ? null : [`openai/gpt-${number}`, 'route/*'];
/** Two names, so that some changes are about the same route. */
const routeId = ({ organizationId, number }: Values) => ({
  owner: organizationId,
  name: number % 2 === 0 ? 'even' : 'odd',
});
const newRoute = ({ number }: Values): Route => ({
  strategy: 'order',
  targets: [{ model: `openai/gpt-${number}`, parameters: { seed: number } }],
});
const newKeyOf = ({ audit }: Caller, { keyId, organizationId, name }: Values) =>
  apiKeyRecord({ id: keyId, organization_id: organizationId, name, created_by: creatorOf(audit.actor) });

const changes = {
  createOrganization: ({ directory, audit }: Caller, { organizationId: id, name }: Values) =>
    directory.createOrganization({ id, name, created_at: now().toISOString(), log_shards: 1 }, audit),
  renameOrganization: ({ directory, audit }: Caller, { organizationId, name }: Values) =>
    directory.renameOrganization(organizationId, name, audit),
  deleteOrganization: ({ directory, audit }: Caller, { organizationId }: Values) =>
    directory.deleteOrganization({ organizationId, audit, readMemberships: async () => [] }),
  raiseLogShards: ({ directory, audit }: Caller, { organizationId, number }: Values) =>
    directory.raiseLogShards(organizationId, number, audit),
  createKey: (caller: Caller, values: Values) =>
    caller.directory.createApiKey(newKeyOf(caller, values), values.keyId, caller.audit),
  createKeyWithBudget: (caller: Caller, values: Values) => {
    const apiKey = newKeyOf(caller, values);
    const budget = newKeyBudget(caller.tables, keyScope(apiKey), values.period, budgetOf(values));
    return caller.directory.createApiKey(apiKey, values.keyId, caller.audit, budget);
  },
  renameKey: async (caller: Caller, values: Values) => {
    const { organization_id, id } = await findKey(caller, values);
    return caller.directory.renameApiKey(organization_id, id, values.name, caller.audit);
  },
  expireKey: async (caller: Caller, values: Values) => {
    const { organization_id, id } = await findKey(caller, values);
    return caller.directory.changeApiKeyExpiry(organization_id, id, expiryOf(values), caller.audit);
  },
  revokeKey: async (caller: Caller, values: Values) => {
    const { organization_id, id } = await findKey(caller, values);
    return caller.directory.revokeApiKey(organization_id, id, caller.audit);
  },
  rotateKey: async ({ directory, audit, ...caller }: Caller, values: Values) => {
    const organization = await directory.findOrganization(values.organizationId);
    if (organization === null) return null;
    const old = await findKey({ directory, audit, ...caller }, values);
    // Some of them revoke the old key.
    const overlapMs = values.number % 3 === 0 ? 0 : 86_400_000 * values.number;
    return rotateApiKey({ directory }, { organization, old, overlapMs, audit });
  },
  setOrganizationBudget: ({ tables, audit }: Caller, values: Values) =>
    setBudget(tables, organizationScope(values), values.period, budgetOf(values), audit),
  removeOrganizationBudget: ({ tables, audit }: Caller, values: Values) =>
    removeBudget(tables, organizationScope(values), values.period, audit),
  setKeyBudget: async (caller: Caller, values: Values) => {
    const scope = keyScope(await findKey(caller, values));
    return setBudget(caller.tables, scope, values.period, budgetOf(values), caller.audit);
  },
  removeKeyBudget: async (caller: Caller, values: Values) => {
    const scope = keyScope(await findKey(caller, values));
    return removeBudget(caller.tables, scope, values.period, caller.audit);
  },
  setOrganizationRateLimits: ({ tables, audit }: Caller, values: Values) =>
    changeRateLimits(
      tables.directoryTable,
      organizationScope(values),
      (limits) => rateLimitsOf({ ...limits, ...newRateLimits(values) }),
      audit,
    ),
  setKeyRateLimits: async (caller: Caller, values: Values) => {
    const scope = firstKeyScope(await findKey(caller, values));
    return changeRateLimits(caller.tables.directoryTable, scope, () => newRateLimits(values), caller.audit);
  },
  setDefaultRateLimits: ({ tables, audit }: Caller, values: Values) =>
    changeDefaultRateLimits(
      tables.directoryTable,
      { organizationId: values.organizationId, name: 'new_keys' },
      () => newRateLimits(values),
      audit,
    ),
  createKeyWithRateLimits: async (caller: Caller, values: Values) => {
    const apiKey = newKeyOf(caller, values);
    const limits = await readNewKeyRateLimits(caller.tables.directoryTable, apiKey, 'other');
    const also = limits === null ? [] : [limits.change];
    return caller.directory.createApiKey(apiKey, values.keyId, caller.audit, ...also);
  },
  setOrganizationModels: ({ tables, audit }: Caller, values: Values) =>
    setAllowedModels(tables.directoryTable, organizationScope(values), newModels(values), audit),
  setKeyModels: async (caller: Caller, values: Values) => {
    const scope = firstKeyScope(await findKey(caller, values));
    return setAllowedModels(caller.tables.directoryTable, scope, newModels(values), caller.audit);
  },
  createKeyWithModels: (caller: Caller, values: Values) => {
    const apiKey = newKeyOf(caller, values);
    const change = newKeyModels(apiKey, [`openai/gpt-${values.number}`]);
    return caller.directory.createApiKey(apiKey, values.keyId, caller.audit, change);
  },
  setRoute: ({ tables, audit }: Caller, values: Values) =>
    setRoute(tables.directoryTable, routeId(values), newRoute(values), audit),
  removeRoute: ({ tables, audit }: Caller, values: Values) =>
    removeRoute(tables.directoryTable, routeId(values), audit),
} satisfies Record<string, (caller: Caller, values: Values) => Promise<unknown>>;

const failures: AttemptOutcome[] = ['not sent', 'response lost', 'conflict', 'killed before', 'killed after'];
const outcome = fc.oneof(
  { weight: 3, arbitrary: fc.constant<AttemptOutcome>('answered') },
  { weight: 1, arbitrary: fc.constantFrom(...failures) },
);

type Kind = keyof typeof changes;

/** Kinds whose changes can be in each other's way. */
const kindGroups: Kind[][] = [
  ['createOrganization', 'renameOrganization', 'deleteOrganization', 'raiseLogShards', 'createKey'],
  ['createKey', 'renameKey', 'expireKey', 'revokeKey', 'rotateKey', 'deleteOrganization'],
  ['setOrganizationBudget', 'removeOrganizationBudget', 'renameOrganization'],
  ['createKeyWithBudget', 'setKeyBudget', 'removeKeyBudget', 'renameKey'],
  ['setOrganizationRateLimits', 'renameOrganization', 'deleteOrganization'],
  ['setKeyRateLimits', 'rotateKey', 'revokeKey'],
  ['setDefaultRateLimits', 'createKeyWithRateLimits', 'setKeyRateLimits'],
  ['setOrganizationModels', 'renameOrganization', 'deleteOrganization'],
  ['createKeyWithModels', 'setKeyModels', 'rotateKey', 'revokeKey'],
  ['setRoute', 'removeRoute', 'deleteOrganization'],
];
const kinds = fc.constantFrom(...kindGroups).chain((group) => {
  const kind = fc.constantFrom(...group);
  const several = { minLength: 1, maxLength: actors.length };
  const same = fc.tuple(kind, fc.integer({ min: 2, max: actors.length }));
  return fc.oneof(
    fc.array(kind, several),
    same.map(([each, count]) => Array.from({ length: count }, () => each)),
  );
});

interface Change extends Pick<Values, 'period' | 'selection'> {
  kind: Kind;
  organization: number;
  key: number;
  outcomes: readonly AttemptOutcome[];
  /** Whether the caller repeats a change that has failed. */
  isRepeated: boolean;
}

/** Changes of the same organization, key or budget at the same time, each by another actor. */
const step = fc
  .record({
    kinds,
    target: fc.record({
      organization: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constant(1)),
      key: fc.nat({ max: 9 }),
      selection: fc.nat({ max: 2 }),
      period: fc.constantFrom<BudgetPeriod>('day', 'month'),
    }),
    callers: fc.tuple(
      ...actors.map(() =>
        fc.record({ outcomes: fc.array(outcome, { maxLength: 8 }), isRepeated: fc.boolean() }),
      ),
    ),
  })
  .map(({ kinds, target, callers }) =>
    kinds.map(
      (kind, index): Change => ({ kind, ...target, outcomes: [], isRepeated: false, ...callers[index] }),
    ),
  );
const schedule = fc.array(step, { minLength: 1, maxLength: 10 });

const numRuns = byTestForm({ short: 15, long: 3000 });

it('writes a change and its audit record both or neither', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), schedule, async (scheduler, steps) => {
      const run = ++runs;
      let number = 1;
      const start = (of: Change, caller: Caller) => {
        number++;
        const values: Values = {
          organizationId: `org_${run}_${of.organization}`,
          keyId: `key_${run}_${of.key}`,
          name: `name ${number}`,
          number,
          period: of.period,
          selection: of.selection,
        };
        return perform(of, caller, values, scheduler);
      };
      const [first] = callers;
      if (first === undefined) throw new Error('There are callers');
      for (const kind of ['createOrganization', 'createKey'] as const) {
        await scheduler.waitFor(start({ ...withoutFailure, kind }, first));
      }

      for (const step of steps) {
        // The changes of different steps are not concurrent.
        nowMs += 1000;
        const started = step.map((each, index) => start(each, callers[index] ?? first));
        await scheduler.waitFor(Promise.all(started));
      }

      await expectRecordedState([`org_${run}_0`, `org_${run}_1`]);
    }),
    { numRuns },
  );
});

const withoutFailure: Omit<Change, 'kind'> = {
  organization: 0,
  key: 0,
  selection: 0,
  period: 'day',
  outcomes: [],
  isRepeated: false,
};

/** Errors of injected failures, and those of changes that were repeated although they had been made. */
const expectedError =
  /^socket hang up$|exists already$|^A condition of what is created with|^This API key is already replaced by|^There is no such (?:organization|route)/;

async function perform(
  { kind, outcomes, isRepeated }: Change,
  caller: Caller,
  values: Values,
  scheduler: Scheduler,
): Promise<void> {
  const attempt = () =>
    changes[kind](caller, values).catch((error: Error) => {
      if (!expectedError.test(error.message)) throw error;
      return error;
    });
  const work = async () => {
    if ((await attempt()) instanceof Error && isRepeated) await attempt();
  };
  await caller.run(work, { outcomes, scheduler });
}

async function expectRecordedState(organizationIds: readonly string[]): Promise<void> {
  const audit = createTestAuditTrail(database, tables);
  const records = (await Promise.all(organizationIds.map(audit.records))).flat();
  expect(await readState(organizationIds)).toEqual(replayAuditRecords(records));
}

async function readState(organizationIds: readonly string[]): Promise<ReplayedState> {
  const { directory, tables: budgetTables } = storesOf(database.documentClient);
  const { directoryTable } = budgetTables;
  const state: ReplayedState = {
    organizations: new Map(),
    keys: new Map(),
    budgets: new Map(),
    rateLimits: new Map(),
    keyModels: new Map(),
    routes: new Map(),
  };
  for (const organizationId of organizationIds) {
    const organization = await directory.findOrganization(organizationId);
    const { current, archived } = await readStoredKeys(budgetTables.directoryTable, organizationId);
    if (organization !== null) {
      const { created_at: _, rate_limits: __, ...fields } = organization;
      state.organizations.set(organizationId, fields);
    }
    for (const { created_at: _, last_four: __, ...fields } of [...current, ...archived]) {
      state.keys.set(fields.id, fields);
    }
    await readRateLimits(directoryTable, state, organizationId);
    await readKeyModels(directoryTable, state, organizationId);
    const { routes } = await findRoutes(directoryTable, organizationId);
    for (const [name, { changed_at: _, ...route }] of Object.entries(routes)) {
      const targets = route.targets.map((target) => ({
        ...target,
        parameters: JSON.stringify(target.parameters),
      }));
      state.routes.set(`${organizationId}/${name}`, { ...route, targets });
    }
    for (const { scope, period, amountUsd, hard, allowsUnpriced } of await listBudgets(
      budgetTables,
      organizationId,
      now(),
    )) {
      state.budgets.set(`${scope.keyId ?? organizationId}/${period}`, {
        amount_usd: amountUsd,
        hard,
        allow_unpriced: allowsUnpriced,
        period,
        api_key_id: scope.keyId,
      });
    }
  }
  return state;
}

/** Requests must read the limits that are listed. */
async function readRateLimits(
  table: DirectoryTable,
  { keys, rateLimits }: ReplayedState,
  organizationId: string,
): Promise<void> {
  for (const { scope, limits } of await listRateLimits(table, organizationId)) {
    rateLimits.set(scope.keyId ?? organizationId, limits);
  }
  const { new_keys } = await findDefaultRateLimits(table, organizationId);
  if (new_keys !== null) rateLimits.set(`${organizationId}/new_keys`, new_keys);
  const directory = createDirectoryStore(table);
  const organization = await directory.findOrganization(organizationId);
  expect(organization?.rate_limits).toEqual(rateLimits.get(organizationId));
  const audit = createTestAuditTrail(database, tables, now);
  for (const { apiKey, keyHash } of await findKeyRecords(table, organizationId, [...keys.keys()])) {
    const scope = firstKeyScope(apiKey);
    // A caller that was killed may have left the earlier limits to a replacement, until somebody sets the limits again.
    if (scope.keyId !== apiKey.id) await changeRateLimits(table, scope, (limits) => limits, audit);
    const found = await directory.findApiKeyByHash(keyHash);
    expect(found?.key_rate_limits).toEqual(rateLimits.get(scope.keyId ?? ''));
  }
}

/** The lists of first keys. Their replacements must have the same. */
async function readKeyModels(
  table: DirectoryTable,
  { keys, keyModels }: ReplayedState,
  organizationId: string,
): Promise<void> {
  const directory = createDirectoryStore(table);
  const audit = createTestAuditTrail(database, tables, now);
  const records = await findKeyRecords(table, organizationId, [...keys.keys()]);
  const modelsOf = async (keyHash: string) => (await directory.findApiKeyByHash(keyHash))?.key_models ?? null;
  for (const { apiKey, keyHash } of records.filter(({ apiKey }) => apiKey.budget_key_id === undefined)) {
    const models = await modelsOf(keyHash);
    keyModels.set(apiKey.id, models);
    // As with rate limits: a caller that was killed may have left an earlier list to a replacement.
    await setAllowedModels(table, firstKeyScope(apiKey), models, audit);
  }
  for (const { apiKey, keyHash } of records) {
    const { keyId } = firstKeyScope(apiKey);
    expect(await modelsOf(keyHash)).toEqual(keyModels.get(keyId ?? ''));
  }
}
