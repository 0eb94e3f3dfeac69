/** Derives organizations, keys, budgets, rate limits, lists of models and routes from the audit records of their changes alone. */
import { expect } from 'vitest';
import type { ApiKey, KeyRotation, Organization } from '#lambdas/access/directory.ts';
import { type AuditRecord, type AuditValues, creatorOf } from '#lambdas/audit/record.ts';

/** The fields that audit records tell. */
export interface ReplayedState {
  organizations: Map<string, ReplayedOrganization>;
  keys: Map<string, ReplayedKey>;
  /** By the ids of their targets. */
  budgets: Map<string, AuditValues>;
  /** By the ids of their targets: those of organizations and keys, and the defaults. */
  rateLimits: Map<string, AuditValues>;
  /** By the ids of first keys: those that were rotated share the list. `null` for all models. */
  keyModels: Map<string, readonly string[] | null>;
  /** By the organization and the name. */
  routes: Map<string, AuditValues>;
}

type ReplayedOrganization = Pick<
  Organization,
  'id' | 'name' | 'log_shards' | 'models' | 'deleted_at' | 'key_shown'
>;

export type ReplayedKey = Pick<
  ApiKey,
  | 'id'
  | 'organization_id'
  | 'name'
  | 'expires_at'
  | 'rotation'
  | 'revoked_at'
  | 'created_by'
  | 'revoked_by'
  | 'rotated_by'
  | 'budget_key_id'
>;

/** Also checks that the values before each change are those that the earlier changes have left. */
export function replayAuditRecords(records: readonly AuditRecord[]): ReplayedState {
  const state: ReplayedState = {
    organizations: new Map(),
    keys: new Map(),
    budgets: new Map(),
    rateLimits: new Map(),
    keyModels: new Map(),
    routes: new Map(),
  };
  for (const record of records) replay(state, record, records);
  // The record of an organization that was created at the same time as a key may be the later one.
  for (const record of records) showKey(state, record);
  return state;
}

function replay(state: ReplayedState, record: AuditRecord, records: readonly AuditRecord[]): void {
  const { action, target, before, after } = record;
  expect(after).not.toEqual(before);
  switch (action) {
    case 'organization.created':
      expect([state.organizations.has(target.id), before]).toEqual([false, null]);
      state.organizations.set(target.id, {
        id: target.id,
        ...(after as { name: string; log_shards: number }),
      });
      return;
    case 'organization.renamed':
    case 'organization.scaled':
      change(state.organizations.get(target.id), record);
      return;
    case 'organization.deleted':
      expect(state.organizations.get(target.id)?.deleted_at).toBeUndefined();
      change(state.organizations.get(target.id), record);
      return;
    case 'api_key.created':
      createKey(state, record);
      return;
    case 'api_key.renamed':
    case 'api_key.expiry_changed':
      change(state.keys.get(target.id), record);
      return;
    case 'api_key.revoked':
      change(state.keys.get(target.id), record, { revoked_by: creatorOf(record.actor) });
      return;
    case 'api_key.rotated':
      rotateKey(state, record, records);
      return;
    case 'budget.set':
    case 'budget.removed':
      replaceValues(state.budgets, record);
      return;
    case 'rate_limits.set':
    case 'rate_limits.removed':
    case 'rate_limits.defaults_set':
      replaceValues(state.rateLimits, record);
      return;
    case 'organization.models_set':
      setOrganizationModels(state, record);
      return;
    case 'api_key.models_set':
      expect(before).toEqual({ models: state.keyModels.get(target.id) });
      state.keyModels.set(target.id, after?.models as readonly string[] | null);
      return;
    case 'route.set':
    case 'route.removed':
      replaceValues(state.routes, {
        ...record,
        target: { ...target, id: `${record.organizationId}/${target.id}` },
      });
      return;
    default:
      throw new Error(`${action} is not replayed`);
  }
}

function replaceValues(values: Map<string, AuditValues>, { target, before, after }: AuditRecord): void {
  expect(before).toEqual(values.get(target.id) ?? null);
  if (after === null) values.delete(target.id);
  else values.set(target.id, after);
}

function setOrganizationModels(
  { organizations }: ReplayedState,
  { target, before, after }: AuditRecord,
): void {
  const organization = organizations.get(target.id) ?? expect.fail('The organization has no record');
  const { models, ...others } = organization;
  expect(before).toEqual({ models: models ?? null });
  const set = after?.models as readonly string[] | null;
  organizations.set(target.id, set === null ? others : { ...others, models: set });
}

function change(item: object | undefined, { before, after }: AuditRecord, further: object = {}): void {
  expect(item).toMatchObject(before ?? {});
  Object.assign(item ?? {}, after, further);
}

function createKey(
  { keys, keyModels }: ReplayedState,
  { target, organizationId, before, after, actor }: AuditRecord,
): void {
  expect([keys.has(target.id), before]).toEqual([false, null]);
  const { name, expires_at } = after as { name: string; expires_at: string | null };
  keys.set(target.id, {
    id: target.id,
    organization_id: String(organizationId),
    name,
    expires_at,
    rotation: null,
    created_by: creatorOf(actor),
    revoked_at: null,
    revoked_by: null,
  });
  keyModels.set(target.id, null);
}

function showKey({ organizations }: ReplayedState, { action, organizationId, actor }: AuditRecord): void {
  const isIssued = action === 'api_key.created' || action === 'api_key.rotated';
  const organization = organizations.get(String(organizationId));
  if (organization !== undefined && isIssued && actor.type === 'user') organization.key_shown = true;
}

/** The name is that which the replacement has inherited. */
function rotateKey({ keys }: ReplayedState, record: AuditRecord, records: readonly AuditRecord[]): void {
  const { target, before, after } = record;
  const old = keys.get(target.id) ?? expect.fail('The replaced key has no record');
  expect(before).toEqual({ replacement_id: old.rotation?.replacement_id ?? null });
  if (old.revoked_at !== null) expect(isConcurrent(old.revoked_at, record)).toBe(true);
  const rotation = after as unknown as KeyRotation;
  keys.set(rotation.replacement_id, {
    ...old,
    id: rotation.replacement_id,
    rotation: null,
    revoked_at: null,
    revoked_by: null,
    name: target.name ?? '',
    expires_at: inheritedExpiry(old, record, records),
    rotated_by: creatorOf(record.actor),
    budget_key_id: old.budget_key_id ?? old.id,
  });
  Object.assign(old, { rotation });
}

/** Any one of those that were set at the same time. */
function inheritedExpiry(
  { id, expires_at }: ReplayedKey,
  rotated: AuditRecord,
  records: readonly AuditRecord[],
): string | null {
  const changes = records.filter(
    ({ action, target, at }) =>
      action === 'api_key.expiry_changed' && target.id === id && isConcurrent(at, rotated),
  );
  if (changes.length === 0) return expires_at;
  return expect.toBeOneOf([expires_at, ...changes.map(({ before }) => before?.expires_at)]);
}

/**
 * Records have the times at which changes began. Concurrent changes may be written in another order: a revocation after a
 * rotation that began later. The changes of a test's step begin within this time, and steps are further apart.
 */
const maxStepMs = 500;

function isConcurrent(time: string, { at }: AuditRecord): boolean {
  return Math.abs(Date.parse(at) - Date.parse(time)) < maxStepMs;
}
